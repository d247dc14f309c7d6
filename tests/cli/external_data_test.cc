// Models with external data from outside: what is read, what is refused and with which exit code, what is never overwritten.
#include <cstring>
#include <fstream>

#include "tests/cli/external_data_fixture.h"

namespace edgeconv::testing {

namespace {

namespace fs = std::filesystem;

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
  expect_refusal({m, "--report", in("w.json"), "--force"}, kUsage, {"w.json", "external data", "--report"});
  expect_refusal({m, "--report", in("r.json"), "--report", in("w.json"), "--force"}, kUsage,
                 {"w.json", "external data", "--report"});
}

}  // namespace

}  // namespace edgeconv::testing
