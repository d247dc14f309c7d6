// `edgeconv run` with numbers instead of files, an archive, and what it shows and says.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

using nlohmann::json;

class RunValuesTest : public CliTest {
 protected:
  void SetUp() override {
    blob_ = small_blob();
    const json j = json::parse(expect_success({"inspect", blob_, "--json"}).out);
    input_ = j.at("inputs").at(0).at("name");
    output_ = j.at("outputs").at(0).at("name");
    const std::string shape = j.at("inputs").at(0).at("shape");  // "[batch, N]"
    columns_ = std::stoul(shape.substr(shape.rfind(' ') + 1));
  }
  // rows x columns_ of small numbers.
  std::string numbers(size_t rows) const {
    std::string s;
    for (size_t r = 0; r < rows; ++r) {
      if (r) s += ";";
      for (size_t c = 0; c < columns_; ++c)
        s += (c ? "," : "") + std::to_string(static_cast<int>((r * 7 + c * 3) % 11) - 5) + ".5";
    }
    return s;
  }
  std::string given(const std::string& text) const { return input_ + "=" + text; }
  std::string blob_, input_, output_;
  size_t columns_ = 0;
};

TEST_F(RunValuesTest, NumbersLieAlongTheLastAxisAndSemicolonsSeparateRows) {
  const json one = json::parse(expect_success({"run", blob_, "--input", given(numbers(1)), "--json"}).out);
  const json three = json::parse(expect_success({"run", blob_, "--input", given(numbers(3)), "--json"}).out);
  ASSERT_EQ(one.at("version"), 1);
  const json &a = one.at("outputs").at(0), &b = three.at("outputs").at(0);
  EXPECT_EQ(a.at("name"), output_);
  EXPECT_EQ(a.at("shape").at(0), 1);
  EXPECT_EQ(b.at("shape").at(0), 3);
  ASSERT_EQ(b.at("data").size(), 3 * a.at("data").size());
  for (size_t i = 0; i < a.at("data").size(); ++i)
    EXPECT_EQ(a.at("data").at(i), b.at("data").at(i)) << "the first row is the same";
}

// Was taken for the name of a file.
TEST_F(RunValuesTest, ALetterAmongNumbersIsNoFile) {
  expect_refusal({"run", blob_, "--input", given("1,x,3"), "--print"}, kUsage, {"value 2 is 'x'", "NAME=1,2,3"});
  expect_refusal({"run", blob_, "--input", given("a;b"), "--print"}, kUsage, {"value 1 is 'a'"});
  expect_refusal({"run", blob_, "--input", given("missing,1.npy"), "--print"}, kIo, {"missing,1.npy"});
}

TEST_F(RunValuesTest, ItSaysWhatItWrote) {
  const ProgramResult r = expect_success({"run", blob_, "--input", given(numbers(1)), "--out", in("out")});
  EXPECT_EQ(r.out, "");
  EXPECT_NE(r.err.find("written   "), std::string::npos) << r.err;
  for (const char* file : {"output_0.pb", ".npy"}) EXPECT_NE(r.err.find(file), std::string::npos) << r.err;
  const json j = json::parse(expect_success({"run", blob_, "--input", given(numbers(1)), "--out", in("out"), "--json"}).out);
  EXPECT_TRUE(std::filesystem::exists(j.at("outputs").at(0).at("file").get<std::string>()));
  EXPECT_FALSE(j.at("outputs").at(0).contains("data"));
}

TEST_F(RunValuesTest, PrintShowsShapeValuesAndTheLargest) {
  const std::string text = expect_success({"run", blob_, "--input", given(numbers(6)), "--print"}).out;
  EXPECT_EQ(text.rfind(output_ + "  float32 [6, ", 0) == 0 || text.rfind(output_ + "  float [6, ", 0) == 0, true) << text;
  EXPECT_NE(text.find("largest (place: value)  "), std::string::npos) << text;
  EXPECT_NE(text.find("and 2 more rows"), std::string::npos) << text;
}

TEST_F(RunValuesTest, AnArchiveIsReadAsArrays) {
  const ProgramResult python = run_program("python3", {"-c", R"(
import struct, sys, zipfile
path, name, columns = sys.argv[1], sys.argv[2], int(sys.argv[3])
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, %d), }" % columns
head += " " * (63 - (10 + len(head)) % 64) + "\n"
values = [((i // columns) * 7 + (i % columns) * 3) % 11 - 5 for i in range(2 * columns)]
values = [v + (0.5 if v > 0 else -0.5 if v < 0 else 0.5) for v in values]
with zipfile.ZipFile(path, "w") as z:
    z.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%df" % len(values), *values))
)",
                                                       in("x.npz"), input_, std::to_string(columns_)});
  ASSERT_EQ(python.exit_code, 0) << python.err;
  const json archive = json::parse(expect_success({"run", blob_, "--data", in("x.npz"), "--json"}).out);
  const json typed = json::parse(expect_success({"run", blob_, "--input", given(numbers(2)), "--json"}).out);
  EXPECT_EQ(archive, typed);
  expect_success({"run", blob_, "--data", in("x.npz"), "--out", in("out")});
  EXPECT_TRUE(std::filesystem::exists(in("out/" + output_ + ".npy")));
  std::filesystem::rename(in("x.npz"), in("y.npz"));
  expect_refusal({"run", blob_, "--data", in("x.npz"), "--print"}, kIo, {"x.npz"});
}

TEST_F(RunValuesTest, Refusals) {
  expect_refusal({"run", blob_, "--input", given("1,2;3"), "--print"}, kUsage, {"--input", "row 2 has 1 numbers, row 1 has 2"});
  expect_refusal({"run", blob_, "--input", given(numbers(1) + ",1"), "--print"}, kUsage, {"axis 1 of the input has size"});
  expect_refusal({"run", blob_, "--input", given("1,,3"), "--print"}, kUsage, {"value 2 is ''"});
  expect_refusal({"run", blob_, "--input", given("1e99e9"), "--print"}, kUsage, {"value 1 is '1e99e9'"});
  expect_refusal({"run", blob_, "--input", "nothing=1,2", "--print"}, kUsage, {"no such input", input_});
  expect_refusal({"run", blob_, "--input", given(numbers(1))}, kUsage, {"--out DIR", "--print", "--json"});
  expect_refusal({"run", blob_, "--input", given(numbers(1)), "--print", "--json"}, kUsage, {"--print"});
  expect_refusal({"run", blob_, "--print"}, kUsage, {"--data", "--input NAME=1,2,3"});
}

// Ids are whole numbers in the range of the input.
TEST_F(RunValuesTest, IdsAreWholeNumbers) {
  expect_success({EDGECONV_LANGID_MODEL, "-q", "-o", in("langid.ert"), "--precision", "int8"});
  const json j = json::parse(expect_success({"inspect", in("langid.ert"), "--json"}).out);
  std::vector<std::string> words = {"run", in("langid.ert"), "--print"};
  for (const json& i : j.at("inputs")) words.insert(words.end(), {"--input", i.at("name").get<std::string>() + "=1,1,1"});
  const std::string text = expect_success(words).out;
  EXPECT_NE(text.find("largest (place: value)"), std::string::npos) << text;
  words[4] = j.at("inputs").at(0).at("name").get<std::string>() + "=1.5,1,1";
  expect_refusal(words, kUsage, {"value 1 is '1.5'", "whole number"});
  words[4] = j.at("inputs").at(0).at("name").get<std::string>() + "=99999999999999999999,1,1";
  expect_refusal(words, kUsage, {"value 1 is '99999999999999999999'"});
}

TEST_F(RunValuesTest, VerifyGivesADocument) {
  const json j = json::parse(expect_success({"verify", blob_, "--json"}).out);
  EXPECT_EQ(j.at("ok"), true);
  EXPECT_EQ(j.at("signed"), false);
  EXPECT_EQ(j.at("bytes"), std::filesystem::file_size(blob_));
  write_file(in("cut.ert"), read_file(blob_).substr(0, 100));
  expect_refusal({"verify", in("cut.ert"), "--json"}, 3, {"cut.ert"});
}

// Where the bytes of a blob are: the parts are all of it.
TEST_F(RunValuesTest, PartsAddUpToTheBlob) {
  const json j = json::parse(expect_success({"inspect", blob_, "--json"}).out);
  uint64_t sum = 0;
  for (const json& part : j.at("parts")) sum += part.at("bytes").get<uint64_t>();
  EXPECT_EQ(sum, j.at("bytes").get<uint64_t>());
  EXPECT_GE(j.at("parts").size(), 3u);
  EXPECT_NE(expect_success({"inspect", blob_}).out.find("\nparts     "), std::string::npos);
}

// A blob of a tiny model is larger than the model: the summary says how many times and what for.
TEST_F(RunValuesTest, ALargerBlobIsExplained) {
  const std::string said = expect_success({in("small.onnx"), "--dim", "batch=8"}).err;
  EXPECT_NE(said.find(" times); larger than the file for its "), std::string::npos) << said;
  EXPECT_NE(said.find("\nnext      edgeconv inspect "), std::string::npos) << said;
}

}  // namespace

}  // namespace edgeconv::testing
