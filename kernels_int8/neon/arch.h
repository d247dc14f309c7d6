// The NEON of the target.
#pragma once

#ifdef __aarch64__
#include "kernels_int8/neon/arch_aarch64.h"
#else
#include "kernels_int8/neon/arch_armv7.h"
#endif
