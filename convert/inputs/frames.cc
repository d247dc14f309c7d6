// See frames.h.
#include "convert/inputs/frames.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

std::pair<unsigned long, std::string> place_in_order(const std::string& name) {
  size_t end = name.size();
  while (end > 0 && !std::isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
  size_t start = end;
  while (start > 0 && end - start < 9 && std::isdigit(static_cast<unsigned char>(name[start - 1]))) --start;
  return {start == end ? 0 : std::stoul(name.substr(start, end - start)), name};
}

Tensor part(const Tensor& t, size_t frame) {
  Tensor one(t.dtype(), std::vector<int64_t>(t.dims().begin() + 1, t.dims().end()));
  std::memcpy(one.mutable_data(), t.data() + frame * one.bytes(), one.bytes());
  return one;
}

}  // namespace

bool keeps_states(const std::vector<BoundaryInfo>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const BoundaryInfo& i) { return i.state >= 0; });
}

Frames frames_of(const Frame& all, const std::vector<BoundaryInfo>& inputs) {
  Frames f;
  size_t count = 0;
  std::string counted;
  const bool in_order = keeps_states(inputs);
  const auto has_frames = [&](size_t i) { return in_order && all[i] && all[i]->dims().size() == inputs[i].shape.size() + 1; };
  for (size_t i = 0; i < all.size(); ++i) {
    if (!has_frames(i)) continue;
    const size_t n = static_cast<size_t>(all[i]->dims()[0]);
    if (f.stacked && n != count)
      throw FatalError(ExitCode::kUsage, "input " + printable(inputs[i].name) + " has " + std::to_string(n) + " frames, " +
                                             printable(counted) + " has " + std::to_string(count) + ": give as many of each");
    f.stacked = true;
    count = n;
    counted = inputs[i].name;
  }
  if (f.stacked && count == 0) throw FatalError(ExitCode::kUsage, "input " + printable(counted) + " has no frames");
  for (size_t k = 0; k < (f.stacked ? count : 1); ++k) {
    f.inputs.push_back(all);
    for (size_t i = 0; i < all.size(); ++i)
      if (has_frames(i)) f.inputs.back()[i] = part(*all[i], k);
  }
  return f;
}

void put_in_order(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return place_in_order(a) < place_in_order(b); });
}

}  // namespace edgeconv
