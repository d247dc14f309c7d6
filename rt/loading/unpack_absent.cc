// ert_unpack in a build without zstd (ERT_WITH_ZSTD=OFF).
#include "rt/include/ert.h"

ert_status ert_unpack_bytes(const void*, size_t, size_t*, size_t*) { return ERT_ERR_UNSUPPORTED; }

ert_status ert_unpack(const void*, size_t, void*, size_t, void*, size_t) { return ERT_ERR_UNSUPPORTED; }
