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

}  // namespace

void throw_status(ert_status s, const std::string& what) { throw FatalError(exit_code(s), what + ": " + ert_status_str(s)); }

}  // namespace edgeconv
