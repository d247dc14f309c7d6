// --target: the same model packed for other CPUs computes the same bits, and tools say how it is packed.
#include "convert/files/json.h"

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class TargetTest : public CliTest {
 protected:
  std::string output_of(const std::string& blob, const std::string& isa) {
    std::vector<std::string> command{"run", blob, "--data", in("data"), "--out", in("result")};
    if (!isa.empty()) command.insert(command.end(), {"--isa", isa});
    expect_success(command);
    return read_file(in("result/output_0.pb"));
  }
};

TEST_F(TargetTest, TheSameBitsInEveryLayout) {
  // Odd sizes: every layout pads them, and differently. Both precisions of int8 weights.
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 19});
  w.output("y", kOnnxFloat, {"batch", 5});
  w.weights("w", {19, 37});
  w.weights("v", {37, 5});
  w.node("MatMul", {"x", "w"}, {"h"});
  w.node("Tanh", {"h"}, {"t"});
  w.node("MatMul", {"t", "v"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  std::filesystem::create_directory(in("data"));
  std::vector<float> x(7 * 19);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 29 % 31) - 15.0f;
  write_file(in("data/input_0.pb"), float_tensor_file("x", {7, 19}, x));
  for (const std::string precision : {"int8", "w8a16"}) {
    std::string want, portable;
    for (const auto& [target, layout] :
         std::vector<std::pair<std::string, std::string>>{{"portable", "N16K4"}, {"armv8-i8mm", "N8K8"}, {"cortex-m", "N2K16"}}) {
      const std::string blob = in(target + ".ert");
      expect_success(
          {in("m.onnx"), "-q", "--force", "--precision", precision, "--allow-accuracy-loss", "--target", target, "-o", blob});
      const std::string best = output_of(blob, ""), ref = output_of(blob, "ref");
      if (want.empty()) want = best, portable = read_file(blob);
      EXPECT_EQ(best, want) << target << " " << precision;
      EXPECT_EQ(ref, want) << target << " " << precision;
      EXPECT_EQ(target == "portable", read_file(blob) == portable);
      const Json layouts = parse_json(expect_success({"inspect", blob, "--json"}).out).at("weight_layouts");
      EXPECT_EQ(layouts, Json({{layout, 19 * 37 + 37 * 5}})) << target;
      EXPECT_NE(expect_success({"inspect", blob}).out.find("layout    " + layout + " (--target " + target + ")"),
                std::string::npos);
      expect_success({"verify", blob});
    }
  }
}

TEST_F(TargetTest, UnknownTargets) {
  write_file(in("small.onnx"), small_model());
  expect_refusal({in("small.onnx"), "--target", "armv9"}, 4, {"armv9", "portable, armv8-i8mm, cortex-m"});
}

}  // namespace

}  // namespace edgeconv::testing
