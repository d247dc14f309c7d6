// conv_kernel_list.inc as one constant table per level of isa_levels.inc: a level starts as a copy of its base and overwrites the slots that it has.
#include "kernels_int8/dispatch/conv_dispatch.h"

#include <type_traits>
#include <utility>

namespace ert::kernels {

template <class Slot>
using ConvFunctionOf = std::remove_pointer_t<std::remove_reference_t<Slot>>;
#define ERT_CONV_KERNEL(level, slot, name) ConvFunctionOf<decltype(std::declval<ConvKernels&>().slot)> name;
#include "kernels_int8/dispatch/conv_kernel_list.inc"

namespace {

constexpr ConvKernels conv_overridden(ConvKernels table, Level level) {
#define ERT_CONV_KERNEL(row_level, slot, name) \
  if (level == Level::row_level) table.slot = name;
#include "kernels_int8/dispatch/conv_kernel_list.inc"
  return table;
}

template <Level level>
constexpr ConvKernels kConvTableOf = conv_overridden(kConvTableOf<level_row(level).base>, level);
template <>
constexpr ConvKernels kConvTableOf<Level::kRef> = conv_overridden({}, Level::kRef);

// Of a level that is not built: the reference's, so that it does not ask for kernels that are not there.
template <Level level>
constexpr const ConvKernels& conv_table_if_built() {
  if constexpr (level_row(level).built) return kConvTableOf<level>;
  return kConvTableOf<Level::kRef>;
}

}  // namespace

const ConvKernels& conv_kernels(Isa isa) {
  switch (isa) {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  case Isa::level:                                                         \
    return conv_table_if_built<Level::level>();
#define ERT_TEST_LEVEL(level, ID, name, isa, base, cores, needs, builds)
#include "kernels_int8/contract/isa_levels.inc"
  }
  return kConvTableOf<Level::kRef>;
}

const ConvKernels& conv_level_table(Level level) {
  switch (level) {
#define ERT_ISA_LEVEL(level, ID, name, number, base, cores, needs, builds) \
  case Level::level:                                                       \
    return conv_table_if_built<Level::level>();
#define ERT_TEST_LEVEL(...) ERT_ISA_LEVEL(__VA_ARGS__)
#include "kernels_int8/contract/isa_levels.inc"
    default: return kConvTableOf<Level::kRef>;
  }
}

}  // namespace ert::kernels
