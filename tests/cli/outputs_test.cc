// What an output may do to what is there: a device, a pipe, a link, an input, somebody's file.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "convert/files/npy.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;

class OutputsTest : public CliTest {
 protected:
  void SetUp() override {
    blob_ = small_blob();
    model_ = in("small.onnx");
    // As the default makes it.
    expect_success({model_, "-q"});
  }
  // A null device in the test's folder, since the machine's own must not be at stake; false where that is not allowed.
  bool make_device(const std::string& name, unsigned minor) {
    return mknod(in(name).c_str(), S_IFCHR | 0666, makedev(1, minor)) == 0 && access(in(name).c_str(), W_OK) == 0 &&
           open_and_close(name);
  }
  // What a command writes into a pipe.
  std::string through_pipe(const std::vector<std::string>& arguments) {
    const std::string path = in("pipe");
    fs::remove(path);
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::string bytes;
    std::thread reader([&] { bytes = read_file(path); });
    ProgramResult r = edgeconv(arguments);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    if (!fs::is_fifo(path)) {
      ADD_FAILURE() << "the pipe was replaced";
      // Lets the reader go, which waits at the old one.
      reader.detach();
      return "";
    }
    if (r.exit_code != 0) ::close(::open(path.c_str(), O_WRONLY));
    reader.join();
    return bytes;
  }
  ProgramResult shell(const std::string& script) { return run_program("sh", {"-c", script}, {folder_.path(), {}, -1, 0}); }
  std::string blob_, model_;

 private:
  bool open_and_close(const std::string& name) {
    const int file = ::open(in(name).c_str(), O_WRONLY);
    return file >= 0 && ::close(file) == 0;
  }
};

// Was found out when the conversion was done.
TEST_F(OutputsTest, AMissingFolderIsNamedBeforeTheWork) {
  const std::string missing = in("no/such/x.ert");
  const ProgramResult r = edgeconv({model_, "-o", missing, "-v"});
  EXPECT_EQ(r.exit_code, kIo);
  EXPECT_NE(r.err.find("there is no folder '" + in("no/such") + "'; make it"), std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("warning"), std::string::npos) << r.err;
  expect_refusal({"export", blob_, "--format", "c", "-o", in("no/x.c")}, kIo, {"-o", "no folder"});
  expect_success({"run", blob_, "--input", "x=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "--out", in("made/here")});
}

TEST_F(OutputsTest, AFullDeviceBehindADashIsStandardOutput) {
  for (const std::string& words :
       std::vector<std::string>{"small.onnx -q -o -", "small.onnx -q -o x.ert --report -", "export small.ert --format c -o -"}) {
    const ProgramResult r = shell(EDGECONV_BINARY " " + words + " > /dev/full");
    EXPECT_EQ(r.exit_code, kIo) << words;
    EXPECT_EQ(r.err, "error: cannot write to standard output: No space left on device\n") << words;
  }
}

TEST_F(OutputsTest, EndingsOfReportsMayBeInCapitals) {
  expect_success({model_, "-q", "--report", in("A.HTML"), "--report", in("B.JSON")});
  EXPECT_EQ(read_file(in("A.HTML")).rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_EQ(read_file(in("B.JSON")).rfind("{", 0), 0u);
}

TEST_F(OutputsTest, ADeviceStaysADevice) {
  if (!make_device("null", 3)) GTEST_SKIP() << "devices need root";
  expect_success({model_, "-q", "-o", in("null")});
  expect_success({model_, "-q", "--force", "-o", in("null"), "--report", in("null")});
  expect_success({"export", blob_, "--format", "c", "-o", in("null"), "--header", in("null"), "--ops", in("null")});
  EXPECT_TRUE(fs::is_character_file(in("null")));
  ASSERT_TRUE(make_device("full", 7));
  const ProgramResult r = edgeconv({model_, "-q", "-o", in("full")});
  EXPECT_EQ(r.exit_code, kIo);
  EXPECT_NE(r.err.find("No space left on device"), std::string::npos) << r.err;
  EXPECT_TRUE(fs::is_character_file(in("full")));
}

TEST_F(OutputsTest, APipeIsWrittenTo) {
  EXPECT_TRUE(through_pipe({model_, "-q", "-o", in("pipe")}) == read_file(blob_));
  EXPECT_TRUE(through_pipe({model_, "-q", "--force", "-o", in("pipe")}) == read_file(blob_));
  EXPECT_TRUE(through_pipe({"export", blob_, "--format", "bin", "-o", in("pipe")}) == read_file(blob_));
  EXPECT_EQ(nlohmann::json::parse(through_pipe({model_, "-q", "--report", in("pipe")})).at("version"), 1);
}

TEST_F(OutputsTest, ADashIsStandardOutput) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1"}) {
    const ProgramResult r = expect_success({model_, "-o", name}, {folder_.path(), {}, -1, 0});
    EXPECT_TRUE(r.out == read_file(blob_)) << name;
    EXPECT_NE(r.err.find("accuracy"), std::string::npos) << "the summary goes to stderr: " << r.err;
    EXPECT_FALSE(fs::exists(in("-")));
    EXPECT_TRUE(expect_success({"export", blob_, "--format", "bin", "-o", name}).out == read_file(blob_)) << name;
    const ProgramResult report = expect_success({model_, "-q", "--report", name});
    EXPECT_EQ(nlohmann::json::parse(report.out).at("version"), 1);
  }
  expect_refusal({model_, "-o", "-", "--json"}, kUsage, {"-o", "--json"});
  expect_refusal({model_, "-o", "-", "--report", "/dev/stdout"}, kUsage, {"-o", "--report"});
  expect_refusal({"export", blob_, "--format", "c", "-o", "-", "--header", "-"}, kUsage, {"-o", "--header"});
  const ProgramResult named = expect_success({model_, "-q", "--force", "-o", "./-"}, {folder_.path(), {}, -1, 0});
  EXPECT_TRUE(read_file(in("-")) == read_file(blob_)) << "./- is a file";
}

// The file behind stdout belongs to whoever opened it: what stands before must stay.
TEST_F(OutputsTest, StandardOutputIsAppendedTo) {
  const ProgramResult r =
      shell("echo head > log; " EDGECONV_BINARY " export small.ert --format hex -o /dev/stdout >> log; echo tail >> log");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const std::string log = read_file(in("log"));
  EXPECT_EQ(log.substr(0, 6), "head\n:");
  EXPECT_EQ(log.substr(log.size() - 6), "\ntail\n");
}

TEST_F(OutputsTest, LinksStayLinks) {
  fs::create_directory(in("store"));
  fs::create_symlink("store/real.ert", in("link.ert"));
  for (int i = 0; i < 2; ++i) {
    expect_success({model_, "-q", "-o", in("link.ert")});
    EXPECT_TRUE(fs::is_symlink(in("link.ert")));
    EXPECT_TRUE(read_file(in("store/real.ert")) == read_file(blob_));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(in("store")), fs::directory_iterator()), 1);
}

// The name of the link says nothing of the file that would go.
TEST_F(OutputsTest, ALinkToSomebodysFileIsNoBlob) {
  write_file(in("thesis.doc"), "four years of work");
  fs::create_symlink("thesis.doc", in("link.ert"));
  fs::create_symlink("thesis.doc", in("link.c"));
  expect_refusal({model_, "-q", "-o", in("link.ert")}, kUsage, {"link.ert", "thesis.doc", "--force"});
  expect_refusal({"export", blob_, "--format", "c", "-o", in("link.c")}, kUsage, {"link.c", "thesis.doc", "--force"});
}

TEST_F(OutputsTest, NeverTheInput) {
  fs::create_hard_link(blob_, in("hard.ert"));
  fs::create_symlink("small.ert", in("soft.h"));
  for (const char* name : {"small.ert", "hard.ert", "soft.h", "./small.ert"}) {
    for (const char* format : {"c", "bin", "hex", "incbin"})
      expect_refusal({"export", blob_, "--format", format, "-o", in(name), "--force"}, kUsage, {"the blob itself", "-o"});
    expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), "--header", in(name), "--force"}, kUsage,
                   {"the blob itself", "--header"});
    expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), "--ops", in(name), "--force"}, kUsage,
                   {"the blob itself", "--ops"});
  }
  fs::create_hard_link(model_, in("model.ert"));
  fs::create_symlink("small.onnx", in("model.json"));
  expect_refusal({model_, "-o", in("model.ert"), "--force"}, kUsage, {"the model itself", "-o"});
  expect_refusal({model_, "--report", in("model.json"), "--force"}, kUsage, {"the model itself", "--report"});
  // Nor through a descriptor that the shell opened.
  const std::string before = read_file(blob_);
  EXPECT_EQ(shell(EDGECONV_BINARY " export small.ert --format hex -o - >> small.ert").exit_code, kUsage);
  EXPECT_TRUE(read_file(blob_) == before);
}

TEST_F(OutputsTest, NeverTheDataOfCalibration) {
  fs::create_directory(in("calib"));
  write_npy(in("calib/x.npy"), Tensor(DType::kFloat, {4, 16}));
  fs::create_symlink("calib/x.npy", in("x.ert"));
  for (const char* calib : {"calib", "calib/x.npy"}) {
    expect_refusal({model_, "--calib", in(calib), "-o", in("calib/x.npy"), "--force"}, kUsage, {"--calib", "-o"});
    expect_refusal({model_, "--calib", in(calib), "-o", in("x.ert"), "--force"}, kUsage, {"--calib", "-o"});
  }
}

TEST_F(OutputsTest, RunKeepsItsInputsAndAllOutputs) {
  fs::create_directory(in("result"));
  write_npy(in("result/y.npy"), Tensor(DType::kFloat, {2, 16}));
  expect_refusal({"run", blob_, "--input", "x=" + in("result/y.npy"), "--out", in("result")}, kUsage, {"y.npy", "an input"});
  fs::rename(in("result/y.npy"), in("result/x.npy"));
  for (int i = 0; i < 2; ++i) expect_success({"run", blob_, "--input", "x=" + in("result/x.npy"), "--out", in("result")});
  write_file(in("data.pb"), float_tensor_file("x", {1, 16}, std::vector<float>(16)));
  fs::rename(in("data.pb"), in("result/input_0.pb"));
  for (int i = 0; i < 2; ++i) expect_success({"run", blob_, "--data", in("result"), "--out", in("result")});
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  for (const char* y : {"a/b", "a:b"}) {
    w.node("Relu", {"x"}, {y});
    w.output(y, kOnnxFloat, {"batch", 16});
  }
  write_file(in("two.onnx"), w.bytes());
  expect_success({in("two.onnx"), "-q"});
  expect_refusal({"run", in("two.ert"), "--input", "x=" + in("result/x.npy"), "--out", in("other")}, kUsage,
                 {"a_b.npy", "twice"});
}

TEST_F(OutputsTest, TwoOutputsDoNotShareAName) {
  const TemporaryFolder links;
  const std::string link = (links.path() / "b.h").string();
  fs::create_symlink(in("a.c"), link);
  for (const std::string& name : {in("a.c"), in("./a.c"), link}) {
    expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), "--header", name}, kUsage, {"-o", "--header"});
    expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), "--ops", name}, kUsage, {"-o", "--ops"});
  }
  expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), "--header", in("h"), "--ops", in("h")}, kUsage, {"--ops"});
  EXPECT_EQ(shell(EDGECONV_BINARY " small.onnx --json -o new.ert > new.ert").exit_code, kUsage);
}

TEST_F(OutputsTest, ExportsReplaceTheirOwnKindOnly) {
  write_file(in("notes.txt"), "mine");
  for (const char* format : {"c", "incbin", "hex", "bin"})
    expect_refusal({"export", blob_, "--format", format, "-o", in("notes.txt")}, kUsage, {"notes.txt", "--force"});
  expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), "--header", in("notes.txt")}, kUsage,
                 {"notes.txt", "--force"});
  expect_refusal({"export", blob_, "--format", "c", "-o", in("a.c"), "--ops", in("notes.txt")}, kUsage, {"notes.txt", "--force"});
  expect_success({"export", blob_, "--format", "c", "-o", in("notes.txt"), "--force"});
  EXPECT_NE(read_file(in("notes.txt")).find("model_blob"), std::string::npos);
  // Builds export again, to whatever name they like.
  const std::vector<std::pair<const char*, const char*>> names = {{"c", "model.c"},  {"c", "blob.data"},   {"incbin", "model.S"},
                                                                  {"incbin", "asm"}, {"hex", "model.HEX"}, {"bin", "model.bin"},
                                                                  {"bin", "image"}};
  for (const auto& [format, name] : names)
    for (int i = 0; i < 2; ++i)
      expect_success({"export", blob_, "--format", format, "-o", in(name), "--header", in("sizes"), "--ops", in("ops")});
}

// Its mark pointed to a string that had gone, and had a line feed that was looked for before the end of the line.
TEST_F(OutputsTest, Uf2IsExportedAgainUnderAnyName) {
  const std::vector<std::string> arguments = {"export", blob_, "--format", "uf2", "-o", in("firmware"), "--address", "0x10100000"};
  for (int i = 0; i < 2; ++i) expect_success(arguments);
  write_file(in("firmware"), "UF2 is a format\n");
  expect_refusal(arguments, kUsage, {"firmware", "--force"});
}

TEST_F(OutputsTest, ReportsAreNamedByWhatTheyAre) {
  write_file(in("notes.txt"), "mine");
  for (const char* name : {"notes.txt", "new.txt", "report"})
    expect_refusal({model_, "-q", "--report", in(name)}, kUsage, {name, ".html", ".json", "--force"});
  expect_success({model_, "-q", "--force", "--report", in("notes.txt")});
  EXPECT_EQ(read_file(in("notes.txt")).front(), '{');
  for (int i = 0; i < 2; ++i) expect_success({model_, "-q", "--report", in("r.json"), "--report", in("r.html")});
}

TEST_F(OutputsTest, ASizeLimitLeavesNothing) {
  const ProgramResult r = shell("ulimit -f 1; exec " EDGECONV_BINARY " small.onnx -q -o o.ert");
  EXPECT_EQ(r.exit_code, kIo);
  EXPECT_NE(r.err.find("o.ert"), std::string::npos) << r.err;
  EXPECT_EQ(folder_.listing(), (std::vector<std::string>{"small.ert", "small.onnx"}));
}

TEST_F(OutputsTest, SignalsEndItWithOneLineAndNothingLeft) {
  for (const char* signal : {"HUP", "TERM"}) {
    const ProgramResult r =
        shell(std::string(EDGECONV_BINARY " " EDGECONV_LANGID_MODEL " --progress on -o o.ert 2> ../err-$$ & ") +
              "while [ ! -s ../err-$$ ]; do sleep 0.02; done; kill -" + signal +
              " $!; wait $!; code=$?; tail -n 1 ../err-$$; rm ../err-$$; exit $code");
    EXPECT_EQ(r.exit_code, 130) << signal;
    EXPECT_NE(r.out.find("interrupted"), std::string::npos) << r.out;
    EXPECT_EQ(folder_.listing(), (std::vector<std::string>{"small.ert", "small.onnx"}));
  }
}

// /dev/full takes nothing.
TEST_F(OutputsTest, AFailedWriteOfStandardOutputIsAnError) {
  for (const char* command :
       {"inspect small.onnx", "inspect small.onnx --json", "inspect small.ert", "inspect small.ert --json", "verify small.ert",
        "supported-ops", "supported-ops --json", "validate small.onnx small.ert", "validate small.onnx small.ert --json",
        "small.onnx -q --json", "small.onnx -q -o -", "small.onnx -q --report -", "export small.ert --format c -o -", "--help",
        "convert --help", "--version"}) {
    const ProgramResult r = shell(std::string(EDGECONV_BINARY " ") + command + " > /dev/full");
    EXPECT_EQ(r.exit_code, 6) << command << r.err;
    EXPECT_NE(r.err.find("No space left on device"), std::string::npos) << command << r.err;
    EXPECT_EQ(r.err.find('\n'), r.err.size() - 1) << command << " says more than one line: " << r.err;
  }
  const ProgramResult closed = shell("{ " EDGECONV_BINARY " supported-ops; echo $? >&2; } | :");
  EXPECT_TRUE(closed.err == "0\n" || closed.err.find("Broken pipe\n6\n") != std::string::npos) << closed.err;
}

}  // namespace

}  // namespace edgeconv::testing
