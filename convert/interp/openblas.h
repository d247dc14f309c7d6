// OpenBLAS, loaded at the first product of the oracle: what needs no oracle starts without it, and its memory is known to be there.
#pragma once

#include <cblas.h>

namespace edgeconv {

// cblas_sgemm of OpenBLAS on one thread. Throws FatalError: kLimit where the memory that it works in cannot be had (OpenBLAS itself
// asks again for ever), kIo where the library cannot be loaded.
using Sgemm = decltype(&cblas_sgemm);
Sgemm openblas_sgemm();

}  // namespace edgeconv
