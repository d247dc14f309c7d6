// See raw_inputs.h.
#include "convert/prepare/raw_inputs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "convert/dims/input_kinds.h"
#include "convert/files/json.h"
#include "convert/ir/diagnostics.h"
#include "rt/ops/op_params.h"

namespace edgeconv {

namespace {

namespace binary = ert::params::binary;

[[noreturn]] void refuse_scale(const std::string& text, const std::string& what) {
  throw FatalError(ExitCode::kUsage, "--input-scale " + printable(text) + ": " + what);
}

std::vector<std::string> parts_of(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::vector<float> numbers(const std::string& whole, const std::string& list) {
  std::vector<float> all;
  for (const std::string& part : parts_of(list, ':')) {
    float v = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), v);
    if (error != std::errc() || end != part.data() + part.size() || !std::isfinite(v))
      refuse_scale(whole,
             "'" + printable(part) + "' is not a number; write NAME=mean,std, for example --input-scale pixels=127.5,127.5");
    all.push_back(v);
  }
  return all;
}

// The axis that one number a channel runs along: the second one as PyTorch has it, or the last one.
int channel_axis(const Shape& s, size_t channels) {
  for (const int axis : {1, static_cast<int>(s.size()) - 1, 0})
    if (axis >= 0 && axis < static_cast<int>(s.size()) && s[static_cast<size_t>(axis)] == DimExpr(static_cast<int64_t>(channels)))
      return axis;
  return -1;
}

DType type_by_nature(const Graph& g, ValueId v, const std::string& name) {
  const auto kinds = input_kinds(g);
  const auto it = kinds.find(v);
  if (it != kinds.end() && it->second.kind == InputKind::kWaveform) return DType::kInt16;
  if (it != kinds.end() && (it->second.kind == InputKind::kImage || it->second.kind == InputKind::kField)) return DType::kUint8;
  refuse_scale(name, "nothing in the model tells whether this input is an image or sound: write ,uint8 or ,int16 behind the numbers");
}

Tensor along(const std::vector<float>& values, const Shape& s, const RawInput& input) {
  std::vector<int64_t> dims;
  if (values.size() > 1) {
    const int axis = channel_axis(s, values.size());
    if (axis < 0)
      refuse_scale(input.name,
             std::to_string(values.size()) + " numbers, and no axis of " + shape_str(s) + " is as long: give one for all");
    dims.assign(s.size() - static_cast<size_t>(axis), 1);
    dims[0] = static_cast<int64_t>(values.size());
  }
  return Tensor::of<float>(DType::kFloat, dims, values);
}

[[noreturn]] void refuse_missing(const std::string& name, const Graph& g, const ModelInfo& info) {
  for (const PinnedInput& p : info.pinned)
    if (p.name == name)
      refuse_scale(name, "this input is pinned to " + pinned_text(p) + " (--const), so that nothing comes in to be scaled: leave out one of the two options");
  for (const CutInput& c : info.cut)
    if (c.name == name) refuse_scale(name, "the values of --outputs do not need this input: leave it out");
  std::string known;
  for (ValueId v : g.inputs) known += (known.empty() ? "" : ", ") + printable(g.value(v).name);
  refuse_scale(name, "the model has no such input; it has " + (known.empty() ? "none that is not pinned" : known));
}

bool all_equal(const std::vector<float>& values, float v) {
  return std::all_of(values.begin(), values.end(), [v](float x) { return x == v; });
}

}  // namespace

RawInput parse_raw_input(const std::string& text) {
  const size_t eq = text.find('=');
  const std::vector<std::string> parts = parts_of(eq == std::string::npos ? "" : text.substr(eq + 1), ',');
  if (eq == std::string::npos || eq == 0 || parts.size() < 2 || parts.size() > 3)
    refuse_scale(text, "write NAME=mean,std or NAME=mean,std,uint8 (or int16), for example --input-scale pixels=127.5,127.5");
  RawInput r{text.substr(0, eq), numbers(text, parts[0]), numbers(text, parts[1]), {}};
  if (std::any_of(r.std.begin(), r.std.end(), [](float s) { return s <= 0; })) refuse_scale(text, "std divides: it must be above 0");
  if (parts.size() == 3) {
    if (parts[2] != "uint8" && parts[2] != "int16") refuse_scale(text, "'" + printable(parts[2]) + "': the type is uint8 or int16");
    r.type = parts[2] == "uint8" ? DType::kUint8 : DType::kInt16;
  }
  return r;
}

std::string raw_input_text(const RawInput& input) {
  const auto list = [](const std::vector<float>& values) {
    std::string s;
    for (float v : values) {
      char digits[32];
      const auto end = std::to_chars(digits, digits + sizeof digits, v).ptr;
      s += (s.empty() ? "" : ":") + std::string(digits, end);
    }
    return s;
  };
  return input.name + "=" + list(input.mean) + "," + list(input.std) +
         (input.type ? "," + std::string(dtype_name(*input.type)) : "");
}

void take_raw_inputs(Graph& g, std::vector<RawInput>& inputs, const ModelInfo& info) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    RawInput& raw = inputs[k];
    const auto at = std::find_if(g.inputs.begin(), g.inputs.end(), [&](ValueId v) { return g.value(v).name == raw.name; });
    if (at == g.inputs.end()) refuse_missing(raw.name, g, info);
    for (size_t other = 0; other < k; ++other)
      if (inputs[other].name == raw.name) refuse_scale(raw.name, "given twice");
    const ValueId normalized = *at;
    const Value before = g.value(normalized);
    if (before.dtype != DType::kFloat)
      refuse_scale(raw.name, "the input is of type " + std::string(dtype_name(before.dtype)) + "; only float32 is normalized");
    if (!before.shape) refuse_scale(raw.name, "the rank of the input is not known");
    const Origin origin{raw.name, "Cast", ""};
    const Tensor mean = along(raw.mean, *before.shape, raw), std = along(raw.std, *before.shape, raw);
    if (!raw.type) raw.type = type_by_nature(g, normalized, raw.name);
    *at = g.add_value(raw.name, *raw.type, before.shape);
    const bool shifts = !all_equal(raw.mean, 0), scales = !all_equal(raw.std, 1);
    const auto step = [&](bool last, OpKind kind, std::vector<ValueId> in, Attributes attributes) {
      if (last) {
        g.add_node_with_outputs(kind, std::move(in), {normalized}, std::move(attributes), origin);
        return normalized;
      }
      const ValueId v = g.add_node(kind, std::move(in), std::move(attributes), origin);
      g.value(v).dtype = DType::kFloat;
      g.value(v).shape = before.shape;
      return v;
    };
    ValueId v = step(!shifts && !scales, OpKind::kCast, {*at}, CastAttrs{DType::kFloat});
    if (shifts) v = step(!scales, OpKind::kBinary, {v, g.add_constant(raw.name + "/mean", mean)}, BinaryAttrs{binary::kSub});
    if (scales) step(true, OpKind::kBinary, {v, g.add_constant(raw.name + "/std", std)}, BinaryAttrs{binary::kDiv});
  }
}

}  // namespace edgeconv
