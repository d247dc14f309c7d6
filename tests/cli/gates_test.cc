// --max-loss, --max-slowdown, --max-bytes: what does not keep to them ends with exit 7 and without a file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

using Json = nlohmann::json;

constexpr int kUsage = 2, kAccuracy = 7;

class GatesTest : public CliTest {
 protected:
  void SetUp() override { write_file(in("small.onnx"), small_model()); }
  Json convert(std::vector<std::string> options) {
    options.insert(options.begin(), {in("small.onnx"), "--json"});
    return Json::parse(expect_success(options).out);
  }
  static std::string text(double v) { return fmt::format("{:.12f}", v); }
  static double worst(const Json& summary) { return summary.at("outputs").at(0).at("cosine"); }
};

TEST_F(GatesTest, BytesOfTheBlob) {
  const size_t bytes = convert({}).at("blob_bytes");
  std::filesystem::remove(in("small.ert"));
  expect_refusal({in("small.onnx"), "--max-bytes", std::to_string(bytes - 1)}, kAccuracy, {"--max-bytes", "nothing was written"});
  convert({"--max-bytes", std::to_string(bytes)});
}

TEST_F(GatesTest, LossOfAForcedPrecision) {
  const double loss = 1 - worst(convert({"--precision", "int8"}));
  ASSERT_GT(loss, 1e-7);
  std::filesystem::remove(in("small.ert"));
  expect_refusal({in("small.onnx"), "--precision", "int8", "--max-loss", text(loss / 2)}, kAccuracy,
                 {"cosine", "nothing was written"});
  convert({"--precision", "int8", "--max-loss", text(2 * loss)});
}

// What int8 misses, automatic precision climbs to; and the climb has its price.
TEST_F(GatesTest, AutomaticPrecisionClimbsToTheLoss) {
  const double loss = (1 - worst(convert({"--precision", "int8"}))) / 4;
  const Json lifted = convert({"--max-loss", text(loss)});
  EXPECT_GE(worst(lifted), 1 - 2 * loss) << "the gate is judged on the canonical backend, the report on the oracle";
  EXPECT_GT(lifted.at("slowdown"), 1.0);
  EXPECT_LT(lifted.at("layers").at("int8"), 2);
  std::filesystem::remove(in("small.ert"));
  expect_refusal({in("small.onnx"), "--max-loss", text(loss), "--max-slowdown", "1.0"}, kAccuracy,
                 {"--max-slowdown", "nothing was written"});
}

TEST_F(GatesTest, SlowdownOfForcedPrecisions) {
  EXPECT_EQ(convert({"--precision", "int8", "--max-slowdown", "1"}).at("slowdown"), 1.0);
  EXPECT_EQ(convert({"--precision", "w8a16", "--max-slowdown", "2"}).at("slowdown"), 2.0);
  std::filesystem::remove(in("small.ert"));
  expect_refusal({in("small.onnx"), "--precision", "fp32", "--max-slowdown", "3.9"}, kAccuracy, {"4 times"});
}

TEST_F(GatesTest, NumbersAreChecked) {
  for (const char* bad : {"0", "-1", "2", "nan", "x", ""})
    expect_refusal({in("small.onnx"), "--max-loss", bad}, kUsage, {"--max-loss"});
  for (const char* bad : {"0.5", "inf", "nan", "x"})
    expect_refusal({in("small.onnx"), "--max-slowdown", bad}, kUsage, {"--max-slowdown"});
  expect_refusal({in("small.onnx"), "--max-bytes", "many"}, kUsage, {"--max-bytes"});
}

}  // namespace

}  // namespace edgeconv::testing
