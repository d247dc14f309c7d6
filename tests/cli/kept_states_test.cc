// --state: a recurrent model whose states the blob keeps, converted, inspected, validated and run on frames.
#include <cstring>
#include <string>
#include <vector>

#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/ir/tensor.h"
#include "tests/cli/calib_fixture.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kFrames = 6, kWide = 4, kHidden = 8;

// y, hn, cn = LSTM(x [1, batch, 4], h, c [1, batch, 8]).
std::string streaming_lstm(OnnxDim batch) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, batch, kWide});
  w.input("h", kOnnxFloat, {1, batch, kHidden});
  w.input("c", kOnnxFloat, {1, batch, kHidden});
  w.weights("W", {1, 4 * kHidden, kWide});
  w.weights("R", {1, 4 * kHidden, kHidden});
  w.weights("B", {1, 8 * kHidden});
  auto* hidden = w.node("LSTM", {"x", "W", "R", "B", "", "h", "c"}, {"y", "hn", "cn"}).add_attribute();
  hidden->set_name("hidden_size");
  hidden->set_type(2);  // INT
  hidden->set_i(kHidden);
  w.output("y", kOnnxFloat, {1, 1, batch, kHidden});
  w.output("hn", kOnnxFloat, {1, batch, kHidden});
  w.output("cn", kOnnxFloat, {1, batch, kHidden});
  return w.bytes();
}

class KeptStatesCli : public CliTest {
 protected:
  void write_model(OnnxDim batch) { write_file(in("m.onnx"), streaming_lstm(batch)); }
  std::vector<std::string> with_states(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {in("m.onnx"), "--state", "hn=h", "--state", "cn=c"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(KeptStatesCli, FramesInOrderGiveWhatStatesByHandGive) {
  write_model(int64_t{1});
  expect_success(with_states({"-q"}));
  Tensor frames(DType::kFloat, {kFrames, 1, 1, kWide});
  for (int64_t i = 0; i < kFrames * kWide; ++i)
    frames.mut<float>()[static_cast<size_t>(i)] = 0.3f * static_cast<float>(i % 7) - 1;
  write_npy(in("frames.npy"), frames);
  expect_success({"run", in("m.ert"), "--input", "x=" + in("frames.npy"), "--out", in("kept")});
  const Tensor kept = read_npy(in("kept/y.npy"));
  ASSERT_EQ(kept.dims(), (std::vector<int64_t>{kFrames, 1, 1, 1, kHidden}));

  Tensor zero(DType::kFloat, {1, 1, kHidden});
  std::memset(zero.mutable_data(), 0, zero.bytes());
  std::string h = in("h0.npy"), c = in("c0.npy");
  write_npy(h, zero);
  write_npy(c, zero);
  for (int64_t k = 0; k < kFrames; ++k) {
    Tensor frame(DType::kFloat, {1, 1, kWide});
    std::memcpy(frame.mutable_data(), frames.data() + static_cast<size_t>(k) * frame.bytes(), frame.bytes());
    write_npy(in("x.npy"), frame);
    const std::string out = in("by_hand_" + std::to_string(k));
    expect_success({"run", in("m.ert"), "--input", "x=" + in("x.npy"), "--input", "h=" + h, "--input", "c=" + c, "--out", out});
    h = out + "/hn.npy";
    c = out + "/cn.npy";
    const Tensor y = read_npy(out + "/y.npy");
    EXPECT_EQ(std::memcmp(y.data(), kept.data() + static_cast<size_t>(k) * y.bytes(), y.bytes()), 0) << "frame " << k;
  }
}

TEST_F(KeptStatesCli, InspectSaysWhatTheyTakeOfTheArena) {
  write_model(int64_t{1});
  const auto inspected = [&](const std::vector<std::string>& more) {
    expect_success(with_states(more));
    const Json j = parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out);
    EXPECT_EQ(j.at("most_memory").at("state_bytes"), 2 * 2 * 64) << "two states of 32 bytes, as they are and as they become, on lines of 64";
    return std::pair(j.at("most_memory").at("selftest_bytes").get<int64_t>(), j.at("memory").back().at("arena_bytes").get<int64_t>());
  };
  const auto [with_golden, all] = inspected({"-q"});
  const auto [none, least] = inspected({"-q", "--golden", "none", "--force"});
  EXPECT_GT(with_golden, 0);
  EXPECT_EQ(none, 0);
  EXPECT_EQ(all - least, with_golden);
}

TEST_F(KeptStatesCli, FoldersOfTestDataAreFrames) {
  write_model(int64_t{1});
  expect_success(with_states({"-q"}));
  for (int k : {0, 1, 10}) {
    const std::filesystem::path folder = in("data/test_data_set_" + std::to_string(k));
    std::filesystem::create_directories(folder);
    write_file(folder / "input_0.pb", float_tensor_file("x", {1, 1, kWide}, std::vector<float>(kWide, 0.5f)));
  }
  expect_success({"run", in("m.ert"), "--data", in("data"), "--out", in("out")});
  const auto result = [&](const std::string& k) { return read_file(in("out/test_data_set_" + k + "/output_0.pb")); };
  EXPECT_NE(result("0"), result("1"));  // the same frame, from another state
  EXPECT_NE(result("1"), result("10"));
}

TEST_F(KeptStatesCli, AreInspectedAndValidated) {
  write_model(int64_t{1});
  expect_success(with_states({"-q"}));
  const Json j = parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out);
  EXPECT_EQ(j.at("inputs").at(1).at("state"), "hn");
  EXPECT_EQ(j.at("outputs").at(2).at("state"), "c");
  EXPECT_FALSE(j.at("inputs").at(0).contains("state"));
  EXPECT_NE(expect_success({"inspect", in("m.ert")}).out.find("kept from output 'cn'"), std::string::npos);
  const Json v = parse_json(expect_success({"validate", in("m.onnx"), in("m.ert"), "--json"}).out);
  EXPECT_EQ(v.at("certificate").at("state"), "confirmed");
  EXPECT_NE(v.at("compared_on").get<std::string>().find("steps"), std::string::npos);
  expect_success({"verify", in("m.ert")});
}

// --calib and --data wanted the states in the recorded data, which a stream does not have.
TEST_F(KeptStatesCli, RecordedFramesGoThroughTheModelsOwnStates) {
  write_model(int64_t{1});
  const std::string x = npy(samples({kFrames, 1, 1, kWide}, 2)), h = npy(samples({kFrames, 1, 1, kHidden}, 5));
  write_file(in("x.npz"), archive({{"x.npy", x}}, false));
  write_file(in("xh.npz"), archive({{"x.npy", x}, {"h.npy", h}}, false));
  const auto converted = [&](const std::string& data) {
    return expect_success(with_states({"--json", "--force", "--calib", in(data)}));
  };
  const ProgramResult without = converted("x.npz"), with = converted("xh.npz");
  const Json report = parse_json(without.out);
  EXPECT_NE(report.dump().find("over 6 steps of the model's own states"), std::string::npos) << report.at("outputs");
  EXPECT_EQ(report.at("outputs"), parse_json(with.out).at("outputs"));
  EXPECT_EQ(without.err.find("state"), std::string::npos) << without.err;
  const std::string note = "what is recorded for state 'h' is not used";
  EXPECT_NE(with.err.find(note), std::string::npos) << with.err;

  const auto validated = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"validate", in("m.onnx"), in("m.ert"), "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return parse_json(expect_success(all).out);
  };
  EXPECT_EQ(validated({"--calib", in("x.npz")}).at("certificate").at("state"), "confirmed");
  const Json figures = validated({"--data", in("x.npz")});
  EXPECT_EQ(figures.at("compared_on"), "recorded inputs of '" + in("x.npz") + "', over 6 steps of the model's own states");
  EXPECT_EQ(figures.at("outputs"), validated({"--data", in("xh.npz")}).at("outputs"));

  EXPECT_EQ(expect_success({"run", in("m.ert"), "--data", in("x.npz"), "--out", in("a")}).err.find(note), std::string::npos);
  EXPECT_NE(expect_success({"run", in("m.ert"), "--data", in("xh.npz"), "--out", in("b")}).err.find(note), std::string::npos);
  EXPECT_EQ(read_file(in("a/y.npy")), read_file(in("b/y.npy"))) << "recorded states are not used";
}

// A stream goes on from folder to folder, and each --data begins anew.
TEST_F(KeptStatesCli, ValidateFollowsFoldersOfFrames) {
  write_model(int64_t{1});
  expect_success(with_states({"-q"}));
  const std::vector<float> values = {0.5f, -1, 2, 0.25f};
  for (int k : {0, 2, 10}) {
    const std::filesystem::path folder = in("data/set_" + std::to_string(k));
    std::filesystem::create_directories(folder);
    write_file(folder / "input_0.pb", float_tensor_file("x", {1, 1, kWide}, values));
    write_file(folder / "input_1.pb", float_tensor_file("h", {1, 1, kHidden}, std::vector<float>(kHidden, 9)));
  }
  const auto largest = [&](const std::vector<std::string>& data) {
    std::vector<std::string> all = {"validate", in("m.onnx"), in("m.ert"), "--json"};
    for (const std::string& d : data) all.push_back("--data"), all.push_back(in(d));
    const ProgramResult r = expect_success(all);
    EXPECT_NE(r.err.find("for state 'h' is not used"), std::string::npos) << r.err;
    const Json cell = parse_json(r.out).at("outputs").at(2);
    EXPECT_GT(cell.at("cosine").get<double>(), 0.999) << "the blob's own states are those of the reference";
    return cell.at("max_reference").get<double>();
  };
  const double first = largest({"data/set_0"}), all = largest({"data"});
  EXPECT_NE(first, all) << "the state moves on";
  EXPECT_EQ(largest({"data/set_0", "data/set_10"}), first);
}

TEST_F(KeptStatesCli, ACounterOfIntegersIsFedBack) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 8});
  w.input("k", kOnnxInt64, {1});
  w.weights("w", {8, 8});
  auto& one = *w.proto().mutable_graph()->add_initializer();
  one.set_name("one"), one.set_data_type(kOnnxInt64), one.add_dims(1), one.add_int64_data(1);
  w.weights("positions", {4, 8});
  w.node("Gather", {"positions", "k"}, {"p"});
  w.node("MatMul", {"x", "w"}, {"h"});
  w.node("Add", {"h", "p"}, {"y"});
  w.node("Add", {"k", "one"}, {"kn"});
  w.output("y", kOnnxFloat, {1, 8});
  w.output("kn", kOnnxInt64, {1});
  write_file(in("m.onnx"), w.bytes());
  const Json report = parse_json(expect_success({in("m.onnx"), "--state", "kn=k", "--json"}).out);
  EXPECT_NE(report.dump().find("'k': the model's own states, over 4 steps"), std::string::npos) << "the table has four rows";
  EXPECT_EQ(parse_json(expect_success({"validate", in("m.onnx"), in("m.ert"), "--json"}).out).at("certificate").at("state"), "confirmed");
  write_file(in("long.npz"), archive({{"x.npy", npy(samples({6, 1, 8}))}}, false));
  expect_refusal({in("m.onnx"), "--state", "kn=k", "--calib", in("long.npz"), "-o", in("n.ert")}, kMalformed,
                 {"behind 4 frames a state of the model leaves the table"});
}

TEST_F(KeptStatesCli, WhatCannotBeKeptIsListedAtOnce) {
  write_model("batch");
  expect_refusal(with_states({"-q"}), kUsage,
                 {"--state hn=h: the input has shape [1, batch, 8]", "--state cn=c", "--fix batch=1"});
  expect_success(with_states({"-q", "--fix", "batch=1"}));
  write_model(int64_t{1});
  expect_refusal(
      {in("m.onnx"), "-o", in("n.ert"), "--state", "h=hn", "--state", "hn=x", "--state", "cn=h", "--state", "cn=c"}, kUsage,
      {"'h' is an input and 'hn' an output: the output comes first, --state hn=h", "the output has shape [1, 1, 8], the input [1, 1, 4]", "part of one state only"});
  expect_refusal({in("m.onnx"), "-o", in("n.ert"), "--state", "h=x"}, kUsage, {"no output 'h'; it has y, hn, cn"});
  expect_refusal({in("m.onnx"), "-o", in("n.ert"), "--state", "hn"}, kUsage, {"write OUTPUT=INPUT"});
}

TEST_F(KeptStatesCli, ARunWantsTheOtherInputsAndAsManyFramesOfEach) {
  write_model(int64_t{1});
  expect_success(with_states({"-q"}));
  write_npy(in("c.npy"), Tensor(DType::kFloat, {2, 1, 1, kHidden}));
  write_npy(in("x.npy"), Tensor(DType::kFloat, {3, 1, 1, kWide}));
  expect_refusal({"run", in("m.ert"), "--input", "c=" + in("c.npy"), "--out", in("out")}, kUsage, {"input 'x' is not among"});
  expect_refusal({"run", in("m.ert"), "--input", "c=" + in("c.npy"), "--input", "x=" + in("x.npy"), "--out", in("out")}, kUsage,
                 {"has 2 frames, x has 3"});
}

}  // namespace

}  // namespace edgeconv::testing
