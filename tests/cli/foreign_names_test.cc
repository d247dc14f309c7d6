// Names that were made to harm: in a terminal, in generated C, in the page of a report.
#include <cstring>
#include <nlohmann/json.hpp>

#include "convert/files/npy.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;

// Ends a comment, a string, a line, a script element; moves the cursor, sets the title, colours (also as one C1 character).
const char kEvil[] =
    "*/ int evil = 1; /* \" ?\?/\n#error evil\n\x1b[31m\x1b]0;t\x07\r\xc2\x9b"
    "32m\xe2\x80\xae</script><script>evil()\\";

class ForeignNamesTest : public CliTest {
 protected:
  static bool is_safe(const std::string& text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if ((c < 0x20 && c != '\n') || c == 0x7f) return false;
      if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return false;
      if (text.compare(i, 3, "\xe2\x80\xae") == 0) return false;
    }
    return true;
  }
  // Neither stream gives orders to the terminal, nor begins a line with a name's second line.
  void expect_safe(const std::vector<std::string>& arguments) {
    const ProgramResult r = edgeconv(arguments);
    for (const std::string& text : {r.out, r.err}) {
      EXPECT_TRUE(is_safe(text)) << arguments[0] << ": " << text;
      EXPECT_EQ(text.find("\n#error evil"), std::string::npos) << arguments[0] << ": " << text;
    }
    EXPECT_NE(r.exit_code, 1) << r.err;
    EXPECT_NE((r.out + r.err).find("evil"), std::string::npos) << arguments[0] << " shows no name";
  }
  void expect_json(const std::vector<std::string>& arguments) {
    const ProgramResult r = edgeconv(arguments);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(nlohmann::json::accept(r.out)) << arguments[0] << ": " << r.out;
    EXPECT_TRUE(is_safe(r.out)) << arguments[0] << ": " << r.out;
  }
  // All names are evil; the output is computed by layers of evil names.
  std::string evil_model() {
    const std::string n = kEvil;
    ModelWriter w;
    w.proto().set_producer_name(n + "p");
    w.input(n + "in", kOnnxFloat, {(n + "dim").c_str(), 16});
    w.weights(n + "w", {16, 8});
    w.node("MatMul", {n + "in", n + "w"}, {n + "h"}).set_name(n + "node");
    w.node("Relu", {n + "h"}, {n + "out"}).set_name(n + "relu");
    w.output(n + "out", kOnnxFloat, {(n + "dim").c_str(), 8});
    write_file(in("evil.onnx"), w.bytes());
    return in("evil.onnx");
  }
  std::string evil_blob() {
    evil_model();
    expect_success({in("evil.onnx"), "-q"});
    return in("evil.ert");
  }
};

TEST_F(ForeignNamesTest, TheDetectorSees) {
  EXPECT_FALSE(is_safe(kEvil));
  EXPECT_FALSE(is_safe("\xc2\x9b"));
  EXPECT_TRUE(is_safe("h\xc3\xb6he\n"));
}

TEST_F(ForeignNamesTest, TerminalsGetNoOrders) {
  const std::string model = evil_model(), blob = evil_blob();
  expect_safe({model});
  expect_safe({model, "-v"});
  expect_safe({model, "--concat", "c=nothing,none:1"});
  expect_safe({model, "--dim", "\x1b[31mevil=3"});
  expect_safe({"inspect", model});
  expect_safe({"inspect", blob});
  expect_safe({"validate", model, blob});
  write_npy(in("x.npy"), Tensor(DType::kFloat, {4, 15}));
  expect_safe({"run", blob, "--input", "x=" + in("x.npy"), "--out", in("out")});
  expect_safe({"run", blob, "--input", "\x1b[31mevil=" + in("x.npy"), "--out", in("out")});
  expect_safe({"export", blob, "--format", "c", "-o", in("m.c"), "--dim", "none=1"});
  // Refused operators of an evil domain.
  ModelWriter w;
  w.opset(kEvil, 1);
  w.input("x", kOnnxFloat, {4});
  w.output("y", kOnnxFloat, {4});
  w.node(kEvil, {"x"}, {"y"}, kEvil).set_name(kEvil);
  write_file(in("refused.onnx"), w.bytes());
  expect_safe({in("refused.onnx")});
  expect_safe({"inspect", in("refused.onnx")});
  // A file's name, too.
  expect_safe({in(std::string("\x1b[31mevil"))});
  expect_safe({"verify", in(std::string("\x1b[31mevil"))});
}

TEST_F(ForeignNamesTest, JsonStaysJson) {
  const std::string model = evil_model(), blob = evil_blob();
  expect_json({model, "--json"});
  expect_json({"inspect", model, "--json"});
  expect_json({"inspect", blob, "--json"});
  expect_json({"validate", model, blob, "--json"});
  const nlohmann::json j = nlohmann::json::parse(edgeconv({"inspect", blob, "--json"}).out);
  EXPECT_EQ(j.at("inputs").at(0).at("name"), std::string(kEvil) + "in") << "JSON has the name itself";
}

TEST_F(ForeignNamesTest, ExportedCIsStillTheSameProgram) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"*/ int evil = 1; /*", 16});
  w.output("y", kOnnxFloat, {"*/ int evil = 1; /*", 16});
  w.node("Relu", {"x"}, {"y"});
  // Its path ends comments and strings as well.
  fs::create_directory(in("a*"));
  const std::string blob = in("a*/b\n#error evil\n\"c?\?\\.ert");
  write_file(in("m.onnx"), w.bytes());
  expect_success({in("m.onnx"), "-q", "--force", "-o", blob});
  expect_success({"export", blob, "--format", "c", "-o", in("m.c"), "--header", in("m.h"), "--ops", in("ops.inc"), "--dim",
                  "*/ int evil = 1; /*=4"});
  write_file(in("main.c"),
             "#include \"m.h\"\n#define ERT_OP(code, name) + 1\nint evil = 2, ops = 0\n#include \"ops.inc\"\n;\nint main(void) "
             "{ return !(evil == 2 && ops > 0 && MODEL_ARENA_BYTES > 0 && model_blob[0] == 'E'); }\n");
  for (const char* standard : {"-std=c99", "-std=gnu11"}) {
    const ProgramResult r =
        run_program(EDGECONV_C_COMPILER, {standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "m.c", "-o", "main"},
                    {folder_.path(), {}, -1, 0});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    EXPECT_EQ(run_program(in("main"), {}).exit_code, 0);
  }
  // The path in an assembler string is read as the same path.
  expect_success({"export", blob, "--format", "incbin", "-o", in("m.S")});
  write_file(in("main.c"),
             "extern const char model_blob[], model_blob_end[];\nint evil = 2;\nint main(void) { return model_blob[0] != 'E' || "
             "model_blob_end - model_blob < 100; }\n");
  const ProgramResult r = run_program(EDGECONV_C_COMPILER, {"main.c", "m.S", "-o", "main"}, {folder_.path(), {}, -1, 0});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(run_program(in("main"), {}).exit_code, 0);
}

TEST_F(ForeignNamesTest, ThePageOfAReportHasOneScript) {
  const std::string model = evil_model();
  expect_success({model, "-q", "--report", in("r.html")});
  expect_success({EDGECONV_LANGID_MODEL, "-q", "-o", in("plain.ert"), "--report", in("plain.html")});
  const auto count = [](const std::string& page, const std::string& what) {
    size_t n = 0;
    for (size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++n;
    return n;
  };
  const std::string page = read_file(in("r.html")), plain = read_file(in("plain.html"));
  EXPECT_NE(page.find("evil()"), std::string::npos);
  for (const char* tag : {"<script", "</script", "<!--"}) EXPECT_EQ(count(page, tag), count(plain, tag)) << tag;
}

}  // namespace

}  // namespace edgeconv::testing
