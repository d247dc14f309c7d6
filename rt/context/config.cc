// Reads ert_config: defaults, limits and contradictions.
#include "rt/base/abi.h"
#include "rt/context/context.h"
#include "rt/base/limits.h"

namespace ert {

ert_status read_config(const ert_config* in, ert_config* out) {
  ert_config cfg{};
  if (in != nullptr && !read_struct(in, &cfg)) return ERT_ERR_ARG;
  if (cfg.threads == 0) cfg.threads = 1;
  if (cfg.threads > limits::kMaxThreads || cfg.reserved != 0) return ERT_ERR_ARG;
  if (cfg.threads > 1 && cfg.parallel_for == nullptr) return ERT_ERR_ARG;
  if (cfg.custom_op_count != 0 && cfg.custom_ops == nullptr) return ERT_ERR_ARG;
  for (uint32_t i = 0; i < cfg.custom_op_count; ++i) {
    // The array's stride is the library's: a caller with another struct size would be misread from the second entry on.
    if (cfg.custom_ops[i].struct_size != sizeof(ert_custom_op)) return ERT_ERR_ARG;
  }
  *out = cfg;
  return ERT_OK;
}

}  // namespace ert
