// The exported forms hold exactly the blob's bytes: the C array and the assembler file are built and read back.
#include <cstdlib>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class ExportTest : public CliTest {
 protected:
  void SetUp() override { blob_ = small_blob(); }
  void run_or_fail(const std::string& program, const std::vector<std::string>& arguments) {
    const ProgramResult r = run_program(program, arguments, {folder_.path(), {}, -1, 0});
    ASSERT_EQ(r.exit_code, 0) << program << ": " << r.err;
  }
  std::string blob_;
};

// Decodes Intel HEX; checks every record's sum and that addresses run on without a gap.
std::string decode_hex(const std::string& text) {
  std::string bytes;
  size_t high = 0;
  bool ended = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    EXPECT_EQ(line[0], ':');
    EXPECT_FALSE(ended) << "records after the end record";
    std::vector<unsigned> b;
    for (size_t i = 1; i + 1 < line.size(); i += 2)
      b.push_back(static_cast<unsigned>(std::strtoul(line.substr(i, 2).c_str(), nullptr, 16)));
    unsigned sum = 0;
    for (unsigned v : b) sum += v;
    EXPECT_EQ(sum & 255, 0u) << line;
    EXPECT_EQ(b.size(), b[0] + 5);
    if (b[3] == 4) {
      high = b[4] << 24 | b[5] << 16;
    } else if (b[3] == 0) {
      EXPECT_EQ(high + (b[1] << 8 | b[2]), bytes.size());
      for (size_t i = 0; i < b[0]; ++i) bytes += static_cast<char>(b[4 + i]);
    } else {
      EXPECT_EQ(b[3], 1u);
      ended = true;
    }
  }
  EXPECT_TRUE(ended);
  return bytes;
}

TEST_F(ExportTest, Bin) {
  expect_success({"export", blob_, "--format", "bin", "-o", in("model.bin")});
  EXPECT_EQ(read_file(in("model.bin")), read_file(blob_));
}

TEST_F(ExportTest, Hex) {
  expect_success({"export", blob_, "--format", "hex", "-o", in("model.hex")});
  EXPECT_EQ(decode_hex(read_file(in("model.hex"))), read_file(blob_));
}

// Beyond 64 KiB the records need extended addresses.
TEST_F(ExportTest, HexOfALargeBlob) {
  expect_success({EDGECONV_LANGID_MODEL, "-q", "-o", in("langid.ert"), "--precision", "int8"});
  expect_success({"export", in("langid.ert"), "--format", "hex", "-o", in("langid.hex")});
  const std::string blob = read_file(in("langid.ert"));
  ASSERT_GT(blob.size(), 65536u);
  EXPECT_TRUE(decode_hex(read_file(in("langid.hex"))) == blob);
}

TEST_F(ExportTest, CArrayCompilesAndHoldsTheBlob) {
  expect_success({"export", blob_, "--format", "c", "-o", in("model.c")});
  write_file(in("main.c"),
             "#include <stdio.h>\n#include \"model.c\"\nint main(void) {\n"
             "  if ((size_t)model_blob % 64 || MODEL_ARENA_BYTES == 0) return 1;\n"
             "  return fwrite(model_blob, 1, MODEL_BYTES, stdout) != MODEL_BYTES;\n}\n");
  run_or_fail(EDGECONV_C_COMPILER, {"-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "-o", "main"});
  const ProgramResult r = run_program(in("main"), {});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(r.out == read_file(blob_));
}

TEST_F(ExportTest, AssemblerIncludeHoldsTheBlob) {
  expect_success({"export", blob_, "--format", "incbin", "-o", in("model.S")});
  write_file(in("main.c"),
             "#include <stdio.h>\nextern const unsigned char model_blob[], model_blob_end[];\nint main(void) {\n"
             "  size_t n = (size_t)(model_blob_end - model_blob);\n"
             "  if ((size_t)model_blob % 64) return 1;\n  return fwrite(model_blob, 1, n, stdout) != n;\n}\n");
  run_or_fail(EDGECONV_C_COMPILER, {"main.c", "model.S", "-o", "main"});
  const ProgramResult r = run_program(in("main"), {});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(r.out == read_file(blob_));
}

// The array in one file, its declaration and sizes in another, as firmware has them; the arena is for the dims that were asked.
TEST_F(ExportTest, HeaderDeclaresTheArray) {
  expect_success({EDGECONV_LANGID_MODEL, "-q", "-o", in("langid.ert"), "--precision", "int8"});
  const auto arena_at = [&](const std::string& sequence) {
    expect_success({"export", in("langid.ert"), "--format", "c", "-o", in("model.c"), "--header", in("model.h"), "--ops",
                    in("ops.inc"), "--dim", "batch=1", "--dim", "sequence=" + sequence});
    write_file(in("main.c"),
               "#include <stdio.h>\n#include \"model.h\"\nint main(void) {\n"
               "  printf(\"%u %u %u\", MODEL_ARENA_BYTES, MODEL_WORK_BYTES, (unsigned)sizeof model_blob == MODEL_BYTES);\n"
               "  return model_blob[0] != 'E';\n}\n");
    run_or_fail(EDGECONV_C_COMPILER, {"-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "model.c", "-o", "main"});
    const ProgramResult r = run_program(in("main"), {});
    EXPECT_EQ(r.exit_code, 0);
    unsigned arena = 0, work = 0, whole = 0;
    EXPECT_EQ(std::sscanf(r.out.c_str(), "%u %u %u", &arena, &work, &whole), 3);
    EXPECT_EQ(whole, 1u);
    EXPECT_GT(work, 0u);
    return arena;
  };
  EXPECT_LT(arena_at("32"), arena_at("128"));
  const std::string ops = read_file(in("ops.inc"));
  EXPECT_NE(ops.find("ERT_OP(9, Linear)"), std::string::npos) << ops;
  EXPECT_EQ(ops.find("Recurrence"), std::string::npos) << ops;
  expect_refusal({"export", in("langid.ert"), "--format", "c", "-o", in("x.c"), "--dim", "width=1"}, 2, {"width"});
}

TEST_F(ExportTest, TwoModelsInOneProgram) {
  for (const std::string name : {"vad", "Wake_2"}) {
    expect_success({"export", blob_, "--format", name == "vad" ? "c" : "incbin", "--name", name, "-o",
                    in(name + (name == "vad" ? ".c" : ".s")), "--header", in(name + ".h")});
  }
  write_file(
      in("main.c"),
      "#include \"vad.h\"\n#include \"Wake_2.h\"\n#include <string.h>\n"
      "int main(void) { return VAD_BYTES == WAKE_2_BYTES && VAD_ARENA_BYTES && VAD_WORK_BYTES && vad_blob != Wake_2_blob &&\n"
      "                        memcmp(vad_blob, Wake_2_blob, VAD_BYTES) == 0 ? 0 : 1; }\n");
  run_or_fail(EDGECONV_C_COMPILER, {"-o", "two", "main.c", "vad.c", "Wake_2.s"});
  EXPECT_EQ(run_program(in("two"), {}).exit_code, 0);
  for (const std::string name : {"2nd", "a-b", "a b", "\xc3\xa4"})
    expect_refusal({"export", blob_, "--format", "c", "--name=" + name, "-o", in("refused.c")}, kUsage, {"--name", "vad_blob"});
}

TEST_F(ExportTest, Refusals) {
  expect_refusal({"export", blob_, "--format", "elf", "-o", in("x")}, 2, {"--format", "incbin"});
  expect_refusal({"export", blob_, "--format", "c"}, 2, {"--output"});
  expect_refusal({"export", blob_, "--format", "c", "-o", in("missing/x.c")}, 6, {"missing/x.c"});
  expect_refusal({"export", in("nowhere.ert"), "--format", "c", "-o", in("x.c")}, 6, {"nowhere.ert"});
}

}  // namespace

}  // namespace edgeconv::testing
