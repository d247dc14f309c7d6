// HannWindow, HammingWindow, BlackmanWindow: tables where the size is a constant, computed where it follows from the dims. MelWeightMatrix.
#include "convert/import/building_blocks.h"
#include "convert/interp/portable_math.h"
#include "convert/onnx/tensor_reader.h"

namespace edgeconv {
namespace {

constexpr double kPi = 3.14159265358979323846;

DType result_type(const OnnxNode& n) {
  return n.has("output_datatype") ? supported_dtype(static_cast<int32_t>(n.integer("output_datatype")), "its result")
                                  : DType::kFloat;
}

// first + second * cos(x) + third * cos(2x), x being a whole turn over the window.
struct CosineSum {
  double first, second, third;
};

// One sample is no window: ONNX divides 0 by 0 for it when it is symmetric. Here it is the first sample of a longer one.
int64_t samples_of_a_turn(int64_t size, bool periodic) { return std::max<int64_t>(1, periodic ? size : size - 1); }

Tensor table(const CosineSum& sum, int64_t size, bool periodic) {
  const int64_t whole = samples_of_a_turn(size, periodic);
  std::vector<double> v;
  for (int64_t i = 0; i < size; ++i) {
    // Without a third term by the square of the sine, which loses nothing near zero: 1 - cos x = 2 sin^2(x / 2).
    const double s = turn(i, 2 * whole).sine;
    v.push_back(sum.third == 0 ? (sum.first + sum.second) - 2 * sum.second * s * s
                               : sum.first + sum.second * turn(i, whole).cosine + sum.third * turn(2 * i, whole).cosine);
  }
  return Tensor::of<double>(DType::kDouble, {size}, v);
}

ValueId computed(ImportContext& c, const OnnxNode& n, const CosineSum& sum, ValueId size, bool periodic) {
  const ValueId one = int_scalar(c, n, 1);
  const ValueId at = cast(c, n, c.inner(n, OpKind::kRange, {int_scalar(c, n, 0), size, one}), DType::kFloat);
  const ValueId whole = periodic ? size : binary(c, n, BinaryKind::kMax, sub(c, n, size, one), one);
  const ValueId part = binary(c, n, BinaryKind::kDiv, at, cast(c, n, whole, DType::kFloat));
  const auto times = [&](ValueId v, double factor) { return mul(c, n, v, scalar(c, n, static_cast<float>(factor))); };
  const auto plus = [&](ValueId v, double term) { return add(c, n, v, scalar(c, n, static_cast<float>(term))); };
  if (sum.third == 0) {
    const ValueId square = unary(c, n, UnaryKind::kSquare, unary(c, n, ActivationKind::kSin, times(part, kPi)));
    return plus(times(square, -2 * sum.second), sum.first + sum.second);
  }
  const auto wave = [&](double turns, double height) {
    return times(unary(c, n, ActivationKind::kCos, times(part, turns * 2 * kPi)), height);
  };
  return plus(add(c, n, wave(1, sum.second), wave(2, sum.third)), sum.first);
}

void import_window(ImportContext& c, const OnnxNode& n, const CosineSum& sum) {
  check_input_count(n, 1, 1);
  const ValueId size = required_input(c, n, 0);
  const bool periodic = n.integer("periodic", 1) != 0;
  const DType to = result_type(n);
  const Tensor* given = constant_of(c, size);
  if (given && (!is_integer(given->dtype()) || given->elements() != 1)) throw NodeError("its size is not one integer");
  if (given && given->to_int64()[0] < 0) throw NodeError("its size is " + std::to_string(given->to_int64()[0]));
  if (given && c.may_tabulate(given->to_int64()[0]))
    return c.bind(n, 0, c.constant(n, table(sum, given->to_int64()[0], periodic).cast(to)));
  const ValueId v = computed(c, n, sum, cast(c, n, size, DType::kInt64), periodic);
  c.bind(n, 0, to == DType::kFloat ? v : cast(c, n, v, to));
}

}  // namespace

void import_hann_window(ImportContext& c, const OnnxNode& n) { import_window(c, n, {0.5, -0.5, 0}); }
void import_hamming_window(ImportContext& c, const OnnxNode& n) { import_window(c, n, {25.0 / 46, -21.0 / 46, 0}); }
void import_blackman_window(ImportContext& c, const OnnxNode& n) { import_window(c, n, {0.42, -0.5, 0.08}); }

void import_mel_weight_matrix(ImportContext& c, const OnnxNode& n) {
  check_input_count(n, 5, 5);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < 5; ++i) inputs.push_back(required_input(c, n, i));
  c.emit(n, OpKind::kMelWeightMatrix, std::move(inputs), CastAttrs{result_type(n)});
}

}  // namespace edgeconv
