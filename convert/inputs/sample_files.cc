// Files to arrays by name, arrays to checked sets of inputs.
#include "convert/inputs/sample_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "convert/files/mapped_file.h"
#include "convert/files/npy.h"
#include "convert/files/npz.h"
#include "convert/import_graph/pinning.h"
#include "convert/inputs/row_indices.h"
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

std::string dims_text(const Tensor& t) {
  std::string s;
  for (int64_t d : t.dims()) s += (s.empty() ? "[" : ", ") + std::to_string(d);
  return s.empty() ? "a single number" : s + "]";
}

bool numeric(DType t) { return is_integer(t) || t == DType::kBool; }

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

int64_t samples_in(const Graph& g, const std::vector<Tensor>& set) {
  return g.value(g.inputs[0]).rank() == 0 ? 1 : set[0].dims()[0];
}

class Reader {
 public:
  Reader(const SampleSource& source, const Graph& g, const DimPlan& plan) : source_(source), g_(g), plan_(plan) {}
  Sets read(Diagnostics& d);

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FatalError(ExitCode::kMalformed, source_.option + " " + what); }
  Arrays read_folder(const fs::path& folder) const;
  std::vector<Group> read_groups() const;
  Tensor checked(const Tensor& t, const Value& input, const std::optional<std::pair<int32_t, int32_t>>& range,
                 const std::string& where) const;
  void check_set(const std::vector<Tensor>& set, const std::string& where) const;
  std::optional<int64_t> rows_per_set(const std::vector<char>& has_own_axis, int64_t rows) const;
  Sets sets_of(const Group& group) const;

  const SampleSource& source_;
  const Graph& g_;
  const DimPlan& plan_;
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
  std::vector<fs::path> folders{path};
  for (const auto& f : fs::directory_iterator(path))
    if (f.is_directory()) folders.push_back(f.path());
  std::sort(folders.begin() + 1, folders.end());
  for (const fs::path& f : folders)
    if (Arrays arrays = read_folder(f); !arrays.empty()) groups.push_back({f.string(), std::move(arrays)});
  if (groups.empty())
    fail(path + ": the folder holds neither NAME.npy nor input_K.pb; put the inputs there, or give another folder");
  return groups;
}

// The array in the input's own type, its contents checked.
Tensor Reader::checked(const Tensor& t, const Value& input, const std::optional<std::pair<int32_t, int32_t>>& range,
                       const std::string& where) const {
  const std::string what = where + ": array '" + printable(input.name) + "' ", wanted(dtype_name(input.dtype));
  if (t.elements() == 0) fail(what + "is empty: " + dims_text(t) + "; give at least one sample");
  if (is_float(input.dtype) != is_float(t.dtype()) || numeric(input.dtype) != numeric(t.dtype()))
    fail(what + "is " + std::string(dtype_name(t.dtype())) + ", the model wants " + wanted);
  if (is_float(t.dtype())) {
    for (float v : t.to_float())
      if (!std::isfinite(v)) fail(what + "holds NaN or an infinity; give finite numbers");
  } else if (range) {
    for (int64_t v : t.to_int64())
      if (v < range->first || v > range->second)
        fail(what + "holds " + std::to_string(v) + ", the model's table allows " + std::to_string(range->first) + " to " +
             std::to_string(range->second));
  }
  const bool same = t.dtype() == input.dtype;
  if (const auto lost = !same && is_integer(input.dtype) ? t.lost_in(input.dtype) : std::nullopt)
    fail(what + "holds " + std::to_string(*lost) + ", which " + wanted + " does not have");
  return same ? t.aligned() : t.cast(input.dtype);
}

// Sizes of the named dims in one set, checked against the model.
void Reader::check_set(const std::vector<Tensor>& set, const std::string& where) const {
  std::map<std::string, int64_t> bound;
  for (size_t i = 0; i < set.size(); ++i) {
    const Value& v = g_.value(g_.inputs[i]);
    const std::string what = where + ": array '" + printable(v.name) + "' ";
    for (size_t a = 0; a < v.shape->size(); ++a) {
      const DimExpr& e = (*v.shape)[a];
      const int64_t size = set[i].dims()[a];
      if (e.is_symbol()) {
        const std::string name = e.symbol_name();
        if (const auto [it, fresh] = bound.emplace(name, size); !fresh && it->second != size)
          fail(what + "has " + std::to_string(size) + " for dim '" + name + "', another array " + std::to_string(it->second));
        if (const int64_t most = plan_.range.at(name).second; size > most)
          throw FatalError(ExitCode::kUsage, source_.option + " " + what + "has " + std::to_string(size) + " for dim '" + name +
                                                 "', its maximum is " + std::to_string(most) + "; give --dim " + name + "=" +
                                                 std::to_string(size) + " or shorter samples");
      } else if (const auto c = e.constant(); c && *c != size) {
        fail(what + "has " + std::to_string(size) + " in axis " + std::to_string(a) + " of a sample, the model wants " +
             shape_str(*v.shape));
      }
    }
  }
  for (size_t i = 0; i < set.size(); ++i)
    for (size_t a = 0; a < g_.value(g_.inputs[i]).shape->size(); ++a)
      if (const auto want = (*g_.value(g_.inputs[i]).shape)[a].evaluate(bound); want && *want != set[i].dims()[a])
        fail(where + ": array '" + printable(g_.value(g_.inputs[i]).name) + "' has " + std::to_string(set[i].dims()[a]) +
             " in axis " + std::to_string(a) + ", with the other arrays it must be " + std::to_string(*want));
}

// How many rows of its leading axis one set takes: the same for all inputs, or none when they do not share that axis.
std::optional<int64_t> Reader::rows_per_set(const std::vector<char>& has_own_axis, int64_t rows) const {
  std::optional<DimExpr> leading;
  for (size_t i = 0; i < g_.inputs.size(); ++i) {
    if (has_own_axis[i]) continue;
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

Sets Reader::sets_of(const Group& group) const {
  std::vector<Tensor> arrays;
  std::vector<char> own;  // samples come before the input's own axes
  for (ValueId v : g_.inputs) {
    const Value& input = g_.value(v);
    const auto it = group.arrays.find(input.name);
    if (it == group.arrays.end())
      fail(group.where + ": there is no array '" + printable(input.name) +
           "', which is an input of the model; name the arrays as the inputs that edgeconv inspect lists");
    const auto range = plan_.input_range.find(v);
    arrays.push_back(
        checked(it->second, input, range == plan_.input_range.end() ? std::nullopt : std::optional(range->second), group.where));
    const int rank = input.rank(), given = arrays.back().rank();
    if (given != rank && given != rank + 1)
      fail(group.where + ": array '" + printable(input.name) + "' is " + dims_text(arrays.back()) + ", the model wants " +
           shape_str(*input.shape) + ", or one more leading axis for samples");
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
    check_set(arrays, group.where);
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
    check_set(set, group.where);
    sets.push_back(std::move(set));
  }
  return sets;
}

Sets Reader::read(Diagnostics& d) {
  if (g_.inputs.empty()) fail(source_.path + ": the model has no inputs");
  Sets all;
  std::set<std::string> unused;
  for (const Group& group : read_groups()) {
    for (const auto& member : group.arrays) {
      const std::string& name = member.first;
      if (std::any_of(g_.inputs.begin(), g_.inputs.end(), [&](ValueId v) { return g_.value(v).name == name; })) continue;
      if (std::find(source_.declared.begin(), source_.declared.end(), name) != source_.declared.end())
        unused.insert(name);
      else
        d.warn(source_.option + " " + group.where + ": array '" + printable(name) + "' is no input of the model and is not used");
    }
    for (auto& set : sets_of(group)) all.push_back(std::move(set));
  }
  if (!unused.empty()) d.warn(source_.option + " " + source_.path + ": " + unused_inputs_note(unused));
  int64_t samples = 0;
  for (const auto& set : all) samples += samples_in(g_, set);
  if (source_.most == kAllSamples || samples <= source_.most || all.size() < 2) return all;
  const size_t keep = std::max<size_t>(1, all.size() * static_cast<size_t>(source_.most) / static_cast<size_t>(samples));
  Sets kept;
  int64_t used = 0;
  for (size_t i = 0; i < keep; ++i) kept.push_back(all[i * all.size() / keep]);
  for (const auto& set : kept) used += samples_in(g_, set);
  d.warn(source_.option + " " + source_.path + ": " + std::to_string(used) + " of " + std::to_string(samples) +
         " samples are used, spread evenly");
  return kept;
}

}  // namespace

std::vector<std::vector<Tensor>> read_samples(const SampleSource& source, const Graph& g, const DimPlan& dims, Diagnostics& d) {
  return Reader(source, g, dims).read(d);
}

}  // namespace edgeconv
