// What importers refuse, by code and words: one node each, beside nothing else that is wrong. 3: it contradicts ONNX, 4: it is not supported.
// More than 300 lines, because it is one table of cases.
#include <functional>
#include <sstream>

#include "tests/convert/import/one_node.h"

namespace edgeconv {

namespace {

using Fill = std::function<void(pb::NodeProto*)>;

struct Refused {
  const char* op;                // "Op", "Op:opset" or "com.microsoft.Op"
  const char *inputs, *outputs;  // separated by spaces, "-" is absent
  int code;
  const char* message;
  Fill attributes = [](pb::NodeProto*) {};
};

Fill with(const char* name, int64_t v) {
  return [=](pb::NodeProto* n) { set_int(n, name, v); };
}
Fill with(const char* name, int v) { return with(name, int64_t{v}); }
Fill with(const char* name, const char* v) {
  return [=](pb::NodeProto* n) { set_text(n, name, v); };
}
Fill with(const char* name, const std::vector<int64_t>& v) {
  return [=](pb::NodeProto* n) { set_ints(n, name, v); };
}
Fill all(const std::vector<Fill>& parts) {
  return [=](pb::NodeProto* n) {
    for (const Fill& f : parts) f(n);
  };
}

std::vector<std::string> words(const std::string& s) {
  std::istringstream in(s);
  std::vector<std::string> r;
  for (std::string w; in >> w;) r.push_back(w == "-" ? "" : w);
  return r;
}

// x [b, s, 8], row [b, 8], map [b, 4, 6, 6], ids [b, s], counts [b], sizes [n], half [b, s, 8] are inputs; loose has no known rank, vague no
// known element type.
ModelBuilder surroundings(int opset) {
  ModelBuilder m(opset);
  m.opset_import("com.microsoft", 1);
  m.input("x", {"b", "s", "w"});
  m.input("row", {"b", "w"});
  m.input("map", {"b", "c", "h", "v"});
  m.input("ids", {"b", "s"}, 7);
  m.input("counts", {"b"}, 6);
  m.input("sizes", {"n"}, 7);
  m.input("rates", {"n"});
  m.node("Expand", {"row", "sizes"}, {"loose"});
  const bool has_one_hot = opset >= 9;
  if (has_one_hot) m.node("OneHot", {"ids", "four", "two"}, {"vague"});
  m.ints("four", {4});
  m.ints("zero", {0});
  m.ints("minus", {-3});
  m.ints("pair", {1, 2});
  m.ints("minuses", {-1, -1});
  m.floats("one", {1}, {1});
  pb::TensorProto* codes = m.ints("codes", std::vector<int64_t>(16, 0x21));  // bytes
  codes->set_data_type(2);
  codes->mutable_int32_data()->Resize(16, 0x21);
  codes->clear_int64_data();
  for (const auto& [name, type] : {std::pair{"byte", 3}, {"yes", 9}}) {
    pb::TensorProto* t = m.ints(name, {1});
    t->set_data_type(type);
    t->add_int32_data(1);
    t->clear_int64_data();
  }
  m.floats("none", {1}, {0});
  m.floats("two", {2}, {0, 1});
  m.floats("matrix", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  m.floats("column", {1, 4}, {1, 2, 3, 4});
  m.output("loose");
  if (has_one_hot) m.output("vague");
  return m;
}

void expect_refused(const Refused& r) {
  std::string op = r.op, domain;
  int opset = 17;
  if (const size_t colon = op.find(':'); colon != std::string::npos) {
    opset = std::stoi(op.substr(colon + 1));
    op.resize(colon);
  }
  if (const std::string contrib = "com.microsoft."; op.rfind(contrib, 0) == 0) {
    domain = "com.microsoft";
    op = op.substr(contrib.size());
  }
  SCOPED_TRACE(std::string(r.op) + ": " + r.message);
  ModelBuilder m = surroundings(opset);
  std::string none;
  ASSERT_EQ(import_code(m, &none), 0) << none;
  pb::NodeProto* n = m.node(op, words(r.inputs), words(r.outputs), domain);
  r.attributes(n);
  for (const std::string& o : words(r.outputs))
    if (!o.empty()) m.output(o);
  std::string message;
  EXPECT_EQ(import_code(m, &message), r.code) << message;
  EXPECT_NE(message.find(r.message), std::string::npos) << message;
}

TEST(RefusedNodes, Attention) {
  const auto heads = [](int64_t q, int64_t kv) { return all({with("q_num_heads", q), with("kv_num_heads", kv)}); };
  const auto grouped = [](int64_t q, int64_t kv) { return all({with("num_heads", q), with("kv_num_heads", kv)}); };
  const char* const contrib = "com.microsoft.Attention";
  const char* const multi = "com.microsoft.MultiHeadAttention";
  const char* const gqa = "com.microsoft.GroupQueryAttention";
  for (const Refused& r : std::vector<Refused>{
           {"Attention:23", "x x x vague", "y", 4, "the element type of its mask is not known", heads(2, 2)},
           {"Attention:23", "x x x - map", "y", 3, "past_key and past_value belong together", heads(2, 2)},
           {"Attention:24", "x x x - map map counts", "y", 3, "nonpad_kv_seqlen and past_key exclude each other", heads(2, 2)},
           {"Attention:23", "x x x", "y", 3, "'qk_matmul_output_mode' is none of 0, 1, 2, 3",
            all({heads(2, 2), with("qk_matmul_output_mode", 4)})},
           {"Attention:23", "x x x", "y", 3, "'qk_matmul_output_mode' is none of 0, 1, 2, 3",
            all({heads(2, 2), with("qk_matmul_output_mode", -1)})},
           {"Attention:23", "x x x", "y", 3, "q_num_heads is not a multiple of kv_num_heads", heads(4, 3)},
           {"Attention:23", "x x x", "y", 3, "q_num_heads is not a multiple of kv_num_heads", heads(4, 0)},
           {contrib, "x matrix", "y", 3, "'num_heads' is not positive", with("num_heads", 0)},
           {contrib, "x matrix - map", "y", 4, "a mask of rank 4", with("num_heads", 2)},
           {contrib, "x matrix - loose", "y", 4, "the rank of its mask is not known", with("num_heads", 2)},
           {contrib, "x matrix", "y", 4, "rotary positions inside the operator",
            all({with("num_heads", 2), with("do_rotary", 1)})},
           {contrib, "x matrix", "y present", 4, "its present output is used", with("num_heads", 2)},
           {contrib, "x matrix - - map", "y", 4, "past keys and values", with("num_heads", 2)},
           {contrib, "x matrix - - - - counts", "y", 4, "past keys and values", with("num_heads", 2)},
           {contrib, "x matrix", "y", 3, "'qkv_hidden_sizes' must hold three sizes",
            all({with("num_heads", 2), with("qkv_hidden_sizes", std::vector<int64_t>{4, 4})})},
           {contrib, "x matrix", "y", 3, "'qkv_hidden_sizes' is not a multiple of num_heads",
            all({with("num_heads", 2), with("qkv_hidden_sizes", std::vector<int64_t>{4, 3, 4})})},
           {"com.microsoft.QAttention", "ids ids row one one - - - map", "y", 4, "past keys and values", with("num_heads", 2)},
           {multi, "x x x - - - map", "y", 4, "past keys and values", with("num_heads", 2)},
           {multi, "x x x", "y present", 4, "its present outputs are used", with("num_heads", 2)},
           {multi, "x x x", "y - present", 4, "its present outputs are used", with("num_heads", 2)},
           {multi, "x", "y", 4, "packed queries, keys and values", with("num_heads", 2)},
           {multi, "x x", "y", 4, "packed queries, keys and values", with("num_heads", 2)},
           {multi, "x map x", "y", 4, "keys or values that are split into heads already", with("num_heads", 2)},
           {multi, "x x x", "y", 3, "'num_heads' is not positive", with("num_heads", -1)},
           {gqa, "x x x - - counts counts", "y", 3, "num_heads is not a multiple of kv_num_heads", grouped(3, 2)},
           {gqa, "x x x - - counts counts", "y", 3, "num_heads is not a multiple of kv_num_heads", grouped(2, 0)},
           {gqa, "x x x map map counts counts", "y", 4, "past keys and values", grouped(2, 1)},
           {gqa, "x x x matrix - counts counts", "y", 4, "past keys and values", grouped(2, 1)},
           {gqa, "x x x - - counts counts", "y", 4, "a softmax with a sink", all({grouped(2, 1), with("smooth_softmax", 1)})},
           {gqa, "x x x - - counts counts - - - - one", "y", 4, "a softmax with a sink", grouped(2, 1)},
           {gqa, "x x x - - counts counts - - - - - one", "y", 4, "a quantized key-value cache", grouped(2, 1)},
           {gqa, "x x x - - counts counts - - - - - - one", "y", 4, "a quantized key-value cache", grouped(2, 1)},
           {gqa, "x x - - - counts counts", "y", 3, "key and value belong together", grouped(2, 1)},
           {gqa, "x x x - - counts counts row row", "y", 4, "tables of rotary positions that are not constant",
            all({grouped(2, 1), with("do_rotary", 1)})},
           {gqa, "x x x - - counts counts one one", "y", 4, "tables of rotary positions that are not constant",
            all({grouped(2, 1), with("do_rotary", 1)})},
       })
    expect_refused(r);
}

TEST(RefusedNodes, Positions) {
  const char* const relative = "com.microsoft.RelativePositionBias";
  const char* const rotary = "com.microsoft.RotaryEmbedding";
  for (const Refused& r : std::vector<Refused>{
           {relative, "row four four", "y", 4, "the shape of its table is not known", with("max_distance", 8)},
           {relative, "loose four four", "y", 4, "the shape of its table is not known", with("max_distance", 8)},
           {relative, "two four four", "y", 3, "its table does not have rank 2", with("max_distance", 8)},
           {relative, "column four four", "y", 3, "its table has too few buckets or no heads", with("max_distance", 8)},
           {relative, "matrix four four", "y", 3, "its table has too few buckets or no heads",
            all({with("max_distance", 8), with("is_bidirectional", 1)})},
           {relative, "matrix four four", "y", 3, "'max_distance' is not above half of the buckets", with("max_distance", 1)},
           {relative, "matrix four four", "y", 4, "more than 65536 distances", with("max_distance", 65537)},
           {"com.microsoft.GatedRelativePositionBias", "x row map matrix two map counts", "y", 4,
            "rows without padding (packed batching)", with("num_heads", 2)},
           {"com.microsoft.GatedRelativePositionBias", "x row map matrix two map", "y", 3, "'num_heads' is not positive",
            with("num_heads", 0)},
           {rotary, "x ids matrix matrix", "y", 4, "rows without padding (packed batching)", with("is_packed_batching", 1)},
           {rotary, "x ids row row", "y", 4, "neither num_heads nor the head size is given"},
           {rotary, "x ids matrix matrix", "y", 4, "neither num_heads nor the head size is given",
            with("rotary_embedding_dim", 2)},
           {rotary, "x ids matrix matrix", "y", 3, "num_heads or rotary_embedding_dim is negative", with("num_heads", -1)},
           {"RotaryEmbedding:23", "x matrix matrix", "y", 3, "num_heads or rotary_embedding_dim is negative",
            with("rotary_embedding_dim", -2)},
           {"com.microsoft.EmbedLayerNormalization", "ids ids matrix matrix matrix one one", "y mask", 4,
            "its mask output is used without a mask input"},
       })
    expect_refused(r);
}

TEST(RefusedNodes, ConvolutionsAndWindows) {
  const auto list = [](std::vector<int64_t> v) { return v; };
  const auto kernel = with("kernel_shape", list({3, 3}));
  for (const Refused& r : std::vector<Refused>{
           {"Conv", "map map", "y", 3, "kernel, strides or dilations hold 0", with("strides", list({1, 0}))},
           {"Conv", "map map", "y", 3, "kernel, strides or dilations hold 2147483648", with("dilations", list({2147483648, 1}))},
           {"Conv", "map map", "y", 3, "kernel, strides or dilations hold -3", with("kernel_shape", list({-3, 3}))},
           {"Conv", "map map", "y", 3, "'pads' holds -1", with("pads", list({0, -1, 0, 0}))},
           {"Conv", "map map", "y", 3, "'pads' holds 2147483648", with("pads", list({0, 2147483648, 0, 0}))},
           {"Conv", "map map", "y", 3, "'group' is not positive", with("group", 0)},
           {"Conv", "map map", "y", 3, "'auto_pad' has an unknown value", with("auto_pad", "SAME")},
           {"ConvTranspose", "map map", "y", 3, "'output_padding' holds -1", with("output_padding", list({0, -1}))},
           {"ConvTranspose", "map map", "y", 3, "'output_shape' holds 0", with("output_shape", list({0, 4}))},
           {"MaxPool", "map", "y", 3, "the required attribute 'kernel_shape' is missing"},
           {"AveragePool", "map", "y", 3, "the required attribute 'kernel_shape' is missing"},
           {"MaxPool", "map", "y indices", 4, "use Upsample or ConvTranspose instead", kernel},
           {"LpPool", "map", "y", 3, "'p' is not positive", all({kernel, with("p", 0)})},
           {"GlobalLpPool", "map", "y", 3, "'p' is not positive", with("p", -2)},
           {"GlobalAveragePool", "loose", "y", 4, "the rank of its input is not known"},
           {"GlobalMaxPool", "row", "y", 4, "the rank of its input is not known"},
           {"com.microsoft.QLinearGlobalAveragePool", "loose one zero one zero", "y", 4, "the rank of its input is not known"},
           {"DepthToSpace", "map", "y", 3, "'blocksize' is 0", with("blocksize", 0)},
           {"SpaceToDepth", "map", "y", 3, "'blocksize' is 2147483648", with("blocksize", 2147483648)},
           {"DepthToSpace", "map", "y", 3, "'mode' has an unknown value", all({with("blocksize", 2), with("mode", "RCD")})},
           {"Resize", "map - two pair", "y", 3, "needs either scales or sizes"},
           {"Resize", "map -", "y", 3, "needs either scales or sizes"},
           {"Resize", "map - two", "y", 3, "'mode' is none of nearest, linear, cubic", with("mode", "area")},
           {"Resize", "map - two", "y", 3, "'nearest_mode' is none of round_prefer_floor", with("nearest_mode", "round")},
           {"Resize", "map - two", "y", 4, "it crops while it resizes",
            with("coordinate_transformation_mode", "tf_crop_and_resize")},
           {"Resize", "map - two", "y", 4, "'coordinate_transformation_mode' is 'tf_half_pixel_for_nn'",
            with("coordinate_transformation_mode", "tf_half_pixel_for_nn")},
           {"Resize:18", "map - two", "y", 4, "it keeps the aspect ratio", with("keep_aspect_ratio_policy", "not_larger")},
           {"ReverseSequence", "x n", "y", 3, "time_axis and batch_axis are not 0 and 1", with("time_axis", 2)},
           {"GridSample", "map map", "y", 3, "'mode' is none of nearest, linear, cubic", with("mode", "area")},
           {"GridSample", "map map", "y", 3, "'padding_mode' is none of zeros", with("padding_mode", "wrap")},
           {"GridSample", "x map", "y", 4, "its input has rank 3"},
           {"LRN", "map", "y", 3, "'size' holds 0", with("size", 0)},
           {"LRN", "map", "y", 4, "sums over 65 channels", with("size", 65)},
           {"Pad", "map pair", "y", 3, "'mode' is none of constant, reflect, edge, wrap", with("mode", "symmetric")},
           {"HannWindow", "pair", "y", 3, "its size is not one integer"},
           {"HammingWindow", "pair", "y", 3, "its size is not one integer"},
           {"BlackmanWindow", "minus", "y", 3, "its size is -3"},
           {"DFT:20", "x - sizes", "y", 4, "its axis is computed by the model"},
           {"DFT:20", "x - pair", "y", 3, "its axis is not one number"},
       })
    expect_refused(r);
}

TEST(RefusedNodes, NormsAndRecurrences) {
  for (const Refused& r : std::vector<Refused>{
           {"LayerNormalization", "loose one", "y mean", 4, "the rank of its input is not known", with("axis", -1)},
           {"LayerNormalization", "x one", "y mean", 3, "its axis is 3, and its input has rank 3", with("axis", 3)},
           {"RMSNormalization:23", "x one", "y inverse", 3, "it has 2 outputs, the operator gives at most 1"},
           {"SimplifiedLayerNormalization", "x one", "y inverse", 4, "its output 1 (statistics) is used"},
           {"BatchNormalization", "loose one one one one", "y", 4, "training mode, and the rank of its input is not known",
            with("training_mode", 1)},
           {"BatchNormalization:8", "x one one one one", "y", 4, "per-element statistics (spatial=0)", with("spatial", 0)},
           {"BatchNormalization", "x one one one one", "y mean", 4, "its output 1 (statistics) is used"},
           {"GroupNormalization:21", "x one one", "y", 3, "'num_groups' is not positive", with("num_groups", 0)},
           {"LpNormalization", "x", "y", 3, "'p' is neither 1 nor 2", with("p", 3)},
           {"com.microsoft.SkipLayerNormalization", "x x one", "y mean", 4, "its statistics outputs are used"},
           {"com.microsoft.SkipSimplifiedLayerNormalization", "x x one", "y - inverse", 4, "its statistics outputs are used"},
           {"LSTM", "x x x", "y", 3, "'direction' is none of forward, reverse, bidirectional", with("direction", "backward")},
           {"GRU", "x x x", "y", 3, "'activations' has the wrong length",
            [](pb::NodeProto* n) { attribute(n, "activations", 8)->add_strings("Tanh"); }},
           {"RNN", "x x x", "y", 4, "the activation Softsign",
            [](pb::NodeProto* n) { attribute(n, "activations", 8)->add_strings("softSign"); }},
           {"RNN", "x x x", "y", 3, "'activations' has 'Foo', which ONNX does not know",
            [](pb::NodeProto* n) { attribute(n, "activations", 8)->add_strings("Foo"); }},
           {"com.microsoft.DynamicQuantizeLSTM", "x ids ids - - - - - map zero map zero", "y", 4,
            "scales of an unknown or odd shape"},
           {"com.microsoft.FusedConv", "map map", "y", 4, "the fused activation Selu", with("activation", "Selu")},
           {"com.microsoft.FusedConv", "map map", "y", 4, "the fused activation Clip", with("activation", "Clip")},
       })
    expect_refused(r);
}

TEST(RefusedNodes, MatricesAndIntegers) {
  const auto nbits = [](int64_t k, int64_t n, int64_t bits, int64_t block) {
    return all({with("K", k), with("N", n), with("bits", bits), with("block_size", block)});
  };
  const char *const bits = "com.microsoft.MatMulNBits", *const unfit =
                                                            "its weights or scales do not fit K, N, bits and block_size";
  for (const Refused& r : std::vector<Refused>{
           {"Gemm", "x row", "y", 3, "its inputs must be matrices, 'x' has rank 3"},
           {"com.microsoft.FusedMatMul", "x x", "y", 4, "transposed batch axes", with("transBatchB", 1)},
           {"com.microsoft.FusedMatMul", "loose x", "y", 4, "the rank of a transposed operand is not known", with("transA", 1)},
           {"com.microsoft.FusedMatMul", "x counts", "y", 4, "the rank of a transposed operand is not known", with("transB", 1)},
           {bits, "x ids one", "y", 4, "weights of 3 bits", nbits(32, 1, 3, 32)},
           {bits, "x ids one", "y", 3, "K, N or block_size is out of range", nbits(0, 1, 4, 32)},
           {bits, "x ids one", "y", 3, "K, N or block_size is out of range", nbits(32, 0, 4, 32)},
           {bits, "x ids one", "y", 3, "K, N or block_size is out of range", nbits(32, 1, 4, 8)},
           {bits, "x ids one", "y", 3, "K, N or block_size is out of range", nbits(32, 1, 4, 48)},
           {bits, "x ids one - counts", "y", 4, "reordered rows (g_idx)", nbits(32, 1, 4, 32)},
           {bits, "x ids one", "y", 4, "weights computed by the model", nbits(32, 1, 4, 32)},
           {bits, "x codes rates", "y", 4, "scales computed by the model", nbits(32, 1, 4, 32)},
           {bits, "x codes one counts", "y", 4, "zero points computed by the model", nbits(32, 1, 4, 32)},
           {bits, "x codes one two", "y", 3, "its zero points do not fit its blocks", nbits(32, 1, 4, 32)},
           {bits, "x codes one four", "y", 3, "its zero points do not fit its blocks", nbits(32, 1, 4, 32)},
           {bits, "x codes one codes", "y", 3, "its zero points do not fit its blocks", nbits(32, 1, 4, 32)},
           {bits, "x codes two", "y", 3, unfit, nbits(32, 1, 4, 32)},
           {bits, "x column one", "y", 3, unfit, nbits(32, 1, 4, 32)},
           {bits, "x codes one", "y", 3, unfit, nbits(33, 1, 4, 32)},
           {bits, "x codes one", "y", 3, unfit, nbits(16, INT64_MAX / 2, 4, 16)},
           {bits, "x codes one", "y", 3, unfit, nbits(INT64_MAX, 1, 4, 16)},
           {bits, "x codes one", "y", 3, unfit, nbits(32, 1, 8, int64_t{1} << 62)},
           {"QuantizeLinear", "x none", "y", 3, "a scale is not a positive finite number"},
           {"QuantizeLinear:21", "x one byte", "y", 3, "its zero point is int8, its output_dtype uint8",
            with("output_dtype", 2)},
           {"DynamicQuantizeLinear", "x", "y", 3, "it must have three outputs"},
           {"com.microsoft.QLinearConcat", "one zero x one", "y", 3,
            "it needs a scale and zero point for the result and each part", with("axis", 1)},
           {"com.microsoft.QLinearConcat", "one zero x one zero x", "y", 3,
            "it needs a scale and zero point for the result and each part", with("axis", 1)},
           {"com.microsoft.QLinearSoftmax", "x one zero one zero", "y", 4, "a softmax over several axes",
            all({with("axis", 1), with("opset", 12)})},
           {"Einsum", "", "y", 3, "it has no inputs", with("equation", "ij->ji")},
       })
    expect_refused(r);
}

TEST(RefusedNodes, ShapesAndSequences) {
  const auto list = [](std::vector<int64_t> v) { return v; };
  for (const Refused& r : std::vector<Refused>{
           {"Reshape", "x minus", "y", 3, "the new shape has the size -3"},
           {"Reshape", "x minuses", "y", 3, "the new shape has more than one -1"},
           {"Slice:9", "x", "y", 3, "starts, ends and axes differ in length",
            all({with("starts", list({0, 0})), with("ends", list({1}))})},
           {"Slice:9", "x", "y", 3, "starts, ends and axes differ in length",
            all({with("starts", list({0})), with("ends", list({1})), with("axes", list({0, 1}))})},
           {"Slice", "x zero four zero zero", "y", 3, "a step is 0"},
           {"Split", "x minus", "y", 3, "a part has a negative size"},
           {"Split", "x pair", "y", 3, "it has 1 outputs and 2 sizes"},
           {"Split:18", "x", "y z", 3, "'num_outputs' is not the number of its outputs", with("num_outputs", 3)},
           {"Unsqueeze:13", "x", "y", 3, "it has no axes"},
           {"Transpose", "x", "y", 3, "'perm' is not a permutation", with("perm", list({0, 2, 2}))},
           {"Concat", "", "y", 3, "it has no inputs", with("axis", 1)},
           {"Sum", "", "y", 3, "it has no inputs"},
           {"Cast", "x", "y", 3, "the required attribute 'to' is missing"},
           {"Cast", "x", "y", 3, "'to' is no element type", with("to", 1001)},
           {"CastLike", "x vague", "y", 4, "the element type of its second input is not known"},
           {"Add", "x x", "y", 3, "the operator Add has its attribute 'broadcast' up to opset 6", with("broadcast", 1)},
           {"Add", "x", "y", 3, "it has 1 inputs, expected 2"},
           {"Add", "x -", "y", 3, "its required input 1 is missing"},
           {"IsInf", "x", "y", 4, "it detects nothing", all({with("detect_negative", 0), with("detect_positive", 0)})},
           {"Gelu:20", "x", "y", 3, "'approximate' is neither none nor tanh", with("approximate", "sigmoid")},
           {"Celu", "x", "y", 4, "'alpha' is 0, by which it divides", [](pb::NodeProto* n) { attribute(n, "alpha", 1)->set_f(0); }},
           {"Dropout:9", "x", "y mask", 4, "its mask is used, which is a number before opset 10"},
           {"Dropout", "x - yes", "y mask", 4, "its random mask is used"},
           {"Dropout", "x - vague", "y mask", 4, "its random mask is used"},
           {"Constant", "", "y", 3, "it has no value"},
           {"Constant", "", "y", 3, "it has more than one value", all({with("value_int", 1), with("value_ints", list({1}))})},
           {"Constant", "", "y", 4, "strings are not supported", with("value_string", "a")},
           {"Constant", "", "y", 4, "sparse constants are not supported",
            [](pb::NodeProto* n) { attribute(n, "sparse_value", 11); }},
           {"ConstantOfShape", "sizes", "y", 3, "'value' must hold one element",
            [](pb::NodeProto* n) {
              auto* t = attribute(n, "value", 4)->mutable_t();
              t->set_data_type(1), t->add_dims(2), t->add_float_data(1), t->add_float_data(1);
            }},
           {"ScatterElements:18", "x ids x", "y", 3, "'reduction' is none of none, add, mul, min, max", with("reduction", "sum")},
           {"TensorScatter:24", "loose loose", "y", 4, "the rank of its cache is not known"},
           {"TensorScatter:24", "map map", "y", 3, "'axis' is none of the axes behind the batch", with("axis", 0)},
           {"TensorScatter:24", "map map", "y", 3, "'axis' is none of the axes behind the batch", with("axis", 4)},
           {"TensorScatter:24", "map map", "y", 3, "'mode' is neither linear nor circular", with("mode", "ring")},
       })
    expect_refused(r);
}

// Readers of a sequence: what the nodes before them put there decides.
TEST(RefusedNodes, ReadersOfSequences) {
  struct Case {
    std::function<void(ModelBuilder&)> sequence;  // "list"
    const char *reader, *inputs;
    int code;
    const char* message;
  };
  const auto two = [](ModelBuilder& m) { m.node("SequenceConstruct", {"x", "x"}, {"list"}); };
  for (const Case& c : std::vector<Case>{
           {two, "SequenceAt", "list four", 3, "position 4 is outside the sequence of 2"},
           {two, "SequenceAt", "list minus", 3, "position -3 is outside the sequence of 2"},
           {two, "SequenceAt", "list sizes", 4, "the position in the sequence depends on data"},
           {two, "SequenceAt", "list pair", 4, "the position in the sequence depends on data"},
           {[](ModelBuilder& m) { m.node("SequenceEmpty", {}, {"list"}); }, "ConcatFromSequence", "list", 3,
            "the sequence is empty"},
           {[](ModelBuilder& m) { m.node("SequenceEmpty", {}, {"e"}), m.node("SequenceErase", {"e"}, {"list"}); },
            "SequenceLength", "list", 3, "position -1 is outside the sequence of 0"},
           {[&](ModelBuilder& m) {
              two(m), m.graph->mutable_node(2)->set_output(0, "l"), m.node("SequenceInsert", {"l", "x", "four"}, {"list"});
            },
            "SequenceLength", "list", 3, "a tensor is inserted outside the sequence"},
           {[&](ModelBuilder& m) {
              two(m), m.graph->mutable_node(2)->set_output(0, "l"), m.node("SequenceInsert", {"l", "x", "sizes"}, {"list"});
            },
            "SequenceLength", "list", 4, "the position in the sequence depends on data"},
           {[](ModelBuilder& m) { m.node("SplitToSequence", {"x"}, {"list"}); }, "SequenceLength", "list", 4,
            "its members are not known"},
       }) {
    SCOPED_TRACE(c.message);
    ModelBuilder m = surroundings(17);
    c.sequence(m);
    pb::NodeProto* reader = m.node(c.reader, words(c.inputs), {"y"});
    if (reader->op_type() == "ConcatFromSequence") set_int(reader, "axis", 1);
    m.output("y");
    std::string message;
    EXPECT_EQ(import_code(m, &message), c.code) << message;
    EXPECT_NE(message.find(c.message), std::string::npos) << message;
  }
}

}  // namespace

}  // namespace edgeconv
