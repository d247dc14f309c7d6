// .npy: magic, version, header length, a Python dict literal with descr, fortran_order and shape, then the data.
#include "convert/files/npy.h"

#include <cstring>
#include <iterator>
#include <string_view>

#include "convert/files/atomic_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/files/mapped_file.h"

namespace edgeconv {
namespace {

constexpr size_t kMaxHeader = 1 << 16;
constexpr size_t kMaxRank = 32;

struct TypeCode {
  const char* descr;
  DType dtype;
};
constexpr TypeCode kTypes[] = {{"<f4", DType::kFloat}, {"<f8", DType::kDouble}, {"<f2", DType::kFloat16}, {"|i1", DType::kInt8},
                               {"|u1", DType::kUint8}, {"<i2", DType::kInt16},  {"<u2", DType::kUint16},  {"<i4", DType::kInt32},
                               {"<i8", DType::kInt64}, {"|b1", DType::kBool}};

// Reads the header's dict literal: exactly the three keys, in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : s_(text), where_(where) {}

  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;

  void parse() {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        skip();
        if (at_ < s_.size() && s_[at_] != '\'' && s_[at_] != '"') fail("structured types are not supported");
        descr = quoted();
        has_descr = true;
      } else if (key == "fortran_order") {
        fortran = boolean();
        has_order = true;
      } else if (key == "shape") {
        tuple();
        has_shape = true;
      } else {
        fail("the header has the unknown key '" + key + "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (at_ != s_.size() || !has_descr || !has_order || !has_shape) fail("the header is not complete");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FatalError(ExitCode::kMalformed, where_ + ": " + what); }
  void skip() {
    while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= s_.size() || s_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("the header lacks a '") + c + "'");
  }
  std::string quoted() {
    skip();
    if (at_ >= s_.size() || (s_[at_] != '\'' && s_[at_] != '"')) fail("the header lacks a string");
    const size_t end = s_.find(s_[at_], at_ + 1);
    if (end == std::string_view::npos) fail("a string of the header does not end");
    const std::string r(s_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return r;
  }
  bool boolean() {
    skip();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (s_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("fortran_order is neither True nor False");
  }
  void tuple() {
    expect('(');
    while (!accept(')')) {
      skip();
      int64_t v = 0;
      const size_t first = at_;
      while (at_ < s_.size() && s_[at_] >= '0' && s_[at_] <= '9') {
        if (__builtin_mul_overflow(v, int64_t{10}, &v) || __builtin_add_overflow(v, int64_t{s_[at_] - '0'}, &v))
          fail("a size is too large");
        ++at_;
      }
      if (at_ == first || shape.size() == kMaxRank) fail("the shape is not a tuple of sizes");
      shape.push_back(v);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::string_view s_;
  const std::string& where_;
  size_t at_ = 0;
};

DType dtype_of(const std::string& descr, const std::string& where) {
  for (const TypeCode& t : kTypes) {
    if (descr == t.descr || (descr.size() == 3 && descr[0] == '<' && std::strcmp(descr.c_str() + 1, t.descr + 1) == 0))
      return t.dtype;
  }
  if (descr.find('O') != std::string::npos)
    throw FatalError(ExitCode::kMalformed,
                     where + ": it holds pickled Python objects, which are never read; save numbers, with .astype()");
  throw FatalError(ExitCode::kUnsupported,
                   where + ": the type '" + descr +
                       "' is not supported; little-endian f4 f8 f2 i1 u1 i2 u2 i4 i8 b1 are: save with .astype()");
}

// The array whose first axis runs fastest in `from`, as numpy saves transposed ones, with the last axis fastest.
void copy_columns_first(const uint8_t* from, Tensor& to) {
  const std::vector<int64_t>& dims = to.dims();
  const size_t width = dtype_size(to.dtype());
  std::vector<int64_t> stride(dims.size()), at(dims.size());
  int64_t step = 1;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    stride[axis] = step;
    step *= dims[axis];
  }
  uint8_t* out = to.mutable_data();
  int64_t source = 0;
  for (int64_t i = 0; i < to.elements(); ++i) {
    std::memcpy(out + static_cast<size_t>(i) * width, from + static_cast<size_t>(source) * width, width);
    for (size_t axis = dims.size(); axis-- > 0;) {
      source += stride[axis];
      if (++at[axis] < dims[axis]) break;
      source -= stride[axis] * dims[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace

Tensor parse_npy(const uint8_t* data, size_t bytes, const std::string& where) {
  const auto fail = [&](const std::string& what) { throw FatalError(ExitCode::kMalformed, where + ": " + what); };
  if (bytes < 10 || std::memcmp(data, "\x93NUMPY", 6) != 0) fail("this is no .npy file");
  const int major = data[6];
  if (major != 1 && major != 2) fail("version " + std::to_string(major) + " of the format is not supported");
  const size_t prefix = major == 1 ? 10 : 12;
  if (bytes < prefix) fail("the file is cut off; write it again with numpy.save");
  size_t length = data[8] | static_cast<size_t>(data[9]) << 8;
  if (major == 2) length |= static_cast<size_t>(data[10]) << 16 | static_cast<size_t>(data[11]) << 24;
  if (length > kMaxHeader || length > bytes - prefix) fail("the header is cut off or too long; write it again with numpy.save");
  HeaderParser header(std::string_view(reinterpret_cast<const char*>(data) + prefix, length), where);
  header.parse();
  const DType t = dtype_of(header.descr, where);
  size_t need = dtype_size(t);
  for (int64_t d : header.shape) {
    if (__builtin_mul_overflow(need, static_cast<size_t>(d), &need)) fail("the shape is too large");
  }
  if (need != bytes - prefix - length) {
    fail("the data has " + std::to_string(bytes - prefix - length) + " bytes, the shape needs " + std::to_string(need) +
         "; write it again with numpy.save");
  }
  Tensor out(t, header.shape);
  if (need && header.fortran)
    copy_columns_first(data + prefix + length, out);
  else if (need)
    std::memcpy(out.mutable_data(), data + prefix + length, need);
  if (t == DType::kBool) {
    for (uint8_t& b : out.mut<uint8_t>()) b = b != 0;
  }
  return out;
}

Tensor read_npy(const std::string& path) {
  const auto file = MappedFile::open(path);
  return parse_npy(file->data, file->bytes, path);
}

std::vector<uint8_t> format_npy(const Tensor& t) {
  const char* descr = nullptr;
  for (const TypeCode& c : kTypes) {
    if (c.dtype == t.dtype()) descr = c.descr;
  }
  if (!descr) throw FatalError(ExitCode::kUnsupported, ".npy cannot hold the type " + std::string(dtype_name(t.dtype())));
  std::string header = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t d : t.dims()) header += std::to_string(d) + ",";
  header += "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const uint8_t magic[] = {
      0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<uint8_t>(header.size()), static_cast<uint8_t>(header.size() >> 8)};
  std::vector<uint8_t> r;
  r.reserve(sizeof magic + header.size() + t.bytes());
  r.insert(r.end(), std::begin(magic), std::end(magic));
  r.insert(r.end(), header.begin(), header.end());
  r.insert(r.end(), t.data(), t.data() + t.bytes());
  return r;
}

void write_npy(const std::string& path, const Tensor& t) {
  const std::vector<uint8_t> bytes = format_npy(t);
  write_file_atomically(path, bytes.data(), bytes.size());
}

}  // namespace edgeconv
