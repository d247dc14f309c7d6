// See frames.h.
#include "convert/cli/frames.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "convert/cli/input_files.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::cli {

namespace {

// "frame_10" behind "frame_9": by the last number of the name, then by the name.
std::pair<unsigned long, std::string> place_in_order(const std::string& name) {
  size_t end = name.size();
  while (end > 0 && !std::isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
  size_t start = end;
  while (start > 0 && end - start < 9 && std::isdigit(static_cast<unsigned char>(name[start - 1]))) --start;
  return {start == end ? 0 : std::stoul(name.substr(start, end - start)), name};
}

bool holds_inputs(const std::filesystem::path& folder) { return std::filesystem::exists(folder / "input_0.pb"); }

std::vector<std::string> folders_of_frames(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_directory() && holds_inputs(entry.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return place_in_order(a) < place_in_order(b); });
  return names;
}

bool keeps_states(const std::vector<BoundaryInfo>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const BoundaryInfo& i) { return i.state >= 0; });
}

Tensor part(const Tensor& t, size_t frame) {
  Tensor one(t.dtype(), std::vector<int64_t>(t.dims().begin() + 1, t.dims().end()));
  std::memcpy(one.mutable_data(), t.data() + frame * one.bytes(), one.bytes());
  return one;
}

}  // namespace

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
      throw FatalError(ExitCode::kUsage, "--input " + printable(inputs[i].name) + " has " + std::to_string(n) + " frames, " +
                                             printable(counted) + " has " + std::to_string(count) + ": give as many of each");
    f.stacked = true;
    count = n;
    counted = inputs[i].name;
  }
  if (f.stacked && count == 0) throw FatalError(ExitCode::kUsage, "--input " + printable(counted) + " has no frames");
  for (size_t k = 0; k < (f.stacked ? count : 1); ++k) {
    f.inputs.push_back(all);
    for (size_t i = 0; i < all.size(); ++i)
      if (has_frames(i)) f.inputs.back()[i] = part(*all[i], k);
  }
  return f;
}

Frames read_pb_frames(const std::string& folder, const std::vector<BoundaryInfo>& inputs,
                      const std::vector<std::string>& declared) {
  Frames f;
  if (keeps_states(inputs) && !holds_inputs(folder)) f.folders = folders_of_frames(folder);
  for (const std::string& name : f.folders) f.inputs.push_back(read_pb_frame(folder + "/" + name, inputs, declared));
  if (f.folders.empty()) f.inputs.push_back(read_pb_frame(folder, inputs, declared));
  return f;
}

Tensor stacked(const std::vector<std::vector<Tensor>>& results, size_t output, const std::string& name) {
  const Tensor& first = results.front()[output];
  std::vector<int64_t> dims = first.dims();
  dims.insert(dims.begin(), static_cast<int64_t>(results.size()));
  Tensor all(first.dtype(), dims);
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor& t = results[k][output];
    if (t.dims() != first.dims())
      throw FatalError(ExitCode::kUsage, "output '" + printable(name) + "' has another shape in frame " + std::to_string(k) +
                                             " than in the first; run such frames from folders (--data)");
    std::memcpy(all.mutable_data() + k * t.bytes(), t.data(), t.bytes());
  }
  return all;
}

}  // namespace edgeconv::cli
