// run, verify, inspect, export and supported-ops on good and on damaged blobs.
#include <cstring>
#include "convert/files/json.h"

#include "convert/onnx/tensor_file.h"
#include "rt/include/ert.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class BlobTest : public CliTest {
 protected:
  void SetUp() override {
    blob_ = small_blob();
    write_rows("data", 3);
  }
  // A data folder with one input of `rows` rows.
  void write_rows(const std::string& name, int64_t rows) {
    std::filesystem::create_directory(in(name));
    std::vector<float> x(static_cast<size_t>(rows) * 16);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3.0f;
    write_file(in(name + "/input_0.pb"), float_tensor_file("x", {rows, 16}, x));
  }
  std::string blob_;
};

TEST_F(BlobTest, VerifySaysOk) {
  const ProgramResult r = expect_success({"verify", blob_});
  EXPECT_EQ(r.out.substr(0, 2), "ok") << r.out;
}

TEST_F(BlobTest, RunWritesOutputsInGraphOrder) {
  expect_success({"run", blob_, "--data", in("data"), "--out", in("result")});
  std::string name;
  const Tensor y = read_tensor_pb(in("result/output_0.pb"), &name);
  EXPECT_EQ(name, "y");
  EXPECT_EQ(y.dims(), (std::vector<int64_t>{3, 4}));
  EXPECT_FALSE(std::filesystem::exists(in("result/y.npy"))) << "npy files are for --input";
}

TEST_F(BlobTest, RunTakesNpyFiles) {
  std::string npy("\x93NUMPY\x01\x00", 8);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 16), }";
  header.resize(117, ' ');
  header += '\n';
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header;
  npy.append(2 * 16 * 4, '\0');
  write_file(in("x.npy"), npy);
  expect_success({"run", blob_, "--input", "x=" + in("x.npy"), "--out", in("result")});
  EXPECT_TRUE(std::filesystem::exists(in("result/output_0.pb")));
  EXPECT_EQ(read_file(in("result/y.npy")).substr(1, 5), "NUMPY");
  expect_refusal({"run", blob_, "--input", "z=" + in("x.npy"), "--out", in("other")}, kUsage, {"z=", "x"});
  expect_refusal({"run", blob_, "--input", "x", "--out", in("other")}, kUsage, {"NAME=FILE.npy"});
  expect_refusal({"run", blob_, "--input", "x=" + in("none.npy"), "--out", in("other")}, kIo, {"none.npy"});
  expect_refusal({"run", blob_, "--input", "x=" + in("x.npy"), "--input", "x=" + in("x.npy"), "--out", in("other")}, kUsage,
                 {"twice"});
  write_file(in("bad.npy"), npy.substr(0, 100));
  expect_refusal({"run", blob_, "--input", "x=" + in("bad.npy"), "--out", in("other")}, kMalformed, {"bad.npy"});
}

TEST_F(BlobTest, DimsAboveTheMaximum) {
  write_rows("many", 9);
  expect_refusal({"run", blob_, "--data", in("many"), "--out", in("result")}, kUsage, {"batch", "9", "1 to 8", "--dim batch=9"});
  write_rows("none", 0);
  expect_refusal({"run", blob_, "--data", in("none"), "--out", in("result")}, kUsage, {"batch", "0"});
}

TEST_F(BlobTest, WrongInputs) {
  write_file(in("data/input_0.pb"), float_tensor_file("x", {2, 15}, std::vector<float>(30)));
  expect_refusal({"run", blob_, "--data", in("data"), "--out", in("result")}, kUsage, {"'x'", "15", "16"});
  write_file(in("data/input_0.pb"), float_tensor_file("other", {2, 16}, std::vector<float>(32)));
  expect_refusal({"run", blob_, "--data", in("data"), "--out", in("result")}, kUsage, {"'x'"});
  write_file(in("data/input_0.pb"), float_tensor_file("x", {2, 16}, std::vector<float>(31)));
  expect_refusal({"run", blob_, "--data", in("data"), "--out", in("result")}, kMalformed, {"input_0.pb"});
  write_file(in("data/input_0.pb"), float_tensor_file("x", {1, 16}, std::vector<float>(16, __builtin_nanf(""))));
  expect_refusal({"run", blob_, "--data", in("data"), "--out", in("result")}, kMalformed, {});
  expect_refusal({"run", blob_, "--data", in("nowhere"), "--out", in("result")}, kIo, {"nowhere"});
  expect_refusal({"run", blob_, "--out", in("result")}, kUsage, {"--data", "--input"});
}

TEST_F(BlobTest, UnknownIsa) {
  expect_refusal({"run", blob_, "--data", in("data"), "--out", in("result"), "--isa", "mmx"}, kUsage, {"mmx", "ref", "avx2"});
}

TEST_F(BlobTest, IsaThatTheCpuLacks) {
  // The names of the other architectures are always known, and one CPU cannot be both.
  const char* foreign = ert_isa_available() >> ERT_ISA_NEON & 1 ? "avx2" : "neon";
  expect_refusal({"run", blob_, "--data", in("data"), "--out", in("result"), "--isa", foreign}, kUnsupported, {foreign, "CPU"});
}

TEST_F(BlobTest, IsaLevelsGiveTheSameBytes) {
  expect_success({"run", blob_, "--data", in("data"), "--out", in("best")});
  const std::string best = read_file(in("best/output_0.pb"));
  int levels = 0;
  for (int isa = 0; isa < 32; ++isa) {
    if (!(ert_isa_available() >> isa & 1)) continue;
    const std::string name = ert_isa_name(static_cast<ert_isa>(isa));
    expect_success({"run", blob_, "--data", in("data"), "--out", in(name), "--isa", name, "--threads", "2"});
    EXPECT_EQ(read_file(in(name + "/output_0.pb")), best) << name;
    ++levels;
  }
  EXPECT_GE(levels, 1);
}

TEST_F(BlobTest, GarbageAndEmptyBlobs) {
  write_file(in("garbage.ert"), std::string(4096, 'x'));
  write_file(in("empty.ert"), "");
  write_file(in("short.ert"), "ERT1");
  for (const char* name : {"garbage.ert", "empty.ert", "short.ert"}) {
    expect_refusal({"verify", in(name)}, kMalformed, {});
    expect_refusal({"run", in(name), "--data", in("data"), "--out", in("result")}, kMalformed, {});
    expect_refusal({"export", in(name), "--format", "bin", "-o", in("x.bin")}, kMalformed, {});
    expect_refusal({"inspect", in(name)}, kMalformed, {});
  }
  for (const char* verb : {"verify", "inspect"}) expect_refusal({verb, in("nowhere.ert")}, kIo, {"nowhere.ert"});
}

TEST_F(BlobTest, TruncatedBlobs) {
  const std::string whole = read_file(blob_);
  for (size_t part = 1; part < 16; ++part) {
    write_file(in("cut.ert"), whole.substr(0, whole.size() * part / 16));
    expect_refusal({"verify", in("cut.ert")}, kMalformed, {"cut.ert"});
  }
  write_file(in("cut.ert"), whole.substr(0, whole.size() - 1));
  expect_refusal({"run", in("cut.ert"), "--data", in("data"), "--out", in("result")}, kMalformed, {});
  write_file(in("cut.ert"), whole + "x");
  expect_refusal({"verify", in("cut.ert")}, kMalformed, {"cut.ert"});
}

TEST_F(BlobTest, OneFlippedBit) {
  const std::string whole = read_file(blob_);
  const size_t header = 64, after_magic = 4;
  std::vector<size_t> places{after_magic, 16, 48, 52, header, header + 1, whole.size() - 1};
  for (size_t i = 1; i < 32; ++i) places.push_back(header + (whole.size() - header) * i / 32);
  for (size_t at : places) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << (at % 8));
    write_file(in("damaged.ert"), damaged);
    SCOPED_TRACE("byte " + std::to_string(at));
    expect_refusal({"verify", in("damaged.ert")}, kChecksum, {"damaged.ert"});
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 16);
  write_file(in("damaged.ert"), damaged);
  expect_refusal({"run", in("damaged.ert"), "--data", in("data"), "--out", in("result")}, kChecksum, {});
}

TEST_F(BlobTest, InspectModelAndBlob) {
  const ProgramResult text = expect_success({"inspect", blob_});
  for (const char* word : {"batch", "y", "RAM", "edgeconv"}) EXPECT_NE(text.out.find(word), std::string::npos) << word;
  const Json blob = parse_json(expect_success({"inspect", blob_, "--json"}).out);
  EXPECT_EQ(blob.at("version"), 1);
  EXPECT_EQ(blob.at("kind"), "blob");
  EXPECT_EQ(blob.at("bytes"), std::filesystem::file_size(blob_));
  EXPECT_EQ(blob.at("dims").at(0).at("name"), "batch");
  EXPECT_EQ(blob.at("dims").at(0).at("max"), 8);
  EXPECT_EQ(blob.at("inputs").at(0).at("shape"), "[batch, 16]");
  EXPECT_EQ(blob.at("golden_vectors"), 1);
  EXPECT_EQ(blob.at("source_sha256").get<std::string>().size(), 64u);

  const Json model = parse_json(expect_success({"inspect", in("small.onnx"), "--json"}).out);
  EXPECT_EQ(model.at("kind"), "onnx");
  EXPECT_EQ(model.at("opsets").at("ai.onnx"), 17);
  EXPECT_EQ(model.at("parameters"), 16 * 24 + 24 + 24 * 4);
  EXPECT_EQ(model.at("operators").at("MatMul"), 2);
  EXPECT_EQ(model.at("problems").size(), 0u);
  const ProgramResult model_text = expect_success({"inspect", in("small.onnx")});
  EXPECT_NE(model_text.out.find("MatMul"), std::string::npos);
}

TEST_F(BlobTest, InspectListsProblemsOfAModel) {
  write_file(in("two.onnx"), model_with_two_problems());
  const Json j = parse_json(expect_success({"inspect", in("two.onnx"), "--json"}).out);
  std::string ops;
  for (const Json& p : j.at("problems")) ops += p.at("op").get<std::string>() + " ";
  EXPECT_NE(ops.find("NonZero"), std::string::npos) << ops;
  EXPECT_NE(ops.find("my.ops::SecretSauce"), std::string::npos) << ops;
}

TEST_F(BlobTest, SupportedOps) {
  const ProgramResult text = expect_success({"supported-ops"});
  EXPECT_NE(text.out.find("ai.onnx::MatMul"), std::string::npos);
  EXPECT_NE(text.out.find("refused ai.onnx::NonZero: the shape of its result depends on data"), std::string::npos);
  EXPECT_NE(text.out.find("bool; unrolled: "), std::string::npos) << "what of Loop and Scan runs";
  const Json j = parse_json(expect_success({"supported-ops", "--json"}).out);
  EXPECT_EQ(j.at("version"), 1);
  EXPECT_GT(j.at("operators").size(), 60u);
  EXPECT_LE(j.at("min_opset"), 11);
}

TEST_F(BlobTest, ConvertJsonAndReportAgree) {
  const ProgramResult r = expect_success({in("small.onnx"), "--dim", "batch=8", "--json", "--report", in("report.json")});
  const Json printed = parse_json(r.out), stored = parse_json(read_file(in("report.json")));
  EXPECT_EQ(printed, stored);
  EXPECT_EQ(printed.at("version"), 1);
  EXPECT_EQ(printed.at("blob_bytes"), std::filesystem::file_size(blob_));
  EXPECT_GE(printed.at("outputs").at(0).at("cosine"), 0.999);
}

TEST_F(BlobTest, ValidateAgainstTheModel) {
  const Json j = parse_json(expect_success({"validate", in("small.onnx"), blob_, "--json"}).out);
  EXPECT_GE(j.at("outputs").at(0).at("cosine"), 0.999);
  expect_success({"validate", in("small.onnx"), blob_, "--data", in("data")});
}

}  // namespace

}  // namespace edgeconv::testing
