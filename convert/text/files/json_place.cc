#include "convert/text/files/json_place.h"

#include <cmath>
#include <vector>

#include "convert/text/files/decimal.h"

namespace edgeconv::text {

namespace {

// The library copies a tree by calling itself for each level. Tokenizers have some ten.
constexpr size_t kDeepestTree = 500;

bool nests_too_deeply(const std::string& text) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if ((c == '[' || c == '{') && ++depth > kDeepestTree) {
      return true;
    } else if ((c == ']' || c == '}') && depth != 0) {
      --depth;
    }
  }
  return false;
}

// Builds the tree as JsonTree::parse does, but for numbers with a fraction or an exponent: only here is their spelling known.
class TreeBuilder : public nlohmann::json_sax<JsonTree> {
 public:
  TreeBuilder(JsonTree& root, const std::string& name) : root_(root), name_(name) {}
  bool null() override { return put(nullptr); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(int64_t v) override { return put(v); }
  bool number_unsigned(uint64_t v) override { return put(v); }
  bool number_float(double, const std::string& literal) override {
    const double v = serde_double(literal);
    if (!std::isfinite(v)) malformed("the number " + literal + " is too large");
    return put(v);
  }
  bool string(std::string& v) override { return put(std::move(v)); }
  bool binary(JsonTree::binary_t&) override { return false; }  // JSON has none
  bool start_object(size_t) override { return open(JsonTree::object()); }
  bool key(std::string& k) override {
    member_ = &(*open_.back())[k];
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(JsonTree::array()); }
  bool end_array() override { return close(); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& e) override { malformed(e.what()); }

 private:
  [[noreturn]] void malformed(const std::string& why) const {
    throw FatalError(ExitCode::kMalformed, "'" + name_ + "' is not valid JSON: " + printable(why));
  }
  JsonTree* place(JsonTree v) {
    if (open_.empty()) return &(root_ = std::move(v));
    if (!open_.back()->is_array()) return &(*member_ = std::move(v));
    open_.back()->push_back(std::move(v));
    return &open_.back()->back();
  }
  bool put(JsonTree v) { return place(std::move(v)) != nullptr; }
  bool open(JsonTree v) {
    open_.push_back(place(std::move(v)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  JsonTree& root_;
  const std::string& name_;
  std::vector<JsonTree*> open_;  // a parent never grows while a child of it is open
  JsonTree* member_ = nullptr;
};

}  // namespace

JsonTree parse_tree(const std::string& contents, const std::string& name) {
  if (nests_too_deeply(contents))
    throw FatalError(ExitCode::kMalformed, "'" + name + "' nests deeper than " + std::to_string(kDeepestTree) + " levels");
  JsonTree root;
  TreeBuilder builder(root, name);
  JsonTree::sax_parse(contents, &builder);
  return root;
}

namespace {

std::string message_of(const std::string& name, const std::vector<std::string>& unknowns) {
  std::string message = "'" + name + "' has " +
                        (unknowns.size() == 1 ? "a component" : std::to_string(unknowns.size()) + " components") +
                        " that no tokenizer of a blob has:";
  constexpr size_t kMostNamed = 100;
  for (size_t i = 0; i < unknowns.size() && i < kMostNamed; ++i) message += "\n  " + printable(unknowns[i]);
  if (unknowns.size() > kMostNamed) message += "\n  and " + std::to_string(unknowns.size() - kMostNamed) + " more";
  return message;
}

}  // namespace

UnsupportedTokenizer::UnsupportedTokenizer(const std::string& name, std::vector<std::string> unknowns)
    : FatalError(ExitCode::kUnsupported, message_of(name, unknowns)), name_(name), unknowns_(std::move(unknowns)) {}

void Unknowns::check(const std::string& name) const {
  if (!list_.empty()) throw UnsupportedTokenizer(name, list_);
}

void JsonPlace::malformed(const std::string& why) const {
  throw FatalError(ExitCode::kMalformed, "'" + *file_ + "': " + printable(path_) + " " + why);
}

JsonPlace JsonPlace::at(const char* key) const {
  if (!value_->is_object()) malformed("is not an object");
  const auto it = value_->find(key);
  if (it == value_->end()) malformed(std::string("has no '") + key + "'");
  return {*it, *file_, path_ + "." + key, *unknowns_};
}

size_t JsonPlace::size() const {
  if (!value_->is_array()) malformed("is not an array");
  return value_->size();
}

JsonPlace JsonPlace::item(size_t i) const {
  // Components hold lists of components, one in another: readers call themselves for each.
  constexpr size_t kLongestPath = 2000;
  if (path_.size() > kLongestPath)
    JsonPlace(*value_, *file_, path_.substr(0, 60) + "..", *unknowns_).malformed("nests components too deeply");
  return {(*value_)[i], *file_, path_ + "[" + std::to_string(i) + "]", *unknowns_};
}

std::string JsonPlace::string() const {
  if (!value_->is_string()) malformed("is not a string");
  return value_->get<std::string>();
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) malformed("is neither true nor false");
  return value_->get<bool>();
}

uint32_t JsonPlace::number() const {
  if (!value_->is_number_unsigned() || value_->get<uint64_t>() > INT32_MAX) malformed("is no number from 0 to 2147483647");
  return value_->get<uint32_t>();
}

double JsonPlace::real() const {
  if (!value_->is_number()) malformed("is not a number");
  return value_->get<double>();
}

}  // namespace edgeconv::text
