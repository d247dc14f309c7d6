// Transforms, windows and transposed convolutions through the command line: what blobs give for recorded inputs, and what is refused.
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/cli/cli_test.h"
#include "tests/cli/fixture_folder.h"

namespace edgeconv::testing {

namespace {

class SignalOpsTest : public CliTest {
 protected:
  // Largest error of the blob's output over all data sets of a case of tests/convert/signal_ops, relative to the largest magnitude.
  double error_of(const std::string& name, const std::vector<std::string>& flags) {
    const fs::path folder = fs::path(EDGECONV_SIGNAL_CASES) / name;
    std::vector<std::string> arguments{(folder / "model.onnx").string(), "-q", "-o", in(name + ".ert")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_success(arguments);
    double worst = 0;
    int sets = 0;
    for (const fs::path& set : sorted_folders(folder, is_data_set)) {
      const std::string out = in(name + "_" + set.filename().string());
      expect_success({"run", in(name + ".ert"), "--data", set.string(), "--out", out});
      const Tensor want = read_all(set, "output_").at(0).second, got = read_all(out, "output_").at(0).second;
      EXPECT_EQ(got.dims(), want.dims()) << name;
      if (got.dims() != want.dims()) return 1;
      const std::vector<float> a = want.to_float(), b = got.to_float();
      double error = 0, largest = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        error = std::max(error, std::fabs(double{a[i]} - b[i]));
        largest = std::max(largest, std::fabs(double{a[i]}));
      }
      worst = std::max(worst, error / largest);
      ++sets;
    }
    EXPECT_GT(sets, 0) << name;
    return worst;
  }

  void set_int(pb::NodeProto& n, const char* name, int64_t v) {
    auto* a = n.add_attribute();
    a->set_name(name);
    a->set_type(2);
    a->set_i(v);
  }
  void constant(ModelWriter& w, const char* name, int64_t v) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name(name);
    t->set_data_type(kOnnxInt64);
    t->add_int64_data(v);
  }
  std::string saved(const ModelWriter& w) {
    write_file(in("m.onnx"), w.bytes());
    return in("m.onnx");
  }
};

TEST_F(SignalOpsTest, FrontsAndVocodersOfEveryLength) {
  EXPECT_LE(error_of("log_mel_front", {"--precision", "fp32", "--dim", "batch=1", "--dim", "samples=1600"}), 1e-5);
  EXPECT_LE(error_of("token_mixing_named_sequence", {"--precision", "fp32", "--dim", "batch=2", "--dim", "sequence=12"}), 1e-5);
  EXPECT_LE(error_of("vocoder_blocks", {"--precision", "fp32", "--dim", "batch=1", "--dim", "time=7"}), 1e-5);
  EXPECT_LE(error_of("conv_transpose_2d_overlapping",
                     {"--precision", "fp32", "--dim", "batch=1", "--dim", "height=4", "--dim", "width=4"}),
            1e-5);
}

TEST_F(SignalOpsTest, ARecordingHasNoDefaultLength) {
  expect_refusal({std::string(EDGECONV_SIGNAL_CASES) + "/log_mel_front/model.onnx", "-o", in("m.ert")}, kUsage,
                 {"--dim samples=MAX"});
}

// Tables and filters are layers as others are: stored in 8 bits, and lifted where the outputs need it.
TEST_F(SignalOpsTest, TablesAreQuantizedAsWeightsAre) {
  EXPECT_LE(error_of("log_mel_front", {"--dim", "batch=1", "--dim", "samples=1600"}), 0.03);
  EXPECT_LE(error_of("vocoder_blocks", {"--precision", "int8", "--allow-accuracy-loss", "--dim", "batch=1", "--dim", "time=7"}),
            0.05);
}

TEST_F(SignalOpsTest, WhatIsRefusedSaysWhy) {
  {
    ModelWriter w;
    w.input("x", kOnnxFloat, {1, 64, 1});
    w.input("step", kOnnxInt64, {1});
    constant(w, "length", 16);
    w.node("STFT", {"x", "step", "", "length"}, {"y"});
    w.output("y", kOnnxFloat, {1, "frames", 9, 2});
    expect_refusal({saved(w), "-o", in("m.ert")}, kUnsupported, {"STFT", "frame step", "constants"});
  }
  {
    ModelWriter w;
    w.input("x", kOnnxFloat, {1, 64, 2});
    constant(w, "step", 8);
    constant(w, "length", 16);
    w.node("STFT", {"x", "step", "", "length"}, {"y"});
    w.output("y", kOnnxFloat, {1, 7, 9, 2});
    expect_refusal({saved(w), "-o", in("m.ert")}, kMalformed, {"STFT", "onesided"});
  }
  {  // the hint was to raise a dim that the model does not have
    ModelWriter w;
    w.input("x", kOnnxFloat, {1, 50, 1});
    constant(w, "step", 8);
    constant(w, "length", 99);
    w.node("STFT", {"x", "step", "", "length"}, {"y"});
    w.output("y", kOnnxFloat, {1, "frames", 50, 2});
    expect_refusal({saved(w), "-o", in("m.ert")}, kMalformed, {"STFT", "signal is shorter than a frame"});
  }
  {
    ModelWriter w;
    w.input("x", kOnnxFloat, {1, 4099, 1});
    w.node("DFT", {"x"}, {"y"});
    w.output("y", kOnnxFloat, {1, 4099, 2});
    expect_refusal({saved(w), "-o", in("m.ert")}, kUnsupported, {"DFT", "prime factor", "powers of two"});
  }
  {
    ModelWriter w;
    w.input("x", kOnnxFloat, {1, 16, 1});
    set_int(w.node("DFT", {"x"}, {"y"}), "axis", 2);
    w.output("y", kOnnxFloat, {1, 16, 2});
    expect_refusal({saved(w), "-o", in("m.ert")}, kMalformed, {"DFT", "real and imaginary"});
  }
  {
    ModelWriter w;
    w.input("bands", kOnnxInt64, {1});
    for (const char* name : {"length", "rate"}) constant(w, name, 64);
    w.weights("low", {});
    w.weights("high", {});
    w.node("MelWeightMatrix", {"bands", "length", "rate", "low", "high"}, {"y"});
    w.output("y", kOnnxFloat, {33, "n"});
    expect_refusal({saved(w), "-o", in("m.ert")}, kUnsupported, {"MelWeightMatrix", "five parameters"});
  }
  {
    ModelWriter w;
    w.input("x", kOnnxFloat, {1, 4, "time"});
    w.weights("w", {4, 4, 4});
    auto* a = w.node("ConvTranspose", {"x", "w"}, {"y"}).add_attribute();
    a->set_name("output_shape");
    a->set_type(7);
    a->add_ints(64);
    w.output("y", kOnnxFloat, {1, 4, 64});
    expect_refusal({saved(w), "-o", in("m.ert"), "--dim", "time=8"}, kUnsupported, {"ConvTranspose", "output_shape", "--fix"});
  }
  {
    ModelWriter w;
    w.input("x", kOnnxFloat, {1, 4, 8});
    w.input("w", kOnnxFloat, {4, 4, 4});
    w.node("ConvTranspose", {"x", "w"}, {"y"});
    w.output("y", kOnnxFloat, {1, 4, 11});
    expect_refusal({saved(w), "-o", in("m.ert")}, kUnsupported, {"ConvTranspose", "weights", "matmul with the kernel, and torch.nn.functional.fold"});
  }
}

}  // namespace

}  // namespace edgeconv::testing
