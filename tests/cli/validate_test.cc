// validate: the certificate measured again, golden vectors, the user's data, and labelled tasks.
#include <cmath>
#include <cstring>
#include "convert/files/json.h"

#include "convert/ir/diagnostics.h"
#include "convert/files/npy.h"
#include "convert/report/task_score.h"
#include "convert/run/blob_runner.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "tests/cli/cli_test.h"
#include "tests/cli/fixture_folder.h"

namespace edgeconv::testing {

namespace {

class ValidateTest : public CliTest {
 protected:
  void SetUp() override {
    write_file(in("m.onnx"), small_model());
    expect_success({in("m.onnx"), "-q", "-o", in("m.ert"), "--dim", "batch=8"});
    std::filesystem::create_directory(in("data"));
    write(in("data/x.npy"), rows(20));
  }
  static void write(const std::string& path, const Tensor& t) { write_npy(path, t); }
  static Tensor rows(int64_t n) {
    Tensor t(DType::kFloat, {n, 16});
    size_t i = 0;
    for (float& x : t.mut<float>()) x = static_cast<float>(static_cast<int>(i++ * 37 % 101) - 50) / 25;
    return t;
  }
  std::vector<std::string> command(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"validate", in("m.onnx"), in("m.ert")});
    return more;
  }
  Json validated(std::vector<std::string> more = {}) {
    more.push_back("--json");
    return parse_json(expect_success(command(std::move(more))).out);
  }
  // Replaces text in the blob by text of the same length and seals it again.
  void tamper(const std::string& from, const std::string& to) {
    ASSERT_EQ(from.size(), to.size());
    std::string blob = read_file(in("m.ert"));
    const size_t at = blob.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    blob.replace(at, from.size(), to);
    const auto put = [&](size_t where, uint32_t v) { std::memcpy(blob.data() + where, &v, sizeof v); };
    put(48, ert::crc32c(0, blob.data() + ert::kHeaderBytes, blob.size() - ert::kHeaderBytes));
    put(52, ert::crc32c(0, blob.data(), 52));
    write_file(in("m.ert"), blob);
  }
  // What the fp32 model answers for the rows of data/, by the blob of --precision fp32, whose results are those of the model.
  Tensor answers() {
    expect_success({in("m.onnx"), "-q", "-o", in("exact.ert"), "--precision", "fp32", "--dim", "batch=20"});
    const std::string blob = read_file(in("exact.ert"));
    Tensor aligned(DType::kUint8, {static_cast<int64_t>(blob.size())});
    std::memcpy(aligned.mutable_data(), blob.data(), blob.size());
    return BlobRunner(aligned.data(), aligned.bytes()).run({rows(20)})[0];
  }
};

TEST_F(ValidateTest, ConfirmsTheCertificate) {
  const Json j = validated();
  EXPECT_EQ(j.at("certificate").at("state"), "confirmed") << j.at("certificate");
  EXPECT_EQ(j.at("certificate").at("outputs"), 1);
  EXPECT_EQ(j.at("certificate").at("layers"), 2);
  EXPECT_EQ(j.at("golden_vectors"), 1);
  EXPECT_EQ(j.at("reference"), "the fp32 model");
  EXPECT_EQ(j.at("inputs"), "made up");
  const std::string text = expect_success(command()).out;
  EXPECT_NE(text.find("certificate: confirmed, 1 output and 2 layers"), std::string::npos) << text;
  EXPECT_NE(text.find("golden vectors: 1 replayed"), std::string::npos) << text;
}

// Transformers, recurrent and quantized models: all figures are found again, with padding skipped or not.
TEST_F(ValidateTest, ConfirmsTheCertificatesOfFixtures) {
  for (const char* name : {"bert_base_ts14", "minilm_sentence_ts14", "mlp_bn_ts14__static_qdq", "txtai_pooling__quantized",
                           "t5_encoder_ts13__external_many"})
    for (const auto& [padding, precision] :
         {std::pair("zero", "auto"), std::pair("compute", "auto"), std::pair("zero", "w8a16")}) {
      const std::string model = (fs::path(EDGECONV_OWN_FIXTURES) / name / "model.onnx").string();
      expect_success({model, "-q", "-o", in("f.ert"), "--padding", padding, "--precision", precision});
      const Json j = parse_json(expect_success({"validate", model, in("f.ert"), "--json"}).out);
      EXPECT_EQ(j.at("certificate").at("state"), "confirmed") << name << padding << precision << j.at("certificate");
      EXPECT_GT(j.at("certificate").at("layers"), 0) << name;
    }
}

// The Linear over all steps and the recurrence of an LSTM have one name; the figures of one were compared with those of the other.
TEST_F(ValidateTest, BothHalvesOfAnLstmAreConfirmed) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"steps", "batch", 8});
  w.output("h", kOnnxFloat, {"steps", 1, "batch", 6});
  w.weights("w", {1, 24, 8});
  w.weights("r", {1, 24, 6});
  auto& node = w.node("LSTM", {"x", "w", "r"}, {"h"});
  auto* hidden = node.add_attribute();
  hidden->set_name("hidden_size");
  hidden->set_type(2);  // INT
  hidden->set_i(6);
  write_file(in("m.onnx"), w.bytes());
  expect_success({in("m.onnx"), "-q", "-o", in("m.ert")});
  const Json certificate = parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out).at("certificate");
  ASSERT_EQ(certificate.at("layers").size(), 2);
  EXPECT_EQ(certificate.at("layers").at(0).at("name"), certificate.at("layers").at(1).at("name"));
  const Json checked = validated().at("certificate");
  EXPECT_EQ(checked.at("state"), "confirmed") << checked;
  EXPECT_EQ(checked.at("layers"), 1);
}

TEST_F(ValidateTest, CertificateOfCalibrationNeedsItAgain) {
  expect_success({in("m.onnx"), "-q", "-o", in("m.ert"), "--calib", in("data")});
  EXPECT_EQ(validated().at("certificate").at("state"), "not comparable");
  EXPECT_EQ(validated({"--calib", in("data")}).at("certificate").at("state"), "confirmed");
  std::filesystem::create_directory(in("other"));
  write(in("other/x.npy"), rows(19));
  const Json other = validated({"--calib", in("other")}).at("certificate");
  EXPECT_EQ(other.at("state"), "not comparable");
  EXPECT_NE(other.at("why").get<std::string>().find("--calib"), std::string::npos) << other;
}

TEST_F(ValidateTest, AnotherModelIsNotComparable) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 4});
  w.weights("w", {16, 4});
  w.node("MatMul", {"x", "w"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  const ProgramResult r = edgeconv(command());
  EXPECT_EQ(r.exit_code, kAccuracy);
  EXPECT_NE(r.err.find("source hash differs"), std::string::npos) << r.err;
  EXPECT_NE(r.out.find("another model file"), std::string::npos) << r.out;
}

TEST_F(ValidateTest, FlatteredCertificateIsContradicted) {
  const Json stated = parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out).at("certificate");
  const std::string key = "\"cosine\":", was = key + stated.at("outputs").at(0).at("cosine").dump();
  tamper(was, key + "1" + std::string(was.size() - key.size() - 1, ' '));
  const ProgramResult r = edgeconv(command());
  EXPECT_EQ(r.exit_code, kAccuracy) << r.err;
  EXPECT_NE(r.out.find("contradicted"), std::string::npos) << r.out;
  EXPECT_NE(r.err.find("output 'y': the certificate says cosine 1,"), std::string::npos) << r.err;
}

TEST_F(ValidateTest, TakesTheUsersData) {
  write(in("data/unused.npy"), rows(20));
  const ProgramResult r = expect_success(command({"--data", in("data"), "--json"}));
  EXPECT_NE(r.err.find("'unused'"), std::string::npos) << r.err;
  const Json j = parse_json(r.out);
  EXPECT_EQ(j.at("inputs"), "given");
  EXPECT_GT(j.at("outputs").at(0).at("cosine"), 0.999);
  EXPECT_EQ(j.at("certificate").at("state"), "confirmed") << "it is measured on its own inputs whatever --data says";
  write(in("data/x.npy"), Tensor(DType::kFloat, {4, 15}));
  expect_refusal(command({"--data", in("data")}), kMalformed, {"--data", "'x'", "15"});
  expect_refusal(command({"--data", in("nowhere")}), kIo, {"nowhere"});
}

TEST_F(ValidateTest, AccuracyOfClasses) {
  // Three of the twenty labels are wrong for the model itself.
  const Tensor y = answers();
  std::string text = "# classes of data/x.npy\n";
  for (size_t s = 0; s < 20; ++s) {
    const auto row = y.as<float>().subspan(4 * s, 4);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    text += std::to_string(s < 3 ? (best + 1) % 4 : best) + "\n";
  }
  write_file(in("labels.txt"), text);
  const Json task = validated({"--data", in("data"), "--labels", in("labels.txt")}).at("task");
  EXPECT_EQ(task.at("metric"), "accuracy");
  EXPECT_EQ(task.at("output"), "y");
  EXPECT_EQ(task.at("labels"), 20);
  EXPECT_EQ(task.at("reference"), 0.85);
  EXPECT_NEAR(task.at("blob"), 0.85, 0.101);
  EXPECT_NE(expect_success(command({"--data", in("data"), "--labels", in("labels.txt")}))
                .out.find("accuracy of 'y' on 20 labels: reference 0.8500"),
            std::string::npos);
}

TEST_F(ValidateTest, SpearmanOfPairs) {
  const Tensor y = answers();
  std::string same, reversed;
  for (size_t p = 0; p < 10; ++p) {
    double ab = 0, aa = 0, bb = 0;
    for (size_t k = 0; k < 4; ++k) {
      const double a = y.as<float>()[8 * p + k], b = y.as<float>()[8 * p + 4 + k];
      ab += a * b, aa += a * a, bb += b * b;
    }
    same += std::to_string(ab / std::sqrt(aa * bb)) + "\n";
    reversed += std::to_string(-ab / std::sqrt(aa * bb)) + "\n";
  }
  write_file(in("same.txt"), same);
  write_file(in("reversed.txt"), reversed);
  EXPECT_NEAR(validated({"--data", in("data"), "--labels", in("same.txt")}).at("task").at("reference"), 1, 1e-9);
  const Json task = validated({"--data", in("data"), "--labels", in("reversed.txt"), "--label-output", "y"}).at("task");
  EXPECT_EQ(task.at("metric"), "spearman");
  EXPECT_EQ(task.at("labels"), 10);
  EXPECT_NEAR(task.at("reference"), -1, 1e-9);
  EXPECT_LT(task.at("blob"), -0.8);
}

TEST_F(ValidateTest, LabelsThatDoNotFit) {
  write_file(in("few.txt"), "1\n2\n3\n");
  write_file(in("words.txt"), "1\nmany\n");
  write_file(in("none.txt"), "# nothing\n");
  write_file(in("scores.txt"), "0.5\n1.5\n2.5\n");
  write(in("cube.npy"), Tensor(DType::kInt64, {2, 2, 2}));
  const auto refused = [&](const std::string& labels, int code, const std::vector<std::string>& words,
                           std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--data", in("data"), "--labels", in(labels)});
    expect_refusal(command(more), code, words);
  };
  refused("few.txt", kMalformed, {"few.txt", "3 samples", "20 samples"});
  refused("scores.txt", kMalformed, {"3 labels", "20 samples", "pairs"});
  refused("words.txt", kMalformed, {"line 2", "many"});
  refused("none.txt", kMalformed, {"no labels"});
  refused("cube.npy", kMalformed, {"rank 3"});
  refused("nowhere.txt", kIo, {"nowhere.txt"});
  refused("nowhere.npy", kIo, {"nowhere.npy"});
  refused("few.txt", kUsage, {"--label-output", "'z'"}, {"--label-output", "z"});
  refused("scores.txt", kMalformed, {"accuracy needs classes"}, {"--metric", "accuracy"});
  refused("few.txt", kUsage, {"--metric"}, {"--metric", "f1"});
  expect_refusal(command({"--labels", in("few.txt")}), kUsage, {"--labels", "--data"});
  expect_refusal(command({"--metric", "accuracy"}), kUsage, {"--labels"});
}

Tensor floats(std::vector<int64_t> dims, const std::vector<float>& v) { return Tensor::of(DType::kFloat, std::move(dims), v); }
Tensor ints(std::vector<int64_t> dims, const std::vector<int64_t>& v) { return Tensor::of(DType::kInt64, std::move(dims), v); }

// Classes of tokens: negative labels do not count, two sets of different lengths.
TEST(TaskScoreRules, Tokens) {
  TaskScore score(ints({2, 3}, {1, 0, -100, 0, -1, -1}), "l", {}, "", {"pooled", "logits"});
  const Tensor pooled = floats({1, 2}, {0, 0});
  const Tensor first = floats({1, 3, 2}, {0, 1, 1, 0, 9, 9}), second = floats({1, 1, 2}, {0, 1}),
               worse = floats({1, 3, 2}, {1, 0, 1, 0, 9, 9});
  score.add({pooled, first}, {pooled, worse}, {});
  score.add({pooled, second}, {pooled, second}, {});
  const TaskResult r = score.result();
  EXPECT_EQ(r.output, "logits");
  EXPECT_EQ(r.labels, 3);
  EXPECT_DOUBLE_EQ(r.reference, 2.0 / 3);
  EXPECT_DOUBLE_EQ(r.blob, 1.0 / 3);
}

TEST(TaskScoreRules, OneNumberIsASign) {
  TaskScore score(ints({3}, {1, 0, 1}), "l", {}, "", {"y"});
  score.add({floats({3, 1}, {2, -1, -3})}, {floats({3, 1}, {2, -1, 3})}, {});
  EXPECT_DOUBLE_EQ(score.result().reference, 2.0 / 3);
  EXPECT_DOUBLE_EQ(score.result().blob, 1.0);
}

TEST(TaskScoreRules, ScoresOfSamplesWithTies) {
  TaskScore score(floats({4}, {1, 2, 2, 3}), "l", {}, "", {"y"});
  score.add({floats({4}, {10, 20, 20, 30})}, {floats({4}, {1, 3, 2, 4})}, {});
  EXPECT_DOUBLE_EQ(score.result().reference, 1.0);
  EXPECT_NEAR(score.result().blob, 0.9486832980505138, 1e-12);  // ranks 0 2 1 3 against 0 1.5 1.5 3
}

// Embeddings of pairs are means over the tokens that the mask marks.
TEST(TaskScoreRules, PairsArePooledOverTheirTokens) {
  const auto scored = [](const std::optional<TokenMask>& mask) {
    TaskScore score(floats({2}, {0, 1}), "l", {}, "", {"y"});
    // Pair 0 is orthogonal and pair 1 equal in the first token; the second tokens say the opposite.
    const Tensor y = floats({4, 2, 2}, {1, 0, 9, 9, 0, 1, 9, 9, 1, 0, -9, 9, 1, 0, 9, -9});
    score.add({y}, {y}, mask);
    return score.result().reference;
  };
  EXPECT_DOUBLE_EQ(scored(TokenMask{4, 2, {1, 0, 1, 0, 1, 0, 1, 0}}), 1.0);
  EXPECT_DOUBLE_EQ(scored({}), -1.0);
}

TEST(TaskScoreRules, EqualLabelsHaveNoRanks) {
  TaskScore score(floats({2}, {1, 1}), "l", {}, "", {"y"});
  score.add({floats({2}, {1, 2})}, {floats({2}, {1, 2})}, {});
  EXPECT_THROW(score.result(), FatalError);
}

}  // namespace

}  // namespace edgeconv::testing
