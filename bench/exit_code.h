/* Exit code of the measuring and checking programs for a status of the runtime (README.md lists them). C99, no library. */
#ifndef ERT_BENCH_EXIT_CODE_H
#define ERT_BENCH_EXIT_CODE_H

#include "rt/include/ert.h"

static inline int ert_exit_code(ert_status status) {
  switch (status) {
    case ERT_OK: return 0;
    case ERT_ERR_DIMS:
    case ERT_ERR_INPUT: return 2;
    case ERT_ERR_TRUNCATED:
    case ERT_ERR_MAGIC:
    case ERT_ERR_FORMAT:
    case ERT_ERR_MODEL: return 3;
    case ERT_ERR_VERSION:
    case ERT_ERR_UNSUPPORTED:
    case ERT_ERR_LAYOUT:
    case ERT_ERR_COMPRESSED:
    case ERT_ERR_ENDIAN:
    case ERT_ERR_ISA: return 4;
    case ERT_ERR_LIMIT:
    case ERT_ERR_NOMEM: return 5;
    case ERT_ERR_SELFTEST: return 7;
    case ERT_ERR_CHECKSUM:
    case ERT_ERR_SIGNATURE:
    case ERT_ERR_ROLLBACK: return 8;
    default: return 1;
  }
}

#endif /* ERT_BENCH_EXIT_CODE_H */
