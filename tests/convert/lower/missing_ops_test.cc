// What a user is told about operators that cannot run: a reason for each kind, and all of them in one go.
#include "convert/lower/missing_ops.h"

#include <gtest/gtest.h>

#include <set>

#include "convert/lower/lower.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

std::set<std::string> operators(const Diagnostics& d) {
  std::set<std::string> names;
  for (const Problem& p : d.problems()) names.insert(p.op);
  return names;
}

// Names the node, as an importer does.
void label(GraphBuilder& b, ValueId v, const std::string& type) { b.g.producer(v)->origin = {type + "_node", type, ""}; }

TEST(MissingOps, OtherProblemsAreFoundBehindARefusedOperator) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 4, 4}), square = b.input("square", {DimExpr::symbol("side"), DimExpr::symbol("side")});
  const ValueId refused = b.g.add_value("refused");  // as after a failed import: nothing defines it
  const ValueId follower = b.node(OpKind::kGather, {x, refused}, AxisAttrs{0});
  const ValueId diagonal = b.node(OpKind::kEinsum, {square}, EinsumAttrs{"ii->i"});
  label(b, follower, "Gather"), label(b, diagonal, "Einsum");
  b.output(follower);
  b.output(diagonal);
  Diagnostics d;
  d.unsupported({"ai.onnx::NonZero(17)", "nz", "", "data-dependent shape", "use torch.where"});
  finish(b.g);
  add_remaining_problems(b.g, d);
  EXPECT_EQ(operators(d), (std::set<std::string>{"ai.onnx::NonZero(17)", "Einsum"})) << "Gather only reads what was refused";
}

// The cross-correlation of a tracker was told to export with model.eval().
TEST(MissingOps, AKernelThatDependsOnAnInputIsNoParameter) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 3, 16, 16}), z = b.input("z", {1, 3, 6, 6});
  const MissingOp m = missing_op(b.g, *b.g.producer(b.node(OpKind::kConv, {x, b.unary(Unary::kRelu, z)}, ConvAttrs{})));
  EXPECT_NE(m.reason.find("from an input"), std::string::npos) << m.reason;
  EXPECT_NE(m.hint.find("unfold"), std::string::npos) << m.hint;
  EXPECT_EQ(m.hint.find("eval()"), std::string::npos) << m.hint;
}

// A linear Resize was told to resize linearly.
TEST(MissingOps, ResizeTellsWhatKeepsItFromRunning) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 4, DimExpr::symbol("width")});
  const auto reason = [&](const ResizeAttrs& a) { return missing_op(b.g, *b.g.producer(b.node(OpKind::kResize, {x}, a))).reason; };
  ResizeAttrs linear;
  linear.mode = ResizeAttrs::kLinear;
  ResizeAttrs antialiased = linear, inside = linear, symmetric = linear;
  antialiased.antialias = inside.exclude_outside = true;
  symmetric.coordinates = ResizeAttrs::kSymmetricHalfPixel;
  EXPECT_NE(reason(antialiased).find("antialiased"), std::string::npos);
  EXPECT_NE(reason(inside).find("exclude_outside"), std::string::npos);
  EXPECT_NE(reason(symmetric).find("half_pixel_symmetric"), std::string::npos);
  EXPECT_NE(reason({}).find("rounds positions"), std::string::npos);
}

TEST(MissingOps, NothingIsSaidTwice) {
  GraphBuilder b;
  const ValueId square = b.input("square", {DimExpr::symbol("side"), DimExpr::symbol("side")});
  const ValueId diagonal = b.node(OpKind::kEinsum, {square}, EinsumAttrs{"ii->i"});
  label(b, diagonal, "Einsum");
  b.output(diagonal);
  Diagnostics d;
  d.unsupported({"ai.onnx::Einsum(17)", "Einsum_node", "", "a reason", ""});
  finish(b.g);
  add_remaining_problems(b.g, d);
  EXPECT_EQ(d.problems().size(), 1u);
}

TEST(MissingOps, EveryKindHasItsOwnReason) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 4, 8});
  const ValueId named[] = {b.node(OpKind::kMaxPool, {x}, ConvAttrs{}), b.node(OpKind::kEinsum, {x}, EinsumAttrs{"aab->b"}),
                           b.node(OpKind::kIf, {x}, SubgraphAttrs{}), b.node(OpKind::kLoop, {x}, SubgraphAttrs{}),
                           b.node(OpKind::kMatMulInteger, {x, x})};
  std::set<std::string> reasons;
  for (ValueId v : named) {
    const MissingOp m = missing_op(b.g, *b.g.producer(v));
    EXPECT_FALSE(m.hint.empty());
    reasons.insert(m.reason);
  }
  EXPECT_EQ(reasons.size(), std::size(named));
}

// What a reason says depends on which operands are constants of the file, and which sizes are known.
TEST(MissingOps, ReasonsNameWhatIsComputed) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 4, 8}), w = b.weights({4, 4, 3}), rounds = b.constant(Tensor::scalar(int64_t{5000})), many = b.ints({3, 4});
  const auto sized = [&](const char* name, const Shape& elements) {
    const ValueId v = b.g.add_value(name, DType::kInt64, Shape{static_cast<int64_t>(elements.size())});
    b.g.value(v).elements = elements;
    return v;
  };
  const DimExpr seq = DimExpr::symbol("seq"), few = DimExpr::symbol("few"), large = DimExpr::symbol("large");
  b.g.most_dims = {{"few", 12}, {"large", 100000}};
  const struct {
    OpKind kind;
    std::vector<ValueId> inputs;
    Attributes attrs;
    const char* words;
  } cases[] = {
      {OpKind::kConv, {x, w, kNone}, ConvAttrs{}, "too many positions"},
      {OpKind::kConv, {x, b.unary(Unary::kRelu, w)}, ConvAttrs{}, "weights or bias are computed by the model"},
      {OpKind::kConvTranspose, {x, w}, ConvTransposeAttrs{}, "stride is far larger"},
      {OpKind::kConvTranspose, {x, x}, ConvTransposeAttrs{}, "weights or bias are computed from an input"},
      {OpKind::kDft, {x}, DftAttrs{}, "prime factor"},
      {OpKind::kStft, {x}, StftAttrs{}, "prime factor"},
      {OpKind::kMelWeightMatrix, {x}, CastAttrs{}, "frequencies are computed"},
      {OpKind::kAveragePool, {x}, ConvAttrs{}, "longer than 64"},
      {OpKind::kResize, {x}, ResizeAttrs{}, "rounds positions"},
      {OpKind::kRnn, {x}, RnnAttrs{}, "peepholes are computed"},
      {OpKind::kLayerNormalization, {x, w}, NormAttrs{}, "mean or variance"},
      {OpKind::kLayerNormalization, {x, x}, NormAttrs{}, "scale or bias is computed"},
      {OpKind::kBatchNormalization, {x, w}, BatchNormAttrs{}, "shape of its input is not known"},
      {OpKind::kBatchNormalization, {x, x}, BatchNormAttrs{}, "statistics are computed"},
      {OpKind::kInstanceNormalization, {x, w}, BatchNormAttrs{}, "shape of its input is not known"},
      {OpKind::kGroupNormalization, {x, w, x}, GroupNormAttrs{}, "scale or bias is computed"},
      {OpKind::kLoop, {rounds}, SubgraphAttrs{}, "up to 5000"},
      {OpKind::kLoop, {many}, SubgraphAttrs{}, "depends on the data"},
      {OpKind::kLoop, {kNone}, SubgraphAttrs{}, "depends on the data"},
      {OpKind::kLoop, {x}, SubgraphAttrs{}, "depends on the data"},
      {OpKind::kLoop, {sized("of_seq", {seq})}, SubgraphAttrs{}, "as many as dim 'seq' is large, which is known only at run time"},
      {OpKind::kLoop, {sized("of_few", {few + DimExpr(1)})}, SubgraphAttrs{}, "as many as dim 'few' is large, or fewer"},
      {OpKind::kLoop, {sized("of_large", {large})}, SubgraphAttrs{}, "as many as dim 'large' is large, which is known only at run time"},
      {OpKind::kLoop, {sized("of_both", {seq * few})}, SubgraphAttrs{}, "depends on the data"},
      {OpKind::kLoop, {sized("two", {seq, few})}, SubgraphAttrs{}, "depends on the data"},
      {OpKind::kQuantizeLinear, {x, w}, QuantAttrs{1, 4, DType::kUint8}, "scales for blocks"},
      {OpKind::kQuantizeLinear, {x, x}, QuantAttrs{1, 0, DType::kUint8}, "scales are computed"},
      {OpKind::kDequantizeLinear, {x, w}, QuantAttrs{}, "element type that devices do not compute with"},
      {OpKind::kDynamicQuantizeLinear, {x}, {}, "element type that devices do not compute with"},
      {OpKind::kConvInteger, {x, w}, ConvAttrs{}, "integer product"},
      {OpKind::kShape, {x}, ShapeAttrs{}, "shape of its input is not known"},
      {OpKind::kSize, {x}, {}, "shape of its input is not known"},
      {OpKind::kEyeLike, {x}, CastAttrs{}, "size that depends on the dims"},
      {OpKind::kCustom, {x}, {}, "no kernel for this custom operator"},
      {OpKind::kOneHot, {x}, {}, "no operation of kind OneHot"},
  };
  for (const auto& c : cases) {
    const MissingOp m = missing_op(b.g, *b.g.producer(b.node(c.kind, c.inputs, c.attrs)));
    EXPECT_NE(m.reason.find(c.words), std::string::npos) << op_name(c.kind) << ": " << m.reason;
    EXPECT_FALSE(m.hint.empty());
  }
}

// A Loop of three rounds that a condition of the data ends was said to have too many.
TEST(MissingOps, AConditionThatEndsALoopIsTheReason) {
  GraphBuilder body;
  const ValueId round = body.input("round", {}, DType::kInt64), again = body.input("again", {}, DType::kBool);
  body.output(body.unary(ert::params::unary::kNot, again));
  body.output(round);
  GraphBuilder b;
  SubgraphAttrs a;
  a.bodies.push_back(std::make_shared<Graph>(body.g));
  const MissingOp m = missing_op(b.g, *b.g.producer(b.node(OpKind::kLoop, {b.ints({3})}, a)));
  EXPECT_NE(m.reason.find("may end it before its 3 rounds"), std::string::npos) << m.reason;
}

}  // namespace

}  // namespace edgeconv::testing
