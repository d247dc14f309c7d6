// Models with external data from outside: what is read, what is refused and with which exit code, what is never overwritten, and
// that large files are mapped rather than read.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "convert/onnx/tensor_file.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;

using Entries = std::vector<std::pair<std::string, std::string>>;

void externalize(pb::TensorProto& t, const Entries& entries) {
  t.clear_float_data();
  t.clear_raw_data();
  t.set_data_location(1);
  for (const auto& [key, value] : entries) {
    auto* e = t.add_external_data();
    e->set_key(key);
    e->set_value(value);
  }
}

std::string float_bytes(const pb::TensorProto& t) {
  std::string s(static_cast<size_t>(t.float_data_size()) * 4, '\0');
  std::memcpy(s.data(), t.float_data().data(), s.size());
  return s;
}

// x [batch, 16] -> MatMul w1 -> Add b1 -> MatMul w2 -> y [batch, 4]
ModelWriter layers() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 4});
  w.weights("w1", {16, 16});
  w.weights("b1", {16});
  w.weights("w2", {16, 4});
  w.node("MatMul", {"x", "w1"}, {"h"});
  w.node("Add", {"h", "b1"}, {"i"});
  w.node("MatMul", {"i", "w2"}, {"y"});
  return w;
}

class CliExternalDataTest : public CliTest {
 protected:
  void SetUp() override {
    ModelWriter w = layers();
    write_file(in("inline.onnx"), w.bytes());
    expect_success({in("inline.onnx"), "-q"});
    for (int i = 0; i < 3; ++i) bytes_.push_back(float_bytes(w.proto().graph().initializer(i)));
  }
  // layers() with its three tensors outside.
  std::string model(const std::vector<Entries>& entries) {
    ModelWriter w = layers();
    for (size_t i = 0; i < entries.size(); ++i)
      externalize(*w.proto().mutable_graph()->mutable_initializer(static_cast<int>(i)), entries[i]);
    write_file(in("m.onnx"), w.bytes());
    return in("m.onnx");
  }
  // The blob computes what the one of the model with inline data computes, bit for bit.
  void expect_same_as_inline(const std::string& path) {
    expect_success({path, "-q", "-o", in("m.ert")});
    write_file(in("data/input_0.pb"), float_tensor_file("x", {2, 16}, std::vector<float>(32, 0.25f)));
    for (const char* blob : {"inline", "m"})
      expect_success({"run", in(std::string(blob) + ".ert"), "--data", in("data"), "--out", in(std::string("out_") + blob)});
    EXPECT_EQ(read_file(in("out_m/output_0.pb")), read_file(in("out_inline/output_0.pb")));
  }
  std::vector<std::string> bytes_;
};

TEST_F(CliExternalDataTest, EveryLegalForm) {
  fs::create_directories(in("data"));
  fs::create_directories(in("deep/er"));
  // One file, page-aligned and not aligned at all; no length; sub-folder; spaces and UTF-8; checksum; mixed with inline data.
  const std::string page(4096, '\0'), odd(3, 'x');
  write_file(in("all.bin"), odd + bytes_[0] + odd + bytes_[1] + std::string(4096 - 6 - 1024 - 64, '\0') + bytes_[2]);
  expect_same_as_inline(model({{{"location", "all.bin"}, {"offset", "3"}, {"length", "1024"}},
                               {{"location", "./all.bin"}, {"offset", "1030"}},
                               {{"location", "all.bin"}, {"offset", "4096"}, {"length", "256"}}}));
  const std::string spaces = "deep/er/w 1.bin", utf8 = "gewicht \xc3\xbc\xe2\x82\xac.bin";
  write_file(in(spaces), bytes_[0]);
  write_file(in(utf8), bytes_[2]);
  expect_same_as_inline(model({{{"location", spaces}, {"checksum", "da39a3ee5e6b4b0d3255bfef95601890afd80709"}}}));
  ModelWriter w = layers();
  externalize(*w.proto().mutable_graph()->mutable_initializer(2), {{"location", utf8}});
  write_file(in("m.onnx"), w.bytes());
  expect_same_as_inline(in("m.onnx"));
}

// The onnx package ignores them with a warning, and ONNX Runtime writes some (prepacked weights).
TEST_F(CliExternalDataTest, UnknownEntriesAreIgnoredWithAWarning) {
  fs::create_directories(in("data"));
  write_file(in("w.bin"), bytes_[0]);
  const std::string m = model({{{"location", "w.bin"}, {"prepacked_0", "1024;1024"}, {"surprise", "1"}, {"surprise", "2"}}});
  expect_same_as_inline(m);
  const ProgramResult r = expect_success({m, "-q", "-o", in("m.ert")});
  EXPECT_NE(r.err.find("'prepacked_0' and 1 more"), std::string::npos) << r.err;
}

// Exporters on Windows write them. A file of that very name comes first.
TEST_F(CliExternalDataTest, BackslashesSeparateFoldersWhereNoFileHasTheName) {
  fs::create_directories(in("data"));
  fs::create_directories(in("deep"));
  write_file(in("deep/w.bin"), bytes_[0]);
  expect_same_as_inline(model({{{"location", "deep\\w.bin"}}}));
  write_file(in("deep\\w.bin"), bytes_[0]);
  write_file(in("deep/w.bin"), "");
  expect_same_as_inline(model({{{"location", "deep\\w.bin"}}}));
  expect_refusal({model({{{"location", "..\\w.bin"}}}), "-o", in("new.ert")}, kMalformed, {"'..'"});
  expect_refusal({model({{{"location", "absent\\w.bin"}}}), "-o", in("new.ert")}, kIo, {"absent"});
}

TEST_F(CliExternalDataTest, TensorsMayOverlapAndBeEmpty) {
  fs::create_directories(in("data"));
  write_file(in("w.bin"), bytes_[0]);
  const std::string m = model({{{"location", "w.bin"}},
                               {{"location", "w.bin"}, {"offset", "64"}, {"length", "64"}},
                               {{"location", "w.bin"}, {"offset", "32"}}});
  expect_success({m, "-q", "-o", in("m.ert")});
  ModelWriter w = layers();
  auto* empty = w.proto().mutable_graph()->add_initializer();
  empty->set_name("nothing");
  empty->set_data_type(kOnnxFloat);
  empty->add_dims(0);
  externalize(*empty, {{"location", "w.bin"}, {"offset", "1024"}, {"length", "0"}});
  write_file(in("m.onnx"), w.bytes());
  expect_same_as_inline(in("m.onnx"));
}

// Tensors of Constant nodes, in the main graph and in a function's body.
TEST_F(CliExternalDataTest, TensorsOfAttributes) {
  fs::create_directories(in("data"));
  write_file(in("b.bin"), bytes_[1]);
  for (const bool in_function : {false, true}) {
    ModelWriter w = layers();
    w.proto().mutable_graph()->mutable_initializer(1)->set_name("unused");
    auto* constant = w.proto().mutable_graph()->mutable_node()->Add();
    if (in_function) {
      w.opset("mine", 1);
      auto* f = w.proto().add_functions();
      f->set_name("Bias");
      f->set_domain("mine");
      f->add_output("value");
      auto* o = f->add_opset_import();
      o->set_version(17);
      constant->set_op_type("Bias");
      constant->set_domain("mine");
      constant->add_output("b1");
      constant = f->add_node();
      constant->add_output("value");
    } else {
      constant->add_output("b1");
    }
    constant->set_op_type("Constant");
    auto* a = constant->add_attribute();
    a->set_name("value");
    a->set_type(4);
    auto* t = a->mutable_t();
    t->set_data_type(kOnnxFloat);
    t->add_dims(16);
    externalize(*t, {{"location", "b.bin"}});
    auto* nodes = w.proto().mutable_graph()->mutable_node();
    for (int i = nodes->size() - 1; i > 0; --i) nodes->SwapElements(i, i - 1);
    write_file(in("m.onnx"), w.bytes());
    expect_same_as_inline(in("m.onnx"));
  }
}

TEST_F(CliExternalDataTest, HostileLocations) {
  TemporaryFolder elsewhere;
  write_file(elsewhere.path() / "secret", bytes_[0]);
  fs::create_symlink(elsewhere.path() / "secret", in("link"));
  fs::create_directory_symlink(elsewhere.path(), in("folder_link"));
  fs::create_symlink("/dev/zero", in("zero"));
  fs::create_directory(in("folder"));
  ASSERT_EQ(mkfifo(in("fifo").c_str(), 0600), 0);
  const std::string outside = (elsewhere.path() / "secret").string();
  const std::tuple<std::string, int, std::string> cases[] = {
      {outside, kMalformed, "absolute path"}, {"../" + elsewhere.path().filename().string() + "/secret", kMalformed, "'..'"},
      {"link", kMalformed, "symbolic link"},  {"folder_link/secret", kMalformed, "symbolic link"},
      {"zero", kMalformed, "symbolic link"},  {"", kMalformed, "is empty"},
      {"absent.bin", kIo, "absent.bin"},      {"folder", kIo, "directory"},
      {"fifo", kIo, "not a regular file"},
  };
  // expect_refusal reads every file, and a FIFO has no end: these look at the exit code and the words only.
  for (const auto& [location, code, word] : cases) {
    const ProgramResult r = edgeconv({model({{{"location", location}}}), "-o", in("new.ert")});
    EXPECT_EQ(r.exit_code, code) << location << r.err;
    EXPECT_NE(r.err.find(word), std::string::npos) << location << r.err;
    EXPECT_FALSE(fs::exists(in("new.ert"))) << location;
  }
}

TEST_F(CliExternalDataTest, HostileRanges) {
  write_file(in("w.bin"), bytes_[0]);
  const std::pair<Entries, const char*> cases[] = {
      {{{"offset", "-1"}}, "not a number"},
      {{{"offset", "1"}}, "beyond the end"},
      {{{"offset", "9223372036854775807"}}, "beyond the end"},
      {{{"offset", "18446744073709551616"}}, "not a number"},
      {{{"offset", "0x10"}}, "not a number"},
      {{{"length", "1023"}}, "needs 1024"},
      {{{"length", "1025"}}, "needs 1024"},
      {{{"length", "-1024"}}, "not a number"},
      {{{"offset", "0"}, {"offset", "0"}}, "'offset' twice"},
      {{{"location", "other.bin"}}, "'location' twice"},
  };
  for (const auto& [more, word] : cases) {
    Entries entries = {{"location", "w.bin"}};
    entries.insert(entries.end(), more.begin(), more.end());
    expect_refusal({model({entries}), "-o", in("new.ert")}, kMalformed, {"'w1'", word});
  }
  write_file(in("w.bin"), bytes_[0].substr(1));
  expect_refusal({model({{{"location", "w.bin"}}}), "-o", in("new.ert")}, kMalformed, {"'w1'", "cut off"});
}

// A hard link cannot be told from a file of the folder; package stores consist of them.
TEST_F(CliExternalDataTest, HardLinksAreReadWithAWarning) {
  TemporaryFolder elsewhere;
  write_file(in("w.bin"), bytes_[0]);
  fs::create_hard_link(in("w.bin"), in("second"));
  const std::string m = model({{{"location", "w.bin"}}});
  const ProgramResult r = expect_success({m, "-o", in("m.ert")});
  EXPECT_NE(r.err.find("'w.bin' has 2 hard links"), std::string::npos) << r.err;
  fs::remove(in("second"));
  EXPECT_EQ(expect_success({m, "-o", in("m.ert")}).err.find("hard links"), std::string::npos);
}

TEST_F(CliExternalDataTest, NothingThatIsReadIsReplaced) {
  write_file(in("w.ert"), bytes_[0]);
  const std::string m = model({{{"location", "w.ert"}}});
  expect_refusal({m, "-o", in("w.ert"), "--force"}, kUsage, {"w.ert", "external data", "-o"});
  expect_refusal({m, "--report", m}, kUsage, {"--report", "the model itself"});
  expect_refusal({m, "-o", in("new.ert"), "--report", in("./new.ert")}, kUsage, {"--report", "same name"});
  expect_refusal({m, "--report", folder_.path().string()}, kUsage, {"--report", "folder"});
  expect_refusal({m, "--report", in("r.html"), "--report", in("./r.html")}, kUsage, {"--report", "twice"});
  write_file(in("w.json"), bytes_[0]);
  ASSERT_EQ(model({{{"location", "w.json"}}}), m);
  expect_refusal({m, "--report", in("w.json")}, kUsage, {"w.json", "external data", "--report"});
  expect_refusal({m, "--report", in("r.json"), "--report", in("w.json")}, kUsage, {"w.json", "external data", "--report"});
}

// Sizes are checked when the file is opened. When somebody cuts it later, the mapping faults: an I/O error, not a crash.
TEST_F(CliExternalDataTest, AFileThatIsCutMeanwhile) {
  write_file(in("w.bin"), bytes_[0]);
  fs::resize_file(in("w.bin"), uint64_t{512} << 20);
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

// 3 GiB of external data in a process that may have 256 MiB of memory of its own: the file is mapped, not read.
TEST_F(CliExternalDataTest, LargeFilesAreMapped) {
  if (!std::getenv("EDGECONV_LARGE_FILES")) GTEST_SKIP() << "runs in the full tier (reads 3 GiB of a sparse file)";
  fs::create_directories(in("data"));
  const uint64_t far = (uint64_t{3} << 30) - 4096;
  write_file(in("w.bin"), bytes_[0]);
  fs::resize_file(in("w.bin"), uint64_t{3} << 30);
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
