// --max-loss, --max-slowdown, --max-bytes: what does not keep to them ends with exit 7 and without a file.
#include <fmt/format.h>

#include <cmath>
#include "convert/files/json.h"

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class GatesTest : public CliTest {
 protected:
  void SetUp() override { write_file(in("small.onnx"), small_model()); }
  Json convert(std::vector<std::string> options) {
    options.insert(options.begin(), {in("small.onnx"), "--json"});
    return parse_json(expect_success(options).out);
  }
  static std::string text(double v) { return fmt::format("{:.12f}", v); }
  static double worst(const Json& summary) { return summary.at("outputs").at(0).at("cosine"); }
};

// One line says what the figures do not: what the file's own quantization lost, the roundings that are left out, and where a blob grew.
TEST_F(GatesTest, AQuantizedFileSaysWhatItsFiguresLeaveOut) {
  const auto warned = [&](const std::string& name, const std::string& precision) {
    const std::string model = (std::filesystem::path(EDGECONV_OWN_FIXTURES) / name / "model.onnx").string();
    return expect_success({model, "-q", "-o", in("q.ert"), "--force", "--precision", precision}).err;
  };
  const std::string qdq = warned("mlp_bn_ts14__static_qdq", "fp32"), int8 = warned("txtai_pooling__quantized", "auto"),
                    fp32 = warned("bert_base_ts14", "auto");
  EXPECT_NE(qdq.find("the file is quantized already"), std::string::npos) << qdq;
  EXPECT_NE(qdq.find("roundings of activations are left out"), std::string::npos) << qdq;
  EXPECT_NE(int8.find("the file is quantized already"), std::string::npos) << int8;
  EXPECT_EQ(int8.find("times its bytes"), std::string::npos) << int8;
  EXPECT_EQ(fp32.find("quantized already"), std::string::npos) << fp32;

  ModelWriter w;
  w.input("x", kOnnxFloat, {"n", 256});
  w.output("y", kOnnxFloat, {"n", 256});
  auto* scale = w.proto().mutable_graph()->add_initializer();
  scale->set_name("scale");
  scale->set_data_type(kOnnxFloat);
  const float step = 0.01f;
  scale->set_raw_data(std::string(reinterpret_cast<const char*>(&step), sizeof step));
  auto* codes = w.proto().mutable_graph()->add_initializer();
  codes->set_name("codes");
  codes->set_data_type(3);  // int8
  codes->add_dims(256);
  codes->add_dims(256);
  std::string contents;
  for (int i = 0; i < 256 * 256; ++i) contents.push_back(static_cast<char>(i * 37 % 255 - 127));
  codes->set_raw_data(contents);
  w.node("DequantizeLinear", {"codes", "scale"}, {"w"});
  w.node("MatMul", {"x", "w"}, {"y"});
  write_file(in("codes.onnx"), w.bytes());
  const std::string larger = expect_success({in("codes.onnx"), "-q", "-o", in("q.ert"), "--force", "--precision", "fp32"}).err;
  EXPECT_NE(larger.find("times its bytes, as parts of it are fp32"), std::string::npos) << larger;
}

TEST_F(GatesTest, BytesOfTheBlob) {
  const size_t bytes = convert({}).at("blob_bytes");
  std::filesystem::remove(in("small.ert"));
  expect_refusal({in("small.onnx"), "--max-bytes", std::to_string(bytes - 1)}, kAccuracy, {"--max-bytes", "nothing was written"});
  convert({"--max-bytes", std::to_string(bytes)});
}

// Advice names what was not asked for yet.
TEST_F(GatesTest, WhatMakesFilesSmaller) {
  const auto advice = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {in("small.onnx"), "--max-bytes", "1"});
    const ProgramResult r = edgeconv(options);
    EXPECT_EQ(r.exit_code, kAccuracy);
    return r.err.substr(r.err.find('\n') + 1);
  };
  EXPECT_EQ(advice({}), "Raise --max-bytes; --golden none and --compress zstd make files smaller\n");
  EXPECT_EQ(advice({"--compress", "zstd"}).substr(0, 53), "Raise --max-bytes; --golden none makes files smaller\n");
  EXPECT_EQ(advice({"--golden", "none"}), "Raise --max-bytes; --compress zstd makes files smaller\n");
  EXPECT_EQ(advice({"--golden", "none", "--compress", "zstd"}).substr(0, 18), "Raise --max-bytes\n");
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

// Automatic precision keeps to a budget: another choice that fits is taken, and one that fits anyhow stays as it was.
TEST_F(GatesTest, BudgetsSteerTheClimb) {
  const std::string model = std::string(EDGECONV_OWN_FIXTURES) + "/bert_base_ts14/model.onnx";
  const auto convert_to = [&](const std::string& blob, std::vector<std::string> options) {
    options.insert(options.begin(), {model, "--json", "-o", in(blob)});
    return parse_json(expect_success(options).out);
  };
  const std::string loss = "0.00003", finer = "0.00002";
  const Json free = convert_to("free.ert", {"--max-loss", loss});
  const double work = free.at("slowdown");
  ASSERT_GT(work, 1.7);
  convert_to("same.ert", {"--max-loss", loss, "--max-slowdown", fmt::format("{:.9f}", work + 1e-9), "--max-bytes", "1M"});
  EXPECT_TRUE(read_file(in("free.ert")) == read_file(in("same.ert")));
  const Json less = convert_to("less.ert", {"--max-loss", loss, "--max-slowdown", "1.6"});
  EXPECT_LE(less.at("slowdown"), 1.6);
  for (const Json& o : less.at("outputs")) EXPECT_GE(o.at("cosine"), 1 - 1.5 * std::stod(loss)) << o;

  // One byte less than the file without a budget: certificate and golden vectors count.
  const size_t bytes = convert_to("large.ert", {"--max-loss", finer}).at("blob_bytes");
  const Json smaller = convert_to("smaller.ert", {"--max-loss", finer, "--max-bytes", std::to_string(bytes - 1)});
  EXPECT_LT(smaller.at("blob_bytes"), bytes);
  EXPECT_GT(smaller.at("layers").at("w8a16").get<int>(), 0);
}

// What no choice within the budget keeps to: the error says what was reached, what is missing, and what would do.
TEST_F(GatesTest, AGateBeyondTheBudgetIsRefused) {
  const std::string model = std::string(EDGECONV_OWN_FIXTURES) + "/bert_base_ts14/model.onnx";
  const std::vector<std::string> asked{model, "-o", in("b.ert"), "--max-loss", "0.000035"};
  std::vector<std::string> slow = asked, small = asked;
  slow.insert(slow.end(), {"--max-slowdown", "1.05"});
  expect_refusal(slow, kAccuracy,
                 {"within --max-slowdown 1.05 the worst output reaches cosine 0.9999", "below the gate of 0.999965",
                  "a choice that reaches 0.999965 takes 1.8", "Raise --max-slowdown to about 1.8", "raise --max-loss to 4"});
  small.insert(small.end(), {"--max-bytes", "1000"});
  expect_refusal(small, kAccuracy, {"with all that was not asked for in int8, --max-bytes allows 1000"});
  const double free =
      parse_json(expect_success({model, "--json", "-o", in("f.ert"), "--max-loss", "0.000035"}).out).at("slowdown");
  // The advice holds.
  const auto followed = edgeconv({model, "--json", "-o", in("f.ert"), "--max-loss", "0.000035", "--max-slowdown",
                                  fmt::format("{:g}", std::ceil(free * 100) / 100)});
  EXPECT_EQ(followed.exit_code, 0) << followed.err;
}

// A gate that only fp32 reaches: nothing is quantized then, which must not go unsaid.
TEST_F(GatesTest, MostlyFp32IsWarnedAbout) {
  const auto told = [&](const Json& summary) {
    std::string warnings;
    for (const Json& w : summary.at("warnings")) warnings += w.get<std::string>();
    return warnings.find("stay fp32") != std::string::npos && warnings.find("--calib") != std::string::npos;
  };
  EXPECT_FALSE(told(convert({})));
  EXPECT_FALSE(told(convert({"--precision", "*=fp32"}))) << "it was asked for";
  const Json lifted = convert({"--max-loss", "0.00000001"});
  ASSERT_EQ(lifted.at("layers").at("fp32"), 2);
  EXPECT_TRUE(told(lifted));
  EXPECT_NE(lifted.at("warnings").dump().find("the gate is 0.99999999"), std::string::npos) << "not rounded to 1";
  EXPECT_NE(lifted.at("layer_table").at(0).at("why").get<std::string>().find("0.99999999:"), std::string::npos);
}

// Was told as "the worst output has cosine -1.000000": logits of a classifier that is as certain as this one lose more than a cosine can say.
TEST_F(GatesTest, ALossBeyondWhatACosineCanBeIsToldAsALoss) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 64});
  w.output("y", kOnnxFloat, {"batch", 8});
  w.weights("a", {64, 512}), w.weights("b", {512, 8});
  for (float& v : *w.proto().mutable_graph()->mutable_initializer(0)->mutable_float_data()) v *= 100;
  for (float& v : *w.proto().mutable_graph()->mutable_initializer(1)->mutable_float_data()) v *= 100;
  w.node("MatMul", {"x", "a"}, {"h"});
  w.node("Tanh", {"h"}, {"certain"});
  w.node("MatMul", {"certain", "b"}, {"logits"});
  w.node("Softmax", {"logits"}, {"y"});
  write_file(in("small.onnx"), w.bytes());
  const std::string told = convert({"--max-loss", "0.001"}).at("warnings").dump();
  EXPECT_NE(told.find("with none the worst output has a loss of "), std::string::npos) << told;
  EXPECT_NE(told.find("where it is decided"), std::string::npos) << told;
}

// The same steps in the same order, to the same bytes.
TEST_F(GatesTest, LadderIsDeterministic) {
  const std::string model = std::string(EDGECONV_OWN_FIXTURES) + "/bert_base_ts14/model.onnx";
  const auto convert_to = [&](const std::string& blob) {
    return parse_json(expect_success({model, "--json", "-o", in(blob), "--max-loss", "0.00003"}).out);
  };
  const Json first = convert_to("a.ert"), again = convert_to("b.ert");
  EXPECT_GT(first.at("ladder").size(), 3u) << "nothing had to be decided";
  EXPECT_EQ(first.at("ladder"), again.at("ladder"));
  EXPECT_EQ(first.at("layer_table"), again.at("layer_table"));
  EXPECT_TRUE(read_file(in("a.ert")) == read_file(in("b.ert")));
  EXPECT_GT(first.at("layers").at("w8a16").get<int>() + first.at("layers").at("fp32").get<int>(), 0);
}

// Below 0.99 nothing is written unless that is allowed; a gate that was asked for holds all the same.
TEST_F(GatesTest, LossOnlyWhereItIsAllowed) {
  // A channel that nobody reads widens the range of half of the rows so much that all else rounds to zero.
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 4});
  w.weights("scale", {16});
  w.weights("w", {16, 4});
  for (int i = 0; i < 16; ++i) w.proto().mutable_graph()->mutable_initializer(0)->set_float_data(i, i == 5 ? 1e4f : 1.0f);
  for (int i = 20; i < 24; ++i) w.proto().mutable_graph()->mutable_initializer(1)->set_float_data(i, 0.0f);
  w.node("Mul", {"x", "scale"}, {"scaled"});
  w.node("Relu", {"scaled"}, {"h"});
  w.node("MatMul", {"h", "w"}, {"y"}).set_name("lossy");
  write_file(in("small.onnx"), w.bytes());
  const Json allowed = parse_json(
      expect_success({in("small.onnx"), "--json", "-o", in("s.ert"), "--precision", "int8", "--allow-accuracy-loss"}).out);
  ASSERT_LT(worst(allowed), 0.98);
  std::filesystem::remove(in("s.ert"));
  expect_refusal({in("small.onnx"), "-o", in("s.ert"), "--precision", "int8"}, kAccuracy,
                 {"0.99", "--allow-accuracy-loss", "nothing was written"});
  expect_refusal({in("small.onnx"), "-o", in("s.ert"), "--precision", "int8", "--allow-accuracy-loss", "--max-loss", "0.001"},
                 kAccuracy, {"gate"});
  // Within a budget, too; a file that is written needs no leave.
  expect_refusal({in("small.onnx"), "-o", in("s.ert"), "--max-slowdown", "1"}, kAccuracy,
                 {"a choice that reaches 0.999 takes", "Raise --max-slowdown to about ", "accept it with --allow-accuracy-loss"});
  const Json bound = parse_json(
      expect_success({in("small.onnx"), "--json", "-o", in("s.ert"), "--max-slowdown", "1", "--allow-accuracy-loss"}).out);
  const std::string told = bound.at("warnings").dump();
  EXPECT_NE(told.find("within --max-slowdown 1 the worst output reaches cosine"), std::string::npos) << told;
  EXPECT_EQ(told.find("--allow-accuracy-loss"), std::string::npos) << told;
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
