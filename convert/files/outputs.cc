// The judgement of outputs. By inode, so that hard and symbolic links hide nothing.
#include "convert/files/outputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "convert/files/atomic_file.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv {

namespace {

namespace fs = std::filesystem;

// Of the first lines: a mark stands behind a file's name at most.
constexpr size_t kLongestHead = 4096;

std::string extension_of(const std::string& path) {
  std::string e = fs::path(path).extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return e;
}

// Nor is anything lost with a file that is empty, as mktemp makes them.
bool is_made_by_edgeconv(const std::string& path, const OutputFormat& format) {
  if (format.mark.empty()) return false;
  std::string head(kLongestHead, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(in.gcount()));
  if (head.empty()) return in.eof();
  size_t end = 0;
  for (int line = 0; line < format.mark_lines && end != std::string::npos; ++line) {
    end = head.find('\n', end);
    if (end != std::string::npos) ++end;  // part of the line: UF2's mark ends with it
  }
  return head.substr(0, end).find(format.mark) != std::string::npos;
}

bool ends_in_one(const std::string& path, const std::vector<std::string_view>& extensions) {
  const std::string e = extension_of(path);
  return std::find(extensions.begin(), extensions.end(), e) != extensions.end();
}

[[noreturn]] void refuse(const std::string& message) { throw FatalError(ExitCode::kUsage, message); }

}  // namespace

void Outputs::reads(const std::string& path, const std::string& what) {
  const OutputPlace place = output_place(path);
  if (place.exists && S_ISREG(place.mode)) inputs_.push_back({place, what});
}

void Outputs::reads_all(const std::string& path, const std::string& what, const std::vector<std::string_view>& extensions) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return reads(path, what);
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (ends_in_one(at->path().string(), extensions)) reads(at->path().string(), what);
}

void Outputs::prints(const std::string& flag) { outputs_.push_back({flag, "-", {}, true}); }

void Outputs::writes(const std::string& flag, const std::string& path, const OutputFormat& format) {
  if (path.empty()) refuse(flag + " needs the name of a file");
  outputs_.push_back({flag, path, format});
  judge(outputs_.size() - 1);
}

void Outputs::check() const {
  for (size_t i = 0; i < outputs_.size(); ++i) judge(i);
}

void Outputs::write(const std::string& path, const void* data, size_t bytes) const {
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].path == path) judge(i);
  write_file_atomically(path, data, bytes);
}

void Outputs::judge(size_t i) const {
  const Output& o = outputs_[i];
  if (o.printed) return;
  const OutputPlace place = output_place(o.path);
  if (place.kind == OutputPlace::Kind::kFolder) refuse(o.flag + " '" + o.path + "' is a folder; give the name of a file");
  const fs::path folder = fs::path(place.path).parent_path();
  std::error_code error;
  if (place.kind == OutputPlace::Kind::kNew && !o.format.makes_folder && !fs::is_directory(folder, error))
    throw FatalError(ExitCode::kIo, o.flag + " '" + o.path + "': there is no folder '" + folder.string() +
                                        "'; make it, or give a name in another one with " + o.flag);
  if (place.exists && S_ISREG(place.mode))
    for (const Input& in : inputs_)
      if (same_place(place, in.place))
        refuse(o.flag + " '" + o.path + "' would replace " + in.what + "; give another name with " + o.flag);
  judge_with_others(i, place);
  if (force_) return;
  if (place.kind == OutputPlace::Kind::kDisk)
    refuse(o.flag + " '" + o.path + "' is a disk; use --force to write over what is on it");
  const bool named = ends_in_one(place.path, o.format.extensions);
  if (place.kind != OutputPlace::Kind::kFile || (named && o.format.mark.empty()) || is_made_by_edgeconv(place.path, o.format)) return;
  std::string names;
  if (!named)
    for (const std::string_view e : o.format.extensions) names += (names.empty() ? "" : " or ") + std::string(e);
  const bool link = fs::path(o.path).filename() != fs::path(place.path).filename();
  std::string why = names.empty() ? "" : "is not named " + names;
  if (!o.format.mark.empty()) why += why.empty() ? "was not made by edgeconv" : ", nor made by edgeconv";
  refuse(o.flag + " '" + o.path + "'" + (link ? " leads to '" + place.path + "', which" : "") + " exists" +
         (why.empty() ? "" : " and " + why) + "; use --force to replace it");
}

// An earlier output counts: of two equal ones the second is named.
void Outputs::judge_with_others(size_t i, const OutputPlace& place) const {
  const Output& o = outputs_[i];
  for (size_t k = 0; k < i; ++k) {
    const Output& other = outputs_[k];
    if (!same_place(place, output_place(other.path))) continue;
    if (other.printed)
      refuse(o.flag + " '" + o.path + "' and what " + other.flag + " prints would go to the same place; give one of them a file");
    if (o.flag == other.flag) refuse(o.flag + " '" + o.path + "' is given twice; give each its own name");
    refuse(o.flag + " '" + o.path + "' and " + other.flag + " have the same name, '" + other.path + "'; give another one");
  }
}

}  // namespace edgeconv
