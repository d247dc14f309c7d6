// Names and meanings of the statuses.
#include "rt/include/ert.h"

uint32_t ert_api_version(void) { return ERT_API_VERSION; }

const char* ert_status_str(ert_status s) {
  switch (s) {
    case ERT_OK: return "OK: success";
    case ERT_ERR_ARG: return "ARG: null pointer, bad struct_size, index out of range or overlapping memory";
    case ERT_ERR_ALIGN: return "ALIGN: blob, region or tensor data is not aligned as required";
    case ERT_ERR_STATE: return "STATE: call out of order, context not initialised or already running";
    case ERT_ERR_NOMEM: return "NOMEM: memory is smaller than needed";
    case ERT_ERR_INPUT: return "INPUT: dtype, shape or content of a tensor is not allowed";
    case ERT_ERR_DIMS: return "DIMS: a dim is outside its range";
    case ERT_ERR_TRUNCATED: return "TRUNCATED: the blob is shorter than its header says";
    case ERT_ERR_MAGIC: return "MAGIC: not an ert blob";
    case ERT_ERR_VERSION: return "VERSION: format version or critical feature not known to this runtime";
    case ERT_ERR_CHECKSUM: return "CHECKSUM: the blob is damaged";
    case ERT_ERR_FORMAT: return "FORMAT: the blob's structure is wrong";
    case ERT_ERR_MODEL: return "MODEL: the blob's program contradicts itself";
    case ERT_ERR_LIMIT: return "LIMIT: a count or size is above the runtime's limits";
    case ERT_ERR_UNSUPPORTED: return "UNSUPPORTED: op, dtype or custom op is not available";
    case ERT_ERR_COMPRESSED: return "COMPRESSED: expand the blob with ert_unpack first";
    case ERT_ERR_SIGNATURE: return "SIGNATURE: the blob has no signature, or not that of this key";
    case ERT_ERR_ROLLBACK: return "ROLLBACK: the blob's security counter is too low";
    case ERT_ERR_ENDIAN: return "ENDIAN: big-endian CPUs are not supported";
    case ERT_ERR_LAYOUT:
      return "LAYOUT: the weights are packed in a layout that this runtime does not read; convert with --target portable";
    case ERT_ERR_ISA: return "ISA: no allowed instruction set is built in and on this CPU";
    case ERT_ERR_ABORTED: return "ABORTED: the op hook stopped the run";
    case ERT_ERR_INTEGRITY: return "INTEGRITY: context memory was changed from outside";
    case ERT_ERR_SELFTEST: return "SELFTEST: a golden vector gave other bits, or there is none";
    case ERT_ERR_CUSTOM_OP: return "CUSTOM_OP: a custom op failed";
    case ERT_STEP_MORE: return "MORE: further ops remain";
  }
  return "unknown status";
}
