// A folder of cores as Linux shows them: cpu0, cpu1, .., each with small files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

class CoreFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::temp_directory_path() /
            (std::string("ert_cores_") + info->test_suite_name() + info->name() + std::to_string(getpid()));
    clear();
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void clear() {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void add(int core, const std::string& file, const std::string& contents) {
    const std::filesystem::path path = root_ / ("cpu" + std::to_string(core)) / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << contents;
  }
  void add_empty(int core) { std::filesystem::create_directories(root_ / ("cpu" + std::to_string(core))); }
  const char* folder() const { return root_.c_str(); }

 private:
  std::filesystem::path root_;
};
