// int8 GEMMs with smmla for weights packed as N8K8 (--target armv8-i8mm): up to 8 rows x one panel.
#include "kernels_int8/i8mm/gemm_tile.h"

namespace ert::kernels {

void gemm_f32_qa8_qw8n8k8_8x8_i8mm(const GemmArgs& g) { gemm_of_eights<Rows8, Layout::kN8K8>(g); }
void gemm_f32_qa16_qw8n8k8_8x8_i8mm(const GemmArgs& g) { gemm_of_eights<Rows16, Layout::kN8K8>(g); }

}  // namespace ert::kernels
