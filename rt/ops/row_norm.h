// A LayerNorm that is ready to run on any of its rows: by its own op, or by the Linear before it while a block of rows is still in a
// near cache of the thread that wrote it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/ops/operand_checks.h"

namespace ert::ops {

struct RowNorm {
  size_t n = 0;
  const float *x = nullptr, *residual = nullptr;  // residual, beta and sum may be null
  const float *gamma = nullptr, *beta = nullptr;
  float epsilon = 0.0f;
  bool rms = false;
  float *dst = nullptr, *sum = nullptr;

  void rows(const kernels::KernelTable& k, int64_t begin, int64_t end) const {
    const size_t first = static_cast<size_t>(begin) * n;
    k.layernorm(static_cast<size_t>(end - begin), n, x + first, residual != nullptr ? residual + first : nullptr, gamma, beta,
                epsilon, rms, dst + first, sum != nullptr ? sum + first : nullptr);
  }
};

// Of a LayerNorm op whose operands are placed.
inline RowNorm row_norm_of(const OpContext& c) {
  namespace ln = params::layernorm;
  const Operand &x = input(c, ln::kX), &residual = input(c, ln::kResidual), &beta = input(c, ln::kBeta), &sum = output(c, 1);
  RowNorm r;
  r.n = static_cast<size_t>(x.dims[x.rank - 1]);
  r.x = x.as<float>();
  r.residual = residual.present() ? residual.as<float>() : nullptr;
  r.gamma = input(c, ln::kGamma).as<float>();
  r.beta = beta.present() ? beta.as<float>() : nullptr;
  r.epsilon = c.floats[ln::kEpsilon];
  r.rms = c.ints[ln::kRms] != 0;
  r.dst = output(c, 0).mut<float>();
  r.sum = sum.present() ? sum.mut<float>() : nullptr;
  return r;
}

}  // namespace ert::ops
