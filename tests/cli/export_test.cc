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
  run_or_fail(EDGECONV_C_COMPILER,
              {"main.c", "model.S", "-Wl,--fatal-warnings", "-o", "main"});  // warns of a stack that is executable
  const ProgramResult r = run_program(in("main"), {});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(r.out == read_file(blob_));
}

// Two models in one program, as C and as C++: an array of C++ is local unless it is declared extern.
TEST_F(ExportTest, SeveralModelsInOneProgramAsCAndAsCxx) {
  expect_success({"export", blob_, "--format", "c", "-o", in("first.c"), "--header", in("first.h"), "--name", "first"});
  expect_success({"export", blob_, "--format", "incbin", "-o", in("second.S"), "--header", in("second.h"), "--name", "Wake_2"});
  for (const char* file : {"first.c", "first.h"}) {
    for (const char* symbol : {"model_blob", "MODEL_B", "MODEL_A", "MODEL_W"})
      EXPECT_EQ(read_file(in(file)).find(symbol), std::string::npos) << file << " " << symbol;
  }
  write_file(in("main.c"),
             "#include <stdio.h>\n#include \"first.h\"\n#include \"second.h\"\nint main(void) {\n"
             "  if (FIRST_ARENA_BYTES != WAKE_2_ARENA_BYTES || FIRST_WORK_BYTES == 0 || first_blob_end - first_blob != "
             "FIRST_BYTES) return 1;\n"
             "  if (fwrite(first_blob, 1, FIRST_BYTES, stdout) != FIRST_BYTES) return 2;\n"
             "  return fwrite(Wake_2_blob, 1, WAKE_2_BYTES, stdout) != WAKE_2_BYTES;\n}\n");
  for (const char* language : {"c", "c++"}) {
    run_or_fail(EDGECONV_C_COMPILER,
                {"-x", language, "-Wall", "-Wextra", "-Werror", "main.c", "first.c", "-x", "none", "second.S", "-o", "main"});
    const ProgramResult r = run_program(in("main"), {});
    EXPECT_EQ(r.exit_code, 0) << language;
    EXPECT_TRUE(r.out == read_file(blob_) + read_file(blob_)) << language;
  }
  for (const char* name : {"", "2nd", "a-b", "a b", "x;y", "a\"b", "\xc3\xa4"})
    expect_refusal({"export", blob_, "--format", "c", "-o", in("x.c"), "--name", name}, 2,
                   {"--name", "C identifier", "vad_blob"});
}

TEST_F(ExportTest, NamesThatCOrCxxKeepForThemselvesAreRefused) {
  for (const char* name : {"int", "class", "restrict", "xor_eq", "co_await", "typeof"})
    expect_refusal({"export", blob_, "--format", "c", "-o", in("x.c"), "--name", name}, 2, {"--name", name, "keyword"});
  for (const char* name : {"_", "_vad", "_Vad", "__x", "vad_", "v__ad"})
    expect_refusal({"export", blob_, "--format", "incbin", "-o", in("x.S"), "--name", name}, 2, {"--name", name, "reserves"});
  for (const char* name : {"Int", "classes", "a_b", "v2_1"})
    expect_success({"export", blob_, "--format", "c", "-o", in("x.c"), "--name", name});
}

TEST_F(ExportTest, HexAtAnAddressNamesIt) {
  expect_success({"export", blob_, "--format", "hex", "-o", in("model.hex"), "--address", "0x0800ffc0"});
  const std::string text = read_file(in("model.hex"));
  EXPECT_EQ(text.rfind(":020000040800F2\n:20FFC000", 0), 0u) << text.substr(0, 40);
  EXPECT_NE(text.find(":020000040801F1\n:20000000"), std::string::npos);  // the next 64 KiB
  for (const char* address : {"x", "-64", "0x1_0", "100", "0x100000000", "0xffffffc0"})
    expect_refusal({"export", blob_, "--format", "hex", "-o", in("x.hex"), "--address", address}, 2, {"--address"});
  expect_refusal({"export", blob_, "--format", "bin", "-o", in("x.bin"), "--address", "64"}, 2, {"--address", "bin"});
}

TEST_F(ExportTest, SRecordsHoldTheBlob) {
  expect_success({"export", blob_, "--format", "srec", "-o", in("model.srec"), "--address", "0x10000"});
  std::string bytes, last;
  const std::string text = read_file(in("model.srec"));
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    last = text.substr(at, end - at);
    at = end + 1;
    std::vector<unsigned> b;
    for (size_t i = 2; i + 1 < last.size(); i += 2)
      b.push_back(static_cast<unsigned>(std::strtoul(last.substr(i, 2).c_str(), nullptr, 16)));
    unsigned sum = 0;
    for (unsigned v : b) sum += v;
    EXPECT_EQ(sum & 255, 255u) << last;
    EXPECT_EQ(b.size(), b[0] + 1u) << last;
    if (last[1] != '3') continue;
    EXPECT_EQ(b[1] << 24 | b[2] << 16 | b[3] << 8 | b[4], 0x10000 + bytes.size());
    for (size_t i = 5; i + 1 < b.size(); ++i) bytes += static_cast<char>(b[i]);
  }
  EXPECT_EQ(text.rfind("S0", 0), 0u);
  EXPECT_EQ(last.rfind("S70500010000", 0), 0u) << last;
  EXPECT_TRUE(bytes == read_file(blob_));
}

TEST_F(ExportTest, Uf2BlocksHoldTheBlob) {
  expect_success(
      {"export", blob_, "--format", "uf2", "-o", in("model.uf2"), "--address", "0x10100000", "--uf2-family", "0xe48bff56"});
  const std::string text = read_file(in("model.uf2")), blob = read_file(blob_);
  const auto word = [&](size_t at) {
    uint32_t w = 0;
    for (int i = 3; i >= 0; --i) w = w << 8 | static_cast<unsigned char>(text[at + static_cast<size_t>(i)]);
    return w;
  };
  const size_t blocks = (blob.size() + 255) / 256;
  ASSERT_EQ(text.size(), 512 * blocks);
  std::string bytes;
  for (size_t k = 0; k < blocks; ++k) {
    const uint32_t header[] = {0x0A324655,
                               0x9E5D5157,
                               0x2000,
                               static_cast<uint32_t>(0x10100000 + 256 * k),
                               256,
                               static_cast<uint32_t>(k),
                               static_cast<uint32_t>(blocks),
                               0xe48bff56};
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(word(512 * k + 4 * i), header[i]) << k << " " << i;
    EXPECT_EQ(word(512 * k + 508), 0x0AB16F30u);
    bytes += text.substr(512 * k + 32, 256);
  }
  EXPECT_TRUE(bytes.substr(0, blob.size()) == blob);
  EXPECT_EQ(bytes.find_first_not_of('\0', blob.size()), std::string::npos);
  expect_refusal({"export", blob_, "--format", "hex", "-o", in("x.hex"), "--uf2-family", "1"}, 2, {"--uf2-family"});
  // Bootloaders write whole pages of 256 bytes.
  expect_refusal({"export", blob_, "--format", "uf2", "-o", in("x.uf2"), "--address", "0x10100040"}, 2, {"--address", "256"});
  expect_refusal({"export", blob_, "--format", "uf2", "-o", in("x.uf2"), "--uf2-family", "rp2040"}, 2,
                 {"--uf2-family", "rp2040"});
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

TEST_F(ExportTest, Refusals) {
  expect_refusal({"export", blob_, "--format", "elf", "-o", in("x")}, 2, {"--format", "incbin"});
  expect_refusal({"export", blob_, "--format", "c"}, 2, {"--output"});
  expect_refusal({"export", blob_, "--format", "c", "-o", in("missing/x.c")}, 6, {"missing/x.c"});
  expect_refusal({"export", in("nowhere.ert"), "--format", "c", "-o", in("x.c")}, 6, {"nowhere.ert"});
}

}  // namespace

}  // namespace edgeconv::testing
