// Resize (opset 10 has scales only, 11 adds roi and sizes, 18 axes and antialias) and its predecessor Upsample (opset 7 and 8 have scales as an attribute).
#include <algorithm>

#include "convert/import/building_blocks.h"

namespace edgeconv {
namespace {

ResizeAttrs::Mode mode_of(const OnnxNode& n) {
  const std::string mode = n.text("mode", "nearest");
  if (mode == "nearest") return ResizeAttrs::kNearest;
  if (mode == "linear" || mode == "bilinear") return ResizeAttrs::kLinear;
  if (mode == "cubic") return ResizeAttrs::kCubic;
  throw NodeError("attribute 'mode' is none of nearest, linear, cubic");
}

ResizeAttrs::Coordinates coordinates_of(const OnnxNode& n) {
  const std::string mode = n.text("coordinate_transformation_mode", "half_pixel");
  if (mode == "half_pixel") return ResizeAttrs::kHalfPixel;
  if (mode == "pytorch_half_pixel") return ResizeAttrs::kTorchHalfPixel;
  if (mode == "half_pixel_symmetric") return ResizeAttrs::kSymmetricHalfPixel;
  if (mode == "align_corners") return ResizeAttrs::kAlignCorners;
  if (mode == "asymmetric") return ResizeAttrs::kAsymmetric;
  if (mode == "tf_crop_and_resize") refuse("it crops while it resizes", "crop with slices before the resize");
  refuse("attribute 'coordinate_transformation_mode' is '" + mode + "'", "use half_pixel, align_corners or asymmetric");
}

ResizeAttrs::Rounding rounding_of(const OnnxNode& n) {
  const std::string mode = n.text("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return ResizeAttrs::kPreferFloor;
  if (mode == "round_prefer_ceil") return ResizeAttrs::kPreferCeil;
  if (mode == "floor") return ResizeAttrs::kFloor;
  if (mode == "ceil") return ResizeAttrs::kCeil;
  throw NodeError("attribute 'nearest_mode' is none of round_prefer_floor, round_prefer_ceil, floor, ceil");
}

ValueId scales_constant(ImportContext& c, const OnnxNode& n, const std::vector<float>& scales) {
  return c.constant(n, Tensor::of<float>(DType::kFloat, {static_cast<int64_t>(scales.size())}, scales));
}

// Up to opset 10, which says nothing of rounding: ONNX's tests and ONNX Runtime round nearest positions down where an axis grows, up where it shrinks.
void import_scales_only(ImportContext& c, const OnnxNode& n) {
  const bool as_attribute = c.opset("") < 9;
  check_input_count(n, as_attribute ? 1 : 2, as_attribute ? 1 : 2);
  if (as_attribute && n.numbers("scales").empty()) throw NodeError("attribute 'scales' is missing");
  ResizeAttrs a;
  a.mode = mode_of(n);
  a.coordinates = ResizeAttrs::kAsymmetric;
  a.rounding = ResizeAttrs::kFloor;
  ValueId x = required_input(c, n, 0);
  const ValueId scales = as_attribute ? scales_constant(c, n, n.numbers("scales")) : required_input(c, n, 1);
  const Tensor* known = constant_of(c, scales);
  const std::vector<float> given = known != nullptr ? known->to_float() : std::vector<float>();
  std::vector<float> growth = given, shrinkage = given;
  for (float& s : growth) s = std::max(s, 1.0f);
  for (float& s : shrinkage) s = std::min(s, 1.0f);
  if (a.mode != ResizeAttrs::kNearest || growth == given) {
    c.emit(n, OpKind::kResize, {x, scales, kNone}, std::move(a));
    return;
  }
  if (shrinkage != given) x = c.inner(n, OpKind::kResize, {x, scales_constant(c, n, growth), kNone}, a);
  a.rounding = ResizeAttrs::kCeil;
  c.emit(n, OpKind::kResize, {x, scales_constant(c, n, shrinkage), kNone}, std::move(a));
}

}  // namespace

void import_resize(ImportContext& c, const OnnxNode& n) {
  if (n.op_type == "Upsample" || c.opset("") < 11) return import_scales_only(c, n);
  check_input_count(n, 2, 4);
  ResizeAttrs a;
  a.mode = mode_of(n);
  a.coordinates = coordinates_of(n);
  a.rounding = rounding_of(n);
  a.cubic_a = n.number("cubic_coeff_a", -0.75f);
  a.exclude_outside = n.integer("exclude_outside", 0) != 0;
  a.antialias = n.integer("antialias", 0) != 0;
  a.axes = n.integers("axes");
  if (n.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    refuse("it keeps the aspect ratio", "compute the target size outside the model");
  ValueId scales = c.input(n, 2), sizes = c.input(n, 3);
  // Both may be there; an empty one does not count.
  if (const Tensor* t = constant_of(c, scales); t != nullptr && t->elements() == 0) scales = kNone;
  if (const Tensor* t = constant_of(c, sizes); t != nullptr && t->elements() == 0) sizes = kNone;
  if ((scales == kNone) == (sizes == kNone)) throw NodeError("needs either scales or sizes");
  c.emit(n, OpKind::kResize, {required_input(c, n, 0), scales, sizes}, std::move(a));
}

}  // namespace edgeconv
