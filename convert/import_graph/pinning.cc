// Values as text to tensors and back, and nothing is rounded on the way that the user wrote down.
#include "convert/import_graph/pinning.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>

#include "convert/files/sha256.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"

namespace edgeconv {

namespace {

std::string option(const std::string& name, const PinnedContents& c) {
  return "--const " + printable(name) + "=" + printable(c.text) + ": ";
}

[[noreturn]] void refuse(const std::string& message) { throw FatalError(ExitCode::kUsage, message); }

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t v = 0;
  const char* first = text.data() + (text.size() > 1 && text[0] == '+' && text[1] != '-' ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), v);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(v) : std::nullopt;
}

// Decimal digits without sign, point and exponent: "1.50e3" has "15". What a text says, but for its size.
std::string significant_digits(const std::string& number) {
  std::string digits;
  for (char c : number) {
    if (c == 'e' || c == 'E') break;
    if (c >= '0' && c <= '9') digits += c;
  }
  const size_t first = digits.find_first_not_of('0'), last = digits.find_last_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first, last - first + 1);
}

std::optional<double> decimal(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string::npos ||
      text.find_first_of("0123456789") == std::string::npos)
    return std::nullopt;
  char* end = nullptr;
  const double v = std::strtod(text.c_str(), &end);
  return *end == '\0' ? std::optional(v) : std::nullopt;
}

// The value of the type that a decimal text means. 0.1 means the nearest float; 16777217, which has more digits than the nearest
// float shows, is not what the float would be.
bool survives(const std::string& text, double stored) {
  const std::string digits = significant_digits(text);
  if (digits.size() > 40) return false;
  char shown[64];
  const auto [end, error] =
      std::to_chars(shown, shown + sizeof shown - 1, stored, std::chars_format::scientific, static_cast<int>(digits.size()) - 1);
  *end = '\0';
  return error == std::errc() && significant_digits(std::string(shown, end)) == digits && decimal(shown) == decimal(text);
}

Tensor float_element(const std::string& name, const PinnedContents& c, DType dtype) {
  const auto v = decimal(c.text);
  if (!v)
    refuse(option(name, c) + "input '" + printable(name) + "' is " + std::string(dtype_name(dtype)) +
           "; write one number, or name a FILE.npy");
  if (dtype == DType::kDouble) {
    if (!std::isfinite(*v) || !survives(c.text, *v))
      refuse(option(name, c) + "float64 has no such number; write one that it has");
    return Tensor::of<double>(DType::kDouble, {}, {*v});
  }
  const bool in_range = std::fabs(*v) <= static_cast<double>(std::numeric_limits<float>::max());
  const Tensor t = Tensor::scalar(in_range ? static_cast<float>(*v) : 0.0f).cast(dtype);
  const std::optional<std::string> stored = in_range ? uniform_text(t) : std::nullopt;
  const std::string near = stored ? "; near it is " + *stored : "";
  if (!stored || !survives(c.text, static_cast<double>(t.to_float()[0])))
    refuse(option(name, c) + std::string(dtype_name(dtype)) + ", the type of input '" + printable(name) +
           "', has no such number" + (near.empty() ? "; write one that it has" : near + "; write that"));
  return t;
}

Tensor integer_element(const std::string& name, const PinnedContents& c, DType dtype) {
  auto v = whole_number(c.text);
  const std::string type(dtype_name(dtype));
  const auto number = decimal(c.text);
  if (!v && number && std::trunc(*number) == *number && std::fabs(*number) < 9007199254740992.0)
    v = static_cast<int64_t>(*number);  // "1e3", "16000.0"
  if (!v && !number)
    refuse(option(name, c) + "input '" + printable(name) + "' is " + type + "; write one whole number, or name a FILE.npy");
  if (v) {
    const Tensor t = Tensor::scalar(*v).cast(dtype);
    const bool wraps = t.to_int64()[0] != *v || (*v < 0 && (dtype == DType::kUint32 || dtype == DType::kUint64));
    if (!wraps) return t;
  }
  refuse(option(name, c) + type + ", the type of input '" + printable(name) + "', has no such number; write one that it has");
}

Tensor element(const std::string& name, const PinnedContents& c, DType dtype) {
  const bool yes = c.text == "true", no = c.text == "false";
  if (dtype == DType::kBool) {
    if (!yes && !no && c.text != "0" && c.text != "1")
      refuse(option(name, c) + "input '" + printable(name) + "' is bool; write true or false, or name a FILE.npy");
    return Tensor::of<uint8_t>(DType::kBool, {}, {static_cast<uint8_t>(yes || c.text == "1")});
  }
  if (is_float(dtype)) return float_element(name, c, dtype);
  if (is_integer(dtype)) return integer_element(name, c, dtype);
  refuse(option(name, c) + "inputs of this type cannot be pinned");
}

// The file's numbers in the input's type, where that changes none of them.
Tensor same_numbers(const std::string& name, const PinnedContents& c, DType dtype) {
  const Tensor& t = *c.file;
  if (t.dtype() == dtype) return t.aligned();
  const bool kinds = is_float(t.dtype()) == is_float(dtype) && (t.dtype() == DType::kBool) == (dtype == DType::kBool);
  const Tensor r = kinds ? t.cast(dtype) : Tensor();
  if (!kinds || (is_float(dtype) ? !r.cast(t.dtype()).same_bytes(t.aligned()) : r.to_int64() != t.to_int64()))
    refuse(option(name, c) + "it holds " + std::string(dtype_name(t.dtype())) + ", input '" + printable(name) + "' is " +
           std::string(dtype_name(dtype)) + (kinds ? " and has not all of its numbers" : "") + "; save it as " +
           std::string(dtype_name(dtype)));
  return r;
}

std::string dims_text(const std::vector<int64_t>& dims) {
  std::string s;
  for (int64_t d : dims) s += (s.empty() ? "" : ", ") + std::to_string(d);
  return "[" + s + "]";
}

constexpr int64_t kMostElements = int64_t{1} << 28;  // a fill of a hostile shape must not take all memory

}  // namespace

Tensor pinned_tensor(const std::string& name, const PinnedContents& c, DType dtype, const Shape& shape) {
  const std::string what = "input '" + printable(name) + "' is " + std::string(dtype_name(dtype)) + shape_str(shape);
  std::vector<int64_t> dims;
  std::string open;  // what would have to be fixed
  std::set<std::string> named;
  int64_t elements = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    for (const std::string& dim : shape[axis].symbols())
      if (named.insert(dim).second)
        open += (open.empty() ? "--fix " : " --fix ") +
                shell_word(dim + "=" + (c.file && c.file->rank() == static_cast<int>(shape.size()) && shape[axis].is_symbol()
                                            ? std::to_string(c.file->dims()[axis])
                                            : "N"));
    dims.push_back(shape[axis].constant().value_or(1));
    if (__builtin_mul_overflow(elements, dims.back(), &elements) || elements > kMostElements)
      refuse(option(name, c) + what + ", which is too large for a constant");
  }
  if (!open.empty()) refuse(option(name, c) + what + ", and only an input of fixed shape can be a constant; add " + open);
  if (c.file) {
    if (c.file->dims() != dims)
      refuse(option(name, c) + "the array is " + std::string(dtype_name(c.file->dtype())) + dims_text(c.file->dims()) + ", " +
             what + "; save it in that shape");
    return same_numbers(name, c, dtype);
  }
  const Tensor one = element(name, c, dtype);
  Tensor all(dtype, dims);
  const size_t size = dtype_size(dtype);
  uint8_t* to = all.mutable_data();
  for (size_t i = 0; i < static_cast<size_t>(elements); ++i) std::memcpy(to + i * size, one.data(), size);
  return all;
}

std::optional<std::string> uniform_text(const Tensor& t) {
  if (t.elements() == 0) return std::nullopt;
  const size_t size = dtype_size(t.dtype());
  for (int64_t i = 1; i < t.elements(); ++i)
    if (std::memcmp(t.data(), t.data() + static_cast<size_t>(i) * size, size) != 0) return std::nullopt;
  const auto shown = [](auto v) {
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof text, v);
    return std::string(text, end);
  };
  const Tensor one(t.dtype(), {}, t.data(), nullptr);
  if (t.dtype() == DType::kBool) return one.data()[0] ? "true" : "false";
  if (!is_float(t.dtype())) return shown(one.to_int64()[0]);
  if (t.dtype() == DType::kDouble) {
    const double v = one.aligned().as<double>()[0];
    return std::isfinite(v) ? std::optional(shown(v)) : std::nullopt;
  }
  const float v = one.to_float()[0];
  return std::isfinite(v) ? std::optional(shown(v)) : std::nullopt;
}

std::string pinned_text(const PinnedInput& input) {
  if (const auto one = uniform_text(input.contents)) return *one;
  return dims_text(input.contents.dims()) + " " + std::string(dtype_name(input.contents.dtype()));
}

std::string pinned_list(const std::map<std::string, int64_t>& dims, const std::vector<PinnedInput>& inputs) {
  std::string s;
  for (const auto& [name, size] : dims) s += (s.empty() ? "" : ", ") + printable(name) + " = " + std::to_string(size);
  for (const PinnedInput& p : inputs) s += (s.empty() ? "" : ", ") + printable(p.name) + " = " + pinned_text(p);
  return s;
}

std::string unused_inputs_note(const std::set<std::string>& names) {
  std::string s;
  for (const std::string& name : names) s += (s.empty() ? "'" : ", '") + printable(name) + "'";
  return "what is recorded for " + std::string(names.size() == 1 ? "input " : "inputs ") + s +
         " is not used: the conversion pinned " + (names.size() == 1 ? "it (--const) or cut it" : "them (--const) or cut them") +
         " away (--outputs)";
}

std::string contents_sha256(const Tensor& t) {
  Sha256 sum;
  const std::string head = std::string(dtype_name(t.dtype())) + dims_text(t.dims());
  sum.update(reinterpret_cast<const uint8_t*>(head.data()), head.size());
  sum.update(t.data(), t.bytes());
  return Sha256::hex(sum.finish());
}

}  // namespace edgeconv
