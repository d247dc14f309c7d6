// --input-scale: pixels and samples as they come, normalized on the device.
#include <cstring>
#include <string>
#include <vector>

#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/ir/tensor.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

constexpr int64_t kRaster = 8;

// y = means over the picture of ReLU(Conv(pixels [1, 3, 8, 8])).
std::string picture_model() {
  ModelWriter w;
  w.input("pixels", kOnnxFloat, {1, 3, kRaster, kRaster});
  w.weights("filters", {4, 3, 3, 3});
  w.node("Conv", {"pixels", "filters"}, {"c"});
  w.node("Relu", {"c"}, {"r"});
  w.node("GlobalAveragePool", {"r"}, {"y"});
  w.output("y", kOnnxFloat, {1, 4, 1, 1});
  return w.bytes();
}

// y = samples times a matrix, which says nothing of what they are.
std::string features_model() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {2, 16});
  w.weights("m", {16, 4});
  w.node("MatMul", {"x", "m"}, {"y"});
  w.output("y", kOnnxFloat, {2, 4});
  return w.bytes();
}

template <class T>
Tensor counted(DType type, const std::vector<int64_t>& dims, int64_t step) {
  Tensor t(type, dims);
  const auto out = t.mut<T>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(static_cast<int64_t>(i) * step);
  return t;
}

class RawInputsTest : public CliTest {
 protected:
  Tensor result(const std::string& blob, const Tensor& input, const std::string& name) {
    write_npy(in("input.npy"), input);
    expect_success({"run", blob, "--input", name + "=" + in("input.npy"), "--out", in("out")});
    return read_npy(in("out/y.npy"));
  }
};

TEST_F(RawInputsTest, PixelsGiveTheBitsOfWhatIsNormalizedBefore) {
  write_file(in("m.onnx"), picture_model());
  expect_success({in("m.onnx"), "-q", "--precision", "fp32", "-o", in("float.ert")});
  expect_success({in("m.onnx"), "-q", "--precision", "fp32", "-o", in("raw.ert"), "--input-scale",
                  "pixels=123.675:116.28:103.53,58.395:57.12:57.375,uint8"});
  const Tensor raw = counted<uint8_t>(DType::kUint8, {1, 3, kRaster, kRaster}, 7);
  Tensor normalized = raw.cast(DType::kFloat);
  const float mean[3] = {123.675f, 116.28f, 103.53f}, std[3] = {58.395f, 57.12f, 57.375f};
  for (int64_t i = 0; i < normalized.elements(); ++i) {
    const auto channel = static_cast<size_t>(i / (kRaster * kRaster));
    float& x = normalized.mut<float>()[static_cast<size_t>(i)];
    x = (x - mean[channel]) / std[channel];
  }
  const Tensor a = result(in("raw.ert"), raw, "pixels"), b = result(in("float.ert"), normalized, "pixels");
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0);

  const Json j = parse_json(expect_success({"inspect", in("raw.ert"), "--json"}).out);
  EXPECT_EQ(j.at("inputs").at(0).at("dtype"), "uint8");
  EXPECT_EQ(j.at("operators").value("ImportInt", 0), 0);  // no integers between
  EXPECT_NE(expect_success({"inspect", in("raw.ert")}).out.find("pixels=123.675:116.28:103.53,58.395:57.12:57.375,uint8"),
            std::string::npos);
}

TEST_F(RawInputsTest, TheTypeFollowsFromTheModelAndValidateReadsItFromTheBlob) {
  write_file(in("m.onnx"), picture_model());
  expect_success({in("m.onnx"), "-q", "--input-scale", "pixels=127.5,127.5"});
  const Json v = parse_json(expect_success({"validate", in("m.onnx"), in("m.ert"), "--json"}).out);
  EXPECT_EQ(v.at("certificate").at("state"), "confirmed");
  EXPECT_NE(v.at("compared_on").get<std::string>().find("image"), std::string::npos);
}

TEST_F(RawInputsTest, SamplesOf16Bits) {
  write_file(in("m.onnx"), features_model());
  expect_refusal({in("m.onnx"), "-q", "--input-scale", "x=0,32768"}, kUsage, {"write ,uint8 or ,int16"});
  expect_success({in("m.onnx"), "-q", "--precision", "fp32", "--input-scale", "x=0,32768,int16"});
  expect_success({in("m.onnx"), "-q", "--precision", "fp32", "-o", in("float.ert")});
  const Tensor raw = counted<int16_t>(DType::kInt16, {2, 16}, 1999);
  Tensor normalized = raw.cast(DType::kFloat);
  for (float& x : normalized.mut<float>()) x /= 32768;
  const Tensor a = result(in("m.ert"), raw, "x"), b = result(in("float.ert"), normalized, "x");
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.bytes()), 0);
  Tensor loud = raw.cast(DType::kInt64);
  loud.mut<int64_t>()[3] = 40000;
  write_npy(in("loud.npy"), loud);
  expect_refusal({"run", in("m.ert"), "--input", "x=" + in("loud.npy"), "--out", in("elsewhere")}, kUsage,
                 {"holds 40000, which int16 does not have"});
}

TEST_F(RawInputsTest, AnInputThatIsPinnedIsSaidToBe) {
  write_file(in("m.onnx"), picture_model());
  expect_refusal({in("m.onnx"), "-q", "--const", "pixels=0.5", "--input-scale", "pixels=0,255"}, kUsage,
                 {"--input-scale pixels", "pinned to 0.5 (--const)", "leave out one of the two"});
  expect_refusal({in("m.onnx"), "-q", "--const", "pixels=0.5", "--input-scale", "x=0,255"}, kUsage, {"it has none that is not pinned"});
}

TEST_F(RawInputsTest, WhatDoesNotFitIsSaid) {
  write_file(in("m.onnx"), picture_model());
  const auto refused = [&](const std::string& text, const std::vector<std::string>& words) {
    expect_refusal({in("m.onnx"), "-q", "--input-scale", text}, kUsage, words);
  };
  refused("pixel=0,1", {"no such input", "it has pixels"});
  refused("pixels=0:1:2:3,1", {"no axis of [1, 3, 8, 8] is as long"});
  refused("pixels=0,0", {"must be above 0"});
  refused("pixels=0", {"write NAME=mean,std"});
  refused("pixels=0,1,int8", {"the type is uint8 or int16"});
  refused("pixels=a,1", {"'a' is not a number"});
  refused("pixels=nan,1", {"'nan' is not a number"});
}

}  // namespace

}  // namespace edgeconv::testing
