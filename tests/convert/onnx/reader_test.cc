// What is not an ONNX file, or a damaged one, is refused with the right code and advice, and never crashes.
#include "convert/onnx/reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "convert/files/sha256.h"
#include "tests/convert/fixtures.h"
#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

struct Outcome {
  int code = 0;
  std::string message;
};

Outcome parse(const std::string& bytes) {
  Diagnostics d;
  try {
    import_model_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), "dir/m.onnx", d);
    d.check();
    return {};
  } catch (const FatalError& e) {
    return {static_cast<int>(e.code()), e.what()};
  }
}

std::string file_bytes(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(f), {}};
}

TEST(Reader, NamesForeignFormats) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "empty"},
      {std::string("\x89PNG\r\n\x1a\n", 8), "picture"},
      {std::string("PK\x03\x04rest", 8), "torch.onnx.export"},
      {std::string("\x80\x02}q", 4), "pickle"},
      {std::string("\x1c\0\0\0TFL3....", 12), "TensorFlow Lite"},
      {"GGUF....", "GGUF"},
      {"ERT1....", "already converted"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "git lfs pull"},
      {"hello, this is a text\n", "text file"},
      {"<!DOCTYPE html><html>", "web page"},
  };
  for (const auto& [bytes, expected] : cases) {
    const Outcome o = parse(bytes);
    EXPECT_EQ(o.code, 3) << expected;
    EXPECT_NE(o.message.find(expected), std::string::npos) << o.message;
    EXPECT_NE(o.message.find("dir/m.onnx"), std::string::npos) << o.message;
  }
}

TEST(Reader, CutFilesAreMalformedAtEveryOffset) {
  const std::string whole = file_bytes((std::filesystem::path(fixture_model("mlp_ts13"))).string());
  ASSERT_GT(whole.size(), 500u);
  ASSERT_EQ(parse(whole).code, 0) << parse(whole).message;
  int complete = 0;
  for (size_t n = 1; n < whole.size(); ++n) {
    const int code = parse(whole.substr(0, n)).code;
    // A prefix that ends between the last fields is a model of its own, without opset imports.
    EXPECT_TRUE(code == 3 || code == 4 || code == 0) << n;
    complete += code == 3 ? 0 : 1;
  }
  EXPECT_LE(complete, 4);
}

TEST(Reader, FlippedBytesNeverCrash) {
  const std::string whole = file_bytes(fixture_model("function_nested_inlineable"));
  std::mt19937 rng(11);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string s = whole;
    for (int k = 0; k < 3; ++k) s[rng() % s.size()] = static_cast<char>(rng());
    refused += parse(s).code != 0 ? 1 : 0;
  }
  EXPECT_GT(refused, 100);
}

TEST(Reader, JoinedFilesAndHugeLengths) {
  ModelBuilder m;
  m.input("x", {"4"});
  m.node("Relu", {"x"}, {"y"});
  m.output("y");
  const std::string one = m.bytes();
  EXPECT_EQ(parse(one).code, 0) << parse(one).message;
  EXPECT_EQ(parse(one + one).code, 3);
  EXPECT_EQ(parse(one + std::string("\x3a\xff\xff\xff\xff\x0f", 6)).code, 3);
  EXPECT_EQ(parse(one + std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12)).code, 3);
  EXPECT_EQ(parse(one + std::string("\x0b\x0b\x0b", 3)).code, 3);  // groups
}

TEST(Reader, CapsCounts) {
  // 2-byte empty nodes: protobuf would need a hundred times the file's size for them.
  std::string graph;
  for (int64_t i = 0; i <= kMaxNodes; ++i) graph += std::string("\x0a\0", 2);
  std::string model = "\x3a";
  for (size_t n = graph.size(); n > 0; n >>= 7) model += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
  EXPECT_EQ(parse(model + graph).code, 5);
}

TEST(Reader, DeepNestingIsRefused) {
  ModelBuilder m;
  m.output("y");
  pb::GraphProto* g = m.graph;
  for (int i = 0; i < 200; ++i) {
    auto* n = ModelBuilder::fill(g->add_node(), "If", {"c"}, {"y"});
    g = attribute(n, "then_branch", 5)->mutable_g();
  }
  const int code = import_code(m);
  EXPECT_TRUE(code == 5 || code == 3) << code;
}

TEST(Reader, MissingFilesAndDirectories) {
  Diagnostics d;
  for (const char* path : {"/nonexistent/m.onnx", "/", "/dev/null"}) {
    try {
      import_model(path, d);
      FAIL() << path;
    } catch (const FatalError& e) {
      EXPECT_EQ(e.code(), ExitCode::kIo) << e.what();
      EXPECT_NE(std::string(e.what()).find(path), std::string::npos);
    }
  }
}

TEST(Sha256, KnownDigests) {
  const auto hex = [](const std::string& s) {
    Sha256 sha;
    for (char c : s) sha.update(&c, 1);
    return Sha256::hex(sha.finish());
  };
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace edgeconv
