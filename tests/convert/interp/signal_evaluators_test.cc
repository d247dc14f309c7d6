// Evaluators of transforms, recurrent layers, windows of fused nodes, Einsum, Resize and bodies: see evaluators_test.cc.
#include <functional>

#include "tests/convert/interp/evaluator_cases.h"

namespace edgeconv_test {
namespace {

class SignalEvaluators : public EvaluatorTest {};

INSTANTIATE_TEST_SUITE_P(Backends, SignalEvaluators, ::testing::Values(Backend::kOracle, Backend::kCanonical),
                         [](const auto& p) { return p.param == Backend::kOracle ? "oracle" : "canonical"; });

template <class Attrs>
Attrs changed(Attrs a, const std::function<void(Attrs&)>& change) {
  change(a);
  return a;
}

TEST_P(SignalEvaluators, Transforms) {
  const Tensor x = f({1, 4, 1}, {1, 2, 3, 4}), step = Tensor::scalar(int64_t{2});
  const DftAttrs onesided{1, false, true}, back{1, true, true};
  const StftAttrs stft;
  const auto mel = [](double bands, double length, double rate, double low, double high) {
    return std::vector<Tensor>{Tensor::scalar(static_cast<int64_t>(bands)), Tensor::scalar(static_cast<int64_t>(length)),
                               Tensor::scalar(static_cast<float>(rate)), Tensor::scalar(static_cast<float>(low)),
                               Tensor::scalar(static_cast<float>(high))};
  };
  const CastAttrs to_float{DType::kFloat};
  for (const Case& c : {
           gives("all bins", OpKind::kDft, DftAttrs{}, {x}, {10, 0, -2, 2, -2, 0, -2, -2}),
           gives("half of them", OpKind::kDft, onesided, {x}, {10, 0, -2, 2, -2, 0}),
           gives("zeros behind", OpKind::kDft, onesided, {f({1, 1, 1}, {7}), Tensor::scalar(int64_t{3})}, {7, 0, 7, 0}),
           gives("back from half of them", OpKind::kDft, back, {f({1, 3, 2}, {10, 0, -2, 2, -2, 0})}, {1, 2, 3, 4}),
           gives("complex numbers back", OpKind::kDft, DftAttrs{1, true, false}, {f({1, 2, 2}, {0, 2, 0, 4})}, {0, 3, 0, -1}),
           refused("real or complex numbers", OpKind::kDft, DftAttrs{0, false, false}, {row({1})}),
           refused("real or complex numbers", OpKind::kDft, DftAttrs{1, false, false}, {f({2, 1}, {1, 2})}),
           refused("real or complex numbers", OpKind::kDft, DftAttrs{0, false, false}, {f({1, 3}, {1, 2, 3})}),
           refused("its length is 0", OpKind::kDft, DftAttrs{}, {x, Tensor::scalar(int64_t{0})}),
           refused("its length is 0", OpKind::kDft, back, {f({1, 1, 2}, {1, 0})}),
           gives("frames", OpKind::kStft, stft, {f({1, 4}, {1, 2, 3, 4}), step, kAbsent, step}, {3, 0, -1, 0, 7, 0, -1, 0}),
           gives("frames of a window", OpKind::kStft, stft, {x, step, row({1, 0})}, {1, 0, 1, 0, 3, 0, 3, 0}),
           gives("one frame of all", OpKind::kStft, StftAttrs{false}, {f({1, 2, 2}, {1, 1, 2, 2}), step}, {3, 3, -1, -1}),
           refused("needs rank 3", OpKind::kStft, stft, {row({1}), step}),
           refused("frame is longer than the signal", OpKind::kStft, stft, {x, step, kAbsent, Tensor::scalar(int64_t{5})}),
           refused("frame is longer than the signal", OpKind::kStft, stft, {x, step, kAbsent, Tensor::scalar(int64_t{0})}),
           refused("its step not positive", OpKind::kStft, stft, {x, Tensor::scalar(int64_t{0})}),
           refused("its step not positive", OpKind::kStft, stft, {f({1, 1, 3}, {1, 2, 3}), step}),
           refused("window and its frames differ", OpKind::kStft, stft, {x, step, row({1, 1, 1}), step}),
           gives("triangles", OpKind::kMelWeightMatrix, to_float, mel(1, 8, 8, 0, 3.5), {0, 1, 0, 0, 0}),
           refused("single numbers", OpKind::kMelWeightMatrix, to_float, {row({1, 2}), row({8}), row({8}), row({0}), row({2})}),
           refused("impossible bands", OpKind::kMelWeightMatrix, to_float, mel(0, 8, 8, 0, 2)),
           refused("impossible bands", OpKind::kMelWeightMatrix, to_float, mel(1, 0, 8, 0, 2)),
           refused("impossible bands", OpKind::kMelWeightMatrix, to_float, mel(1, 8, 0, 0, 2)),
           refused("impossible bands", OpKind::kMelWeightMatrix, to_float, mel(1, 8, 8, -1, 2)),
           refused("impossible bands", OpKind::kMelWeightMatrix, to_float, mel(1, 8, 8, 3, 2)),
           refused("above half of the sample rate", OpKind::kMelWeightMatrix, to_float, mel(1, 8, 8, 0, 80)),
       })
    check(c);
}

TEST_P(SignalEvaluators, Einsum) {
  const Tensor m = f({2, 2}, {1, 2, 3, 4});
  const auto equation = [](const char* e) { return EinsumAttrs{e}; };
  for (const Case& c : {
           gives("letters that occur once", OpKind::kEinsum, equation("ij, jk"), {m, m}, {7, 10, 15, 22}),
           gives("outer axes", OpKind::kEinsum, equation("...i->..."), {m}, {3, 7}),
           gives("outer axes of one", OpKind::kEinsum, equation("...i,...i->...i"), {m, row({10, 100})}, {10, 200, 30, 400}),
           gives("capitals", OpKind::kEinsum, equation("Aa->aA"), {m}, {1, 3, 2, 4}),
           gives("axes of 1 stretch", OpKind::kEinsum, equation("i,i->i"), {row({2}), row({1, 2, 3})}, {2, 4, 6}),
           refused("2 terms for 1 inputs", OpKind::kEinsum, equation("i,j"), {row({1})}),
           refused("term 'ij' does not fit rank 1", OpKind::kEinsum, equation("ij"), {row({1})}),
           refused("term 'i' does not fit rank 2", OpKind::kEinsum, equation("i"), {m}),
           refused("unexpected character '1'", OpKind::kEinsum, equation("1"), {row({1})}),
           refused("unexpected character '.'", OpKind::kEinsum, equation("i->."), {row({1})}),
           refused("a letter that no input has", OpKind::kEinsum, equation("i->j"), {row({1})}),
           refused("only floats", OpKind::kEinsum, equation("i"), {ints({1})}),
           refused("stands for sizes 2 and 3", OpKind::kEinsum, equation("i,i"), {row({1, 2}), row({1, 2, 3})}),
       })
    check(c);
}

TEST_P(SignalEvaluators, ColumnsOfFusedNodes) {
  const int none = ert::params::depthwise_conv::kNoActivation, relu = static_cast<int>(ert::kernels::Unary::kRelu);
  const Tensor x = f({1, 3, 2}, {1, 2, 3, 4, 5, 6}), w = f({2, 2}, {1, 10, 100, 1000}), square = f({1, 2, 2, 1}, {1, 2, 3, 4});
  const WindowAttrs pair{{2}, {1}, {1}, {0}, {0}}, around{{2}, {1}, {1}, {1}, {1}}, block{{2, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      long_one{{4}, {1}, {1}, {0}, {0}}, cube{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
  const Tensor turn = f({1, 3, 2}, {0, 0, 0, 0, 0, 0}), quarter = f({1, 3, 2}, {1, 1, 1, 1, 1, 1});
  const RopeAttrs rope{1, 2, 2, 0, false};
  const auto rotated = [&](const std::function<void(RopeAttrs&)>& change) { return changed<RopeAttrs>(rope, change); };
  for (const Case& c : {
           gives("a kernel for each channel", OpKind::kDepthwiseConv, DepthwiseConvAttrs{pair, none}, {x, w},
                 {301, 4020, 503, 6040}),
           gives("with a bias and an activation", OpKind::kDepthwiseConv, DepthwiseConvAttrs{pair, relu}, {x, w, row({-400, 0})},
                 {0, 4020, 103, 6040}),
           gives("taps outside", OpKind::kDepthwiseConv, DepthwiseConvAttrs{around, none},
                 {f({1, 1, 1}, {5}), f({2, 1}, {1, 10})}, {50, 5}),
           gives("rows and columns", OpKind::kDepthwiseConv, DepthwiseConvAttrs{block, none},
                 {square, f({4, 1}, {1, 10, 100, 1000})}, {4321}),
           refused("x and the kernel do not fit", OpKind::kDepthwiseConv, DepthwiseConvAttrs{cube, none}, {x, w}),
           refused("x and the kernel do not fit", OpKind::kDepthwiseConv, DepthwiseConvAttrs{block, none}, {x, w}),
           refused("weights do not fit", OpKind::kDepthwiseConv, DepthwiseConvAttrs{pair, none}, {x, f({2, 1}, {1, 2})}),
           refused("larger than the padded input", OpKind::kDepthwiseConv, DepthwiseConvAttrs{long_one, none},
                   {x, f({4, 2}, Numbers(8))}),
           refused("one value per channel", OpKind::kDepthwiseConv, DepthwiseConvAttrs{pair, none}, {x, w, row({1})}),
           gives("columns of windows", OpKind::kPatches, PatchesAttrs{pair, 1, 1}, {x}, {2, 4, 4, 6}),
           gives("a window of rows", OpKind::kPatches, PatchesAttrs{block, 0, 1}, {square}, {1, 2, 3, 4}),
           gives("bytes", OpKind::kPatches, PatchesAttrs{around, 0, 1}, {tensor(DType::kInt8, {1, 1, 1}, {7})}, {0, 7, 7, 0},
                 DType::kInt8),
           refused("does not fit the rank", OpKind::kPatches, PatchesAttrs{block, 0, 1}, {x}),
           refused("does not fit the rank", OpKind::kPatches, PatchesAttrs{{}, 0, 1}, {x}),
           refused("does not fit the rank", OpKind::kPatches, PatchesAttrs{cube, 0, 1}, {x}),
           refused("no such channels", OpKind::kPatches, PatchesAttrs{pair, -1, 1}, {x}),
           refused("no such channels", OpKind::kPatches, PatchesAttrs{pair, 0, 0}, {x}),
           refused("no such channels", OpKind::kPatches, PatchesAttrs{pair, 1, 2}, {x}),
           refused("larger than the padded input", OpKind::kPatches, PatchesAttrs{long_one, 0, 1}, {x}),
           gives("columns times columns", OpKind::kGlu, GluAttrs{relu, 1, 0, 1},
                 {f({2, 2}, {1, 2, -3, 4}), f({2, 2}, {5, 6, 7, 8})}, {6, 0}),
           refused("need the same rank", OpKind::kGlu, GluAttrs{relu, 1, 0, 0}, {Tensor::scalar(1.0f), Tensor::scalar(1.0f)}),
           refused("need the same rank", OpKind::kGlu, GluAttrs{relu, 1, 0, 0}, {row({1}), x}),
           refused("columns do not fit", OpKind::kGlu, GluAttrs{relu, 1, 0, 0}, {w, f({1, 2}, {1, 2})}),
           refused("columns do not fit", OpKind::kGlu, GluAttrs{relu, 0, 0, 0}, {w, w}),
           refused("columns do not fit", OpKind::kGlu, GluAttrs{relu, 2, 1, 0}, {w, w}),
           refused("columns do not fit", OpKind::kGlu, GluAttrs{relu, 2, 0, 1}, {w, w}),
           gives("a quarter of a turn", OpKind::kRope, rope, {x, turn, quarter}, {-2, 1, -4, 3, -6, 5}),
           gives("neighbours turn", OpKind::kRope, RopeAttrs{1, 4, 4, 0, true},
                 {f({1, 1, 4}, {1, 2, 3, 4}), f({1, 1, 4}, Numbers(4)), f({1, 1, 4}, {1, 1, 1, 1})}, {-2, 1, -4, 3}),
           gives("what does not turn", OpKind::kRope, RopeAttrs{1, 3, 2, 0, false},
                 {f({1, 1, 3}, {1, 2, 9}), f({1, 1, 2}, {0, 0}), f({1, 1, 2}, {1, 1})}, {-2, 1, 9}),
           refused("need rank 3", OpKind::kRope, rope, {w, turn, quarter}),
           refused("need rank 3", OpKind::kRope, rope, {x, w, w}),
           refused("need rank 3", OpKind::kRope, rope, {x, turn, f({1, 3, 1}, {1, 1, 1})}),
           refused("do not fit x", OpKind::kRope, rotated([](auto& a) { a.rotated = 0; }), {x, turn, quarter}),
           refused("do not fit x", OpKind::kRope, rotated([](auto& a) { a.rotated = 3; }), {x, turn, quarter}),
           refused("do not fit x", OpKind::kRope, rotated([](auto& a) { a.rotated = 4; }), {x, turn, quarter}),
           refused("do not fit x", OpKind::kRope, rotated([](auto& a) { a.first = -1; }), {x, turn, quarter}),
           refused("do not fit x", OpKind::kRope, rotated([](auto& a) { a.heads = 2; }), {x, turn, quarter}),
           refused("do not fit x", OpKind::kRope, rope, {x, f({1, 3, 1}, {1, 1, 1}), f({1, 3, 1}, {1, 1, 1})}),
           refused("do not fit x", OpKind::kRope, rope, {x, f({1, 1, 2}, {1, 1}), f({1, 1, 2}, {1, 1})}),
           refused("do not fit x", OpKind::kRope, rope, {x, f({2, 3, 2}, Numbers(12)), f({2, 3, 2}, Numbers(12))}),
       })
    check(c);
}

TEST_P(SignalEvaluators, ResizedAxes) {
  const Tensor x = row({1, 2, 3, 4}), half = row({0.5}), twice = row({2}), two = ints({2}), five = ints({5});
  using R = ResizeAttrs;
  const auto by = [](R::Mode m, R::Coordinates c, R::Rounding r = R::kPreferFloor) {
    return R{m, c, r, -0.75f, false, false, {}};
  };
  const auto linear = by(R::kLinear, R::kHalfPixel);
  for (const Case& c : {
           gives("the element below", OpKind::kResize, by(R::kNearest, R::kAsymmetric, R::kFloor), {x, kAbsent, five},
                 {1, 1, 2, 3, 4}),
           gives("the element above", OpKind::kResize, by(R::kNearest, R::kAsymmetric, R::kCeil), {x, kAbsent, five},
                 {1, 2, 3, 4, 4}),
           gives("halves down", OpKind::kResize, by(R::kNearest, R::kHalfPixel), {x, half}, {1, 3}),
           gives("halves up", OpKind::kResize, by(R::kNearest, R::kHalfPixel, R::kPreferCeil), {x, half}, {2, 4}),
           gives("8 / 1.6 is 5", OpKind::kResize, by(R::kNearest, R::kAsymmetric, R::kFloor), {row({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), row({1.6})},
                 {0, 0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 9}),
           gives("corners, of 4.5", OpKind::kResize, by(R::kLinear, R::kAlignCorners), {row({0, 3, 6}), row({1.5})}, {0, 2, 4, 6}),
           gives("between", OpKind::kResize, linear, {x, half}, {1.5, 3.5}),
           gives("between the corners", OpKind::kResize, by(R::kLinear, R::kAlignCorners), {x, kAbsent, two}, {1, 4}),
           gives("one corner", OpKind::kResize, by(R::kLinear, R::kAlignCorners), {x, kAbsent, ints({1})}, {1}),
           gives("one of all", OpKind::kResize, by(R::kLinear, R::kTorchHalfPixel), {x, kAbsent, ints({1})}, {1}),
           gives("two of all", OpKind::kResize, by(R::kLinear, R::kTorchHalfPixel), {x, kAbsent, two}, {1.5, 3.5}),
           gives("around the middle", OpKind::kResize, by(R::kLinear, R::kSymmetricHalfPixel), {x, half}, {1.5, 3.5}),
           gives("a cubic", OpKind::kResize, by(R::kCubic, R::kHalfPixel), {x, half}, {1.40625, 3.59375}),
           gives("a cubic of what there is", OpKind::kResize,
                 changed<R>(by(R::kCubic, R::kHalfPixel), [](R& a) { a.exclude_outside = true; }), {row({3, 3}), twice},
                 {3, 3, 3, 3}),
           gives("the mean of what it covers", OpKind::kResize, changed<R>(linear, [](R& a) { a.antialias = true; }),
                 {row({2, 2, 2, 2}), half}, {2, 2}),
           gives("the same size", OpKind::kResize, linear, {x, row({1})}, {1, 2, 3, 4}),
           gives("bytes", OpKind::kResize, by(R::kNearest, R::kAsymmetric), {tensor(DType::kInt8, {2}, {3, 4}), twice},
                 {3, 3, 4, 4}, DType::kInt8),
           refused("do not fit the axes", OpKind::kResize, linear, {x, row({1, 1})}),
           refused("has no elements", OpKind::kResize, linear, {x, kAbsent, ints({0})}),
           refused("has no elements", OpKind::kResize, linear, {row({}), twice}),
       })
    check(c);
}

// One unit, weights of 1 to the input and of 0 to the state; activations that keep their argument, so that gates are numbers.
TEST_P(SignalEvaluators, RecurrentLayers) {
  const auto layer = [](const char* kind, const std::function<void(RnnAttrs&)>& change) {
    RnnAttrs a;
    a.kind = kind, a.hidden = 1;
    change(a);
    return a;
  };
  const auto plain = [](const char* kind, size_t functions) {
    RnnAttrs a;
    a.kind = kind, a.hidden = 1;
    for (size_t k = 0; k < functions; ++k) a.activations.push_back("affine"), a.alpha.push_back(1), a.beta.push_back(0);
    return a;
  };
  const auto ones = [](int64_t n) { return f({1, n, 1}, Numbers(static_cast<size_t>(n), 1)); };
  const auto zeros = [](int64_t n) { return f({1, n, 1}, Numbers(static_cast<size_t>(n), 0)); };
  const Tensor x = f({2, 1, 1}, {1, 2}), one = f({1, 1, 1}, {1});
  const RnnAttrs sum = plain("RNN", 1), lstm = plain("LSTM", 3), gru = plain("GRU", 2);
  for (const Case& c : {
           gives("sums", OpKind::kRnn, sum, {x, one, one}, {1, 3}),
           gives("backwards", OpKind::kRnn, changed<RnnAttrs>(sum, [](auto& a) { a.direction = "reverse"; }), {x, one, one},
                 {3, 2}),
           gives("clipped", OpKind::kRnn, changed<RnnAttrs>(sum, [](auto& a) { a.clip = 1.5f; }), {x, one, one}, {1, 1.5}),
           gives("with a bias of both products", OpKind::kRnn, sum, {x, one, one, f({1, 2}, {10, 100})}, {111, 223}),
           gives("shorter rows", OpKind::kRnn, sum, {x, one, one, kAbsent, tensor(DType::kInt32, {1}, {1})}, {1, 0}),
           gives("from a state", OpKind::kRnn, sum, {x, one, one, kAbsent, kAbsent, f({1, 1, 1}, {5})}, {6, 8}),
           gives("batches first", OpKind::kRnn, changed<RnnAttrs>(sum, [](auto& a) { a.layout = true; }),
                 {f({1, 2, 1}, {1, 2}), one, one, kAbsent, kAbsent, f({1, 1, 1}, {5})}, {6, 8}),
           gives("gates times cells", OpKind::kRnn, lstm, {x, ones(4), zeros(4)}, {1, 2 * (2 * 1 + 2 * 2)}),
           gives("what is not taken is forgotten", OpKind::kRnn, changed<RnnAttrs>(lstm, [](auto& a) { a.input_forget = true; }),
                 {x, ones(4), zeros(4)}, {1, 2 * (-1 * 1 + 2 * 2)}),
           gives("gates see cells", OpKind::kRnn, lstm,
                 {x, ones(4), zeros(4), kAbsent, kAbsent, kAbsent, f({1, 1, 1}, {1}), f({1, 3}, {1, 0, 0})},
                 {1 * (1 * 1 + 2 * 1), 2 * (2 * 3 + 5 * 2)}),
           gives("the rest of an update", OpKind::kRnn, gru, {x, ones(3), zeros(3)}, {0, -2 + 0}),
           gives("the reset behind the product", OpKind::kRnn,
                 changed<RnnAttrs>(gru, [](auto& a) { a.linear_before_reset = true; }),
                 {x, ones(3), zeros(3), f({1, 6}, {0, 0, 0, 0, 0, 1})}, {0, (1 - 2) * (2 + 2 * 1)}),
           gives("products that are given", OpKind::kRecurrence, sum, {x, one}, {1, 3}),
           gives("and a bias", OpKind::kRecurrence, sum, {x, one, f({1, 1}, {10})}, {11, 23}),
           refused("x, W and R need rank 3", OpKind::kRnn, sum, {row({1}), one, one}),
           refused("x, W and R need rank 3", OpKind::kRnn, sum, {x, row({1}), one}),
           refused("x, W and R need rank 3", OpKind::kRnn, sum, {x, one, row({1})}),
           refused("W has the wrong shape", OpKind::kRnn, sum, {x, f({1, 1, 2}, {1, 1}), one}),
           refused("R has the wrong shape", OpKind::kRnn, sum, {x, one, f({1, 2, 1}, {1, 1})}),
           refused("B has the wrong shape", OpKind::kRnn, sum, {x, one, one, f({1, 1}, {1})}),
           refused("sequence_lens has the wrong shape", OpKind::kRnn, sum,
                   {x, one, one, kAbsent, tensor(DType::kInt32, {2}, {1, 1})}),
           refused("P has the wrong shape", OpKind::kRnn, lstm,
                   {x, ones(4), zeros(4), kAbsent, kAbsent, kAbsent, kAbsent, f({1, 1}, {1})}),
           refused("an initial state has the wrong shape", OpKind::kRnn, sum,
                   {x, one, one, kAbsent, kAbsent, f({1, 2, 1}, {1, 1})}),
           refused("a sequence length of 3 for 2 steps", OpKind::kRnn, sum,
                   {x, one, one, kAbsent, tensor(DType::kInt32, {1}, {3})}),
           refused("a sequence length of -1", OpKind::kRnn, sum, {x, one, one, kAbsent, tensor(DType::kInt32, {1}, {-1})}),
           refused("products or weights", OpKind::kRecurrence, sum, {row({1}), one}),
           refused("products or weights", OpKind::kRecurrence, sum, {x, row({1})}),
           refused("products or weights", OpKind::kRecurrence, sum, {x, f({2, 1, 1}, {1, 1})}),
           refused("products or weights", OpKind::kRecurrence, lstm, {x, one}),
           refused("products or weights", OpKind::kRecurrence, sum, {f({2, 1, 2}, {1, 1, 1, 1}), one}),
       })
    check(c);
  check(gives("GRU's own functions", OpKind::kRnn, layer("GRU", [](auto&) {}), {f({1, 1, 1}, {0}), ones(3), zeros(3)}, {0}));
}

// What a body gives: its own inputs, passed on.
Graph body_of(size_t inputs, const std::vector<size_t>& outputs) {
  GraphBuilder b;
  for (size_t k = 0; k < inputs; ++k) b.input("in" + std::to_string(k), DType::kUndefined, {});
  for (ValueId v : b.g.inputs) b.g.value(v).shape.reset();
  for (const size_t k : outputs) b.output(b.g.inputs[k]);
  return b.g;
}
SubgraphAttrs bodies(std::vector<Graph> graphs, int64_t carried = -1) {
  SubgraphAttrs a;
  for (Graph& g : graphs) a.bodies.push_back(std::make_shared<Graph>(std::move(g)));
  a.carried = carried;
  return a;
}

TEST_P(SignalEvaluators, Bodies) {
  const auto flag = [](bool on) { return tensor(DType::kBool, {}, {on ? 1.0 : 0.0}); };
  const Tensor two = Tensor::scalar(int64_t{2}), x = row({4, 5});
  const SubgraphAttrs either = bodies({body_of(1, {0}), body_of(1, {0})});
  const SubgraphAttrs numbers = bodies({body_of(2, {1, 0})}, 0);     // a scan output
  const SubgraphAttrs growing = bodies({body_of(4, {1, 3, 2})}, 1);  // gives what it carried, and carries the capture
  for (const Case& c : {
           gives("a branch", OpKind::kIf, either, {flag(true), x}, {4, 5}),
           gives("the other", OpKind::kIf, either, {flag(false), x}, {4, 5}),
           gives("iterations in a row", OpKind::kLoop, numbers, {two, kAbsent}, {0, 1}, DType::kInt64),
           refused("a condition is not a single value", OpKind::kIf, either, {tensor(DType::kBool, {2}, {1, 1}), x}),
           refused("needs two branches", OpKind::kIf, bodies({body_of(1, {0})}), {flag(true), x}),
           refused("needs one body", OpKind::kLoop, either, {two, flag(true)}),
           refused("needs one body", OpKind::kLoop, numbers, {two}),
           refused("another number of values", OpKind::kLoop, bodies({body_of(2, {1})}, 0), {two, flag(true)}),
           refused("another number of values", OpKind::kLoop, bodies({body_of(4, {1, 2})}, 2), {two, flag(true), x, x}),
           refused("more than 1000000 iterations", OpKind::kLoop, numbers, {Tensor::scalar(int64_t{1000001}), flag(true)}),
           refused("without iterations has scan outputs", OpKind::kLoop, numbers, {two, flag(false)}),
           refused("without iterations has scan outputs", OpKind::kLoop, numbers, {Tensor::scalar(int64_t{0}), flag(true)}),
       })
    check(c);
  GraphBuilder b;  // carries one row, then two
  const std::vector<ValueId> in = {b.g.add_constant("n", two), kNone, b.g.add_constant("x", x), b.g.add_constant("y", row({6}))};
  b.nodes(OpKind::kLoop, in, 2, growing);
  const Tensor y = row({6});
  try {
    evaluate_node(b.g, b.g.nodes.back(), {&two, nullptr, &x, &y}, GetParam());
    FAIL() << "scan outputs of two sizes";
  } catch (const FatalError& e) {
    EXPECT_NE(std::string(e.what()).find("scan outputs of different shapes"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace edgeconv_test
