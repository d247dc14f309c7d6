// Writing of outputs: where names lead, and that nothing half written is ever found under a name.
#include "convert/files/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "convert/files/output_place.h"
#include "convert/ir/diagnostics.h"

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;
using Kind = OutputPlace::Kind;

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/edgeconv-atomic-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = fs::canonical(name);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string in(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }
  // Writes far more than a file may have, in a process of its own; the signal ends it in the midst. Returns that signal.
  int killed_while_writing(Temporary how, void (*handler)(int)) {
    const pid_t pid = fork();
    if (pid == 0) {
      const rlimit small{4096, 4096};
      if (setrlimit(RLIMIT_FSIZE, &small) != 0) _exit(9);
      std::signal(SIGXFSZ, handler);
      const std::string data(1 << 20, 'x');
      write_file_atomically(in("o.ert"), data.data(), data.size(), how);
      _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
  }
  fs::path folder_;
};

TEST_F(AtomicFileTest, BothWaysMakeAndReplaceAndFollowTheUmask) {
  for (const Temporary how : {Temporary::kUnnamed, Temporary::kNamed}) {
    const std::string path = in("f");
    const mode_t before = umask(027);
    write_file_atomically(path, "old", 3, how);
    umask(before);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
    write_file_atomically(path, "newer", 5, how);
    EXPECT_EQ(content(path), "newer");
    EXPECT_EQ(files(), 1u) << "nothing else was left";
    EXPECT_THROW(write_file_atomically(in("none/f"), "x", 1, how), FatalError);
    EXPECT_THROW(write_file_atomically(folder_.string(), "x", 1, how), FatalError);
    fs::remove(path);
  }
}

TEST_F(AtomicFileTest, ALongNameIsNoObstacle) {
  const std::string path = in(std::string(255, 'n'));
  for (const Temporary how : {Temporary::kUnnamed, Temporary::kNamed})
    for (const char* text : {"one", "two"}) {
      write_file_atomically(path, text, 3, how);
      EXPECT_EQ(content(path), text);
    }
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, AKilledWriteLeavesNothing) {
  write_file_atomically(in("probe"), "x", 1);
  fs::remove(in("probe"));
  EXPECT_EQ(killed_while_writing(Temporary::kUnnamed, SIG_DFL), SIGXFSZ);
  EXPECT_EQ(files(), 0u);
  // The canary: the same with a named temporary file.
  EXPECT_EQ(killed_while_writing(Temporary::kNamed, SIG_DFL), SIGXFSZ);
  EXPECT_EQ(files(), 1u) << "the test cannot see what is left";
}

TEST_F(AtomicFileTest, ASignalHandlerRemovesANamedTemporary) {
  const auto handler = [](int) {
    remove_unfinished_file();
    _exit(42);
  };
  EXPECT_EQ(killed_while_writing(Temporary::kNamed, handler), -42);
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, LinksLeadToTheirEnds) {
  fs::create_directory(in("deep"));
  fs::create_symlink("deep/b", in("a"));
  fs::create_symlink("../c", in("deep/b"));
  write_file_atomically(in("a"), "made", 4);
  EXPECT_EQ(content(in("c")), "made") << "a link to nothing: the file that it names is made";
  write_file_atomically(in("a"), "again", 5);
  EXPECT_EQ(content(in("c")), "again");
  EXPECT_TRUE(fs::is_symlink(in("a")) && fs::is_symlink(in("deep/b")) && !fs::is_symlink(in("c")));
  fs::create_symlink("loop", in("loop"));
  EXPECT_THROW(write_file_atomically(in("loop"), "x", 1), FatalError);
}

TEST_F(AtomicFileTest, DescriptorsAreNotFollowedToTheirNames) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_EQ(output_place(name).kind, Kind::kDescriptor) << name;
    EXPECT_EQ(output_place(name).descriptor, 1) << name;
  }
  EXPECT_EQ(output_place("/dev/stderr").descriptor, 2);
  EXPECT_EQ(output_place("./-").kind, Kind::kNew);
  const std::string path = in("appended");
  write_file_atomically(path, "head ", 5);
  std::FILE* file = std::fopen(path.c_str(), "ab");
  const std::string name = "/dev/fd/" + std::to_string(fileno(file));
  write_file_atomically(name, "tail", 4);
  std::fclose(file);
  EXPECT_EQ(content(path), "head tail");
  EXPECT_THROW(write_file_atomically("/dev/fd/9999", "x", 1), FatalError);
}

TEST_F(AtomicFileTest, PlacesAreComparedByWhatTheyAre) {
  write_file_atomically(in("f"), "x", 1);
  fs::create_hard_link(in("f"), in("hard"));
  fs::create_symlink("f", in("soft"));
  EXPECT_TRUE(same_place(output_place(in("f")), output_place(in("hard"))));
  EXPECT_TRUE(same_place(output_place(in("soft")), output_place(in("hard"))));
  EXPECT_TRUE(same_place(output_place(in("new")), output_place(in("./x/../new"))));
  EXPECT_FALSE(same_place(output_place(in("new")), output_place(in("f"))));
  EXPECT_TRUE(same_place(output_place("-"), output_place("/dev/stdout")));
  EXPECT_FALSE(same_place(output_place("/dev/null"), output_place("/dev/null")));
}

}  // namespace

}  // namespace edgeconv::testing
