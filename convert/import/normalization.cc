// LayerNormalization (17, and below it as ONNX Runtime writes it), RMSNormalization (23), SimplifiedLayerNormalization (ONNX
// Runtime, in either domain), Batch-, Instance- and GroupNormalization, LpNormalization.
#include "convert/import/building_blocks.h"
#include "convert/ir/axis.h"

namespace edgeconv {
namespace {

void refuse_statistics(ImportContext& c, const OnnxNode& n) {
  for (size_t i = 1; i < n.outputs.size(); ++i)
    if (c.is_read(n, i))
      refuse("its output " + std::to_string(i) + " (statistics) is used", "export the model in evaluation mode (model.eval())");
}

// Mean and 1 / sqrt(variance + epsilon), in fp32, where a graph returns them.
void bind_statistics(ImportContext& c, const OnnxNode& n) {
  if (!c.is_read(n, 1) && !c.is_read(n, 2)) return;
  const ValueId x = required_input(c, n, 0);
  const int rank = rank_hint(c.graph(), x);
  if (rank < 1)
    refuse_without_rank("its statistics are used, and ", "return the result only");
  const int64_t axis = n.integer("axis", -1);
  if (axis < -rank || axis >= rank)
    return c.malformed(n, "its axis is " + std::to_string(axis) + ", and its input has rank " + std::to_string(rank));
  ReduceAttrs over{ReduceKind::kMean, {}, true, false};
  for (int64_t a = from_front(axis, rank); a < rank; ++a) over.axes.push_back(a);
  const ValueId wide = cast(c, n, x, DType::kFloat), mean = c.inner(n, OpKind::kReduce, {wide}, over);
  const ValueId centred = sub(c, n, wide, mean);
  const ValueId variance = c.inner(n, OpKind::kReduce, {mul(c, n, centred, centred)}, over);
  const ValueId root = unary(c, n, UnaryKind::kSqrt, add(c, n, variance, scalar(c, n, n.number("epsilon", 1e-5f))));
  if (c.is_read(n, 1)) c.bind(n, 1, mean);
  if (c.is_read(n, 2)) c.bind(n, 2, unary(c, n, UnaryKind::kReciprocal, root));
}

void import_norm(ImportContext& c, const OnnxNode& n, bool rms) {
  if (rms)
    refuse_statistics(c, n);
  else
    bind_statistics(c, n);
  std::vector<ValueId> inputs = {required_input(c, n, 0), required_input(c, n, 1)};
  if (const ValueId bias = c.input(n, 2); bias != kNone) inputs.push_back(bias);
  const NormAttrs a{n.integer("axis", -1), n.number("epsilon", 1e-5f), rms};
  c.bind(n, 0, c.inner(n, OpKind::kLayerNormalization, std::move(inputs), a));
}

}  // namespace

void import_layer_normalization(ImportContext& c, const OnnxNode& n) { import_norm(c, n, false); }
void import_rms_normalization(ImportContext& c, const OnnxNode& n) { import_norm(c, n, true); }

// Normalises with the statistics of the run (opset 14), and gives those of the file moved towards them.
static void import_batch_statistics(ImportContext& c, const OnnxNode& n) {
  c.warn(
      n,
      "it is in training mode: rows of a batch change each other's results; export the model in evaluation mode (model.eval())");
  const ValueId x = required_input(c, n, 0);
  const int rank = rank_hint(c.graph(), x);
  if (rank < 2)
    refuse_without_rank("training mode, and ", "export the model in evaluation mode (model.eval())");
  ReduceAttrs over{ReduceKind::kMean, {0}, true, false};
  for (int64_t a = 2; a < rank; ++a) over.axes.push_back(a);
  const auto of_channel = [&](ValueId v) {
    std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
    dims[1] = -1;
    return reshape(c, n, v, dims);
  };
  const ValueId mean = c.inner(n, OpKind::kReduce, {x}, over), centred = sub(c, n, x, mean);
  const ValueId variance = c.inner(n, OpKind::kReduce, {mul(c, n, centred, centred)}, over);
  const ValueId deviation = unary(c, n, UnaryKind::kSqrt, add(c, n, variance, scalar_like(c, n, x, n.number("epsilon", 1e-5f))));
  const ValueId scaled = mul(c, n, binary(c, n, BinaryKind::kDiv, centred, deviation), of_channel(required_input(c, n, 1)));
  c.bind(n, 0, add(c, n, scaled, of_channel(required_input(c, n, 2))));
  const float kept = n.number("momentum", 0.9f);
  for (size_t i = 1; i < 3; ++i) {
    if (!c.is_read(n, i)) continue;
    const ValueId old = required_input(c, n, i + 2), now = reshape(c, n, i == 1 ? mean : variance, {-1});
    c.bind(n, i, add(c, n, mul(c, n, old, scalar_like(c, n, old, kept)), mul(c, n, now, scalar_like(c, n, old, 1 - kept))));
  }
}

void import_batch_normalization(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 5, 5);
  if (n.integer("training_mode", 0) != 0) return import_batch_statistics(c, n);
  if (n.integer("spatial", 1) == 0)
    refuse("per-element statistics (spatial=0)", "export the model again with opset_version=17 or newer");
  refuse_statistics(c, n);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < 5; ++i) inputs.push_back(required_input(c, n, i));
  c.bind(n, 0, c.inner(n, OpKind::kBatchNormalization, std::move(inputs), BatchNormAttrs{n.number("epsilon", 1e-5f)}));
}

void import_instance_normalization(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 3);
  c.emit(n, OpKind::kInstanceNormalization, {required_input(c, n, 0), required_input(c, n, 1), required_input(c, n, 2)},
         BatchNormAttrs{n.number("epsilon", 1e-5f)});
}

void import_group_normalization(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 3, 3);
  const int64_t groups = n.integer("num_groups");
  if (groups < 1) throw NodeError("attribute 'num_groups' is not positive");
  c.emit(n, OpKind::kGroupNormalization, {required_input(c, n, 0), required_input(c, n, 1), required_input(c, n, 2)},
         GroupNormAttrs{groups, n.number("epsilon", 1e-5f)});
}

void import_lp_normalization(ImportContext& c, const OnnxNode& n) {
  const ValueId x = required_input(c, n, 0);
  const int64_t p = n.integer("p", 2);
  if (p != 1 && p != 2) throw NodeError("attribute 'p' is neither 1 nor 2");
  const ValueId norm = c.inner(n, OpKind::kReduce, {x},
                               ReduceAttrs{p == 1 ? ReduceKind::kL1 : ReduceKind::kL2, {n.integer("axis", -1)}, true, false});
  // A row of zeros stays zero (opset 22; before it was undefined): no other norm is below the type's smallest number.
  const float least = dtype_hint(c.graph(), x) == DType::kFloat16 ? 0x1p-24f : 0x1p-126f;
  const ValueId divisor = binary(c, n, BinaryKind::kMax, norm, scalar_like(c, n, x, least));
  c.bind(n, 0, binary(c, n, BinaryKind::kDiv, x, divisor));
}

// Output 3 of the ONNX Runtime form is the sum before normalisation, which pre-norm models use.
static void import_skip(ImportContext& c, const OnnxNode& n, bool rms) {
  if (c.is_read(n, 1) || c.is_read(n, 2))
    refuse("its statistics outputs are used", "export the model in evaluation mode (model.eval())");
  const size_t bias_at = rms ? 3 : 4;
  ValueId sum = add(c, n, required_input(c, n, 0), required_input(c, n, 1));
  sum = add_optional(c, n, sum, c.input(n, bias_at));
  std::vector<ValueId> inputs = {sum, required_input(c, n, 2)};
  if (const ValueId beta = rms ? kNone : c.input(n, 3); beta != kNone) inputs.push_back(beta);
  c.bind(n, 0, c.inner(n, OpKind::kLayerNormalization, std::move(inputs), NormAttrs{-1, n.number("epsilon", 1e-12f), rms}));
  c.bind(n, 3, sum);
}

void import_skip_layer_normalization(ImportContext& c, const OnnxNode& n) { import_skip(c, n, false); }
void import_skip_simplified_layer_normalization(ImportContext& c, const OnnxNode& n) { import_skip(c, n, true); }

}  // namespace edgeconv
