// Evaluators of convolutions, pools, norms, products and quantized layers: see evaluators_test.cc.
#include "tests/convert/interp/evaluator_cases.h"

namespace edgeconv_test {
namespace {

class LayerEvaluators : public EvaluatorTest {};

INSTANTIATE_TEST_SUITE_P(Backends, LayerEvaluators, ::testing::Values(Backend::kOracle, Backend::kCanonical),
                         [](const auto& p) { return p.param == Backend::kOracle ? "oracle" : "canonical"; });

ConvAttrs conv(std::vector<int64_t> strides = {}, std::vector<int64_t> pads = {}, std::vector<int64_t> dilations = {}) {
  ConvAttrs a;
  a.strides = std::move(strides), a.pads = std::move(pads), a.dilations = std::move(dilations);
  return a;
}
template <class Attrs>
Attrs with(Attrs a, void (*change)(Attrs&)) {
  change(a);
  return a;
}

TEST_P(LayerEvaluators, Convolutions) {
  const Tensor x = f({1, 1, 5}, {1, 2, 3, 4, 5}), w = f({1, 1, 3}, {1, 10, 100}), pair = f({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const auto same_upper = with<ConvAttrs>(conv({2}), [](ConvAttrs& a) { a.auto_pad = "SAME_UPPER"; });
  const auto same_lower = with<ConvAttrs>(conv({1}), [](ConvAttrs& a) { a.auto_pad = "SAME_LOWER"; });
  const auto valid = with<ConvAttrs>(conv({}, {9, 9}), [](ConvAttrs& a) { a.auto_pad = "VALID"; });
  const auto groups = [](int64_t n) {
    ConvAttrs a;
    a.group = n;
    return a;
  };
  for (const Case& c : {
           gives("half of the padding on each side", OpKind::kConv, same_upper, {x, w}, {210, 432, 54}),
           gives("the odd one in front", OpKind::kConv, same_lower, {x, f({1, 1, 2}, {1, 10})}, {10, 21, 32, 43, 54}),
           gives("no padding, whatever is given", OpKind::kConv, valid, {x, w}, {321, 432, 543}),
           gives("every second", OpKind::kConv, conv({}, {}, {2}), {x, w}, {531}),
           gives("padding that crops", OpKind::kConv, conv({}, {-1, -1}), {x, w}, {432}),
           gives("a bias", OpKind::kConv, conv(), {x, w, row({1000})}, {1321, 1432, 1543}),
           gives("channels of their own", OpKind::kConv, groups(2), {pair, f({2, 1, 1}, {1, 10})}, {1, 2, 3, 40, 50, 60}),
           gives("integers less their zero points", OpKind::kConvInteger, conv(),
                 {tensor(DType::kUint8, {1, 1, 3}, {1, 2, 3}), tensor(DType::kInt8, {2, 1, 1}, {1, 2}),
                  tensor(DType::kUint8, {}, {1}), tensor(DType::kInt8, {2}, {0, 1})},
                 {0, 1, 2, 0, 1, 2}, DType::kInt32),
           refused("equal rank of at least 3", OpKind::kConv, conv(), {row({1}), w}),
           refused("equal rank of at least 3", OpKind::kConv, conv(), {x, row({1})}),
           refused("strides or dilations do not fit", OpKind::kConv, conv({1, 1}), {x, w}),
           refused("strides or dilations do not fit", OpKind::kConv, conv({}, {}, {1, 1}), {x, w}),
           refused("must be positive", OpKind::kConv, conv({0}), {x, w}),
           refused("must be positive", OpKind::kConv, conv({}, {}, {0}), {x, w}),
           refused("must be positive", OpKind::kConv, conv(), {x, f({1, 1, 0}, {})}),
           refused("pads do not fit", OpKind::kConv, conv({}, {1}), {x, w}),
           refused("larger than the padded input", OpKind::kConv, conv({}, {-2, -2}), {x, w}),
           refused("channels do not fit the groups", OpKind::kConv, groups(0), {x, w}),
           refused("channels do not fit the groups", OpKind::kConv, conv(), {pair, w}),
           refused("channels do not fit the groups", OpKind::kConv, groups(2), {pair, w}),
           refused("one value per channel", OpKind::kConv, conv(), {x, w, row({1, 2})}),
           refused("zero point has the wrong size", OpKind::kConvInteger, conv(),
                   {tensor(DType::kUint8, {1, 1, 3}, {1, 2, 3}), tensor(DType::kInt8, {2, 1, 1}, {1, 2}), kAbsent,
                    tensor(DType::kInt8, {3}, {0, 1, 2})}),
           refused("zero point has the wrong size", OpKind::kConvInteger, conv(),
                   {tensor(DType::kUint8, {1, 1, 3}, {1, 2, 3}), tensor(DType::kInt8, {2, 1, 1}, {1, 2}),
                    tensor(DType::kUint8, {2}, {0, 0})}),
       })
    check(c);
}

TEST_P(LayerEvaluators, TransposedConvolutions) {
  const Tensor x = f({1, 1, 2}, {1, 2}), w = f({1, 1, 3}, {1, 10, 100});
  const auto transposed = [](auto change) {
    ConvTransposeAttrs a;
    change(a);
    return a;
  };
  for (const Case& c : {
           gives("all products", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x, w}, {1, 12, 120, 200}),
           gives("a bias", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x, w, row({0.5})}, {1.5, 12.5, 120.5, 200.5}),
           gives("apart", OpKind::kConvTranspose, transposed([](auto& a) { a.strides = {3}; }), {x, w}, {1, 10, 100, 2, 20, 200}),
           gives("cut", OpKind::kConvTranspose, transposed([](auto& a) {
                   a.pads = {1, 1};
                 }),
                 {x, w}, {12, 120}),
           gives("not cut", OpKind::kConvTranspose, transposed([](auto& a) {
                   a.pads = {1, 1}, a.auto_pad = "VALID";
                 }),
                 {x, w}, {1, 12, 120, 200}),
           gives("the size of the input, the odd one cut in front", OpKind::kConvTranspose,
                 transposed([](auto& a) { a.auto_pad = "SAME_LOWER"; }), {x, f({1, 1, 2}, {1, 10})}, {12, 20}),
           gives("the size of the input, the odd one cut behind", OpKind::kConvTranspose,
                 transposed([](auto& a) { a.auto_pad = "SAME_UPPER"; }), {x, f({1, 1, 2}, {1, 10})}, {1, 12}),
           gives("a size that is asked for", OpKind::kConvTranspose, transposed([](auto& a) { a.output_shape = {6}; }), {x, w},
                 {1, 12, 120, 200, 0, 0}),
           gives("a row more behind", OpKind::kConvTranspose,
                 transposed([](auto& a) { a.output_padding = {1}, a.strides = {2}; }), {x, f({1, 1, 1}, {3})}, {3, 0, 6, 0}),
           refused("equal rank of at least 3", OpKind::kConvTranspose, ConvTransposeAttrs{}, {row({1}), w}),
           refused("equal rank of at least 3", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x, row({1})}),
           refused("do not fit the groups", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x, f({2, 1, 1}, {1, 1})}),
           refused("do not fit the groups", OpKind::kConvTranspose, transposed([](auto& a) { a.group = 0; }), {x, w}),
           refused("do not fit the groups", OpKind::kConvTranspose, transposed([](auto& a) { a.group = 2; }), {x, w}),
           refused("its result is empty", OpKind::kConvTranspose, transposed([](auto& a) {
                     a.pads = {2, 2};
                   }),
                   {x, w}),
           refused("one value per channel", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x, w, row({1, 2})}),
       })
    check(c);
}

TEST_P(LayerEvaluators, Pools) {
  const Tensor x = f({1, 1, 4}, {1, 5, kNan, 2}), clean = f({1, 1, 4}, {1, 5, 3, 2});
  const Tensor square = f({1, 1, 3, 4}, {1, 4, 0, 1, 2, 5, 8, 3, 6, -1, 7, 6});
  const auto pool = [](auto change) {
    ConvAttrs a;
    a.kernel = {3};
    change(a);
    return a;
  };
  for (const Case& c : {
           gives("NaN is the largest", OpKind::kMaxPool, pool([](auto&) {}), {x}, {kNan, kNan}),
           gives("what there is", OpKind::kAveragePool, pool([](auto& a) {
                   a.pads = {1, 1};
                 }),
                 {clean}, {3, 3, 10.0 / 3, 2.5}),
           gives("with the padding", OpKind::kAveragePool, pool([](auto& a) {
                   a.pads = {1, 1}, a.count_include_pad = true;
                 }),
                 {clean}, {2, 3, 10.0 / 3, 5.0 / 3}),
           gives("a window that reaches behind", OpKind::kAveragePool,
                 pool([](auto& a) { a.strides = {2}, a.ceil_mode = true, a.count_include_pad = true; }), {clean}, {3, 2.5}),
           gives("sums", OpKind::kAveragePool, pool([](auto& a) { a.sum = true; }), {clean}, {9, 10}),
           gives("bytes", OpKind::kMaxPool, pool([](auto&) {}), {tensor(DType::kInt8, {1, 1, 3}, {-3, -1, -2})}, {-1},
                 DType::kInt8),
           gives("lines of padding", OpKind::kMaxPool, pool([](auto& a) {
                   a.kernel = {2, 3}, a.strides = {2, 2}, a.dilations = {2, 1}, a.pads = {1, 1, 1, 1};
                 }),
                 {square}, {5, 8, 5, 8}),
           gives("a mean of what there is in lines", OpKind::kAveragePool, pool([](auto& a) {
                   a.kernel = {2, 3}, a.strides = {2, 2}, a.pads = {1, 1, 1, 1};
                 }),
                 {square}, {5.0 / 2, 5.0 / 3, 3, 28.0 / 6}),
           refused("needs spatial axes", OpKind::kMaxPool, pool([](auto&) {}), {row({1, 2, 3})}),
           refused("the kernel does not fit the rank", OpKind::kMaxPool, pool([](auto& a) {
                     a.kernel = {1, 1};
                   }),
                   {clean}),
       })
    check(c);
}

TEST_P(LayerEvaluators, Norms) {
  const Tensor x = f({1, 2, 2}, {1, 3, 10, 30}), ones = row({1, 1}), zeros = row({0, 0}), one = row({1}), zero = row({0});
  const GroupNormAttrs two{2, 0}, whole{1, 0};
  for (const Case& c : {
           gives("each channel", OpKind::kInstanceNormalization, BatchNormAttrs{0}, {x, ones, zeros}, {-1, 1, -1, 1}),
           gives("groups of one channel", OpKind::kGroupNormalization, two, {x, row({2, 3}), row({1, 0})}, {-1, 3, -3, 3}),
           gives("a scale for a group", OpKind::kGroupNormalization, whole, {f({1, 2, 1}, {1, 3}), row({2}), row({1})}, {-1, 3}),
           gives("whole batches", OpKind::kBatchNormalization, BatchNormAttrs{0}, {x, ones, zeros, row({1, 10}), row({4, 100})},
                 {0, 1, 0, 2}),
           gives("without axes", OpKind::kSoftmax, {}, {Tensor::scalar(3.0f)}, {1}),
           gives("log without axes", OpKind::kLogSoftmax, {}, {Tensor::scalar(3.0f)}, {0}),
           gives("rows that are masked", OpKind::kSoftmax, AxisAttrs{0}, {row({-kInf, -kInf})}, {0, 0}),
           gives("log of rows that are masked", OpKind::kLogSoftmax, AxisAttrs{0}, {row({-kInf, -kInf})}, {-kInf, -kInf}),
           gives("rows without elements", OpKind::kSoftmax, AxisAttrs{1}, {f({2, 0}, {})}, {}),
           gives("neither scale nor bias", OpKind::kLayerNormalization, NormAttrs{-1, 0, false}, {row({1, 3})}, {-1, 1}),
           gives("root mean square", OpKind::kLayerNormalization, NormAttrs{-1, 0, true}, {row({1, 7}), row({5, 5})}, {1, 7}),
           refused("needs a channel axis", OpKind::kInstanceNormalization, BatchNormAttrs{}, {row({1}), one, zero}),
           refused("needs a channel axis", OpKind::kGroupNormalization, whole, {row({1}), one, zero}),
           refused("needs a channel axis", OpKind::kBatchNormalization, BatchNormAttrs{},
                   {Tensor::scalar(1.0f), one, zero, zero, one}),
           refused("no multiple of the groups", OpKind::kGroupNormalization, GroupNormAttrs{0}, {x, ones, zeros}),
           refused("no multiple of the groups", OpKind::kGroupNormalization, GroupNormAttrs{3}, {x, ones, zeros}),
           refused("one value per channel, or one per group", OpKind::kGroupNormalization, two, {x, one, zeros}),
           refused("one value per channel, or one per group", OpKind::kGroupNormalization, two, {x, ones, zero}),
           refused("scale, bias, mean and variance", OpKind::kBatchNormalization, BatchNormAttrs{}, {x, ones, zeros, zero, ones}),
           refused("does not broadcast to the normalized axes", OpKind::kLayerNormalization, NormAttrs{},
                   {row({1, 3}), row({1, 1, 1})}),
           refused("does not broadcast to the normalized axes", OpKind::kLayerNormalization, NormAttrs{},
                   {row({1}), row({1}), row({1, 1})}),
       })
    check(c);
}

TEST_P(LayerEvaluators, Products) {
  const Tensor m = f({2, 2}, {1, 2, 3, 4});
  const auto bytes = [](Dims d, const Numbers& v) { return tensor(DType::kUint8, std::move(d), v); };
  for (const Case& c : {
           gives("a row by a column", OpKind::kMatMul, {}, {row({1, 2}), row({3, 4})}, {11}),
           gives("a row by a matrix", OpKind::kMatMul, {}, {row({1, 2}), m}, {7, 10}),
           gives("a matrix by a column", OpKind::kMatMul, {}, {m, row({1, 2})}, {5, 11}),
           gives("a matrix for each", OpKind::kMatMul, {}, {f({2, 1, 1}, {2, 3}), f({2, 1, 2}, {1, 2, 3, 4})}, {2, 4, 9, 12}),
           gives("integers", OpKind::kMatMul, {}, {i({1, 2}, {1, 2}), i({2, 1}, {3, -4})}, {-5}, DType::kInt64),
           gives("zero points of rows and columns", OpKind::kMatMulInteger, {},
                 {bytes({2, 2}, {1, 2, 3, 4}), bytes({2, 2}, {1, 0, 0, 1}), bytes({2}, {1, 3}), bytes({2}, {0, 1})}, {0, 0, 0, 0},
                 DType::kInt32),
           gives("zero points of each matrix", OpKind::kMatMulInteger, {},
                 {bytes({2, 1, 1}, {5, 7}), bytes({1, 1}, {2}), bytes({2, 1, 1}, {4, 5})}, {2, 4}, DType::kInt32),
           refused("a product with a scalar", OpKind::kMatMul, {}, {Tensor::scalar(1.0f), m}),
           refused("a product with a scalar", OpKind::kMatMul, {}, {m, Tensor::scalar(1.0f)}),
           refused("inner sizes differ", OpKind::kMatMul, {}, {m, row({1, 2, 3})}),
           refused("batch axes do not broadcast", OpKind::kMatMul, {}, {f({2, 1, 1}, {1, 2}), f({3, 1, 1}, {1, 2, 3})}),
           refused("zero point has the wrong size", OpKind::kMatMulInteger, {},
                   {bytes({1, 1}, {1}), bytes({1, 1}, {1}), bytes({3}, {1, 1, 1})}),
       })
    check(c);
}

TEST_P(LayerEvaluators, QuantizedValues) {
  const auto to = [](DType t) {
    QuantAttrs a;
    a.to = t;
    return a;
  };
  const QuantAttrs blocks{1, 2, DType::kUndefined}, columns{1, 0, DType::kUndefined};
  const Tensor bytes = tensor(DType::kInt8, {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const Case& c : {
           gives("half to even, and saturated", OpKind::kQuantizeLinear, {}, {row({0.5, 1.5, -3, 900, kNan}), row({1})},
                 {0, 2, 0, 255, 0}, DType::kUint8),
           gives("sixteen bits", OpKind::kQuantizeLinear, to(DType::kInt16), {row({-4e4, 4e4}), row({1})}, {-32768, 32767},
                 DType::kInt16),
           gives("sixteen bits without sign", OpKind::kQuantizeLinear, to(DType::kUint16), {row({-1, 7e4}), row({1})}, {0, 65535},
                 DType::kUint16),
           gives("four bits", OpKind::kQuantizeLinear, QuantAttrs{1, 0, DType::kInt8, 4}, {row({-9, 3, 9}), row({1})}, {-8, 3, 7}, DType::kInt8),
           gives("two bits without sign", OpKind::kQuantizeLinear, QuantAttrs{1, 0, DType::kUint8, 2}, {row({-9, 3, 9}), row({1})}, {0, 3, 3},
                 DType::kUint8),
           gives("what was finite stays finite", OpKind::kDequantizeLinear, {},
                 {tensor(DType::kInt16, {1}, {-32768}), row({5.192376e33f}), tensor(DType::kInt16, {1}, {32767})}, {-3.40282346638528859812e38f},
                 DType::kFloat),
           gives("the type of the zero point", OpKind::kQuantizeLinear, {}, {row({3}), row({1}), tensor(DType::kInt8, {1}, {2})},
                 {5}, DType::kInt8),
           gives("a scale for each column", OpKind::kDequantizeLinear, columns, {bytes, row({1, 10, 100})},
                 {1, 20, 300, 4, 50, 600}),
           gives("a scale for each block", OpKind::kDequantizeLinear, blocks, {bytes, f({2, 2}, {1, 10, 100, 1000})},
                 {1, 2, 30, 400, 500, 6000}),
           gives("zero in the range", OpKind::kDynamicQuantizeLinear, {}, {row({1, 255})}, {1, 255}, DType::kUint8),
           gives("nothing but zeros", OpKind::kDynamicQuantizeLinear, {}, {row({0, 0})}, {0, 0}, DType::kUint8),
           refused("quantization to int32 is not supported", OpKind::kQuantizeLinear, to(DType::kInt32), {row({1}), row({1})}),
           refused("scales do not fit the blocks", OpKind::kDequantizeLinear, blocks, {bytes, f({2, 1}, {1, 10})}),
           refused("one per channel of axis 1", OpKind::kDequantizeLinear, columns, {bytes, row({1, 2})}),
           refused("scale and zero point differ", OpKind::kDequantizeLinear, columns,
                   {bytes, row({1, 2, 3}), tensor(DType::kInt8, {1}, {0})}),
           refused("scale and zero point differ", OpKind::kQuantizeLinear, columns,
                   {f({1, 2}, {1, 2}), row({1, 2}), tensor(DType::kInt8, {1}, {0})}),
       })
    check(c);
}

}  // namespace
}  // namespace edgeconv_test
