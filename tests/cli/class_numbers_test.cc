// Models that give numbers of classes: taggers, recognizers, vector quantizers.
#include <string>
#include <vector>

#include "convert/files/json.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kClasses = 17;

class ClassNumbersTest : public CliTest {
 protected:
  ModelWriter w_;

  // logits [batch, 9, 17] of x [batch, 9, 16].
  void logits() {
    w_.input("x", kOnnxFloat, {"batch", 9, 16});
    w_.weights("a", {16, 32});
    w_.weights("b", {32, kClasses});
    w_.node("MatMul", {"x", "a"}, {"h"});
    w_.node("Tanh", {"h"}, {"t"});
    w_.node("MatMul", {"t", "b"}, {"logits"});
  }
  void choose(const std::string& op, const std::string& scores, int64_t axis, const std::string& y) {
    auto& n = w_.node(op, {scores}, {y});
    int_attribute(n, "axis", axis);
    int_attribute(n, "keepdims", 0);
  }
  Json convert(const std::vector<std::string>& options = {}) {
    write_file(in("m.onnx"), w_.bytes());
    std::vector<std::string> arguments = {in("m.onnx"), "-o", in("m.ert"), "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return parse_json(expect_success(arguments).out);
  }
  // What a conversion says of output 0, which `validate` finds again.
  Json measured(const Json& report) {
    const Json validated = parse_json(expect_success({"validate", in("m.onnx"), in("m.ert"), "--json"}).out);
    EXPECT_EQ(validated.at("certificate").at("state"), "confirmed") << validated.at("certificate");
    for (const char* key : {"scores_before", "cosine", "sqnr_db", "max_abs", "argmax_agreement"})
      EXPECT_EQ(validated.at("outputs").at(0).at(key), report.at("outputs").at(0).at(key)) << key;
    return report.at("outputs").at(0);
  }
};

// A tagger of 17 classes was certified with -8 dB, and all of its layers had more than 8 bits: one tag that changed was an error of up to 16.
TEST_F(ClassNumbersTest, TagsAreMeasuredByTheirScores) {
  w_.output("tags", kOnnxInt32, {"batch", 9});
  logits();
  choose("ArgMax", "logits", -1, "best");
  auto* to = w_.node("Cast", {"best"}, {"tags"}).add_attribute();
  to->set_name("to"), to->set_type(2), to->set_i(kOnnxInt32);
  const Json report = convert(), tags = measured(report);
  EXPECT_EQ(tags.at("scores_before"), "ArgMax, axis -1");
  EXPECT_GT(tags.at("sqnr_db").get<double>(), 20);
  EXPECT_GT(tags.at("argmax_agreement").get<double>(), 0.8);
  EXPECT_EQ(report.at("layers").at("int8"), 2) << report.at("layers");
  const std::string text = expect_success({"inspect", in("m.ert")}).out;
  EXPECT_NE(text.find("tags: as scores before ArgMax, axis -1: cosine 0.99"), std::string::npos) << text;
  EXPECT_NE(text.find("same choices"), std::string::npos) << text;
}

TEST_F(ClassNumbersTest, ClassesMayStandOnAnyAxisAndBeProbabilities) {
  w_.output("tags", kOnnxInt64, {"batch", 9});
  logits();
  auto& turn = w_.node("Transpose", {"logits"}, {"by_class"});
  ints_attribute(turn, "perm", {0, 2, 1});
  int_attribute(w_.node("Softmax", {"by_class"}, {"p"}), "axis", 1);
  choose("ArgMax", "p", 1, "tags");
  const Json tags = measured(convert());
  EXPECT_EQ(tags.at("scores_before"), "ArgMax, axis 1");
  EXPECT_EQ(tags.at("decided_by"), "logit");
  EXPECT_GT(tags.at("cosine").get<double>(), 0.999);
}

// Squared distances have a mean that is nearly all of them and chooses nothing: beside 10,000 the cosine of any scores would be 1.
TEST_F(ClassNumbersTest, WhatScoresHaveInCommonDoesNotCount) {
  w_.output("codes", kOnnxInt64, {"batch", 9});
  logits();
  float_constant(w_, "far", {1}).add_float_data(10000);
  w_.node("Add", {"logits", "far"}, {"distances"});
  choose("ArgMin", "distances", 2, "codes");
  const Json codes = measured(convert());
  EXPECT_EQ(codes.at("scores_before"), "ArgMin, axis 2");
  EXPECT_LT(codes.at("cosine").get<double>(), 0.999999);
  EXPECT_LT(codes.at("sqnr_db").get<double>(), 60);
}

// Numbers of classes that come back as an input are what the blob gave, not their scores.
TEST_F(ClassNumbersTest, AStateMayHoldThem) {
  w_.input("last", kOnnxInt64, {1});
  w_.output("y", kOnnxInt64, {1});
  w_.input("x", kOnnxFloat, {1, 16});
  w_.weights("table", {kClasses, 16});
  w_.weights("a", {16, kClasses});
  w_.node("Gather", {"table", "last"}, {"known"});
  w_.node("Add", {"known", "x"}, {"sum"});
  w_.node("MatMul", {"sum", "a"}, {"logits"});
  choose("ArgMax", "logits", 1, "y");
  const Json report = convert({"--state", "y=last"});
  EXPECT_EQ(measured(report).at("scores_before"), "ArgMax, axis 1");
}

}  // namespace

}  // namespace edgeconv::testing
