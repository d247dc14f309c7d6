#include "convert/report/next_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "convert/ir/foreign_text.h"
#include "convert/run/blob_runner.h"

namespace edgeconv {

namespace {

// Longer rows of numbers are for files.
constexpr int32_t kTypedNumbers = 16;

// A dim that stands before the last axis of some input: it is 1 in numbers, so it is in every input.
bool counts_rows(const BlobRunner& runner, int32_t dim) {
  for (const BoundaryInfo& b : runner.inputs())
    if (b.dim.size() > 1 && std::find(b.dim.begin(), b.dim.end() - 1, dim) != b.dim.end() - 1) return true;
  return false;
}

// How many numbers along the last axis an input takes where every other axis is 1; nothing where it is not so simple.
std::optional<int32_t> typed_numbers(const BoundaryInfo& b, const BlobRunner& runner) {
  const std::vector<NamedDim>& dims = runner.dims();
  const auto least = [&](size_t axis) { return b.dim[axis] >= 0 ? dims[static_cast<size_t>(b.dim[axis])].min : b.shape[axis]; };
  for (size_t a = 0; a + 1 < b.shape.size(); ++a)
    if (least(a) != 1) return {};
  if (b.shape.empty()) return 1;
  const size_t last = b.shape.size() - 1;
  int32_t n = least(last);
  if (b.dim[last] >= 0 && !counts_rows(runner, b.dim[last]))
    n = std::max(n, std::min(3, dims[static_cast<size_t>(b.dim[last])].max));
  return n >= 1 && n <= kTypedNumbers ? std::optional(n) : std::nullopt;
}

// One --input of the command: numbers that the blob takes, or a file.
std::string typed_input(const BoundaryInfo& b, const BlobRunner& runner) {
  const auto n = typed_numbers(b, runner);
  if (!n) return " --input " + shell_word(b.name + "=FILE.npy");
  std::string s = b.name + "=";
  const bool mask = b.name.find("mask") != std::string::npos, type = b.name.find("type") != std::string::npos;
  for (int32_t i = 1; i <= *n; ++i) {
    const int32_t value = mask ? 1 : type ? 0 : i;
    s += (i > 1 ? "," : "") + std::to_string(std::clamp(value, b.min, std::max(b.min, b.max)));
  }
  return " --input " + shell_word(s);
}

std::string typed_inputs(const BlobRunner& runner) {
  std::string s;
  for (const BoundaryInfo& b : runner.inputs())
    if (b.state < 0) s += typed_input(b, runner);
  return s;
}

}  // namespace

std::string next_with_blob(const std::string& blob, const BlobRunner& runner, bool answers, bool inspected) {
  const std::string name = shell_word(blob);
  const std::string run =
      fmt::format("edgeconv run {}{}; ert-bench {}", name, answers ? " --text \"...\"" : typed_inputs(runner) + " --print", name);
  if (!inspected) return fmt::format("next      edgeconv inspect {}; {}\n", name, run);
  const std::string stem = std::filesystem::path(blob).stem().string();
  return fmt::format("next      {}; edgeconv export {} --format c -o {}\n", run, name, shell_word(stem + ".c"));
}

std::string next_with_model(const std::string& model, const std::vector<std::string>& options) {
  std::string s = "next      edgeconv " + shell_word(model);
  for (const std::string& o : options) s += " " + shell_word(o);
  return s + fmt::format(" -o {}\n", shell_word(std::filesystem::path(model).stem().string() + ".ert"));
}

}  // namespace edgeconv
