// The kernels of Linears in W12A13 where they lie apart from the table: an object of its own, which only programs link that ask for it (linked_wide.cc).
#include <type_traits>

#include "kernels_int8/dispatch/dispatch.h"

#if ERT_WIDE_APART

namespace ert::kernels {

size_t rowbytes_qa13_f32_1x1_ref(size_t k);
std::remove_pointer_t<QuantizeRowsFn> quantize_qa13_f32_1x1_ref;
#if ERT_BUILT_DSP
std::remove_pointer_t<GemmFn> gemm_f32_qa13_qw12_1x1_dsp;
constexpr GemmFn kGemm = gemm_f32_qa13_qw12_1x1_dsp;
#else
std::remove_pointer_t<GemmFn> gemm_f32_qa13_qw12_1x1_ref;
constexpr GemmFn kGemm = gemm_f32_qa13_qw12_1x1_ref;
#endif
extern const LinearKernels kWideLinear;
const LinearKernels kWideLinear = {rowbytes_qa13_f32_1x1_ref, quantize_qa13_f32_1x1_ref, nullptr, kGemm};

}  // namespace ert::kernels

#endif
