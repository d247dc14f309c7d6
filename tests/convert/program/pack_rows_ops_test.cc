// Every op on, beside and behind packed rows: whether the proof of pack_rows holds with it. It must not where a padded position could reach an output.
#include <gtest/gtest.h>

#include "tests/convert/program/doubted_program.h"

namespace edgeconv {

namespace {

namespace arith = ert::params::binary;
namespace sums = ert::params::reduce;
using ert::params::OpCode;

struct PackedProgram : testing::DoubtedProgram {
  const int rows = attention(x, x, keys), token = cast(mask, {B, S, 1});

  int made(OpCode code, std::vector<int> in, Shape s, std::vector<int32_t> ints = {}, std::vector<float> floats = {}, uint8_t type = ERT_F32) {
    const int out = arena(type, std::move(s));
    op(code, std::move(in), out, std::move(ints), std::move(floats));
    return out;
  }
  int binary(int kind, int a, int b, Shape s) { return made(OpCode::kBinary, {a, b}, std::move(s), {kind}); }
  int add(int a, int b) { return binary(arith::kAdd, a, b, {B, S, 8}); }
  int lost() { return made(OpCode::kCumSum, {rows}, {B, S, 8}, {1, 0, 0}); }
  int turned() { return made(OpCode::kTranspose, {rows}, {B, 8, S}, {0, 2, 1}); }
  int zeroed() { return binary(arith::kMul, token, rows, {B, S, 8}); }
  int reduce(int kind, int v, int axes, Shape s) { return made(OpCode::kReduce, {v}, std::move(s), {kind, axes}); }
  int slice(int v, Shape s, std::vector<int64_t> starts, std::vector<int32_t> steps = {1, 1, 1}) {
    std::vector<int32_t> ints;
    for (size_t i = 0; i < starts.size(); ++i) ints.insert(ints.end(), {p.exprs.add(DimExpr(starts[i])), steps[i]});
    return made(OpCode::kSlice, {v}, std::move(s), std::move(ints));
  }
  int largest(int v, int axis, Shape s) { return made(OpCode::kArgMinMax, {v}, std::move(s), {axis, 1, 0}, {}, ERT_I32); }
  int positions(Shape s) {
    const int range = made(OpCode::kRange, {}, {S}, {p.exprs.add(DimExpr(0)), 1}, {}, ERT_I32);
    const int table_of_them = constant({64, *s.back().constant()});
    return made(OpCode::kEmbedding, {range, table_of_them, -1}, std::move(s));
  }
  int gather(int v, int index, int axis, Shape s) { return made(OpCode::kGather, {v, index}, std::move(s), {axis}); }
  int norm(int v, int residual, int gamma) { return made(OpCode::kLayerNorm, {v, residual, gamma, -1}, {B, S, 8}, {0}, {1e-5f}); }
  int rope(int angles) { return made(OpCode::kRope, {rows, angles, angles}, {B, S, 8}, {2, 4, 4, 0, 0}); }
  int indices(std::vector<int32_t> v) {
    const int64_t n = static_cast<int64_t>(v.size());
    return p.add_constant(ERT_I32, {n}, Tensor::of<int32_t>(DType::kInt32, {n}, v));
  }
  int flag(int kind, float than) {
    return made(OpCode::kBinary, {token, scalar(than)}, {B, S, 1}, {kind}, {}, ERT_BOOL);
  }
};

struct OpOnRows {
  const char* name;
  bool packs;
  int (*make)(PackedProgram&);
};

const OpOnRows kOpsOnRows[] = {
    // Row by row.
    {"Cast", true, [](PackedProgram& q) { return q.made(OpCode::kCast, {q.rows}, {q.B, q.S, 8}); }},
    {"a copy of another shape", false, [](PackedProgram& q) { return q.made(OpCode::kCopy, {q.turned()}, {q.B, q.S, 8}); }},
    {"plus a vector", true, [](PackedProgram& q) { return q.add(q.rows, q.constant({8})); }},
    {"plus a row of the batch", true, [](PackedProgram& q) { return q.add(q.rows, q.constant({1, 8})); }},
    {"plus one row for all", true, [](PackedProgram& q) { return q.add(q.constant({1, 1, 8}), q.rows); }},
    {"plus positions", true, [](PackedProgram& q) { return q.add(q.rows, q.positions({q.S, 8})); }},
    {"plus positions of rank 3", true, [](PackedProgram& q) { return q.add(q.rows, q.p.add_alias(q.positions({q.S, 8}), {1, q.S, 8})); }},
    {"plus the mask", true, [](PackedProgram& q) { return q.add(q.rows, q.token); }},
    {"plus sums over positions", false, [](PackedProgram& q) { return q.add(q.rows, q.lost()); }},
    {"L2Normalize", true, [](PackedProgram& q) { return q.made(OpCode::kL2Normalize, {q.rows}, {q.B, q.S, 8}, {}, {1e-9f}); }},
    {"L2Normalize of sums over positions", false, [](PackedProgram& q) { return q.made(OpCode::kL2Normalize, {q.lost()}, {q.B, q.S, 8}, {}, {1e-9f}); }},
    {"L2Normalize over positions", false,
     [](PackedProgram& q) { return q.made(OpCode::kL2Normalize, {q.reduce(sums::kMax, q.rows, 4, {q.B, q.S})}, {q.B, q.S}, {}, {1e-9f}); }},
    {"Softmax of columns", true, [](PackedProgram& q) { return q.made(OpCode::kSoftmax, {q.rows}, {q.B, q.S, 8}, {2, 0}); }},
    {"Softmax over positions", false, [](PackedProgram& q) { return q.made(OpCode::kSoftmax, {q.rows}, {q.B, q.S, 8}, {1, 0}); }},
    {"Softmax over texts", false, [](PackedProgram& q) { return q.made(OpCode::kSoftmax, {q.rows}, {q.B, q.S, 8}, {0, 0}); }},
    {"Softmax over columns of the other order", true,
     [](PackedProgram& q) {
       return q.made(OpCode::kTranspose, {q.made(OpCode::kSoftmax, {q.turned()}, {q.B, 8, q.S}, {1, 0})}, {q.B, q.S, 8}, {0, 2, 1});
     }},
    {"the largest of columns", true, [](PackedProgram& q) { return q.reduce(sums::kMax, q.rows, 4, {q.B, q.S}); }},
    {"the largest of texts", false, [](PackedProgram& q) { return q.reduce(sums::kMax, q.rows, 1, {q.S, 8}); }},
    {"the place of the largest column", true, [](PackedProgram& q) { return q.largest(q.rows, 2, {q.B, q.S}); }},
    {"the place of the largest position", false, [](PackedProgram& q) { return q.largest(q.rows, 1, {q.B, 8}); }},
    {"some columns", true, [](PackedProgram& q) { return q.slice(q.rows, {q.B, q.S, 4}, {0, 0, 2}); }},
    {"positions backwards", false, [](PackedProgram& q) { return q.slice(q.rows, {q.B, q.S, 8}, {0, 0, 0}, {1, -1, 1}); }},
    {"texts backwards", false, [](PackedProgram& q) { return q.slice(q.rows, {q.B, q.S, 8}, {0, 0, 0}, {-1, 1, 1}); }},
    {"all but the first position", false, [](PackedProgram& q) { return q.slice(q.rows, {q.B, q.S - DimExpr(1), 8}, {0, 1, 0}); }},
    {"the first position as a Slice", true, [](PackedProgram& q) { return q.slice(q.rows, {q.B, 1, 8}, {0, 0, 0}); }},
    {"the second position as a Slice", false, [](PackedProgram& q) { return q.slice(q.rows, {q.B, 1, 8}, {0, 1, 0}); }},
    {"the first text", false, [](PackedProgram& q) { return q.slice(q.rows, {1, q.S, 8}, {0, 0, 0}); }},
    {"columns of the other order", true,
     [](PackedProgram& q) { return q.made(OpCode::kTranspose, {q.slice(q.turned(), {q.B, 4, q.S}, {0, 2, 0})}, {q.B, q.S, 4}, {0, 2, 1}); }},
    {"columns of heads turned", true,
     [](PackedProgram& q) { return q.made(OpCode::kTranspose, {q.p.add_alias(q.rows, {q.B, q.S, 2, 4})}, {q.B, q.S, 4, 2}, {0, 1, 3, 2}); }},
    {"heads in front and back", true,
     [](PackedProgram& q) {
       const int front = q.made(OpCode::kTranspose, {q.p.add_alias(q.rows, {q.B, q.S, 2, 4})}, {q.B, 2, q.S, 4}, {0, 2, 1, 3});
       return q.made(OpCode::kTranspose, {front}, {q.B, q.S, 2, 4}, {0, 2, 1, 3});
     }},
    {"texts behind positions", false, [](PackedProgram& q) { return q.made(OpCode::kTranspose, {q.rows}, {q.S, q.B, 8}, {1, 0, 2}); }},
    {"joined columns", true, [](PackedProgram& q) { return q.made(OpCode::kConcat, {q.rows, q.rows}, {q.B, q.S, 16}, {2}); }},
    {"joined positions", false, [](PackedProgram& q) { return q.made(OpCode::kConcat, {q.rows, q.rows}, {q.B, q.S + q.S, 8}, {1}); }},
    {"columns joined with sums over positions", false, [](PackedProgram& q) { return q.made(OpCode::kConcat, {q.rows, q.lost()}, {q.B, q.S, 16}, {2}); }},
    {"gated", true, [](PackedProgram& q) { return q.made(OpCode::kGlu, {q.rows, q.x}, {q.B, q.S, 4}, {0, 0, 4}); }},
    {"gated by sums over positions", false, [](PackedProgram& q) { return q.made(OpCode::kGlu, {q.rows, q.lost()}, {q.B, q.S, 4}, {0, 0, 4}); }},
    {"sums over positions gated", false, [](PackedProgram& q) { return q.made(OpCode::kGlu, {q.lost(), q.rows}, {q.B, q.S, 4}, {0, 0, 4}); }},
    {"a norm of a sum", true, [](PackedProgram& q) { return q.norm(q.rows, q.x, q.constant({8})); }},
    {"a norm without a sum", true, [](PackedProgram& q) { return q.norm(q.rows, -1, q.constant({8})); }},
    {"a norm of a sum with sums over positions", false, [](PackedProgram& q) { return q.norm(q.rows, q.lost(), q.constant({8})); }},
    {"a norm whose factors are computed", false, [](PackedProgram& q) { return q.norm(q.rows, -1, q.made(OpCode::kCast, {q.constant({8})}, {8})); }},
    {"a Linear", true, [](PackedProgram& q) { return q.made(OpCode::kLinear, {q.rows, q.constant({8, 8}), -1}, {q.B, q.S, 8}); }},
    {"a Linear whose weights are computed", false,
     [](PackedProgram& q) { return q.made(OpCode::kLinear, {q.rows, q.made(OpCode::kCast, {q.constant({8, 8})}, {8, 8}), -1}, {q.B, q.S, 8}); }},
    {"an Embedding of computed ids", true,
     [](PackedProgram& q) { return q.made(OpCode::kEmbedding, {q.largest(q.rows, 2, {q.B, q.S}), q.table, -1}, {q.B, q.S, 8}); }},
    {"an Embedding of sums over positions", false,
     [](PackedProgram& q) { return q.made(OpCode::kEmbedding, {q.largest(q.lost(), 2, {q.B, q.S}), q.table, -1}, {q.B, q.S, 8}); }},
    {"an Embedding in a computed table", false,
     [](PackedProgram& q) { return q.made(OpCode::kEmbedding, {q.largest(q.rows, 2, {q.B, q.S}), q.made(OpCode::kCast, {q.table}, {16, 8}), -1}, {q.B, q.S, 8}); }},
    {"turned by angles of positions", true, [](PackedProgram& q) { return q.rope(q.p.add_alias(q.positions({q.S, 4}), {1, q.S, 4})); }},
    {"turned by angles of each text", true, [](PackedProgram& q) { return q.rope(q.made(OpCode::kEmbedding, {q.ids, q.constant({16, 4}), -1}, {q.B, q.S, 4})); }},
    {"turned by angles without an axis of texts", false, [](PackedProgram& q) { return q.rope(q.positions({q.S, 4})); }},
    {"turned by one angle", false, [](PackedProgram& q) { return q.rope(q.constant({1, 1, 4})); }},
    {"turned by sums over positions", false, [](PackedProgram& q) { return q.rope(q.made(OpCode::kCumSum, {q.slice(q.rows, {q.B, q.S, 4}, {0, 0, 0})}, {q.B, q.S, 4}, {1, 0, 0})); }},
    // What padded positions are.
    {"a sum of zeros and rows", true, [](PackedProgram& q) { return q.reduce(sums::kSum, q.zeroed(), 2, {q.B, 8}); }},
    {"their mean over all", true, [](PackedProgram& q) { return q.reduce(sums::kMean, q.zeroed(), 2, {q.B, 8}); }},
    {"their L1", true, [](PackedProgram& q) { return q.reduce(sums::kL1, q.zeroed(), 2, {q.B, 8}); }},
    {"their L2", true, [](PackedProgram& q) { return q.reduce(sums::kL2, q.zeroed(), 2, {q.B, 8}); }},
    {"their SumSquare", true, [](PackedProgram& q) { return q.reduce(sums::kSumSquare, q.zeroed(), 2, {q.B, 8}); }},
    {"their product", false, [](PackedProgram& q) { return q.reduce(sums::kProd, q.zeroed(), 2, {q.B, 8}); }},
    {"their sum over texts too", false, [](PackedProgram& q) { return q.reduce(sums::kSum, q.zeroed(), 3, {8}); }},
    {"a sum of rows", false, [](PackedProgram& q) { return q.reduce(sums::kSum, q.rows, 2, {q.B, 8}); }},
    {"a sum of what is zero in front", true,
     [](PackedProgram& q) {
       const int t = q.made(OpCode::kTranspose, {q.zeroed()}, {q.B, 8, q.S}, {0, 2, 1});
       return q.reduce(sums::kSum, q.reduce(sums::kSum, t, 2, {q.B, q.S}), 2, {q.B});
     }},
    {"a sum of largest columns, with their axis", false,
     [](PackedProgram& q) { return q.reduce(sums::kSum, q.reduce(sums::kMax, q.turned(), 2, {q.B, 1, q.S}), 4, {q.B, 1}); }},
    {"positions against positions", false,
     [](PackedProgram& q) {
       return q.binary(arith::kMul, q.reduce(sums::kSum, q.turned(), 2, {q.B, 1, q.S}), q.reduce(sums::kSum, q.rows, 4, {q.B, q.S, 1}), {q.B, q.S, q.S});
     }},
    {"turned plus turned, and back", true,
     [](PackedProgram& q) {
       const int sum = q.binary(arith::kAdd, q.turned(), q.turned(), {q.B, 8, q.S});
       return q.made(OpCode::kTranspose, {q.made(OpCode::kUnary, {sum}, {q.B, 8, q.S}, {ert::params::unary::kNeg}, {0})}, {q.B, q.S, 8}, {0, 2, 1});
     }},
    {"turned plus sums over positions", false,
     [](PackedProgram& q) { return q.binary(arith::kAdd, q.turned(), q.made(OpCode::kTranspose, {q.lost()}, {q.B, 8, q.S}, {0, 2, 1}), {q.B, 8, q.S}); }},
    {"zeros where the mask is 0, then the largest", true,
     [](PackedProgram& q) {
       return q.reduce(sums::kMax, q.made(OpCode::kWhere, {q.flag(arith::kEqual, 0), q.scalar(-1e9f), q.rows}, {q.B, q.S, 8}), 2, {q.B, 8});
     }},
    {"zeros where the mask is 1, then the largest", false,
     [](PackedProgram& q) {
       return q.reduce(sums::kMax, q.made(OpCode::kWhere, {q.flag(arith::kEqual, 1), q.scalar(-1e9f), q.rows}, {q.B, q.S, 8}), 2, {q.B, 8});
     }},
    {"one of two rows by the mask", true, [](PackedProgram& q) { return q.made(OpCode::kWhere, {q.flag(arith::kEqual, 0), q.rows, q.x}, {q.B, q.S, 8}); }},
    // Single positions and columns.
    {"some columns by their numbers", true, [](PackedProgram& q) { return q.gather(q.rows, q.indices({3, 1}), 2, {q.B, q.S, 2}); }},
    {"some texts", false, [](PackedProgram& q) { return q.gather(q.rows, q.indices({0}), 0, {1, q.S, 8}); }},
    {"positions that ids say", false, [](PackedProgram& q) { return q.gather(q.rows, q.ids, 1, {q.B, q.B, q.S, 8}); }},
    {"columns that rows say", false, [](PackedProgram& q) { return q.gather(q.rows, q.largest(q.rows, 2, {q.B, q.S}), 2, {q.B, q.S, q.B, q.S}); }},
    {"a column of the other order", true, [](PackedProgram& q) { return q.gather(q.turned(), q.index(2), 1, {q.B, q.S}); }},
    {"the first position of the other order", true, [](PackedProgram& q) { return q.gather(q.turned(), q.index(0), 2, {q.B, 8}); }},
    {"a row of a table that rows say", false, [](PackedProgram& q) { return q.gather(q.table, q.largest(q.rows, 2, {q.B, q.S}), 0, {q.B, q.S, 8}); }},
    {"a mean under weights that are no mask", false, [](PackedProgram& q) { return q.mean(q.rows, q.constant({1, 64})); }},
    {"a mean under the mask of what is turned", false,
     [](PackedProgram& q) { return q.made(OpCode::kMeanPool, {q.turned(), q.cast(q.mask, {q.B, q.S})}, {q.B, q.S}, {}, {1e-9f}); }},
    {"a mean under weights of rows", false, [](PackedProgram& q) { return q.mean(q.rows, q.reduce(sums::kMax, q.rows, 4, {q.B, q.S})); }},
    // Attention.
    {"attention under a boolean mask", true,
     [](PackedProgram& q) {
       const int flags = q.arena(ERT_BOOL, {q.B, 1, 1, q.S});
       q.op(OpCode::kCast, {q.p.add_alias(q.mask, {q.B, 1, 1, q.S})}, flags);
       return q.attention(q.rows, q.rows, -1, flags);
     }},
    {"attention to padding alone", true,
     [](PackedProgram& q) {
       const int flags = q.made(OpCode::kBinary, {q.cast(q.mask, {q.B, 1, 1, q.S}), q.scalar(0)}, {q.B, 1, 1, q.S}, {arith::kEqual}, {}, ERT_BOOL);
       return q.attention(q.x, q.x, -1, flags);
     }},
    {"attention under a bias of rank 3", false,
     [](PackedProgram& q) { return q.attention(q.rows, q.rows, q.p.add_alias(q.masked(q.mask, -10000.0f), {q.B, 1, q.S})); }},
    {"attention under a bias of rows", false,
     [](PackedProgram& q) { return q.attention(q.rows, q.rows, q.p.add_alias(q.reduce(sums::kMax, q.rows, 4, {q.B, q.S}), {q.B, 1, 1, q.S})); }},
};

TEST(PackRowsOps, TheProofHoldsOrNot) {
  for (const OpOnRows& c : kOpsOnRows) {
    SCOPED_TRACE(c.name);
    PackedProgram q;
    EXPECT_EQ(q.packs(c.make(q)), c.packs);
  }
}

}  // namespace

}  // namespace edgeconv
