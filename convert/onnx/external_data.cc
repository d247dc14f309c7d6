// Path rules of external data.
#include "convert/onnx/external_data.h"

#include <algorithm>
#include <filesystem>

#include "convert/ir/diagnostics.h"
#include "convert/onnx/model.h"

namespace edgeconv {
namespace {

namespace fs = std::filesystem;

constexpr int kMostReadings = 16;      // ALBERT has 12 layers of the same weights
constexpr double kSmall = kMostHoles;  // bytes that are read in any case

// Both absolute and free of links.
bool is_below(const fs::path& file, const fs::path& folder) {
  auto f = file.begin();
  for (const fs::path& part : folder) {
    if (part.empty()) continue;  // a trailing slash
    if (f == file.end() || *f != part) return false;
    ++f;
  }
  return f != file.end();
}

void check_spelling(const std::string& location) {
  const auto refuse = [&](const char* why) {
    throw NodeError("its external data location '" + printable(location) + "' " + why +
                    "; only files in the folder of the model are read");
  };
  if (location.empty()) refuse("is empty");
  if (location.find('\0') != std::string::npos) refuse("has a zero byte");
  if (location.size() > 4096) refuse("is too long");
  if (location[0] == '/' || location[0] == '\\' || (location.size() > 1 && location[1] == ':')) refuse("is an absolute path");
  std::string part;
  for (char c : location + "/") {
    if (c != '/' && c != '\\') {
      part += c;
      continue;
    }
    if (part == "..") refuse("leads out of the folder by '..'");
    part.clear();
  }
}

}  // namespace

std::string ExternalData::resolve(const std::string& location) const {
  check_spelling(location);
  std::error_code ec;
  const fs::path model = fs::absolute(model_path_, ec);
  const fs::path folder = fs::canonical(model.parent_path(), ec);
  fs::path target = fs::canonical(folder / location, ec);
  if (ec && location.find('\\') != std::string::npos) {
    std::string with_slashes = location;
    std::replace(with_slashes.begin(), with_slashes.end(), '\\', '/');
    target = fs::canonical(folder / with_slashes, ec);
  }
  if (ec)
    throw FatalError(ExitCode::kIo, "cannot read external data '" +
                                        printable((fs::path(model_path_).parent_path() / location).string()) +
                                        "': " + ec.message() + "; copy the model together with its data files");
  if (is_below(target, folder)) return target.string();
  if (fs::is_symlink(model, ec)) {
    const fs::path physical = fs::canonical(model, ec).parent_path();
    if (!ec && target.parent_path() == physical) return target.string();
  }
  throw NodeError("its external data location '" + printable(location) +
                  "' is a symbolic link that leads out of the model's folder; copy the data file beside the model");
}

std::shared_ptr<const MappedFile> ExternalData::open(const std::string& location) {
  const auto it = files_.find(location);
  if (it != files_.end()) return it->second;
  auto file = MappedFile::open(resolve(location));
  files_[location] = file;
  if (identities_.insert(file->identity).second) {
    stored_ += static_cast<double>(file->stored);
    holes_ += static_cast<double>(file->bytes - file->stored);
    if (holes_ > stored_ + static_cast<double>(kMostHoles))
      throw FatalError(ExitCode::kLimit,
                       "the model's external data is little but holes, bytes that its files have and no disk "
                       "stores: it was not written to its end; copy or export it again");
  } else {
    count_read(file->bytes);  // by the checksum, once for each name
  }
  return file;
}

void ExternalData::count_read(size_t bytes) {
  read_ += static_cast<double>(bytes);
  if (read_ > kMostReadings * stored_ + kSmall)
    throw FatalError(ExitCode::kLimit, "the model's tensors read more than " + std::to_string(kMostReadings) +
                                           " times the bytes of its external data, since many are of the same place or of holes "
                                           "that no disk stores; save it with one tensor that its operators share");
}

}  // namespace edgeconv
