// Patches of a map, by the code of the runtime: bytes are moved, whatever the type of the elements.
#include <algorithm>

#include "convert/interp/eval.h"
#include "convert/interp/patch_rows.h"

namespace edgeconv {

namespace {

[[noreturn]] void fail(const Node& n, const char* message) {
  throw FatalError(ExitCode::kMalformed, n.origin.op_type + " '" + n.origin.node + "': " + message);
}

// Along axis i of the window; an axis that is not there has one position.
ert::ops::WindowAxis window_axis(const Node& n, size_t i, int64_t size) {
  const WindowAttrs& w = n.as<PatchesAttrs>().window;
  const int64_t span = size + w.begin[i] + w.end[i] - w.dilations[i] * (w.kernel[i] - 1) - 1;
  if (span < 0) fail(n, "the kernel is larger than the padded input");
  const auto narrow = [](int64_t v) { return static_cast<int32_t>(v); };
  return {narrow(w.kernel[i]), narrow(w.strides[i]), narrow(w.dilations[i]),
          narrow(w.begin[i]),  narrow(size),         narrow(span / w.strides[i] + 1)};
}

}  // namespace

PatchRows::PatchRows(const Node& n, const Tensor& x) : type_(x.dtype()) {
  const PatchesAttrs& a = n.as<PatchesAttrs>();
  const size_t axes = a.window.kernel.size();
  if (axes < 1 || axes > ert::params::window::kMostAxes || x.rank() != static_cast<int64_t>(axes) + 2)
    fail(n, "the window does not fit the rank");
  const int64_t bytes = static_cast<int64_t>(dtype_size(type_)), channels = x.dims().back();
  if (a.first_channel < 0 || a.channels < 1 || a.first_channel + a.channels > channels) fail(n, "there are no such channels");
  ert::ops::Window& w = patches_.w;
  if (axes == 2) w.rows = window_axis(n, 0, x.dims()[1]);
  w.columns = window_axis(n, axes - 1, x.dims()[axes]);
  w.batch = static_cast<int32_t>(x.dims()[0]);
  w.channels = static_cast<int32_t>(channels * bytes);
  patches_.x = x.data();
  patches_.first = static_cast<int32_t>(a.first_channel * bytes);
  patches_.channels = static_cast<int32_t>(a.channels * bytes);
  dims_ = {x.dims()[0]};
  if (axes == 2) dims_.push_back(w.rows.out);
  dims_.push_back(w.columns.out);
  dims_.push_back(patches_.depth() / bytes);
}

int64_t PatchRows::block() const { return std::max(kFewestRows, kBlockElements / width()); }

Tensor PatchRows::rows(int64_t first, int64_t some) const {
  Tensor out(type_, {some, width()});
  patches_.gather(first, some, out.mutable_data());
  return out;
}

const Node* patches_read_in_blocks(const Graph& g, ValueId v, const std::vector<std::vector<NodeId>>& users) {
  const Node* p = v == kNone ? nullptr : g.producer(v);
  if (!p || p->kind != OpKind::kPatches || g.is_output(v)) return nullptr;
  const std::vector<NodeId>& readers = users[static_cast<size_t>(v)];
  const bool linears = std::all_of(readers.begin(), readers.end(), [&](NodeId id) {
    const Node& reader = g.node(id);
    return reader.kind == OpKind::kLinear && reader.in(0) == v && std::count(reader.inputs.begin(), reader.inputs.end(), v) == 1;
  });
  return linears ? p : nullptr;
}

Results eval_patches(const NodeInputs& c) {
  const PatchRows patches(c.node, c.in(0));
  return {patches.rows(0, patches.count()).reshaped(patches.dims())};
}

}  // namespace edgeconv
