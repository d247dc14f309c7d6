// Inputs by name, shape and first operators, one row each: what they are told to be, and what nearly is that and is not.
#include "convert/dims/input_kinds.h"

#include <gtest/gtest.h>

#include "tests/convert/passes/graph_builder.h"
#include "tests/convert/sizes.h"

namespace edgeconv::testing {

namespace {

using Reader = ValueId (*)(GraphBuilder&, ValueId);

ValueId conv_of(GraphBuilder& b, ValueId x, const std::vector<int64_t>& weights, float mean = 0) {
  ConvAttrs a;
  a.kernel.assign(weights.begin() + 2, weights.end());
  a.strides = a.dilations = std::vector<int64_t>(a.kernel.size(), 1);
  a.pads = std::vector<int64_t>(2 * a.kernel.size(), 0);
  return b.node(OpKind::kConv, {x, b.weights(weights, mean)}, a);
}
ValueId read_as_numbers(GraphBuilder& b, ValueId x) { return b.unary(Unary::kTanh, b.node(OpKind::kCast, {x}, CastAttrs{DType::kFloat})); }
template <int64_t channels, int64_t kernel>
ValueId read_by_conv1d(GraphBuilder& b, ValueId x) {
  return conv_of(b, b.reshape(x, {0, channels, -1}), {4, channels, kernel});
}
template <int64_t channels>
ValueId read_by_conv2d(GraphBuilder& b, ValueId x) { return conv_of(b, b.node(OpKind::kCast, {x}, CastAttrs{DType::kFloat}), {4, channels, 3, 3}, 0.5f); }
template <int64_t channels>
ValueId read_colours_last(GraphBuilder& b, ValueId x) { return conv_of(b, b.transpose(x, {0, 3, 1, 2}), {4, channels, 3, 3}, 0.5f); }
ValueId read_small(GraphBuilder& b, ValueId x) { return conv_of(b, b.mul(x, b.scalar(0.002f)), {4, 3, 3, 3}, 0.5f); }
ValueId read_as_one_colour(GraphBuilder& b, ValueId x) { return conv_of(b, b.node(OpKind::kUnsqueeze, {x}, AxesAttrs{{1}}), {4, 1, 3, 3}, 0.5f); }
ValueId read_log(GraphBuilder& b, ValueId x) { return b.unary(Unary::kLog, x); }

struct InputCase {
  const char* name;
  Shape shape;
  Reader read;
  InputKind kind;
  InputScale scale = InputScale::kAny;
  int axis = -1, channels = -1;
  DType type = DType::kFloat;
};

const DimExpr kWide = DimExpr::symbol("width"), kHigh = DimExpr::symbol("height");

std::vector<InputCase> input_cases() {
  using K = InputKind;
  using U = InputScale;
  return {
      // Sound.
      {"wav", {B, 16000}, read_as_numbers, K::kWaveform, U::kUnit, 1},
      {"wav", {B, S}, read_as_numbers, K::kWaveform, U::kUnit, 1},
      {"wav", {B, 4}, read_as_numbers, K::kFeatures},
      {"wav", {B, 1, 1, 16000}, read_as_numbers, K::kWaveform, U::kUnit, 3},
      {"wav", {B, 1, 1, 1, 16000}, read_as_numbers, K::kFeatures},
      {"wav", {B, 16000, 1}, read_as_numbers, K::kWaveform, U::kUnit, 1},
      {"wav", {16000}, read_as_numbers, K::kWaveform, U::kUnit, 0},
      {"wav", {B, 16000}, read_log, K::kWaveform, U::kAny, 1},
      {"wav", {B, 16000}, [](GraphBuilder& b, ValueId x) { return b.mul(x, b.scalar(32768)); }, K::kWaveform, U::kUnit, 1},
      {"wav", {B, 16000}, [](GraphBuilder& b, ValueId x) { return b.mul(x, b.scalar(1 / 32768.0f)); }, K::kWaveform, U::kInt16, 1},
      {"wav", {B, 16000}, [](GraphBuilder& b, ValueId x) { return b.mul(x, b.scalar(-1)); }, K::kWaveform, U::kUnit, 1},
      {"wav", {B, 16000}, [](GraphBuilder& b, ValueId x) { return b.div(x, b.scalar(0)); }, K::kWaveform, U::kUnit, 1},
      {"wav", {B, 16000}, [](GraphBuilder& b, ValueId x) { return b.div(b.scalar(1), x); }, K::kWaveform, U::kUnit, 1},
      {"wav", {B, 16000}, read_as_numbers, K::kWaveform, U::kInt16, 1, -1, DType::kInt16},
      {"wav", {B, 16000}, read_as_numbers, K::kFeatures, U::kAny, -1, -1, DType::kInt64},
      {"wav_mask", {B, 16000}, read_as_numbers, K::kFeatures},
      {"melody", {B, 16000}, read_as_numbers, K::kFeatures},
      {"x", {B, 16000}, read_by_conv1d<1, 3>, K::kWaveform, U::kUnit, 1},
      {"x", {B, 16000}, read_by_conv1d<1, 2>, K::kFeatures},
      {"x", {B, 16000}, read_by_conv1d<2, 3>, K::kFeatures},
      {"x", {}, read_as_numbers, K::kFeatures},
      // Pictures.
      {"x", {B, 3, kHigh, kWide}, read_by_conv2d<3>, K::kImage, U::kAny, 2, 1},
      {"x", {B, 3, kHigh, kWide}, read_by_conv2d<3>, K::kImage, U::kBytes, 2, 1, DType::kUint8},
      {"x", {B, 4, kHigh, kWide}, read_by_conv2d<4>, K::kImage, U::kAny, 2, 1},
      {"x", {B, 5, kHigh, kWide}, read_by_conv2d<5>, K::kFeatures},
      {"x", {B, 12, kHigh, kWide}, read_by_conv2d<12>, K::kFeatures},
      {"x", {B, 32, 32, 3}, read_colours_last<3>, K::kImage, U::kAny, 1, 3},
      {"x", {B, 32, 32, 4}, read_colours_last<4>, K::kImage, U::kAny, 1, 3},
      {"x", {B, 3, 3, 3}, read_colours_last<3>, K::kImage, U::kAny, 2, 1},
      {"x", {B, 3, kHigh, kWide}, read_small, K::kImage, U::kBytes, 2, 1},
      {"x", {B, 28, 28}, read_as_one_colour, K::kImage, U::kAny, 1},
      {"img", {B, 40, 28}, read_as_one_colour, K::kImage, U::kAny, 1},
      {"img", {B, kHigh, 40}, read_as_one_colour, K::kImage, U::kAny, 1},
      {"x", {B, 1, 41, 30}, read_by_conv2d<1>, K::kField, U::kAny, 2, 3},
      // Spectra.
      {"mel", {B, S, 80}, read_as_numbers, K::kSpectrum, U::kAny, 1, 2},
      {"mel", {B, 80, S}, read_as_numbers, K::kSpectrum, U::kAny, 2, 1},
      {"mel", {B, 64, 100}, read_as_numbers, K::kSpectrum, U::kAny, 2, 1},
      {"mel", {B, 64, 80}, read_as_numbers, K::kSpectrum, U::kAny, 1, 2},
      {"mel", {B, S, 77}, read_as_numbers, K::kSpectrum, U::kAny, 1, 2},
      {"mel", {B, 77, S}, read_as_numbers, K::kSpectrum, U::kAny, 2, 1},
      {"mel", {B, 80}, read_as_numbers, K::kFeatures},
      {"mel", {S, 80}, read_as_numbers, K::kFeatures},
      {"features", {B, S, 80}, read_as_numbers, K::kSpectrum, U::kAny, 1, 2},
      {"features", {B, S, 77}, read_as_numbers, K::kFeatures},
      {"audio_feat", {B, S, 77}, read_as_numbers, K::kSpectrum, U::kAny, 1, 2},
      {"audio_feat", {B, S, 8}, read_as_numbers, K::kFeatures},
      {"x", {B, 80, S}, read_by_conv1d<80, 3>, K::kSpectrum, U::kAny, 2, 1},
      {"x", {B, 80, S}, read_as_numbers, K::kFeatures},
      {"x", {B, 20, 30}, read_as_numbers, K::kWindow},
      {"x", {B, 20, S}, read_as_numbers, K::kFeatures},
      {"x", {B, 20, 30, 40}, read_as_numbers, K::kFeatures},
  };
}

TEST(InputNames, AreToldApart) {
  for (const InputCase& c : input_cases()) {
    SCOPED_TRACE(std::string(c.name) + " " + shape_str(c.shape) + " " + std::string(dtype_name(c.type)));
    GraphBuilder b;
    b.output(c.read(b, b.input(c.name, c.shape, c.type)));
    finish(b.g);
    const auto kinds = input_kinds(b.g);
    const auto found = kinds.find(b.g.inputs[0]);
    const InputNature n = found == kinds.end() ? InputNature{} : found->second;
    EXPECT_EQ(kind_name(n.kind), kind_name(c.kind));
    EXPECT_EQ(static_cast<int>(n.scale), static_cast<int>(c.scale));
    EXPECT_EQ(n.axis, c.axis);
    EXPECT_EQ(n.channels, c.channels);
  }
}

// Another input that says how many samples a second has makes sound of a row without a name.
TEST(InputNames, ASampleRateTellsSound) {
  const struct {
    const char* name;
    DType type;
    Shape shape;
    bool tells;
  } cases[] = {{"sr", DType::kInt64, {}, true},      {"sample_rate", DType::kInt64, {1}, true}, {"the_samplerate", DType::kInt32, {}, true},
               {"sampling_rate", DType::kInt64, {}, true}, {"sr", DType::kFloat, {}, false},    {"sr", DType::kInt64, {1, 1}, false},
               {"srx", DType::kInt64, {}, false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    GraphBuilder b;
    b.output(read_as_numbers(b, b.input("x", {B, 512})));
    b.output(read_as_numbers(b, b.input(c.name, c.shape, c.type)));
    finish(b.g);
    EXPECT_EQ(is_sample_rate(b.g.value(b.g.inputs[1])), c.tells);
    const auto kinds = input_kinds(b.g);
    EXPECT_EQ(kinds.count(b.g.inputs[0]) && kinds.at(b.g.inputs[0]).kind == InputKind::kWaveform, c.tells);
  }
}

// A state and what it becomes have names of one stem, and sizes that may be equal.
TEST(InputNames, StatesFollowEachOther) {
  const struct {
    const char *before, *after;
    Shape size;
    bool follows;
  } cases[] = {{"h", "h", {B, 8}, true},         {"h", "hn", {B, 8}, true},       {"h", "ht", {B, 8}, true},       {"h", "h1", {B, 8}, true},
               {"h_in", "h_out", {B, 8}, true},  {"past.c", "present:c", {B, 8}, true}, {"prev/c", "next_c", {B, 8}, true}, {"hi", "hin", {B, 8}, true},
               {"h", "y", {B, 8}, false},        {"1", "1n", {B, 8}, false},      {"h", "hn", {B, 9}, false},      {"h", "hn", {B, 1, 8}, false},
               {"h", "h2", {B, 8}, false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.before) + " " + c.after);
    GraphBuilder b;
    const ValueId x = b.input("x", {B, 8}), before = b.input(c.before, c.size);
    const bool same = c.size == Shape{B, 8};
    ValueId y = b.unary(Unary::kTanh, x);
    y = same ? b.add(y, before) : y;
    b.g.value(y).name = c.after;
    b.output(b.matmul(x, b.weights({8, 3})));
    b.output(y);
    if (!same) b.output(b.unary(Unary::kTanh, before));
    finish(b.g);
    const auto kinds = input_kinds(b.g);
    const auto found = kinds.find(before);
    EXPECT_EQ(found != kinds.end() && found->second.kind == InputKind::kState, c.follows);
    if (c.follows) {
      EXPECT_EQ(found->second.output, 1);
    }
  }
}

// Without names that tell, the last states of the layers that begin with an input are what it becomes; other values of its size are not.
TEST(InputNames, StatesOfLayersWithoutNames) {
  for (const bool of_layer : {true, false}) {
    GraphBuilder b;
    const ValueId x = b.input("x", {S, B, 8}), h = b.input("a", {1, B, 4}), c = b.input("b", {1, B, 4});
    RnnAttrs attrs;
    attrs.kind = "LSTM";
    attrs.hidden = 4;
    attrs.activations = {"Sigmoid", "Tanh", "Tanh"};
    const ValueId begin = b.node(OpKind::kIdentity, {c});
    const auto out = b.node_with_outputs(OpKind::kRnn, {x, b.weights({1, 16, 8}), b.weights({1, 16, 4}), kNone, kNone, h, begin}, 3, attrs);
    b.output(out[0]);
    if (of_layer) {
      b.output(b.node(OpKind::kIdentity, {out[2]}));
      b.output(out[1]);
    } else {
      b.output(b.add(out[1], out[2]));
      b.output(b.unary(Unary::kTanh, h));
      b.output(b.node(OpKind::kIdentity, {c}));
    }
    finish(b.g);
    const auto kinds = input_kinds(b.g);
    EXPECT_EQ(kinds.count(h), of_layer);
    EXPECT_EQ(kinds.count(c), of_layer);
    if (!of_layer) continue;
    EXPECT_EQ(kinds.at(h).output, 2);
    EXPECT_EQ(kinds.at(c).output, 1);
  }
}

TEST(InputNames, EachKindHasOne) {
  std::set<std::string> names;
  for (const InputKind k : {InputKind::kFeatures, InputKind::kWaveform, InputKind::kSpectrum, InputKind::kImage, InputKind::kField, InputKind::kWindow,
                            InputKind::kState})
    EXPECT_TRUE(names.insert(kind_name(k)).second && !kind_name(k).empty());
}

}  // namespace

}  // namespace edgeconv::testing
