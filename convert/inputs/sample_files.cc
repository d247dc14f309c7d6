// Files to arrays by name, arrays to checked sets of inputs.
#include "convert/inputs/sample_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "convert/files/mapped_file.h"
#include "convert/files/npy.h"
#include "convert/files/npz.h"
#include "convert/import_graph/pinning.h"
#include "convert/inputs/row_indices.h"
#include "convert/inputs/sample_check.h"
#include "convert/inputs/streams.h"
#include "convert/onnx/tensor_file.h"

namespace edgeconv {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kRowsPerSet = 8;

using Arrays = std::map<std::string, Tensor>;
using Sets = std::vector<std::vector<Tensor>>;

// Arrays of one file or folder.
struct Group {
  std::string where;
  Arrays arrays;
};

// Rows [first, first + rows) of the leading axis; drop_axis removes it (rows is 1).
Tensor rows_of(const Tensor& t, int64_t first, int64_t rows, bool drop_axis) {
  std::vector<int64_t> dims = t.dims();
  const size_t row_bytes = t.bytes() / static_cast<size_t>(dims[0]);
  dims[0] = rows;
  if (drop_axis) dims.erase(dims.begin());
  Tensor r(t.dtype(), dims);
  std::memcpy(r.mutable_data(), t.data() + static_cast<size_t>(first) * row_bytes, r.bytes());
  return r;
}

// Whether an input is one recording: its leading axis is frames, and none is for samples.
bool is_recording(const DimPlan& plan, ValueId input) {
  const auto kind = plan.kinds.find(input);
  return kind != plan.kinds.end() && kind->second.kind != InputKind::kState && kind->second.axis == 0;
}

int64_t samples_in(const Graph& g, const DimPlan& plan, const std::vector<Tensor>& set) {
  return g.value(g.inputs[0]).rank() == 0 || is_recording(plan, g.inputs[0]) ? 1 : set[0].dims()[0];
}

class Reader {
 public:
  Reader(const SampleSource& source, const Graph& g, const DimPlan& plan) : source_(source), g_(g), plan_(plan), check_(source.option, g, plan) {}
  Sets read(Diagnostics& d);

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FatalError(ExitCode::kMalformed, source_.option + " " + what); }
  Arrays read_folder(const fs::path& folder) const;
  std::vector<Group> read_groups() const;
  Tensor array_of(const Group& group, ValueId v) const;
  std::optional<int64_t> rows_per_set(const std::vector<char>& has_own_axis, int64_t rows) const;
  Sets sets_of(const Group& group) const;
  Sets frames_in(const Group& group) const;
  Sets first_frames(Sets all, Diagnostics& d) const;
  bool is_kept(const std::string& name) const;

  const SampleSource& source_;
  const Graph& g_;
  const DimPlan& plan_;
  const SampleCheck check_;
};

// NAME.npy and input_K.pb of one folder; nameless tensors take the K-th input.
Arrays Reader::read_folder(const fs::path& folder) const {
  Arrays arrays;
  std::vector<fs::path> files;
  for (const auto& f : fs::directory_iterator(folder))
    if (f.is_regular_file()) files.push_back(f.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& f : files) {
    const std::string stem = f.stem().string();
    std::string name = stem;
    if (f.extension() == ".npy") {
      arrays.emplace(name, read_npy(f.string()));
    } else if (f.extension() == ".pb" && stem.rfind("input_", 0) == 0) {
      Tensor t = read_tensor_pb(f.string(), &name);
      const std::string number = stem.substr(6);
      if (name.empty() && !number.empty() && number.size() < 4 && number.find_first_not_of("0123456789") == std::string::npos) {
        if (const size_t k = std::stoul(number); k < source_.declared.size())
          name = source_.declared[k];
        else if (source_.declared.empty() && k < g_.inputs.size())
          name = g_.value(g_.inputs[k]).name;
      }
      if (!arrays.emplace(name, std::move(t)).second) fail(f.string() + ": input '" + printable(name) + "' is given twice");
    }
  }
  return arrays;
}

std::vector<Group> Reader::read_groups() const {
  const std::string& path = source_.path;
  std::vector<Group> groups;
  if (!fs::is_directory(path)) {
    const auto file = MappedFile::open(path);
    const std::string ending = fs::path(path).extension().string();
    if (!looks_like_zip(file->data, file->bytes))
      fail(path + ": this is neither a folder nor an .npz file (numpy.savez)" +
           (ending == ".txt" || ending == ".jsonl" ? "; texts need the model's tokenizer: give the ids that it makes of them"
                                                   : "; give one of them"));
    groups.push_back({path, parse_npz(file->data, file->bytes, path)});
    return groups;
  }
  std::vector<std::string> below;
  for (const auto& f : fs::directory_iterator(path))
    if (f.is_directory()) below.push_back(f.path().filename().string());
  if (plan_.kept_states.empty())
    std::sort(below.begin(), below.end());
  else
    put_in_order(below);
  std::vector<fs::path> folders{path};
  for (const std::string& name : below) folders.push_back(fs::path(path) / name);
  for (const fs::path& f : folders)
    if (Arrays arrays = read_folder(f); !arrays.empty()) groups.push_back({f.string(), std::move(arrays)});
  if (groups.empty())
    fail(path + ": the folder holds neither NAME.npy nor input_K.pb; put the inputs there, or give another folder");
  return groups;
}

// How many rows of its leading axis one set takes: the same for all inputs, or none when they do not share that axis.
std::optional<int64_t> Reader::rows_per_set(const std::vector<char>& has_own_axis, int64_t rows) const {
  std::optional<DimExpr> leading;
  for (size_t i = 0; i < g_.inputs.size(); ++i) {
    if (has_own_axis[i]) continue;
    if (is_recording(plan_, g_.inputs[i])) return {};
    const DimExpr& e = (*g_.value(g_.inputs[i]).shape)[0];
    if (leading && !(*leading == e)) return {};
    leading = e;
  }
  if (!leading) return 1;
  if (const auto c = leading->constant()) return *c;
  if (!leading->is_symbol()) return {};
  const int64_t most = plan_.range.at(leading->symbol_name()).second;
  return indices_cross_rows(g_, leading->symbol_name()) && rows <= most ? rows : std::min(kRowsPerSet, most);
}

// One of the group's, of the input's rank or with samples before its axes.
Tensor Reader::array_of(const Group& group, ValueId v) const {
  const Value& input = g_.value(v);
  const auto it = group.arrays.find(input.name);
  if (it == group.arrays.end())
    fail(group.where + ": there is no array '" + printable(input.name) +
         "', which is an input of the model; name the arrays as the inputs that edgeconv inspect lists");
  Tensor array = check_.contents(it->second, v, group.where);
  if (array.rank() != input.rank() && array.rank() != input.rank() + 1)
    fail(group.where + ": array '" + printable(input.name) + "' is " + array_text(array) + ", the model wants " +
         shape_str(*input.shape) + ", or one more leading axis for samples");
  return array;
}

Sets Reader::sets_of(const Group& group) const {
  if (!plan_.kept_states.empty()) return frames_in(group);
  std::vector<Tensor> arrays;
  std::vector<char> own;  // samples come before the input's own axes
  for (ValueId v : g_.inputs) {
    arrays.push_back(array_of(group, v));
    const int rank = g_.value(v).rank(), given = arrays.back().rank();
    own.push_back(given == rank + 1 || rank == 0);
    if (given == 0) arrays.back() = arrays.back().reshaped({1});
  }
  const bool mixed = std::count(own.begin(), own.end(), 1) != 0 && std::count(own.begin(), own.end(), 0) != 0;
  const auto rows = rows_per_set(own, arrays.empty() ? 0 : arrays[0].dims()[0]);
  if (!rows || mixed) {
    // Nothing to cut along: the whole is one set.
    for (size_t i = 0; i < own.size(); ++i)
      if (own[i]) {
        if (arrays[i].dims()[0] != 1)
          fail(group.where + ": array '" + printable(g_.value(g_.inputs[i]).name) +
               "' has an axis for samples, other arrays have none");
        arrays[i] = rows_of(arrays[i], 0, 1, true);
      }
    check_.sizes(arrays, group.where);
    return {arrays};
  }
  const int64_t samples = arrays.empty() ? 0 : arrays[0].dims()[0];
  for (size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].dims()[0] != samples)
      fail(group.where + ": array '" + printable(g_.value(g_.inputs[i]).name) + "' has " + std::to_string(arrays[i].dims()[0]) +
           " samples, '" + printable(g_.value(g_.inputs[0]).name) + "' has " + std::to_string(samples));
  const bool fixed = !own[0] && (*g_.value(g_.inputs[0]).shape)[0].is_constant();
  if (fixed && samples % *rows != 0)
    fail(group.where + ": " + std::to_string(samples) + " samples are no multiple of the model's fixed batch of " +
         std::to_string(*rows));
  Sets sets;
  for (int64_t first = 0; first < samples; first += *rows) {
    std::vector<Tensor> set;
    for (size_t i = 0; i < arrays.size(); ++i) set.push_back(rows_of(arrays[i], first, std::min(*rows, samples - first), own[i]));
    check_.sizes(set, group.where);
    sets.push_back(std::move(set));
  }
  return sets;
}

bool Reader::is_kept(const std::string& name) const {
  return std::any_of(plan_.kept_states.begin(), plan_.kept_states.end(),
                     [&](const KeptState& s) { return g_.value(g_.inputs[s.input]).name == name; });
}

// Sets that follow each other, their states zero.
Sets Reader::frames_in(const Group& group) const {
  Frame arrays(g_.inputs.size());
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!is_kept(g_.value(g_.inputs[i]).name)) arrays[i] = array_of(group, g_.inputs[i]);
  Sets sets;
  try {
    sets = recorded_frames(g_, plan_, std::move(arrays));
  } catch (const FatalError& e) {
    fail(group.where + ": " + e.what());
  }
  for (const std::vector<Tensor>& set : sets) check_.sizes(set, group.where);
  return sets;
}

// What follows each other cannot be thinned out.
Sets Reader::first_frames(Sets all, Diagnostics& d) const {
  if (const auto most = static_cast<size_t>(source_.most); source_.most != kAllSamples && all.size() > most) {
    d.warn(source_.option + " " + source_.path + ": the first " + std::to_string(most) + " of " + std::to_string(all.size()) +
           " frames are used, since each continues the one before");
    all.resize(most);
  }
  if (const size_t followed = follow_states(g_, plan_, plan_.kept_states, all); followed < all.size())
    fail(source_.path + ": behind " + std::to_string(followed) +
         " frames a state of the model leaves the table that it indexes; give as many frames");
  return all;
}

Sets Reader::read(Diagnostics& d) {
  if (g_.inputs.empty()) fail(source_.path + ": the model has no inputs");
  Sets all;
  std::set<std::string> unused, states;
  for (const Group& group : read_groups()) {
    for (const auto& member : group.arrays) {
      const std::string& name = member.first;
      if (is_kept(name)) states.insert(name);
      if (std::any_of(g_.inputs.begin(), g_.inputs.end(), [&](ValueId v) { return g_.value(v).name == name; })) continue;
      if (std::find(source_.declared.begin(), source_.declared.end(), name) != source_.declared.end())
        unused.insert(name);
      else
        d.warn(source_.option + " " + group.where + ": array '" + printable(name) + "' is no input of the model and is not used");
    }
    for (auto& set : sets_of(group)) all.push_back(std::move(set));
  }
  if (!unused.empty()) d.warn(source_.option + " " + source_.path + ": " + unused_inputs_note(unused));
  if (!states.empty()) d.warn(source_.option + " " + source_.path + ": " + unused_states_note(states));
  if (!plan_.kept_states.empty()) return first_frames(std::move(all), d);
  int64_t samples = 0;
  for (const auto& set : all) samples += samples_in(g_, plan_, set);
  if (source_.most == kAllSamples || samples <= source_.most || all.size() < 2) return all;
  const size_t keep = std::max<size_t>(1, all.size() * static_cast<size_t>(source_.most) / static_cast<size_t>(samples));
  Sets kept;
  int64_t used = 0;
  for (size_t i = 0; i < keep; ++i) kept.push_back(all[i * all.size() / keep]);
  for (const auto& set : kept) used += samples_in(g_, plan_, set);
  d.warn(source_.option + " " + source_.path + ": " + std::to_string(used) + " of " + std::to_string(samples) +
         " samples are used, spread evenly");
  return kept;
}

}  // namespace

std::vector<std::vector<Tensor>> read_samples(const SampleSource& source, const Graph& g, const DimPlan& dims, Diagnostics& d) {
  return Reader(source, g, dims).read(d);
}

}  // namespace edgeconv
