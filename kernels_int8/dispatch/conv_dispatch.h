// From a level to its kernels of convolutions. Apart from dispatch.h, so that only ops that are convolutions link them.
#pragma once

#include "kernels_int8/contract/conv_kernels.h"
#include "kernels_int8/contract/isa.h"

namespace ert::kernels {

// The kernels of the level that gave a KernelTable its `isa`, every slot filled but those that may be null. Static storage, constant. Twins of a level have the same.
const ConvKernels& conv_kernels(Isa isa);

// Of one level, also of those that only tests run; the reference's if the level is not compiled in. Says nothing about the CPU.
const ConvKernels& conv_level_table(Level level);

}  // namespace ert::kernels
