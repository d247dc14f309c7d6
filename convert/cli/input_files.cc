// Matching files to inputs.
#include "convert/cli/input_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "convert/cli/standard_output.h"
#include "convert/cli/typed_input.h"
#include "convert/dims/kept_states.h"
#include "convert/files/npy.h"
#include "convert/files/npz.h"
#include "convert/import_graph/pinning.h"
#include "convert/ir/diagnostics.h"
#include "convert/onnx/tensor_file.h"

namespace edgeconv::cli {

namespace {

class Slots {
 public:
  explicit Slots(const std::vector<std::string>& names) : names_(names), tensors_(names.size()) {}
  void put(size_t i, Tensor t) {
    if (tensors_[i]) throw FatalError(ExitCode::kUsage, "input '" + printable(names_[i]) + "' is given twice; give it once");
    tensors_[i] = std::move(t);
  }
  std::optional<size_t> find(const std::string& name) const {
    const auto it = std::find(names_.begin(), names_.end(), name);
    return it == names_.end() ? std::nullopt : std::optional<size_t>(it - names_.begin());
  }
  std::string known() const {
    std::string s;
    for (const std::string& n : names_) s += (s.empty() ? "" : ", ") + printable(n);
    return s;
  }
  // may_lack: inputs that need not be given.
  Frame take(const std::string& from, const std::set<std::string>& may_lack) {
    for (size_t i = 0; i < tensors_.size(); ++i)
      if (!tensors_[i] && !may_lack.count(names_[i]))
        throw FatalError(ExitCode::kUsage,
                         "input '" + printable(names_[i]) + "' is not among " + from + "; the model needs " + known());
    return std::move(tensors_);
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::optional<Tensor>> tensors_;
};

std::vector<std::string> names_of(const std::vector<BoundaryInfo>& inputs) {
  std::vector<std::string> names;
  for (const BoundaryInfo& i : inputs) names.push_back(i.name);
  return names;
}

std::set<std::string> states_of(const std::vector<BoundaryInfo>& inputs) {
  std::set<std::string> names;
  for (const BoundaryInfo& i : inputs)
    if (i.state >= 0) names.insert(i.name);
  return names;
}

// Names of recorded inputs that are not used.
struct Unused {
  std::set<std::string> pinned, states;
  void tell(const std::string& where) const {
    if (!pinned.empty()) cli::tell("note: " + where + ": " + unused_inputs_note(pinned) + "\n");
    if (!states.empty()) cli::tell("note: " + where + ": " + unused_states_note(states) + "; run --input NAME=FILE.npy gives one\n");
  }
};

// states: inputs that the runtime keeps.
Frame read_folder(const std::string& folder, const std::vector<std::string>& names, const std::vector<std::string>& declared,
                  const std::set<std::string>& states, Unused& unused) {
  if (!std::filesystem::is_directory(folder)) throw FatalError(ExitCode::kIo, "--data " + folder + ": there is no such folder");
  Slots slots(names);
  for (size_t k = 0;; ++k) {
    const std::string path = folder + "/input_" + std::to_string(k) + ".pb";
    if (!std::filesystem::exists(path)) break;
    std::string name;
    Tensor t = read_tensor_pb(path, &name);
    if (name.empty() && k < declared.size()) name = declared[k];
    if (states.count(name))
      unused.states.insert(name);
    else if (const auto i = slots.find(name))
      slots.put(*i, std::move(t));
    else if (std::find(declared.begin(), declared.end(), name) != declared.end())
      unused.pinned.insert(name);
    // Else an input that the conversion found unused, or a data set made for a larger model.
  }
  return slots.take("the files of " + folder, states);
}

bool holds_inputs(const std::filesystem::path& folder) { return std::filesystem::exists(folder / "input_0.pb"); }

std::vector<std::string> folders_of_frames(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_directory() && holds_inputs(entry.path())) names.push_back(entry.path().filename().string());
  put_in_order(names);
  return names;
}

}  // namespace

Frame read_npy_inputs(const std::vector<std::string>& texts, const std::vector<BoundaryInfo>& inputs) {
  const std::vector<std::string> names = names_of(inputs);
  Slots slots(names);
  for (const std::string& text : texts) {
    const size_t eq = text.find('=');
    if (eq == std::string::npos) throw FatalError(ExitCode::kUsage, "--input " + text + ": write NAME=FILE.npy, or NAME=1,2,3");
    const auto i = slots.find(text.substr(0, eq));
    if (!i) throw FatalError(ExitCode::kUsage, "--input " + text + ": the model has no such input; it has " + slots.known());
    const std::string contents = text.substr(eq + 1);
    // A file that is named like a number is still a file.
    std::error_code error;
    const bool list = is_typed_input(contents) || contents.find_first_of(",;") != std::string::npos;
    const bool typed = list && !std::filesystem::exists(contents, error) && contents.find(".npy") == std::string::npos;
    slots.put(*i, typed ? typed_input(contents, inputs[*i], "--input " + text) : read_npy(contents));
  }
  return slots.take("the --input options", states_of(inputs));
}

Frame read_npz_inputs(const std::string& path, const std::vector<BoundaryInfo>& inputs,
                      const std::vector<std::string>& declared) {
  const std::vector<std::string> names = names_of(inputs);
  Slots slots(names);
  const std::set<std::string> states = states_of(inputs);
  Unused unused;
  for (auto& [name, array] : read_npz(path)) {
    if (states.count(name))
      unused.states.insert(name);
    else if (const auto i = slots.find(name))
      slots.put(*i, std::move(array));
    else if (std::find(declared.begin(), declared.end(), name) == declared.end())
      throw FatalError(ExitCode::kUsage,
                       "--data " + path + ": the model has no input '" + printable(name) + "'; it has " + slots.known());
    else
      unused.pinned.insert(name);
  }
  unused.tell(path);
  return slots.take("the arrays of " + path, states);
}

std::vector<Tensor> read_pb_inputs(const std::string& folder, const std::vector<std::string>& names,
                                   const std::vector<std::string>& declared) {
  std::vector<Tensor> all;
  Unused unused;
  for (auto& t : read_folder(folder, names, declared, {}, unused)) all.push_back(std::move(*t));
  unused.tell(folder);
  return all;
}

Frames read_pb_frames(const std::string& folder, const std::vector<BoundaryInfo>& inputs,
                      const std::vector<std::string>& declared) {
  Frames f;
  Unused unused;
  const auto read = [&](const std::string& from) {
    f.inputs.push_back(read_folder(from, names_of(inputs), declared, states_of(inputs), unused));
  };
  if (keeps_states(inputs) && !holds_inputs(folder)) f.folders = folders_of_frames(folder);
  for (const std::string& name : f.folders) read(folder + "/" + name);
  if (f.folders.empty()) read(folder);
  unused.tell(folder);
  return f;
}

}  // namespace edgeconv::cli
