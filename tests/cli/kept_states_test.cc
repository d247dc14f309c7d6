// --state: a recurrent model whose states the blob keeps, converted, inspected, validated and run on frames.
#include <cstring>
#include <string>
#include <vector>

#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/ir/tensor.h"
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

TEST_F(KeptStatesCli, WhatCannotBeKeptIsListedAtOnce) {
  write_model("batch");
  expect_refusal(with_states({"-q"}), kUsage,
                 {"--state hn=h: the input has shape [1, batch, 8]", "--state cn=c", "--fix batch=1"});
  expect_success(with_states({"-q", "--fix", "batch=1"}));
  write_model(int64_t{1});
  expect_refusal(
      {in("m.onnx"), "-o", in("n.ert"), "--state", "h=hn", "--state", "hn=x", "--state", "cn=h", "--state", "cn=c"}, kUsage,
      {"no output 'h'; it has y, hn, cn", "the output has shape [1, 1, 8], the input [1, 1, 4]", "part of one state only"});
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
