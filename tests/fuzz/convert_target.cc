// Proves: a conversion of any ONNX file ends with a blob that opens, the same bytes each time, or with an error that has a documented exit code; what is refused
// is refused within a second of CPU time.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>

#include "convert/ir/diagnostics.h"
#include "convert/pipeline/convert.h"
#include "rt/blob/crc32c.h"
#include "rt/include/ert.h"
#include "tests/fuzz/model_mutator.h"
#include "tests/fuzz/target.h"

namespace ert::fuzz {
namespace {

constexpr double kMostSecondsRefused = 1 * kSlower, kMostSeconds = 30 * kSlower;

// A file that is written again for each case, in a folder that ends with the process.
const std::string& model_path() {
  struct Folder {
    std::string path;
    Folder() {
      std::string name = (std::filesystem::temp_directory_path() / "edgeconv_fuzz_XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) abort();
      path = name + "/model.onnx";
    }
    ~Folder() { std::filesystem::remove_all(std::filesystem::path(path).parent_path()); }
  };
  static const Folder folder;
  return folder.path;
}

Bytes convert(const std::string& path) {
  edgeconv::ConvertOptions options;
  options.precision.mode = edgeconv::PrecisionMode::kInt8;  // no search, which only costs time
  const edgeconv::ConvertResult result = edgeconv::convert_model(path, options);
  const auto* first = static_cast<const uint8_t*>(static_cast<const void*>(result.blob.data()));
  return {first, first + result.blob.bytes()};
}

void check(const uint8_t* data, size_t bytes) {
  const Bytes blob = convert(model_path());
  ert_model m;
  void* aligned = nullptr;
  if (posix_memalign(&aligned, 64, blob.size()) != 0) abort();
  std::copy(blob.begin(), blob.end(), static_cast<uint8_t*>(aligned));
  const ert_status status = ert_model_open(&m, aligned, blob.size());
  free(aligned);
  if (status != ERT_OK) finding("a blob that does not open", status);
  if (crc32c(0, data, bytes) % 4 == 0 && convert(model_path()) != blob) finding("other bytes the second time");
}

void run(const uint8_t* data, size_t bytes) {
  std::ofstream(model_path(), std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  const double start = cpu_seconds();
  bool refused = true;
  try {
    check(data, bytes);
    refused = false;
  } catch (const edgeconv::FatalError& e) {
    if (e.code() == edgeconv::ExitCode::kInternal) finding(e.what(), static_cast<int>(e.code()));
    refused = e.code() != edgeconv::ExitCode::kAccuracy;
  } catch (const std::bad_alloc&) {  // exit 5
  } catch (const std::exception& e) {
    finding(e.what());
  }
  const double taken = cpu_seconds() - start;
  if (taken > (refused ? kMostSecondsRefused : 2 * kMostSeconds))
    finding(refused ? "a refusal took so many ms" : "a conversion took so many ms", static_cast<long long>(taken * 1000));
}

}  // namespace

const Target& target_convert() {
  static const Target target = {"convert", run, mutate_onnx};
  return target;
}

}  // namespace ert::fuzz
