// Proves: whatever names a blob and its file have, `edgeconv export` writes C, a header and assembler that the system's compiler takes without a warning, and that
// hold nothing but the blob. The compiler is asked for the first cases of a process (so that a found case replays), and then for one of 64.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "convert/cli/command.h"
#include "convert/cli/standard_output.h"
#include "convert/ir/diagnostics.h"
#include "rt/include/ert.h"
#include "tests/fuzz/blob_spec_reader.h"
#include "tests/fuzz/blob_mutator.h"
#include "tests/fuzz/exact_bytes.h"
#include "tests/fuzz/program_mutator.h"
#include "tests/fuzz/target.h"

namespace ert::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kAlwaysCompiled = 20, kOneIn = 64;

const fs::path& folder() {
  struct Folder {
    fs::path path;
    Folder() {
      std::string name = (fs::temp_directory_path() / "edgeconv_fuzz_XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) abort();
      path = name;
    }
    ~Folder() { fs::remove_all(path); }
  };
  static const Folder f;
  return f.path;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Comments, which may hold any text but their own end, are taken out; nothing of a name may be left.
std::string without_comments(const std::string& text) {
  std::string rest;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find("/*", at);
    rest += text.substr(at, open == std::string::npos ? open : open - at);
    if (open == std::string::npos) break;
    const size_t close = text.find("*/", open + 2);
    if (close == std::string::npos) finding("a comment without an end");
    if (text.substr(open, close - open).find('\n') != std::string::npos) finding("a comment of two lines");
    at = close + 2;
  }
  return rest;
}

void check_text(const std::string& text) {
  static constexpr const char* kWords = "#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_<>.()[]{}=+,;\" \n";
  const size_t foreign = without_comments(text).find_first_not_of(kWords);
  if (foreign != std::string::npos) finding("a character that the exporter does not write", static_cast<long long>(foreign));
  if (text.find('\\') != std::string::npos && text.find("\\\n") != std::string::npos) finding("a line that goes on in the next");
  if (text.find("?\?/") != std::string::npos) finding("a trigraph");
}

bool compiles(const fs::path& source) {
  const std::string out = (folder() / "out.o").string();
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder().c_str()) != 0) _exit(126);
    const char* standard = source.extension() == ".c" ? "-std=c99" : "-Wall";  // of which clang says that assembler has none
    execlp(ERT_FUZZ_C_COMPILER, ERT_FUZZ_C_COMPILER, standard, "-Wall", "-Wextra", "-Werror", "-c", source.c_str(), "-o",
           out.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int export_blob(const std::vector<std::string>& arguments) {
  const edgeconv::cli::Verb verbs[] = {{"export", "", edgeconv::cli::add_export}};
  return edgeconv::cli::run_command_line({"edgeconv", "", "", verbs}, arguments);
}

// The first input's name is the name of the file too.
std::string file_name(const ert_model& m) {
  ert_value_info v{};
  v.struct_size = sizeof v;
  std::string name = ert_model_input(&m, 0, &v) == ERT_OK ? v.name : "";
  for (char& c : name) c = c == '/' ? '-' : c;
  return "b" + name.substr(0, 40);
}

void run(const uint8_t* data, size_t bytes) {
  ExactBytes blob(bytes);
  if (bytes != 0) std::memcpy(blob.data(), data, bytes);
  ert_model m;
  if (ert_model_open(&m, blob.data(), bytes) != ERT_OK) return;
  const fs::path file = folder() / file_name(m), c = folder() / "out.c", h = folder() / "out.h", s = folder() / "out.s";
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  ert_dim_info d{};
  d.struct_size = sizeof d;
  std::vector<std::string> more;
  if (ert_model_dim(&m, 0, &d) == ERT_OK && d.name[0] != 0) more = {"--dim", std::string(d.name) + "=" + std::to_string(d.min)};
  try {
    std::vector<std::string> arguments{"export", "--format", "c", "-o", c.string(), "--header", h.string(), "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back(file.string());
    const int with_dim = export_blob(arguments);
    if (with_dim != 0) {
      fs::remove(file);
      return;  // the name is no name of the command line
    }
    if (export_blob({"export", "--format", "incbin", "-o", s.string(), "--force", file.string()}) != 0)
      finding("assembler is refused where C is not");
  } catch (const edgeconv::FatalError& e) {
    fs::remove(file);
    if (e.code() == edgeconv::ExitCode::kInternal) finding(e.what());
    return;
  }
  check_text(read(c));
  check_text(read(h));
  static int cases = 0;
  if (++cases <= kAlwaysCompiled || cases % kOneIn == 0) {
    if (!compiles(c)) finding("C that does not compile");
    std::ofstream(folder() / "header.c") << "#include \"out.h\"\nint unused(void);\nint unused(void) { return model_blob[0]; }\n";
    if (!compiles(folder() / "header.c")) finding("a header that does not compile");
    if (!compiles(s)) finding("assembler that is refused");
    if (fs::file_size(folder() / "out.o") < bytes) finding("assembler without the blob");
  }
  fs::remove(file);
}

// Names that mean something to a compiler, a shell or a terminal.
bool mutate(Bytes* bytes, RandomNumbers* r) {
  testing::BlobSpec spec;
  if (!read_spec(bytes->data(), bytes->size(), &spec)) return false;
  static constexpr const char* kParts[] = {"*/",      "/*",   "\\", "\n",           "\"", "\r", "?\?/", "#include",
                                           "\x1b[2J", "%s",   "//", "\xE2\x80\xA8", "a",  "b",  "\t",   "{}",
                                           "'",       "$(x)", ";",  "\xFF",         " "};
  const auto text = [&] {
    std::string s;
    for (int n = r->integer(0, 5); n > 0; --n) s += kParts[r->bits() % std::size(kParts)];
    return s;
  };
  switch (r->integer(0, 3)) {
    case 0:
      if (!spec.dim_names.empty()) spec.dim_names[0] = text();
      break;
    case 1:
      if (!spec.inputs.empty()) spec.inputs[0].name = text();
      break;
    case 2:
      if (!spec.outputs.empty()) spec.outputs[0].name = text();
      break;
    default: return mutate_blob(bytes, r);
  }
  const testing::AlignedBytes blob = spec.build();
  bytes->assign(blob.data(), blob.data() + blob.size());
  return true;
}

}  // namespace

const Target& target_export_compile() {
  static const Target target = {"export_compile", run, mutate};
  return target;
}

}  // namespace ert::fuzz
