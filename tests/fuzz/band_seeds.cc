// Blobs with chains of ops in bands of rows (RowBands): see op_seeds.h. Their ints are what the mutator of numbers changes.
#include "rt/blob/kinds.h"
#include "rt/ops/row_bands.h"
#include "tests/fuzz/op_seeds.h"

namespace ert::fuzz {
namespace {

using params::OpCode;
using testing::BlobSpec;
namespace bands = params::row_bands;

constexpr int32_t kRelu = static_cast<int32_t>(kernels::Unary::kRelu);

// x [n, h, 5, 4] -> Linear in fp32 -> DepthwiseConv 3 x 3 by `stride` -> Unary -> + what the DepthwiseConv gave. h is a dim.
BlobSpec chain(int32_t rows, int32_t stride, int32_t dilation) {
  BlobSpec s;
  const uint32_t n = s.constant(2), h = s.dim("h", stride, 24), five = s.constant(5), four = s.constant(4), three = s.constant(3),
                 nine = s.constant(9);
  // floor((h - 1) / stride) + 1: the padding is what the kernel reaches.
  const uint32_t sum = s.expr(static_cast<uint32_t>(ExprKind::kAdd), h, s.constant(stride - 1));
  const uint32_t out_h = stride == 1 ? h : s.expr(static_cast<uint32_t>(ExprKind::kFloorDiv), sum, s.constant(stride));
  const auto x = static_cast<int32_t>(s.add_input("x", ERT_F32, {n, h, five, four}));
  const auto w = static_cast<int32_t>(s.add_constant(ERT_F32, {four, three}, std::vector<float>(12, 0.5f)));
  const auto taps = static_cast<int32_t>(s.add_constant(ERT_F32, {nine, three}, std::vector<float>(27, 0.25f)));
  const auto y = static_cast<int32_t>(s.add_output("y", ERT_F32, {n, out_h, five, three}, 0));
  const auto e = [](uint32_t expr) { return static_cast<int32_t>(expr); };
  std::vector<int32_t> ints = {rows, 4, 3};
  for (const uint32_t height : {h, out_h, out_h}) ints.insert(ints.end(), {ERT_F32, 4, e(n), e(height), e(five), e(three)});
  const auto op = [&](OpCode code, const std::vector<int32_t>& inputs, const std::vector<int32_t>& own) {
    ints.insert(ints.end(),
                {static_cast<int32_t>(code), static_cast<int32_t>(inputs.size()), 1, static_cast<int32_t>(own.size()), 0});
    ints.insert(ints.end(), inputs.begin(), inputs.end());
    ints.insert(ints.end(), own.begin(), own.end());
  };
  op(OpCode::kLinear, {0, 1}, {params::linear::kF32, -1});
  op(OpCode::kDepthwiseConv, {bands::value_of(0), 2}, {-1, 3, stride, dilation, dilation, dilation, 3, 1, 1, 1, 1});
  op(OpCode::kUnary, {bands::value_of(1)}, {kRelu});
  op(OpCode::kBinary, {bands::value_of(2), bands::value_of(1)}, {params::binary::kAdd});
  s.ops = {{OpCode::kRowBands, {x, w, taps}, {y}, ints, {}}};
  return s;
}

// relu(x [n, h, 5, 3]) + a [n, 1, 5, 3] + b [1, h, 5, 3] + c [1, 1, 1, 3]: operands that rows, images or all of them share.
BlobSpec shared(int32_t rows) {
  BlobSpec s;
  const uint32_t one = s.constant(1), n = s.dim("n", 1, 4), h = s.dim("h", 1, 24), five = s.constant(5), three = s.constant(3);
  const auto input = [&](const char* name, uint32_t images, uint32_t height, uint32_t columns) {
    return static_cast<int32_t>(s.add_input(name, ERT_F32, {images, height, columns, three}));
  };
  const int32_t x = input("x", n, h, five), a = input("a", n, one, five), b = input("b", one, h, five), c = input("c", one, one, one);
  const auto y = static_cast<int32_t>(s.add_output("y", ERT_F32, {n, h, five, three}, 0));
  std::vector<int32_t> ints = {rows, 4, 3};
  for (int i = 0; i < 3; ++i)
    ints.insert(ints.end(), {ERT_F32, 4, static_cast<int32_t>(n), static_cast<int32_t>(h), static_cast<int32_t>(five), static_cast<int32_t>(three)});
  ints.insert(ints.end(), {static_cast<int32_t>(OpCode::kUnary), 1, 1, 1, 0, 0, kRelu});
  for (int32_t i = 0; i < 3; ++i)
    ints.insert(ints.end(), {static_cast<int32_t>(OpCode::kBinary), 2, 1, 1, 0, bands::value_of(i), i + 1, params::binary::kAdd});
  s.ops = {{OpCode::kRowBands, {x, a, b, c}, {y}, ints, {}}};
  return s;
}

}  // namespace

std::vector<std::pair<std::string, BlobSpec>> band_programs() {
  return {{"bands_of_shared_operands", shared(1)}, {"bands_of_two_rows_of_shared_operands", shared(2)}, {"bands_of_one_row", chain(1, 1, 1)}, {"bands_with_stride", chain(2, 2, 1)}, {"bands_dilated", chain(3, 1, 2)}};
}

}  // namespace ert::fuzz
