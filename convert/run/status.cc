// Statuses of the C API as exit codes of the converter.
#include "convert/run/status.h"

#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

ExitCode exit_code(ert_status s) {
  switch (s) {
    case ERT_ERR_CHECKSUM:
    case ERT_ERR_SIGNATURE:
    case ERT_ERR_ROLLBACK: return ExitCode::kChecksum;
    case ERT_ERR_UNSUPPORTED:
    case ERT_ERR_LAYOUT:
    case ERT_ERR_ISA:
    case ERT_ERR_VERSION: return ExitCode::kUnsupported;
    case ERT_ERR_LIMIT:
    case ERT_ERR_NOMEM: return ExitCode::kLimit;
    case ERT_ERR_DIMS: return ExitCode::kUsage;
    case ERT_ERR_ARG:
    case ERT_ERR_STATE: return ExitCode::kInternal;
    case ERT_ERR_SELFTEST: return ExitCode::kAccuracy;
    default: return ExitCode::kMalformed;
  }
}

// Where the status alone tells. What is wrong with inputs and dims is said by those who have them.
const char* what_to_do(ert_status s) {
  switch (s) {
    case ERT_ERR_MAGIC: return "; give the .ert file that edgeconv wrote";
    case ERT_ERR_TRUNCATED:
    case ERT_ERR_CHECKSUM:
    case ERT_ERR_FORMAT:
    case ERT_ERR_MODEL: return "; copy it again, or convert the model again";
    case ERT_ERR_SIGNATURE: return "; give the public key of those who signed it; where that is refused too, do not use the blob";
    case ERT_ERR_LIMIT: return "; if the file came here whole, convert the model again with smaller --dim";
    case ERT_ERR_VERSION: return "; use the edgeconv that made it, or convert the model again";
    case ERT_ERR_INPUT: return "; edgeconv inspect shows what the inputs must be";
    default: return "";
  }
}

}  // namespace

void throw_status(ert_status s, const std::string& what) {
  throw FatalError(exit_code(s), what + ": " + ert_status_str(s) + what_to_do(s));
}

}  // namespace edgeconv
