// What inference refuses of layers and of fused nodes: see refusals_test.cc.
#include "tests/convert/infer/refused_node.h"

namespace edgeconv_test {
namespace {

TEST(InferRefusals, LayersAndWindows) {
  RnnAttrs lstm;
  lstm.kind = "LSTM", lstm.hidden = 2;
  const auto transposed = [](auto change) {
    ConvTransposeAttrs a;
    change(a);
    return a;
  };
  ConvAttrs pool;
  pool.kernel = {2, 2};
  const auto windows = [](std::vector<int64_t> strides, std::vector<int64_t> dilations, std::vector<int64_t> pads) {
    ConvAttrs a;
    a.kernel = {1}, a.strides = std::move(strides), a.dilations = std::move(dilations), a.pads = std::move(pads);
    return a;
  };
  DepthwiseConvAttrs depthwise;
  depthwise.window = {{3}, {1}, {1}, {0}, {0}};
  const PatchesAttrs patches{{{3}, {1}, {1}, {0}, {0}}, 0, 4};
  for (const Refused& r : {
           Refused{"x, W and R need rank 3", OpKind::kRnn, lstm, {x({1, 1, 3}), x({8, 3}), x({1, 8, 2})}},
           Refused{"x, W and R need rank 3", OpKind::kRnn, lstm, {x({1, 1, 3}), x({1, 8, 3}), x({8, 2})}},
           Refused{"must be a float type", OpKind::kRnn, lstm, {indices({1, 1, 3}), x({1, 8, 3}), x({1, 8, 2})}},
           Refused{"input size of LSTM", OpKind::kRnn, lstm, {x({1, 1, 3}), x({1, 8, 4}), x({1, 8, 2})}},
           Refused{"hidden size of LSTM", OpKind::kRnn, lstm, {x({1, 1, 3}), x({1, 8, 3}), x({1, 8, 5})}},
           Refused{"sequence_lens of LSTM",
                   OpKind::kRnn,
                   lstm,
                   {x({1, 2, 3}), x({1, 8, 3}), x({1, 8, 2}), kAbsent, x({3}, DType::kInt32)}},
           Refused{"an initial state of LSTM",
                   OpKind::kRnn,
                   lstm,
                   {x({1, 2, 3}), x({1, 8, 3}), x({1, 8, 2}), kAbsent, kAbsent, x({1, 5, 2})}},
           Refused{"the kernel does not fit the rank", OpKind::kMaxPool, pool, {x({1, 2, 9})}},
           Refused{"the kernel does not fit the rank", OpKind::kMaxPool, pool, {x({1, 2})}},
           Refused{"strides, dilations or pads do not fit", OpKind::kConv, windows({1, 1}, {}, {}), {x({1, 3, 9}), x({4, 3, 1})}},
           Refused{"strides, dilations or pads do not fit", OpKind::kConv, windows({}, {1, 1}, {}), {x({1, 3, 9}), x({4, 3, 1})}},
           Refused{"strides, dilations or pads do not fit", OpKind::kMaxPool, windows({}, {}, {1}), {x({1, 3, 9})}},
           Refused{"its padding of 1 along an axis", OpKind::kMaxPool, windows({}, {}, {1, 0}), {x({1, 3, 9})}},
           Refused{"its padding of 2 along an axis", OpKind::kAveragePool, windows({}, {}, {0, 2}), {x({1, 3, 9})}},
           Refused{"channels of a Conv", OpKind::kConv, ConvAttrs{}, {x({1, 3, 9}), x({4, 2, 1})}},
           Refused{"equal rank of at least 3", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3}), x({3, 2})}},
           Refused{"equal rank of at least 3", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3, 9}), x({3, 2})}},
           Refused{"the kernel size is not constant", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3, 9}), x({3, 2, B})}},
           Refused{"its kernel has size 0", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3, 9}), x({3, 2, 0})}},
           Refused{"channels of a ConvTranspose", OpKind::kConvTranspose, ConvTransposeAttrs{}, {x({1, 3, 9}), x({4, 2, 3})}},
           Refused{"do not divide into 2 groups",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) { a.group = 2; }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) {
                     a.strides = {1, 1};
                   }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) {
                     a.dilations = {1, 1};
                   }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) {
                     a.output_padding = {0, 0};
                   }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"do not fit the rank",
                   OpKind::kConvTranspose,
                   transposed([](auto& a) { a.pads = {0}; }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"output_shape does not fit the rank",
                   OpKind::kConvTranspose,
                   transposed(
                       [](auto& a) {
                         a.output_shape = {9, 9};
                       }),
                   {x({1, 3, 9}), x({3, 2, 3})}},
           Refused{"it needs an axis of channels",
                   OpKind::kBatchNormalization,
                   BatchNormAttrs{},
                   {x({}), x({1}), x({1}), x({1}), x({1})}},
           Refused{"it needs an axis of channels", OpKind::kGroupNormalization, GroupNormAttrs{1}, {x({3}), x({1}), x({1})}},
           Refused{"no multiple of the groups", OpKind::kGroupNormalization, GroupNormAttrs{2}, {x({1, 3}), x({2}), x({2})}},
           Refused{
               "its scale has 2 values, its bias 4", OpKind::kGroupNormalization, GroupNormAttrs{2}, {x({1, 4}), x({2}), x({4})}},
           Refused{"the scale of a normalization", OpKind::kLayerNormalization, NormAttrs{-2}, {x({1, 2, 3}), x({3, 2})}},
           Refused{"the scale of a normalization", OpKind::kLayerNormalization, NormAttrs{}, {x({1, 3}), x({3}), x({4})}},
           Refused{"has rank 2, 1 axes are normalized", OpKind::kLayerNormalization, NormAttrs{}, {x({1, 3}), x({1, 3})}},
           Refused{"do not fit the axes", OpKind::kResize, ResizeAttrs{}, {x({1, 2}), floats({1})}},
           Refused{"axis",
                   OpKind::kResize,
                   ResizeAttrs{ResizeAttrs::kNearest, ResizeAttrs::kHalfPixel, ResizeAttrs::kFloor, 0, false, false, {7}},
                   {x({1}), floats({1})}},
           Refused{"a scale is not positive", OpKind::kResize, ResizeAttrs{}, {x({1}), floats({-1})}},
           Refused{"a dynamic size times", OpKind::kResize, ResizeAttrs{}, {x({B}), floats({0.3f})}},
           Refused{"the result has no elements", OpKind::kResize, ResizeAttrs{}, {x({3}), kAbsent, is({0})}},
           Refused{"needs an axis for the signal", OpKind::kDft, DftAttrs{0}, {x({3})}},
           Refused{"its length is not one number", OpKind::kDft, DftAttrs{1}, {x({1, 8, 1}), is({4, 4})}},
           Refused{"its length is 0", OpKind::kDft, DftAttrs{1}, {x({1, 8, 1}), number(0)}},
           Refused{"frame step is not a positive number", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(0), floats({1, 1})}},
           Refused{"frame step is not a positive number", OpKind::kStft, StftAttrs{}, {x({1, 9}), is({1, 1}), floats({1, 1})}},
           Refused{"its frame length is not one number", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(1), kAbsent, is({1, 1})}},
           Refused{"its window has rank 2", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(1), x({2, 1})}},
           Refused{"window and frame length", OpKind::kStft, StftAttrs{}, {x({1, 9}), number(1), floats({1, 1}), number(3)}},
           Refused{"channels of a DepthwiseConv", OpKind::kDepthwiseConv, depthwise, {x({1, 9, 4}), x({3, 5})}},
           Refused{"fault of a pass", OpKind::kDepthwiseConv, depthwise, {x({1, 9, 9, 4}), x({3, 4})}},
           Refused{"fault of a pass", OpKind::kDepthwiseConv, depthwise, {x({1, 9, 4}), x({3})}},
           Refused{"Patches need a map of the window's rank", OpKind::kPatches, patches, {x({1, 9, 9, 4})}},
       })
    expect_refused(r);
}

// Interpreted after inference had said nothing: exit 4 with the advice to give other inputs, where none help.
TEST(InferRefusals, OperandsOfRecurrentAndQuantizedLayers) {
  const auto rnn = [](const char* kind, bool layout = false) {
    RnnAttrs a;
    a.kind = kind, a.hidden = 2, a.layout = layout;
    return a;
  };
  const In steps = x({4, 1, 3}), w = x({1, 2, 3}), r = x({1, 2, 2}), lstm_w = x({1, 8, 3}), lstm_r = x({1, 8, 2}),
           state = x({1, 1, 2});
  const auto lengths = [](int32_t n) { return In{DType::kInt32, {}, Tensor::of<int32_t>(DType::kInt32, {1}, {n})}; };
  const In bytes = x({2, 3}, DType::kInt8);
  for (const Refused& f : {
           Refused{"W of GRU", OpKind::kRnn, rnn("GRU"), {steps, w, x({1, 6, 2})}},
           Refused{"R of GRU", OpKind::kRnn, rnn("GRU"), {steps, x({1, 6, 3}), r}},
           Refused{"W of RNN", OpKind::kRnn, rnn("RNN"), {steps, x({2, 2, 3}), r}},
           Refused{"B of RNN", OpKind::kRnn, rnn("RNN"), {steps, w, r, x({1, 2})}},
           Refused{"has rank 1 where B of RNN needs 2", OpKind::kRnn, rnn("RNN"), {steps, w, r, x({4})}},
           Refused{"has rank 0 where sequence_lens of RNN needs 1",
                   OpKind::kRnn,
                   rnn("RNN"),
                   {steps, w, r, kAbsent, x({}, DType::kInt32)}},
           Refused{"a length of 5 for 4 steps", OpKind::kRnn, rnn("RNN"), {steps, w, r, kAbsent, lengths(5)}},
           Refused{"a length of -1 for 4 steps", OpKind::kRnn, rnn("RNN"), {steps, w, r, kAbsent, lengths(-1)}},
           Refused{"an initial state of RNN", OpKind::kRnn, rnn("RNN"), {steps, w, r, kAbsent, kAbsent, x({1, 1, 3})}},
           Refused{"needs 3", OpKind::kRnn, rnn("RNN"), {steps, w, r, kAbsent, kAbsent, x({1, 2})}},
           Refused{
               "an initial state of RNN", OpKind::kRnn, rnn("RNN", true), {x({5, 4, 3}), w, r, kAbsent, kAbsent, x({1, 5, 2})}},
           Refused{"an initial state of LSTM",
                   OpKind::kRnn,
                   rnn("LSTM"),
                   {steps, lstm_w, lstm_r, kAbsent, kAbsent, state, x({1, 2, 2})}},
           Refused{"P of LSTM", OpKind::kRnn, rnn("LSTM"), {steps, lstm_w, lstm_r, kAbsent, kAbsent, state, state, x({1, 8})}},
           Refused{"it has 1 scales and 3 zero points",
                   OpKind::kDequantizeLinear,
                   QuantAttrs{1},
                   {bytes, x({}), x({3}, DType::kInt8)}},
           Refused{"it has 3 scales and 1 zero points",
                   OpKind::kQuantizeLinear,
                   QuantAttrs{1},
                   {x({2, 3}), x({3}), x({}, DType::kInt8)}},
       })
    expect_refused(f);
}

TEST(InferRefusals, FusedNodes) {
  const AttentionAttrs attention{1, 1, 2, 2, 1.0f, false, 0, 0, 0};
  const RopeAttrs rope{1, 2, 2, 0, false};
  const GluAttrs glu{0, 2, 0, 0};
  const In rows = x({1, 3, 2});
  for (const Refused& r : {
           Refused{"Linear needs x and a weight matrix", OpKind::kLinear, LinearAttrs{}, {x({}), x({2, 1})}},
           Refused{"Linear needs x and a weight matrix", OpKind::kLinear, LinearAttrs{}, {rows, x({2})}},
           Refused{"inner size of a Linear", OpKind::kLinear, LinearAttrs{}, {rows, x({3, 1})}},
           Refused{"bias of a Linear", OpKind::kLinear, LinearAttrs{}, {rows, x({2, 1}), x({4})}},
           Refused{"Attention needs q, k and v of rank 3", OpKind::kAttention, attention, {x({2}), rows, rows}},
           Refused{"Attention needs q, k and v of rank 3", OpKind::kAttention, attention, {rows, x({2}), rows}},
           Refused{"Attention needs q, k and v of rank 3", OpKind::kAttention, attention, {rows, rows, x({2})}},
           Refused{"key and value rows", OpKind::kAttention, attention, {rows, rows, x({1, 4, 2})}},
           Refused{"batch of an Attention", OpKind::kAttention, attention, {x({2, 3, 2}), rows, rows}},
           Refused{"bias and mask of an Attention need rank 4", OpKind::kAttention, attention, {rows, rows, rows, x({3})}},
           Refused{"fault of a pass", OpKind::kRope, rope, {x({2}), rows, rows}},
           Refused{"fault of a pass", OpKind::kRope, rope, {rows, x({2}), rows}},
           Refused{"fault of a pass", OpKind::kRope, rope, {rows, rows, x({2})}},
           Refused{"positions of a Rope", OpKind::kRope, rope, {rows, x({1, 4, 2}), rows}},
           Refused{"positions of a Rope", OpKind::kRope, rope, {rows, rows, x({1, 4, 2})}},
           Refused{"Glu needs operands of one rank", OpKind::kGlu, glu, {x({}), x({})}},
           Refused{"Glu needs operands of one rank", OpKind::kGlu, glu, {rows, x({2})}},
           Refused{"operands of a Glu", OpKind::kGlu, glu, {rows, x({1, 4, 2})}},
           Refused{"the residual of a Norm has another rank", OpKind::kNorm, FusedNormAttrs{}, {rows, x({2}), x({2})}},
           Refused{"residual of a Norm", OpKind::kNorm, FusedNormAttrs{}, {rows, x({1, 4, 2}), x({2})}},
           Refused{"Embedding needs a table of rank 2", OpKind::kEmbedding, {}, {indices({3}), x({2})}},
           Refused{"MeanPool needs rank 3", OpKind::kMeanPool, PoolAttrs{}, {x({2})}},
           Refused{"weights of a MeanPool", OpKind::kMeanPool, PoolAttrs{}, {rows, x({2, 3})}},
           Refused{"weights of a MeanPool", OpKind::kMeanPool, PoolAttrs{}, {rows, x({1, 4})}},
       })
    expect_refused(r);
}

}  // namespace
}  // namespace edgeconv_test
