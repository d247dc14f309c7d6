// Inference of DFT, STFT and MelWeightMatrix.
#include "convert/infer/dispatch.h"

namespace edgeconv {

namespace {

constexpr const char* kConstantHint = "export it with constants for its frame step, frame length and window";

// 1 for real elements, 2 for complex ones; nothing and a problem otherwise.
std::optional<int64_t> parts_of_element(NodeInference& c, const DimExpr& last) {
  const auto parts = last.constant();
  if (parts == 1 || parts == 2) return parts;
  if (parts) {
    c.invalid("its last axis has size " + last.str() + ": real parts alone have 1, complex numbers 2");
  } else {
    c.problem("it is not known whether its last axis holds real or complex numbers", "export it with a last axis of fixed size");
  }
  return {};
}

}  // namespace

void infer_dft(NodeInference& c) {
  const DftAttrs a = c.node().as<DftAttrs>();
  Shape shape = c.shape(0);
  if (shape.size() < 2) return c.invalid("its input needs an axis for the signal, and one for real and imaginary parts");
  const auto parts = parts_of_element(c, shape.back());
  const auto axis = parts ? c.axis(a.axis, c.rank(0)) : std::nullopt;
  if (!axis) return;
  if (*axis + 1 == c.rank(0)) return c.invalid("its axis is the one of real and imaginary parts");
  if (a.onesided && !a.inverse && *parts == 2)
    return c.invalid("a onesided transform of complex numbers", "onesided is for real input");
  DimExpr& size = shape[static_cast<size_t>(*axis)];
  DimExpr length = a.onesided && a.inverse ? (size - DimExpr(1)) * DimExpr(2) : size;
  if (c.has(1)) {
    const auto given = c.elements(1);
    if (!given) return c.data_dependent(1);
    if (given->size() != 1) return c.invalid("its length is not one number");
    length = (*given)[0];
  }
  if (length.constant().value_or(1) < 1) return c.invalid("its length is " + length.str());
  c.needs_positive(length);
  size = a.onesided && !a.inverse ? length.floor_div(DimExpr(2)) + DimExpr(1) : length;
  shape.back() = DimExpr(a.onesided && a.inverse ? 1 : 2);
  c.set(0, c.dtype(0), std::move(shape));
}

void infer_stft(NodeInference& c) {
  const Shape signal = c.shape(0);
  if (signal.size() != 2 && signal.size() != 3)
    return c.invalid("its signal has rank " + std::to_string(signal.size()), "rank 3");
  if (signal.size() == 3) {
    const auto parts = parts_of_element(c, signal[2]);
    if (!parts) return;
    if (*parts == 2 && c.node().as<StftAttrs>().onesided)
      return c.invalid("a onesided transform of complex numbers", "onesided is for real input");
  }
  const auto step = c.ints(1);
  if (!step) return c.problem("its frame step is computed by the model", kConstantHint);
  if (step->size() != 1 || (*step)[0] < 1) return c.invalid("its frame step is not a positive number");
  DimExpr length = signal[1];
  if (c.has(3)) {
    const auto given = c.elements(3);
    if (!given) return c.data_dependent(3);
    if (given->size() != 1) return c.invalid("its frame length is not one number");
    length = (*given)[0];
  }
  if (c.has(2)) {
    if (c.rank(2) != 1) return c.invalid("its window has rank " + std::to_string(c.rank(2)), "rank 1");
    if (!c.has(3)) length = c.shape(2)[0];
    if (!c.unify(length, c.shape(2)[0], "window and frame length of an STFT")) return;
  }
  const auto n = length.constant();
  if (!n) return c.problem("its frame length " + length.str() + " is not a constant", kConstantHint);
  if (*n < 1) return c.invalid("its frame length is " + length.str());
  const DimExpr frames = (signal[1] - length).floor_div(DimExpr((*step)[0])) + DimExpr(1);
  if (frames.constant() && *frames.constant() < 1)
    return c.invalid("its signal is shorter than a frame", "where --fix gave the signal its size, give it a larger one");
  c.needs_positive(frames);
  c.set(0, c.dtype(0), Shape{signal[0], frames, DimExpr(c.node().as<StftAttrs>().onesided ? *n / 2 + 1 : *n), DimExpr(2)});
}

void infer_mel_weight_matrix(NodeInference& c) {
  for (size_t i = 0; i < 5; ++i)
    if (shape_elements(c.shape(i)).constant().value_or(1) != 1) return c.invalid("'" + c.input_name(i) + "' is not one number");
  const auto bands = c.ints(0), length = c.ints(1);
  if (!bands || !length)
    return c.problem("its number of bands or its transform length is computed by the model",
                     "export it with constants for its five parameters");
  if ((*bands)[0] < 1 || (*length)[0] < 1)
    return c.invalid("it has " + std::to_string((*bands)[0]) + " bands of a transform of length " + std::to_string((*length)[0]));
  c.set(0, c.node().as<CastAttrs>().to, Shape{DimExpr((*length)[0] / 2 + 1), DimExpr((*bands)[0])});
}

}  // namespace edgeconv
