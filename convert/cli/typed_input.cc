// See typed_input.h.
#include "convert/cli/typed_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

[[noreturn]] void refuse_typed(const std::string& flag, const std::string& why) {
  throw FatalError(ExitCode::kUsage, flag + ": " + why + "; write numbers as NAME=1,2,3 with ';' between rows, or NAME=FILE.npy");
}

// Whole numbers are read as such: a double does not hold every int64.
template <class T>
std::vector<T> numbers_of(const std::vector<std::string>& texts, const std::string& flag, T (*parse)(const char*, char**),
                          const char* kind) {
  std::vector<T> values;
  for (const std::string& text : texts) {
    char* end = nullptr;
    errno = 0;
    const T v = parse(text.c_str(), &end);
    while (*end == ' ') ++end;
    const bool zero = std::fabs(static_cast<double>(v)) < 1;  // too small for the type is 0, and no mistake
    if (text.empty() || end == text.c_str() || *end != '\0' || (errno == ERANGE && !zero))
      refuse_typed(flag, fmt::format("value {} is '{}', which is no {}", values.size() + 1, printable(text), kind));
    values.push_back(v);
  }
  return values;
}

std::vector<int64_t> shape_for(const BoundaryInfo& input, size_t rows, size_t columns, const std::string& flag) {
  const size_t rank = input.shape.size();
  std::vector<int64_t> shape(rank, 1);
  if (rank > 0) shape[rank - 1] = static_cast<int64_t>(columns);
  if (rank > 1) shape[rank - 2] = static_cast<int64_t>(rows);
  if (rank == 0 && columns != 1) refuse_typed(flag, fmt::format("the input is one number, given are {}", columns));
  if (rank < 2 && rows != 1) refuse_typed(flag, fmt::format("the input has {} axes and no rows, given are {} rows", rank, rows));
  for (size_t a = 0; a < rank; ++a)
    if (input.shape[a] >= 0 && shape[a] != input.shape[a])
      refuse_typed(flag, fmt::format("axis {} of the input has size {}, the numbers give {}", a, input.shape[a], shape[a]));
  return shape;
}

long long parse_whole(const char* text, char** end) { return std::strtoll(text, end, 10); }
double parse_real(const char* text, char** end) { return std::strtod(text, end); }

}  // namespace

bool is_typed_input(const std::string& contents) {
  return !contents.empty() && contents.find_first_not_of("0123456789+-.eE,; ") == std::string::npos &&
         contents.find_first_of("0123456789") != std::string::npos && contents.find_first_of("eE.") != 0;
}

Tensor typed_input(const std::string& contents, const BoundaryInfo& input, const std::string& flag) {
  const std::vector<std::string> rows = parts_of(contents, ';');
  std::vector<std::string> all;
  size_t columns = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::vector<std::string> row = parts_of(rows[r], ',');
    if (r > 0 && row.size() != columns)
      refuse_typed(flag, fmt::format("row {} has {} numbers, row 1 has {}", r + 1, row.size(), columns));
    columns = row.size();
    all.insert(all.end(), row.begin(), row.end());
  }
  if (is_float(input.dtype)) {
    const std::vector<double> values = numbers_of<double>(all, flag, parse_real, "number");
    return Tensor::of<float>(DType::kFloat, shape_for(input, rows.size(), columns, flag), {values.begin(), values.end()})
        .cast(input.dtype);
  }
  const std::vector<long long> values = numbers_of<long long>(all, flag, parse_whole, "whole number, and the input holds such");
  const Tensor whole =
      Tensor::of<int64_t>(DType::kInt64, shape_for(input, rows.size(), columns, flag), {values.begin(), values.end()});
  if (const std::optional<int64_t> lost = whole.lost_in(input.dtype); lost && input.dtype != DType::kBool)
    refuse_typed(flag, fmt::format("{} is no {}, the type of the input", *lost, dtype_name(input.dtype)));
  return whole.cast(input.dtype);
}

}  // namespace edgeconv::cli
