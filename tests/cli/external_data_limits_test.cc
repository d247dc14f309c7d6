// What external data may cost: large files are mapped rather than read, files may be cut meanwhile, and little of a file cannot become much of a model.
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/cli/external_data_fixture.h"

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;

// Sizes are checked when the file is opened. When somebody cuts it later, the mapping faults: an I/O error, not a crash.
TEST_F(CliExternalDataTest, AFileThatIsCutMeanwhile) {
  write_file(in("w.bin"), bytes_[0] + std::string(size_t{128} << 20, 'x'));
  const std::string m = model({{{"location", "w.bin"}}});
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    if (!std::freopen(in("err").c_str(), "w", stderr)) _exit(99);
    const std::string out = in("new.ert");
    execl(EDGECONV_BINARY, "edgeconv", m.c_str(), "-o", out.c_str(), "--progress", "on", nullptr);
    _exit(98);
  }
  for (int i = 0; i < 20000 && (!fs::exists(in("err")) || fs::file_size(in("err")) == 0); ++i) usleep(500);
  fs::resize_file(in("w.bin"), 0);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  // 3 when it was cut before it was opened.
  EXPECT_TRUE(WEXITSTATUS(status) == kIo || WEXITSTATUS(status) == kMalformed) << read_file(in("err"));
  EXPECT_FALSE(fs::exists(in("new.ert")));
}

// Tensors of the same place count each time: this one asks for 100 times what it brings, in a file of 20 kB.
TEST_F(CliExternalDataTest, ManyTensorsOfOnePlaceAreRefused) {
  write_file(in("w.bin"), std::string(size_t{1} << 20, '\0'));
  for (const int tensors : {10, 100}) {
    ModelWriter w = layers();
    for (int i = 0; i < tensors; ++i) {
      auto* t = w.proto().mutable_graph()->add_initializer();
      t->set_name("t" + std::to_string(i)), t->set_data_type(kOnnxFloat), t->add_dims(int64_t{1} << 18);
      externalize(*t, {{"location", "w.bin"}});
    }
    write_file(in("m.onnx"), w.bytes());
    if (tensors == 10)
      expect_success({in("m.onnx"), "-q", "-o", in("m.ert")});
    else
      expect_refusal({in("m.onnx"), "-o", in("new.ert")}, kLimit, {"16 times", "same place"});
  }
}

// So does a file that has many names: each of them is hashed.
TEST_F(CliExternalDataTest, ManyNamesOfOneFileAreRefused) {
  write_file(in("w.bin"), std::string(size_t{1} << 20, '\0'));
  ModelWriter w = layers();
  for (size_t i = 0; i < 100; ++i) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name("t" + std::to_string(i)), t->set_data_type(kOnnxFloat), t->add_dims(1);
    externalize(*t, {{"location", "." + std::string(i, '/') + "/w.bin"}});
  }
  write_file(in("m.onnx"), w.bytes());
  expect_refusal({in("m.onnx"), "-o", in("new.ert")}, kLimit, {"16 times"});
}

// A file of no size on the disk has 2^40 bytes of zeros to read.
TEST_F(CliExternalDataTest, FilesThatAreLittleButHolesAreRefused) {
  write_file(in("w.bin"), bytes_[0]);
  fs::resize_file(in("w.bin"), uint64_t{1} << 40);
  if (run_program("sh", {"-c", "test $(stat -c %b \"$0\") -lt 1000", in("w.bin")}).exit_code != 0)
    GTEST_SKIP() << "no holes in this folder's files";
  const ProgramResult r = edgeconv({model({{{"location", "w.bin"}}}), "-o", in("new.ert")});
  EXPECT_EQ(r.exit_code, kLimit);
  EXPECT_NE(r.err.find("w.bin' has 1099511627776 bytes"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("holes"), std::string::npos) << r.err;
  EXPECT_FALSE(fs::exists(in("new.ert")));
  fs::resize_file(in("w.bin"), uint64_t{1} << 19);
  expect_success({in("m.onnx"), "-q", "-o", in("m.ert")});
}

// Parameters that nobody wrote cost what others cost: 64 MiB of them took 3.9 s and 876 MB, in a file of 119 bytes.
TEST_F(CliExternalDataTest, TensorsInHolesAreRefused) {
  const auto holes = [&](int files, int64_t bytes) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {"n", 1024});
    for (int i = 0; i < files; ++i) {
      const std::string number = std::to_string(i);
      write_file(in("w" + number), "");
      fs::resize_file(in("w" + number), static_cast<uint64_t>(bytes));
      auto* t = w.proto().mutable_graph()->add_initializer();
      t->set_name("t" + number), t->set_data_type(kOnnxFloat), t->add_dims(1024), t->add_dims(bytes / 4096);
      externalize(*t, {{"location", "w" + number}});
      w.output("y" + number, kOnnxFloat, {"n", bytes / 4096});
      w.node("MatMul", {"x", "t" + number}, {"y" + number});
    }
    write_file(in("m.onnx"), w.bytes());
  };
  holes(1, int64_t{1} << 19);
  if (run_program("sh", {"-c", "test $(stat -c %b \"$0\") -lt 1000", in("w0")}).exit_code != 0)
    GTEST_SKIP() << "no holes in this folder's files";
  EXPECT_LE(expect_success({in("m.onnx"), "-q", "-o", in("m.ert")}).peak_kb, (128 << 10) + kSanitizerKb);
  fs::remove(in("m.ert"));
  holes(1, int64_t{64} << 20);
  expect_refusal({in("m.onnx"), "-o", in("new.ert")}, kLimit,
                 {"w0' has 67108864 bytes, of which 0 are stored", "copy or export it again"});
  holes(3, int64_t{1} << 19);
  expect_refusal({in("m.onnx"), "-o", in("new.ert")}, kLimit, {"external data is little but holes", "copy or export it again"});
}

// More than 2 GiB of external data in a process that may have 256 MiB of memory of its own: the file is mapped, not read.
TEST_F(CliExternalDataTest, LargeFilesAreMapped) {
  if (!std::getenv("EDGECONV_LARGE_FILES")) GTEST_SKIP() << "runs in the full tier (writes 1.1 GiB, and reads as much of a hole)";
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's own memory is more than the limit";
#endif
  fs::create_directories(in("data"));
  const uint64_t far = (uint64_t{2200} << 20) - 4096;
  write_file(in("w.bin"), bytes_[0]);
  for (int i = 0; i < 1100; ++i)
    std::ofstream(in("w.bin"), std::ios::binary | std::ios::app) << std::string(size_t{1} << 20, 'x');
  fs::resize_file(in("w.bin"), uint64_t{2200} << 20);
  std::fstream file(in("w.bin"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(far));
  file.write(bytes_[2].data(), static_cast<std::streamsize>(bytes_[2].size()));
  ASSERT_TRUE(file.flush());
  ModelWriter w = layers();
  externalize(*w.proto().mutable_graph()->mutable_initializer(0), {{"location", "w.bin"}});
  externalize(*w.proto().mutable_graph()->mutable_initializer(2), {{"location", "w.bin"}, {"offset", std::to_string(far)}});
  write_file(in("m.onnx"), w.bytes());
  const ProgramResult limited =
      run_program("sh", {"-c", "ulimit -d 262144; exec \"$0\" \"$1\" -q -o \"$2\"", EDGECONV_BINARY, in("m.onnx"), in("m.ert")},
                  {{}, {"OPENBLAS_NUM_THREADS=1"}, -1, 0});
  EXPECT_EQ(limited.exit_code, 0) << limited.err;
  expect_same_as_inline(in("m.onnx"));
}

}  // namespace

}  // namespace edgeconv::testing
