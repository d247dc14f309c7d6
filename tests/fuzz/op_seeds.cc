// See op_seeds.h.
#include "tests/fuzz/op_seeds.h"

#include <cstring>

#include "kernels_int8/contract/packed_layout.h"
#include "rt/blob/kinds.h"

namespace ert::fuzz {
namespace {

using params::OpCode;
using testing::BlobSpec;

enum Where { kVaries, kFixed };  // an input of the program, or a constant
struct Part {
  uint8_t dtype;  // 0: absent
  std::vector<int32_t> dims;
  Where where = kVaries;
};
struct Row {
  const char* name;
  OpCode code;
  std::vector<Part> inputs, outputs;
  std::vector<int32_t> ints;
  std::vector<float> floats;
};

Part f(std::vector<int32_t> d) { return {ERT_F32, std::move(d), kVaries}; }
Part i(std::vector<int32_t> d) { return {ERT_I32, std::move(d), kVaries}; }
Part b(std::vector<int32_t> d) { return {ERT_BOOL, std::move(d), kVaries}; }
Part fixed(Part p) { return p.where = kFixed, p; }
Part w(std::vector<int32_t> d) { return {params::kPackedN16K4, std::move(d), kFixed}; }
Part w12(std::vector<int32_t> d) { return {params::kPackedN16K2, std::move(d), kFixed}; }
const Part kNone{0, {}, kVaries};

// Ints that name an expression do so by its position: 0 to 9 are the constants of the same size, 10 the dim. -3 in a shape is the dim.
constexpr int32_t kDim = -3;
constexpr auto kTanh = static_cast<int32_t>(kernels::Unary::kTanh);

std::vector<Row> rows() {
  return {
      {"copy", OpCode::kCopy, {f({kDim, 2})}, {f({kDim, 2})}, {}, {}},
      {"cast", OpCode::kCast, {f({kDim})}, {i({kDim})}, {}, {}},
      {"cast_bool", OpCode::kCast, {b({kDim})}, {f({kDim})}, {}, {}},
      {"fill", OpCode::kFill, {}, {f({kDim, 2})}, {1065353216}, {}},
      {"dims", OpCode::kDimsToTensor, {}, {i({2})}, {10, 3}, {}},
      {"range", OpCode::kRange, {}, {i({kDim})}, {1, 2}, {}},
      {"embedding", OpCode::kEmbedding, {i({kDim}), fixed(f({5, 3}))}, {f({kDim, 3})}, {}, {}},
      {"embedding_int16", OpCode::kEmbedding, {i({kDim}), {ERT_I16, {5, 3}, kFixed}, fixed(f({5}))}, {f({kDim, 3})}, {}, {}},
      {"linear_f32", OpCode::kLinear, {f({kDim, 4}), fixed(f({4, 3})), fixed(f({3}))}, {f({kDim, 3})}, {1, -1}, {}},
      {"linear_int8",
       OpCode::kLinear,
       {f({kDim, 8}), w({5, 8}), fixed(f({5})), fixed(f({5})), fixed(i({5}))},
       {f({kDim, 5})},
       {0, -1},
       {}},
      {"linear_w12", OpCode::kLinear, {f({kDim, 7}), w12({5, 7}), fixed(f({5})), fixed(f({5}))}, {f({kDim, 5})}, {3, -1}, {}},
      {"wide_conv",
       OpCode::kWideConv,
       {f({2, kDim, 5, 3}), w12({7, 12}), fixed(f({7})), fixed(f({7}))},
       {f({2, kDim, 3, 7})},
       {0, 3, 1, 1, 1, 1, 1, 2, 1, 0, 0},
       {}},
      {"wide_conv_frames",
       OpCode::kWideConv,
       {f({2, kDim, 4}), w12({7, 12}), fixed(f({7}))},
       {f({2, kDim, 7})},
       {-1, 3, 1, 1, 1, 1},
       {}},
      {"recurrence_w12",
       OpCode::kRecurrence,
       {f({1, 1, 8}), kNone, kNone, kNone, kNone, w12({16, 8}), fixed(f({16}))},
       {f({1, 1, 8}), f({1, 1, 8})},
       {params::recurrence::kRnn, params::linear::kW12A13, params::recurrence::kForward, 0, 0, kTanh, kTanh, kTanh},
       {0.0f}},
      {"linear_a16",
       OpCode::kLinear,
       {f({kDim, 7}), w({17, 7}), kNone, fixed(f({17})), fixed(i({17}))},
       {f({kDim, 17})},
       {2, 0},
       {}},
      {"conv_f32",
       OpCode::kConv,
       {f({1, kDim, 5, 2}), fixed(f({8, 3})), fixed(f({3}))},
       {f({1, kDim, 3, 3})},
       {1, -1, 1, 1, 0, 1, 1, 1, 0, 0, 8, 1, 1, 2, 3},
       {}},
      {"conv_int8",
       OpCode::kConv,
       {f({1, kDim, 2}), w({5, 6}), fixed(f({5})), fixed(f({5})), fixed(i({5})), fixed(f({6}))},
       {f({1, kDim, 5})},
       {0, 0, 0, 2, 0, 3, 1, 2, 2, 2},
       {}},
      {"conv_a16",
       OpCode::kConv,
       {f({2, 7, kDim, 3}), w({17, 8}), kNone, fixed(f({17})), fixed(i({17}))},
       {f({2, 3, kDim, 17})},
       {2, -1, 1, 2, 0, 2, 3, 1, 0, 1, 2, 1, 3, 2, 1},
       {}},
      {"conv_patches", OpCode::kConv, {f({1, kDim, 2})}, {f({1, kDim, 4})}, {1, -1, 0, 2, 0, 2, 1, 1, 1, 0}, {}},
      {"conv_shared",
       OpCode::kConv,
       {f({1, 5, kDim, 4}), w({5, 24}), kNone, fixed(f({5})), fixed(i({5}))},
       {f({1, 5, kDim, 5})},
       {0, 75, 0, 4, 2, 2, 1, 1, 1, 0, 3, 1, 1, 1, 1},
       {0.5f}},
      {"conv_groups",
       OpCode::kConv,
       {f({1, kDim, 7}), w({48, 6}), fixed(f({48})), fixed(f({48})), fixed(i({48})), fixed(f({18}))},
       {f({1, kDim, 15})},
       {0, 0, 1, 2, 0, 3, 1, 2, 2, 2, 3},
       {}},
      {"attention",
       OpCode::kAttention,
       {f({1, kDim, 4}), f({1, 3, 4}), f({1, 3, 4})},
       {f({1, kDim, 4})},
       {1, 2, 2, 2, 2, 0, 0, 0, 0},
       {1.0f}},
      {"attention_int8",
       OpCode::kAttention,
       {f({1, kDim, 8}), f({1, kDim, 8}), f({1, kDim, 8}), kNone, b({1, 1, 1, kDim})},
       {f({1, kDim, 8})},
       {0, 2, 2, 4, 4, 0, 0, 0, 1},
       {0.5f}},
      {"layer_norm",
       OpCode::kLayerNorm,
       {f({kDim, 4}), f({kDim, 4}), fixed(f({4})), fixed(f({4}))},
       {f({kDim, 4}), f({kDim, 4})},
       {0},
       {1e-5f}},
      {"softmax", OpCode::kSoftmax, {f({kDim, 4})}, {f({kDim, 4})}, {1, 0}, {}},
      {"unary", OpCode::kUnary, {f({kDim})}, {f({kDim})}, {0}, {}},
      {"unary_tanh", OpCode::kUnary, {f({kDim, 3})}, {f({kDim, 3})}, {3}, {}},
      {"binary", OpCode::kBinary, {f({kDim, 3}), f({3})}, {f({kDim, 3})}, {0}, {}},
      {"binary_int", OpCode::kBinary, {i({kDim}), i({1})}, {i({kDim})}, {2}, {}},
      {"where", OpCode::kWhere, {b({kDim}), f({kDim}), f({1})}, {f({kDim})}, {}, {}},
      {"reduce", OpCode::kReduce, {f({kDim, 3})}, {f({kDim})}, {0, 2}, {}},
      {"matmul", OpCode::kMatMul, {f({kDim, 3}), f({3, 4})}, {f({kDim, 4})}, {0}, {}},
      {"transpose", OpCode::kTranspose, {f({kDim, 3})}, {f({3, kDim})}, {1, 0}, {}},
      {"slice", OpCode::kSlice, {f({4})}, {f({2})}, {1, 1}, {}},
      {"concat", OpCode::kConcat, {f({kDim, 2}), f({kDim, 3})}, {f({kDim, 5})}, {1}, {}},
      {"gather", OpCode::kGather, {f({5, 2}), i({kDim})}, {f({kDim, 2})}, {0}, {}},
      {"gather_elements", OpCode::kGatherElements, {f({5, 2}), i({3, 2})}, {f({3, 2})}, {0}, {}},
      {"gather_nd", OpCode::kGatherND, {f({5, 2}), i({kDim, 1})}, {f({kDim, 2})}, {0}, {}},
      {"scatter_nd", OpCode::kScatterND, {f({5, 2}), i({3, 1}), f({3, 2})}, {f({5, 2})}, {0}, {}},
      {"scatter_elements", OpCode::kScatterElements, {f({5, 2}), i({3, 2}), f({3, 2})}, {f({5, 2})}, {0, 0}, {}},
      {"expand", OpCode::kExpand, {f({2, 1})}, {f({2, kDim})}, {}, {}},
      {"cumsum", OpCode::kCumSum, {f({2, kDim})}, {f({2, kDim})}, {1, 0, 0}, {}},
      {"pad", OpCode::kPad, {f({2})}, {f({4})}, {0, 0, 1}, {}},
      {"arg_max", OpCode::kArgMinMax, {f({kDim, 3})}, {i({kDim})}, {1, 1, 0}, {}},
      {"topk", OpCode::kTopK, {f({kDim, 3})}, {f({kDim, 2}), i({kDim, 2})}, {1, 1, 1}, {}},
      {"mean_pool", OpCode::kMeanPool, {f({2, kDim, 4}), f({2, kDim})}, {f({2, 4})}, {}, {1e-9f}},
      {"l2_normalize", OpCode::kL2Normalize, {f({kDim, 3})}, {f({kDim, 3})}, {}, {1e-9f}},
      {"depthwise_conv",
       OpCode::kDepthwiseConv,
       {f({2, kDim, 5, 3}), fixed(f({9, 3})), fixed(f({3}))},
       {f({2, kDim, 3, 3})},
       {0, 3, 1, 1, 1, 1, 3, 2, 1, 1, 1},
       {}},
      {"direct_conv",
       OpCode::kDirectConv,
       {f({2, 3, kDim, 5}), fixed(f({27, 7})), fixed(f({7}))},
       {f({2, kDim, 3, 7})},
       {0, 1, 3, 1, 1, 1, 1, 3, 2, 1, 1, 1},
       {}},
      {"direct_conv_of_some_channels",
       OpCode::kDirectConv,
       {f({2, 7, kDim, 5}), fixed(f({27, 7})), fixed(f({7}))},
       {f({2, kDim, 3, 7})},
       {0, 1, 3, 1, 1, 1, 1, 3, 2, 1, 1, 1, 4},
       {}},
      {"trilu", OpCode::kTrilu, {f({kDim, kDim})}, {f({kDim, kDim})}, {1, 1}, {}},
      {"one_hot", OpCode::kOneHot, {i({kDim})}, {f({kDim, 4})}, {1, 1065353216, 0}, {}},
      {"custom", OpCode::kCustom, {f({kDim})}, {f({kDim})}, {0}, {}},
      {"recurrence",
       OpCode::kRecurrence,
       {f({5, kDim, 16}), i({kDim}), f({1, kDim, 4}), f({1, kDim, 4}), fixed(f({1, 12})), w({64, 4}), fixed(f({64})),
        fixed(i({64})), fixed(f({64}))},
       {f({5, kDim, 4}), f({1, kDim, 4}), f({1, kDim, 4})},
       {0, 0, 0, 0, 0, 4, 3, 3},
       {0.0f}},
      {"recurrence_plain",
       OpCode::kRecurrence,
       {f({1, 1, 8}), kNone, kNone, kNone, kNone, w({16, 8}), fixed(f({16})), fixed(i({16})), kNone},
       {f({1, 1, 8}), f({1, 1, 8})},
       {params::recurrence::kRnn, params::linear::kInt8, params::recurrence::kForward, 0, 0, kTanh, kTanh, kTanh},
       {0.0f}},
      {"rope", OpCode::kRope, {f({2, 3, 9}), f({1, 3, 2}), f({2, 3, 2})}, {f({2, 3, 8})}, {2, 4, 2, 1, 0}, {}},
      {"pool", OpCode::kPool, {f({2, 5, 3})}, {f({2, 3, 3})}, {0, 1, 3, 2, 1, 1, 1}, {}},
      {"glu", OpCode::kGlu, {f({kDim, 9}), f({kDim, 7})}, {f({kDim, 4})}, {0, 5, 3}, {}},
      {"import_float", OpCode::kImportFloat, {{ERT_I16, {kDim}, kVaries}}, {f({kDim})}, {}, {}},
      {"import_wide", OpCode::kImportInt, {{ERT_I64, {kDim}, kVaries}}, {i({kDim})}, {}, {}},
  };
}

// Packed weights are 0, and so are their sums; other constants rise from 0.
std::vector<uint8_t> contents(const Part& p) {
  size_t n = 1;
  for (const int32_t d : p.dims) n *= static_cast<size_t>(d);
  if (params::is_packed(p.dtype))
    return std::vector<uint8_t>(
        kernels::packed_bytes(params::kernel_layout(p.dtype), static_cast<size_t>(p.dims[0]), static_cast<size_t>(p.dims[1])));
  std::vector<uint8_t> bytes(4 * n);
  for (size_t k = 0; k < n && p.dtype == ERT_F32; ++k) {
    const float x = 0.25f * static_cast<float>(k % 9);
    std::memcpy(bytes.data() + 4 * k, &x, 4);
  }
  return bytes;
}

struct Builder {
  BlobSpec s;
  uint32_t dim = 0;

  std::vector<uint32_t> shape(const Part& p) {
    std::vector<uint32_t> axes;
    for (const int32_t d : p.dims) axes.push_back(d == kDim ? dim : d < 10 ? static_cast<uint32_t>(d) : s.constant(d));
    return axes;
  }
  uint32_t arena(const Part& p) { return s.add({p.dtype, shape(p), 0, s.slots++, 0, 0, 0}); }
  int32_t input(const Part& p, bool direct) {
    if (p.dtype == 0) return -1;
    if (p.where == kFixed) {
      if (p.dtype == ERT_I16) s.program_flags |= ert::kFlagTables16;
      s.segments.push_back({contents(p)});
      return static_cast<int32_t>(s.add({p.dtype, shape(p), 1, static_cast<uint32_t>(s.segments.size()) - 1}));
    }
    const uint32_t v = s.add_input("in" + std::to_string(s.inputs.size()), p.dtype, shape(p));
    if (p.dtype == ERT_F32 || direct) return static_cast<int32_t>(v);
    const uint32_t narrow = arena(p);
    s.values[narrow].first_op = static_cast<uint32_t>(s.ops.size());
    s.ops.push_back({OpCode::kImportInt, {static_cast<int32_t>(v)}, {static_cast<int32_t>(narrow)}, {}, {}});
    return static_cast<int32_t>(narrow);
  }
};

BlobSpec program_of(const Row& row) {
  Builder b;
  for (int64_t k = 0; k < 10; ++k) b.s.constant(k == 0 ? 1 : k);  // expression 0 is never an axis, but all are evaluated
  b.dim = b.s.dim("n", 1, 9);
  const bool import = row.code == OpCode::kImportFloat || row.code == OpCode::kImportInt;
  BlobSpec::Op op{row.code, {}, {}, row.ints, row.floats};
  for (const Part& p : row.inputs) op.inputs.push_back(b.input(p, import));
  const auto at = static_cast<uint32_t>(b.s.ops.size());
  std::vector<std::pair<uint32_t, Part>> exported;
  for (const Part& p : row.outputs) {
    if (p.dtype == ERT_F32) {
      op.outputs.push_back(
          static_cast<int32_t>(b.s.add_output("out" + std::to_string(b.s.outputs.size()), ERT_F32, b.shape(p), at)));
      continue;
    }
    const uint32_t v = b.arena(p);
    b.s.values[v].first_op = at;
    op.outputs.push_back(static_cast<int32_t>(v));
    exported.push_back({v, p});
  }
  b.s.ops.push_back(op);
  for (const auto& [v, p] : exported) {
    const auto last = static_cast<uint32_t>(b.s.ops.size());
    const uint32_t out = b.s.add_output("out" + std::to_string(b.s.outputs.size()), p.dtype, b.shape(p), last);
    b.s.ops.push_back({OpCode::kExportInt, {static_cast<int32_t>(v)}, {static_cast<int32_t>(out)}, {}, {}});
  }
  for (uint32_t v = 0; v < b.s.values.size(); ++v) {
    if (b.s.values[v].storage != 0) continue;
    b.s.values[v].last_op = static_cast<uint32_t>(b.s.ops.size()) - 1;
    b.s.arena_order.push_back(v);
  }
  if (row.code == OpCode::kCustom) b.s.custom_ops.push_back({"fuzz::Op", "k", {1, 2}, {{"t", 2, {}, {}, "text"}}});
  return b.s;
}

}  // namespace

std::vector<std::pair<std::string, BlobSpec>> op_programs() {
  std::vector<std::pair<std::string, BlobSpec>> programs;
  for (const Row& row : rows()) programs.emplace_back(row.name, program_of(row));
  return programs;
}

}  // namespace ert::fuzz
