// Proves: parsing an ONNX file ends on any bytes, within a second of CPU time, with a model or with an error that has a documented exit code.
#include <new>

#include "convert/ir/diagnostics.h"
#include "convert/onnx/reader.h"
#include "tests/fuzz/model_mutator.h"
#include "tests/fuzz/target.h"

namespace ert::fuzz {
namespace {

constexpr double kMostSeconds = 1 * kSlower;

void run(const uint8_t* data, size_t bytes) {
  within_seconds(kMostSeconds, "parsing took so many ms", [&] {
    try {
      edgeconv::parse_model(data, bytes, "fuzzed.onnx");
    } catch (const edgeconv::FatalError& e) {
      if (e.code() == edgeconv::ExitCode::kInternal) finding(e.what(), static_cast<int>(e.code()));
    } catch (const std::bad_alloc&) {  // exit 5
    } catch (const std::exception& e) {
      finding(e.what());
    }
  });
}

}  // namespace

const Target& target_onnx_parse() {
  static const Target target = {"onnx_parse", run, mutate_onnx};
  return target;
}

}  // namespace ert::fuzz
