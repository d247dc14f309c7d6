// Samples rows of the reference first, then watches the blob's ops.
#include "convert/measure/accumulated_error.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "convert/interp/interpreter.h"
#include "convert/measure/accuracy.h"
#include "rt/base/float_mode.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

constexpr size_t kRows = 64, kSets = 4;

struct Rows {
  size_t width = 0, all = 0;
  std::vector<size_t> index;  // of the sampled ones
  std::vector<float> data;    // [index, width]
};

struct Sums {
  double signal = 0, noise = 0;
  int32_t precision = 0;
};

// Of convolutions that have no parameter for it.
std::optional<ert::params::linear::Precision> only_precision(std::string_view kind) {
  if (kind == "DirectConv") return ert::params::linear::kF32;
  if (kind == "WideConv") return ert::params::linear::kW12A13;
  return std::nullopt;
}

// Row r of a layer's output is position r of the mask.
bool rows_are_positions(const Tensor& y, const TokenMask& mask) {
  return y.rank() == 2 ? y.dims()[0] == mask.batch * mask.sequence
                       : y.rank() > 2 && y.dims()[0] == mask.batch && y.dims()[1] == mask.sequence &&
                             y.elements() == mask.batch * mask.sequence * y.dims().back();
}

Rows sample(const Tensor& y, const std::optional<TokenMask>& mask) {
  Rows rows;
  rows.width = y.rank() ? static_cast<size_t>(y.dims().back()) : 1;
  rows.all = static_cast<size_t>(y.elements()) / std::max<size_t>(1, rows.width);
  const bool masked = mask && rows_are_positions(y, *mask);
  std::vector<size_t> counted;
  for (size_t r = 0; r < rows.all; ++r)
    if (!masked || mask->token[r]) counted.push_back(r);
  const size_t take = std::min(kRows, counted.size());
  const Tensor values = y.cast(DType::kFloat).aligned();
  const auto data = values.as<float>();
  for (size_t i = 0; i < take; ++i) {
    const size_t r = counted[i * counted.size() / take];
    rows.index.push_back(r);
    rows.data.insert(rows.data.end(), data.begin() + static_cast<ptrdiff_t>(r * rows.width),
                     data.begin() + static_cast<ptrdiff_t>((r + 1) * rows.width));
  }
  return rows;
}

// Outputs of the Linears by source node. A name that occurs twice would be compared with the wrong layer: it is left out.
std::map<std::string, Rows> reference_rows(const Graph& g, const std::vector<Tensor>& inputs,
                                           const std::optional<TokenMask>& mask, const std::function<void()>& after_layer) {
  std::map<std::string, Rows> rows;
  std::map<std::string, int> count;
  InterpreterOptions options;
  options.backend = Backend::kCanonical;
  options.observe = [&](const Node& n, const std::vector<Tensor>& values) {
    if (n.kind != OpKind::kLinear) return;
    if (after_layer) after_layer();
    if (++count[n.origin.node] > 1) return;
    const Tensor& y = values[static_cast<size_t>(n.outputs[0])];
    if (y.dtype() != DType::kUndefined) rows[n.origin.node] = sample(y, mask);  // undefined: behind a custom operator
  };
  interpret(g, inputs, options);
  for (const auto& [name, n] : count)
    if (n > 1) rows.erase(name);
  return rows;
}

void add(Sums& sums, const Rows& want, const std::optional<TokenMask>& mask, const ObservedOp& op) {
  const std::vector<size_t> place = packed_places(mask, want.all, op.elements / want.width);
  if (place.empty()) return;
  namespace direct = ert::params::direct_conv;
  const std::optional<ert::params::linear::Precision> only = only_precision(op.kind);
  const bool limited = only && op.floats.size() > direct::kLeast;  // which the reference does behind its Linear
  const float least = limited ? op.floats[direct::kLeast] : -std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < want.index.size(); ++i)
    for (size_t c = 0; c < want.width; ++c) {
      const double reference = std::max<double>(want.data[i * want.width + c], least);
      const double difference = op.output[place[want.index[i]] * want.width + c] - reference;
      sums.signal += reference * reference;
      sums.noise += difference * difference;
    }
  sums.precision = only ? *only : op.first_parameter;
}

}  // namespace

std::vector<std::vector<Tensor>> some_of(const std::vector<std::vector<Tensor>>& sets) {
  return {sets.begin(), sets.begin() + static_cast<ptrdiff_t>(std::min(kSets, sets.size()))};
}

std::map<std::string, AccumulatedError> accumulated_errors(const Graph& g, BlobRunner& runner,
                                                           const std::vector<std::vector<Tensor>>& sets,
                                                           const std::optional<PaddingMask>& padding,
                                                           const std::function<void()>& after_layer) {
  const ert::FloatMode float_mode;
  std::map<std::string, Sums> sums;
  for (const auto& set : sets) {
    const std::optional<TokenMask> mask = padding ? std::optional(token_mask(*padding, set)) : std::nullopt;
    const auto want = reference_rows(g, set, mask, after_layer);
    RunnerOptions options{1, 0, true};
    options.observe = [&](const ObservedOp& op) {
      const auto it = want.find(op.name);
      const bool layer = op.kind == "Linear" || op.kind == "Conv" || only_precision(op.kind);
      if (!layer || it == want.end() || it->second.width == 0 || op.elements == 0) return;
      add(sums[op.name], it->second, mask, op);
    };
    runner.run(set, options);
  }
  std::map<std::string, AccumulatedError> errors;
  for (const auto& [name, s] : sums)
    if (s.signal > 0 || s.noise > 0) errors[name] = {s.precision, sqnr_db(s.signal, s.noise)};
  return errors;
}

}  // namespace edgeconv
