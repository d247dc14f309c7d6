// Random numbers whose seed is the name of the running test: reproducible, and different from test to test.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/random_numbers.h"

namespace ert::testing {

class SeededRandom : public RandomNumbers {
 public:
  SeededRandom() : SeededRandom(test_name()) {}
  explicit SeededRandom(const std::string& key) : RandomNumbers(key.c_str()) {}

  static std::string test_name() {
    const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
    return info == nullptr ? "" : std::string(info->test_suite_name()) + "." + info->name();
  }
};

}  // namespace ert::testing
