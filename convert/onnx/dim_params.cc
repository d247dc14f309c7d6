// A small recursive-descent parser of dimension expressions, with a cap on nesting because the text is untrusted.
#include "convert/onnx/dim_params.h"

#include <cctype>
#include <charconv>

#include "convert/ir/diagnostics.h"

namespace edgeconv {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == ':'; }

struct SyntaxError {};

class Parser {
 public:
  Parser(const std::string& text, const std::set<std::string>& names) : text_(text), names_(names) {}

  DimExpr run() {
    DimExpr e = sum();
    if (peek() != '\0') throw SyntaxError{};
    return e;
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || c == '\0') return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) throw SyntaxError{};
  }

  DimExpr sum() {
    DimExpr e = product(accept('-'));
    for (;;) {
      if (accept('+'))
        e = e + product();
      else if (accept('-'))
        e = e - product();
      else
        return e;
    }
  }

  // A minus in front is of the first operand alone, as in Python: -n//2 rounds -n/2 down.
  DimExpr product(bool minus = false) {
    DimExpr e = minus ? DimExpr(0) - operand() : operand();
    for (;;) {
      if (accept('*')) {
        e = e * operand();
      } else if (accept('/')) {
        accept('/');
        e = e.floor_div(operand());
      } else if (accept('%')) {
        e = e.mod(operand());
      } else {
        return e;
      }
    }
  }

  DimExpr operand() {
    if (++depth_ > 32) throw SyntaxError{};
    DimExpr e = atom();
    --depth_;
    return e;
  }

  DimExpr atom() {
    const char c = peek();
    if (accept('(')) {
      DimExpr e = sum();
      expect(')');
      return e;
    }
    const size_t start = at_;
    if (std::isdigit(static_cast<unsigned char>(c))) {
      int64_t v = 0;
      const auto [end, ec] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
      if (ec != std::errc()) throw SyntaxError{};
      at_ = static_cast<size_t>(end - text_.data());
      return DimExpr(v);
    }
    if (!starts_name(c)) throw SyntaxError{};
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    const std::string name = text_.substr(start, at_ - start);
    if (peek() == '(') return call(name);
    if (names_.count(name) == 0) throw SyntaxError{};
    return DimExpr::symbol(name);
  }

  DimExpr call(const std::string& name) {
    expect('(');
    const DimExpr a = sum();
    if (name == "floor") {
      expect(')');
      return a;  // divisions round down already
    }
    expect(',');
    const DimExpr b = sum();
    expect(')');
    if (name == "min" || name == "Min") return DimExpr::min(a, b);
    if (name == "max" || name == "Max") return DimExpr::max(a, b);
    if (name == "mod" || name == "Mod") return a.mod(b);
    if (name == "FloorDiv") return a.floor_div(b);
    throw SyntaxError{};
  }

  const std::string& text_;
  const std::set<std::string>& names_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_plain_dim_name(const std::string& text) {
  if (text.empty() || !starts_name(text[0])) return false;
  for (char c : text)
    if (!continues_name(c)) return false;
  return true;
}

std::optional<DimExpr> parse_dim_expression(const std::string& text, const std::set<std::string>& names) {
  if (text.size() > 500) return std::nullopt;
  try {
    return Parser(text, names).run();
  } catch (const SyntaxError&) {
    return std::nullopt;
  } catch (const FatalError&) {  // beyond the caps of DimExpr
    return std::nullopt;
  }
}

}  // namespace edgeconv
