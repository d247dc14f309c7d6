// An encoder with attention and pooling as a hand-built blob, with packed rows and without.
#pragma once

#include "tests/support/context_fixture.h"

namespace ert::testing {

using params::OpCode;

constexpr int32_t kBatch = 6, kLongest = 40, kWidth = 48, kHeads = 3, kIds = 16;

inline std::vector<float> noise(size_t n, uint32_t seed) {
  std::vector<float> v(n);
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) * 0x1p-23f - 1.0f;
  }
  return v;
}

// Adds ops one by one; every arena value has a slot of its own and lives to the end.
struct Builder {
  BlobSpec s;
  uint32_t arena(uint8_t dtype, std::vector<uint32_t> shape) {
    return s.add({dtype, std::move(shape), 0, s.slots++, 0, static_cast<uint32_t>(s.ops.size()), 0});
  }
  void op(OpCode code, std::vector<uint32_t> inputs, uint32_t output, std::vector<int32_t> ints = {},
          std::vector<float> floats = {}) {
    s.ops.push_back({code, {inputs.begin(), inputs.end()}, {static_cast<int32_t>(output)}, std::move(ints), std::move(floats)});
  }
  BlobSpec finish() {
    for (uint32_t v = 0; v < s.values.size(); ++v) {
      if (s.values[v].storage != 0) continue;
      s.values[v].last_op = static_cast<uint32_t>(s.ops.size()) - 1;
      s.arena_order.push_back(v);
    }
    return s;
  }
};

struct Choice {
  bool packed = true;
  uint8_t mask_dtype = ERT_I64;
  uint32_t padding = 0;
};

// tokens + positions -> Linear -> attention with the mask -> residual norm -> hidden [B, S, W] and its masked mean [B, W].
inline BlobSpec encoder(const Choice& choice) {
  Builder b;
  BlobSpec& s = b.s;
  const uint32_t batch = s.dim("batch", 1, kBatch), sequence = s.dim("sequence", 1, kLongest);
  const uint32_t width = s.constant(kWidth), one = s.constant(1), zero = s.constant(0);
  const uint32_t rows = choice.packed ? s.expr(9, batch, sequence) : 0;
  const std::vector<uint32_t> full{batch, sequence, width};
  const std::vector<uint32_t> x_shape = choice.packed ? std::vector<uint32_t>{one, rows, width} : full;
  const uint32_t ids = s.add_input("ids", ERT_I32, {batch, sequence});
  s.inputs.back().min = 0;
  s.inputs.back().max = kIds - 1;
  const uint32_t mask = s.add_input("mask", choice.mask_dtype, {batch, sequence});
  const uint32_t n_ids = s.constant(kIds), n_positions = s.constant(kLongest);
  const uint32_t table = s.add_constant(ERT_F32, {n_ids, width}, noise(kIds * kWidth, 1));
  const uint32_t places = s.add_constant(ERT_F32, {n_positions, width}, noise(kLongest * kWidth, 2));
  const uint32_t weights = s.add_constant(ERT_F32, {width, width}, noise(kWidth * kWidth, 3));
  const uint32_t gamma = s.add_constant(ERT_F32, {width}, noise(kWidth, 4));
  const auto packed = [&](uint32_t v, uint8_t dtype, std::vector<uint32_t> shape) {
    if (!choice.packed) return v;
    const uint32_t to = b.arena(dtype, std::move(shape));
    b.op(OpCode::kPackRows, {v}, to);
    return to;
  };
  const uint32_t ids32 = b.arena(ERT_I32, {batch, sequence});
  b.op(OpCode::kImportInt, {ids}, ids32);
  uint32_t attended = b.arena(ERT_BOOL, {batch, sequence});
  b.op(OpCode::kImportInt, {mask}, attended);
  if (choice.padding == 1) {
    const uint32_t inverse = b.arena(ERT_BOOL, {batch, sequence});
    b.op(OpCode::kUnary, {attended}, inverse, {params::unary::kNot});
    attended = inverse;
  }
  const uint32_t keys = s.add({ERT_BOOL, {batch, one, one, sequence}, 4, attended});
  const uint32_t positions = b.arena(ERT_I32, {sequence});
  b.op(OpCode::kRange, {}, positions, {static_cast<int32_t>(zero), 1});
  const uint32_t place = b.arena(ERT_F32, {sequence, width});
  b.op(OpCode::kEmbedding, {positions, places}, place);
  const uint32_t place3 = s.add({ERT_F32, {one, sequence, width}, 4, place});
  const uint32_t packed_ids = packed(ids32, ERT_I32, {one, rows});
  const uint32_t token = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kEmbedding, {packed_ids, table}, token);
  const uint32_t packed_place = packed(place3, ERT_F32, x_shape);
  const uint32_t sum = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kBinary, {token, packed_place}, sum, {params::binary::kAdd});
  const uint32_t q = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kLinear, {sum, weights}, q, {params::linear::kF32, params::linear::kNoActivation});
  const uint32_t mixed = b.arena(ERT_F32, x_shape);
  std::vector<int32_t> ints{0, kHeads, kHeads, kWidth / kHeads, kWidth / kHeads, 0, 0, 0, 0};
  if (choice.packed) ints.push_back(1);
  b.op(OpCode::kAttention, {q, sum, sum, UINT32_MAX, keys}, mixed, ints, {0.25f});
  const uint32_t normed = b.arena(ERT_F32, x_shape);
  b.op(OpCode::kLayerNorm, {mixed, sum, gamma}, normed, {0}, {1e-5f});
  const uint32_t hidden = s.add_output("hidden", ERT_F32, full, static_cast<uint32_t>(s.ops.size()));
  b.op(choice.packed ? OpCode::kUnpackRows : OpCode::kCopy, {normed}, hidden);
  const uint32_t share = b.arena(ERT_F32, {batch, sequence});
  b.op(OpCode::kCast, {attended}, share);
  const uint32_t mean = s.add_output("mean", ERT_F32, {batch, width}, static_cast<uint32_t>(s.ops.size()));
  b.op(OpCode::kMeanPool, {hidden, share}, mean, {}, {1e-9f});
  if (choice.packed) {
    s.program_flags = 1;
    s.packing = {fb::Packing(1, choice.padding, rows, 0)};
  }
  return b.finish();
}

inline ert_tensor tensor(uint8_t dtype, std::vector<int32_t> shape, void* data, size_t bytes) {
  ert_tensor t = float_tensor(std::move(shape), static_cast<float*>(data), 0);
  t.dtype = dtype;
  t.bytes = bytes;
  return t;
}

}  // namespace ert::testing
