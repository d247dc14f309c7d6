// From a level to its kernels: the tables that kernel_list.inc fills, and which of them to take.
#pragma once

#include "kernels_int8/contract/kernel_table.h"

namespace ert::kernels {

// The table of the best level that is compiled in and in `mask`, bits (1 << Isa); kRef is always there. Static storage, constant. in_order:
// the cores issue in order, so that levels for such cores are better than their bases. Says nothing about the CPU: rt/base/isa.h.
const KernelTable& kernel_table(uint32_t mask, bool in_order = false);
// As in --isa; null for a number that no level has.
const char* isa_name(Isa isa);

// The kernels of a Linear of this precision and layout: the table's; the reference's, which reads every layout, where the table's level has
// none. This is the one place that knows of levels that lack a layout.
LinearKernels linear_kernels(const KernelTable& table, Precision precision, Layout layout);

#if ERT_WIDE_APART
// The kernels of Linears in W12A13, for linear_kernels; null where the program does not link them: firmware that names its ops (ert_link_only_ops) has
// them if WideConv is one. Blobs with such weights do not open otherwise (ERT_ERR_LAYOUT).
const LinearKernels* linked_wide();
inline bool has_wide() { return linked_wide() != nullptr; }
#else
constexpr bool has_wide() { return true; }
#endif

// The reference as a level that a user forces, in firmware for a core that has a better one; null where the program does not link it
// (ert_link_only_ops). Elsewhere it is one of the levels.
const KernelTable* forced_reference();

// The reference kernel of one value, so that constant folding and generic ops have the bits of the vector forms.
float scalar_unary(Unary op, float x);
// scalar_unary(Unary::kLog, x), without the table of all.
float scalar_log(float x);

// The table of one level, every slot filled; null if the level is not compiled in. Says nothing about the CPU.
const KernelTable* level_table(Level level);
const char* level_name(Level level);

// One row of kernel_list.inc, for listings.
struct KernelInfo {
  Level level;
  const char* slot;
  const char* name;
};
size_t kernel_count();
KernelInfo kernel_info(size_t i);

}  // namespace ert::kernels
