// ISA levels: names, availability, choice.
#include "rt/isa.h"

#include "kernels_int8/dispatch/dispatch.h"
#include "platform/cpu_features.h"

static_assert(static_cast<int>(ert::kernels::Isa::kAvx512Vnni) == ERT_ISA_AVX512VNNI &&
                  static_cast<int>(ert::kernels::Isa::kMve) == ERT_ISA_MVE &&
                  static_cast<int>(ert::kernels::Isa::kI8mm) == ERT_ISA_I8MM &&
                  static_cast<int>(ert::kernels::Isa::kDotprodInorder) == ERT_ISA_DOTPROD_INORDER &&
                  static_cast<int>(ert::kernels::Isa::kDsp) == ERT_ISA_DSP,
              "kernels_int8 and the C API number the levels alike");

namespace ert {

const kernels::KernelTable* choose_kernels(uint32_t isa_mask) {
  const uint32_t usable = ert_isa_available() & (isa_mask == 0 ? ~0u : isa_mask);
#if ERT_BUILT_NEON_INORDER
  const bool in_order = ert_cpu_in_order() != 0;
#else
  const bool in_order = false;
#endif
  return usable == 0 ? nullptr : &kernels::kernel_table(usable, in_order);
}

}  // namespace ert

uint32_t ert_isa_available(void) { return ert::kernels::built_isa_mask() & (ert_cpu_isa_mask() | ERT_ISA_BIT(ERT_ISA_REF)); }

const char* ert_isa_name(ert_isa isa) {
  switch (isa) {
    case ERT_ISA_REF: return "ref";
    case ERT_ISA_AVX2: return "avx2";
    case ERT_ISA_AVXVNNI: return "avxvnni";
    case ERT_ISA_AVX512VNNI: return "avx512vnni";
    case ERT_ISA_AMX: return "amx";
    case ERT_ISA_NEON: return "neon";
    case ERT_ISA_DOTPROD: return "dotprod";
    case ERT_ISA_I8MM: return "i8mm";
    case ERT_ISA_NEON_INORDER: return "neon_inorder";
    case ERT_ISA_DOTPROD_INORDER: return "dotprod_inorder";
    case ERT_ISA_DSP: return "dsp";
    case ERT_ISA_MVE: return "mve";
  }
  return nullptr;
}
