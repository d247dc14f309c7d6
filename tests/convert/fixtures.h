// Where the model fixtures are: ERT_FIXTURES, or ../shared/fixtures beside the checkout, or the subset in the repository.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace edgeconv {

inline std::filesystem::path fixtures_dir() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("ERT_FIXTURES"); named != nullptr && *named != '\0') return named;
  const char* source = std::getenv("ERT_SOURCE_DIR");
  const fs::path root = source != nullptr ? fs::path(source) : fs::current_path();
  const fs::path shared = root.parent_path() / "shared" / "fixtures";
  return fs::exists(shared) ? shared : root / "tests" / "fixtures";
}

// Folders that hold a model.onnx, sorted.
inline std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& e : std::filesystem::directory_iterator(fixtures_dir()))
    if (std::filesystem::exists(e.path() / "model.onnx")) names.push_back(e.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline std::string fixture_model(const std::string& name) { return (fixtures_dir() / name / "model.onnx").string(); }

}  // namespace edgeconv
