// Files that cannot be converted: the exit code says which kind of problem it is, the message what to do, and no output appears.
#include <unistd.h>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

TEST_F(CliTest, EmptyFile) {
  write_file(in("empty.onnx"), "");
  expect_refusal({in("empty.onnx")}, kMalformed, {"empty.onnx", "empty"});
}

TEST_F(CliTest, PngFile) {
  write_file(in("p.onnx"), std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde", 33));
  expect_refusal({in("p.onnx")}, kMalformed, {"p.onnx", "not an ONNX model", "picture"});
}

TEST_F(CliTest, TextFile) {
  write_file(in("notes.onnx"), "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 132\n");
  expect_refusal({in("notes.onnx")}, kMalformed, {"notes.onnx", "LFS"});
  write_file(in("page.onnx"), "<!DOCTYPE html><html><body>404 not found</body></html>");
  expect_refusal({in("page.onnx")}, kMalformed, {"page.onnx"});
}

TEST_F(CliTest, TruncatedModels) {
  const std::string whole = small_model();
  for (size_t part = 1; part < 24; ++part) {
    const size_t bytes = whole.size() * part / 24;
    write_file(in("cut.onnx"), whole.substr(0, bytes));
    SCOPED_TRACE("cut to " + std::to_string(bytes) + " of " + std::to_string(whole.size()));
    expect_refusal({in("cut.onnx")}, kMalformed, {"cut.onnx"});
  }
  for (size_t missing = 1; missing <= 4; ++missing) {
    write_file(in("cut.onnx"), whole.substr(0, whole.size() - missing));
    SCOPED_TRACE("without the last " + std::to_string(missing) + " bytes");
    expect_refusal({in("cut.onnx")}, kMalformed, {"cut.onnx"});
  }
}

TEST_F(CliTest, TruncatedRealModel) {
  const std::string whole = read_file(EDGECONV_LANGID_MODEL);
  for (size_t part = 1; part < 8; ++part) {
    write_file(in("cut.onnx"), whole.substr(0, whole.size() * part / 8));
    expect_refusal({in("cut.onnx")}, kMalformed, {"cut.onnx"});
  }
}

// A pool behind an unknown operator has no rank to know, which is no problem of its own: two lines would be mended, one of them in vain.
TEST_F(CliTest, WhatFollowsFromAnotherProblemIsNotListed) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 3, 8, 8});
  w.output("y", kOnnxFloat, {"batch", 3, 1, 1});
  w.opset("my.ops", 1);
  w.node("Unknown", {"x"}, {"u"}, "my.ops");
  w.node("Relu", {"u"}, {"r"});
  w.node("GlobalAveragePool", {"r"}, {"y"});
  write_file(in("pool.onnx"), w.bytes());
  expect_refusal({in("pool.onnx")}, kUnsupported, {"1 operator is not supported (1 node)", "my.ops::Unknown"});
}

// What a body reads of the graph around it follows from nothing: the pool in it is the cause, and was left out.
TEST_F(CliTest, AProblemInABodyIsListed) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 3, 8, 8});
  w.input("which", kOnnxBool, {1});
  w.output("y", kOnnxFloat, {"batch", 3, 1, 1});
  w.node("Relu", {"x"}, {"r"});
  pb::NodeProto& choice = w.node("If", {"which"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    auto* a = choice.add_attribute();
    a->set_name(branch);
    a->set_type(5);  // GRAPH
    auto* n = a->mutable_g()->add_node();
    n->set_op_type("GlobalAveragePool"), n->add_input("r"), n->add_output(branch);
    a->mutable_g()->add_output()->set_name(branch);
  }
  write_file(in("if.onnx"), w.bytes());
  expect_refusal({in("if.onnx")}, kUnsupported, {"GlobalAveragePool", "the rank of its input is not known"});
  // Where the value has no rank for the sake of another problem, that is told alone.
  w.proto().mutable_graph()->mutable_node(0)->set_op_type("Unknown");
  w.proto().mutable_graph()->mutable_node(0)->set_domain("my.ops");
  w.opset("my.ops", 1);
  write_file(in("if.onnx"), w.bytes());
  expect_refusal({in("if.onnx")}, kUnsupported, {"1 operator is not supported (1 node)", "my.ops::Unknown"});
}

TEST_F(CliTest, AllUnsupportedOperatorsAreListed) {
  write_file(in("two.onnx"), model_with_two_problems());
  expect_refusal({in("two.onnx")}, kUnsupported, {"NonZero", "find_active", "my.ops::SecretSauce", "sauce"});
}

TEST_F(CliTest, CustomOperatorOfTheFixtures) {
  ModelWriter w;
  w.opset("com.example", 1);
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 16});
  w.node("Inverse", {"x"}, {"y"}, "com.example");
  write_file(in("custom.onnx"), w.bytes());
  expect_refusal({in("custom.onnx"), "-o", in("custom.ert")}, kUnsupported, {"com.example::Inverse"});
}

TEST_F(CliTest, MissingFile) { expect_refusal({in("nowhere.onnx")}, kIo, {"nowhere.onnx", "No such file"}); }

TEST_F(CliTest, FolderAsModel) {
  std::filesystem::create_directory(in("folder.onnx"));
  expect_refusal({in("folder.onnx")}, kIo, {"folder.onnx"});
}

TEST_F(CliTest, OutputInMissingFolder) {
  write_file(in("small.onnx"), small_model());
  expect_refusal({in("small.onnx"), "-o", in("missing/out.ert")}, kIo, {"missing/out.ert"});
}

TEST_F(CliTest, OutputInReadOnlyFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  write_file(in("small.onnx"), small_model());
  std::filesystem::create_directory(in("locked"));
  std::filesystem::permissions(in("locked"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  expect_refusal({in("small.onnx"), "-o", in("locked/out.ert")}, kIo, {"locked/out.ert", "ermission"});
}

TEST_F(CliTest, MissingExternalData) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 4});
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name("w");
  t->set_data_type(kOnnxFloat);
  t->add_dims(16);
  t->add_dims(4);
  t->set_data_location(1);
  auto* location = t->add_external_data();
  location->set_key("location");
  location->set_value("weights.bin");
  w.node("MatMul", {"x", "w"}, {"y"});
  write_file(in("external.onnx"), w.bytes());
  expect_refusal({in("external.onnx")}, kIo, {"weights.bin"});
  location->set_value("../secret.bin");
  write_file(in("external.onnx"), w.bytes());
  expect_refusal({in("external.onnx")}, kMalformed, {"../secret.bin"});
}

TEST_F(CliTest, LimitsFailInsteadOfWriting) {
  write_file(in("small.onnx"), small_model());
  expect_refusal({in("small.onnx"), "--flash-limit", "100"}, kLimit, {"--flash-limit", "100"});
  expect_refusal({in("small.onnx"), "--arena-limit", "10"}, kLimit, {"--arena-limit", "10", "--dim"});
}

// The runtime refused the blob, by some names of dims with exit 1.
TEST_F(CliTest, AnInputThatNobodyReadsMayNotBeTooLarge) {
  for (const char* last : {"m", "-(-n//2)"}) {
    ModelWriter w;
    w.input("x", kOnnxInt64, {"b", "a", "?", "s"});
    w.input("unread", kOnnxBool, {"s", "n", int64_t{1} << 20, last});
    w.output("size", kOnnxInt64, {});
    w.node("Size", {"x"}, {"size"});
    write_file(in("m.onnx"), w.bytes());
    expect_refusal({in("m.onnx"), "-o", in("m.ert")}, kLimit, {"input 'unread' is", "2^31 - 1 elements"});
  }
}

}  // namespace

}  // namespace edgeconv::testing
