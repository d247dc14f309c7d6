// Patches of a map, by the code of the runtime: bytes are moved, whatever the type of the elements.
#include "rt/ops/patches.h"

#include "convert/interp/eval.h"

namespace edgeconv {

namespace {

// Along axis i of the window; an axis that is not there has one position.
ert::ops::WindowAxis window_axis(const NodeInputs& c, size_t i, int64_t size) {
  const WindowAttrs& w = c.node.as<PatchesAttrs>().window;
  const int64_t span = size + w.begin[i] + w.end[i] - w.dilations[i] * (w.kernel[i] - 1) - 1;
  if (span < 0) c.fail("the kernel is larger than the padded input");
  const auto narrow = [](int64_t v) { return static_cast<int32_t>(v); };
  return {narrow(w.kernel[i]), narrow(w.strides[i]), narrow(w.dilations[i]),
          narrow(w.begin[i]),  narrow(size),         narrow(span / w.strides[i] + 1)};
}

}  // namespace

Results eval_patches(const NodeInputs& c) {
  const PatchesAttrs& a = c.node.as<PatchesAttrs>();
  const Tensor& x = c.in(0);
  const size_t axes = a.window.kernel.size();
  if (axes < 1 || axes > ert::params::window::kMostAxes || x.rank() != static_cast<int64_t>(axes) + 2)
    c.fail("the window does not fit the rank");
  const int64_t bytes = static_cast<int64_t>(dtype_size(x.dtype())), channels = x.dims().back();
  if (a.first_channel < 0 || a.channels < 1 || a.first_channel + a.channels > channels) c.fail("there are no such channels");
  ert::ops::Patches<uint8_t> patches{};
  ert::ops::Window& w = patches.w;
  if (axes == 2) w.rows = window_axis(c, 0, x.dims()[1]);
  w.columns = window_axis(c, axes - 1, x.dims()[axes]);
  w.batch = static_cast<int32_t>(x.dims()[0]);
  w.channels = static_cast<int32_t>(channels * bytes);
  patches.x = x.data();
  patches.first = static_cast<int32_t>(a.first_channel * bytes);
  patches.channels = static_cast<int32_t>(a.channels * bytes);
  std::vector<int64_t> dims{x.dims()[0]};
  if (axes == 2) dims.push_back(w.rows.out);
  dims.push_back(w.columns.out);
  dims.push_back(patches.depth() / bytes);
  Tensor out(x.dtype(), dims);
  patches.gather(0, w.outputs(), out.mutable_data());
  return {out};
}

}  // namespace edgeconv
