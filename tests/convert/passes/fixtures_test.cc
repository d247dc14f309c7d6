// Every pass on every model of the fixtures, under the check of debug builds: no pass changes an output, all come to an end.
#include <gtest/gtest.h>

#include "convert/passes/output_check.h"
#include "convert/passes/pass.h"
#include "convert/prepare/prepare.h"
#include "rt/base/float_mode.h"
#include "tests/convert/fixtures.h"

namespace edgeconv {

namespace {

TEST(PassesOnFixtures, ChangeNoOutput) {
  const ert::FloatMode mode;
  int compared = 0, models = 0;
  for (const std::string& name : fixture_names()) {
    SCOPED_TRACE(name);
    Diagnostics d;
    try {
      Graph g = prepare_model(fixture_model(name), {}, d).graph;
      ++models;
      const std::string reason = OutputCheck(g).reason();
      if (reason.empty())
        ++compared;
      else
        std::printf("%s is not compared: %s\n", name.c_str(), reason.c_str());
      run_passes(g, d, {true, nullptr});
      EXPECT_TRUE(d.ok());
    } catch (const FatalError& e) {
      EXPECT_NE(e.code(), ExitCode::kInternal) << e.what();
    }
  }
  EXPECT_GE(models, 30);
  EXPECT_GE(compared, models * 9 / 10) << "of " << models;
}

}  // namespace

}  // namespace edgeconv
