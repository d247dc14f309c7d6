// See measured_outputs.h.
#include "convert/precision/measured_outputs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "convert/measure/decision.h"
#include "convert/run/choosing_op.h"

namespace edgeconv {

MeasuredOutputs::MeasuredOutputs(const Graph& g, const DimPlan* made_up) {
  for (ValueId v : g.outputs) {
    const std::optional<ClassScores> by = class_scores(g, v);
    DecidedBy d = decision_of(g, by ? by->scores : v);
    d.by_worse_half = made_up && has_windows(*made_up);
    d.by_worst_tenth = made_up != nullptr;
    const auto& shape = g.value(by ? by->scores : v).shape;
    const size_t first = by && by->axis == 0 ? 1 : 0;  // with the classes last
    d.batched = shape && shape->size() > first && !(*shape)[first].is_constant();
    if (by) {
      d.scores = MeasuredScores{g.outputs.size() + names_.size(), by->axis, by->operation};
      scored_.push_back({names_.size(), *by});
    }
    names_.push_back(g.value(v).name);
    decisions_.push_back(std::move(d));
  }
}

std::vector<Tensor> MeasuredOutputs::of_model(const Graph& g, const std::vector<Tensor>& inputs, const InterpreterOptions& options) const {
  if (scored_.empty()) return interpret(g, inputs, options);
  std::vector<Tensor> scores(names_.size());
  InterpreterOptions watching = options;
  watching.observe = [&](const Node& n, const std::vector<Tensor>& values) {
    for (const Scored& s : scored_)
      if (std::find(n.outputs.begin(), n.outputs.end(), s.by.chosen) != n.outputs.end())
        scores[s.output] = values[static_cast<size_t>(s.by.scores)];
    if (options.observe) options.observe(n, values);
  };
  std::vector<Tensor> all = interpret(g, inputs, watching);
  std::move(scores.begin(), scores.end(), std::back_inserter(all));
  return all;
}

std::vector<Tensor> MeasuredOutputs::of_blob(BlobRunner& runner, const std::vector<Tensor>& inputs) const {
  if (scored_.empty()) return runner.run(inputs, {1, 0, true});
  return std::move(of_stream(runner, {Frame(inputs.begin(), inputs.end())}).front());
}

std::vector<std::vector<Tensor>> MeasuredOutputs::of_stream(BlobRunner& runner, const std::vector<Frame>& frames) const {
  RunnerOptions options{1, 0, true};
  if (scored_.empty()) return runner.run_in_order(frames, options);
  std::map<uint32_t, std::vector<Tensor>> read;  // by the op, of each frame
  std::vector<std::optional<uint32_t>> ops(names_.size());
  for (const Scored& s : scored_) {
    ops[s.output] = choosing_op(runner.model(), static_cast<uint32_t>(s.output));
    if (ops[s.output]) read[*ops[s.output]];
  }
  options.observe = [&](const ObservedOp& op) {
    const auto it = read.find(op.index);
    if (it == read.end()) return;
    Tensor scores = op.input ? Tensor(DType::kFloat, op.input_dims) : Tensor();
    if (op.input) std::copy_n(op.input, scores.elements(), scores.mut<float>().begin());
    it->second.push_back(std::move(scores));
  };
  std::vector<std::vector<Tensor>> all = runner.run_in_order(frames, options);
  for (size_t frame = 0; frame < all.size(); ++frame)
    for (const auto& op : ops) all[frame].push_back(op && frame < read[*op].size() ? read[*op][frame] : Tensor());
  return all;
}

}  // namespace edgeconv
