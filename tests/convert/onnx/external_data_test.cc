// External data: path rules, ranges, the Hugging Face cache layout, and payload checks of inline tensors.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

namespace fs = std::filesystem;

class ExternalDataTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("edgeconv_external_" + std::to_string(::getpid()) + "_" +
                                         testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root_ / "model");
    write(root_ / "model" / "w.bin", std::string(64, '\0'));
    write(root_ / "secret.bin", std::string(64, 's'));
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& p, const std::string& s) { std::ofstream(p, std::ios::binary) << s; }

  static ModelBuilder model(const std::string& location, const std::string& offset = "", const std::string& length = "") {
    ModelBuilder m;
    m.input("x", {"4"});
    auto* t = m.graph->add_initializer();
    t->set_name("w");
    t->set_data_type(1);
    t->add_dims(4);
    t->set_data_location(1);
    const auto entry = [&](const char* key, const std::string& value) {
      auto* e = t->add_external_data();
      e->set_key(key);
      e->set_value(value);
    };
    entry("location", location);
    if (!offset.empty()) entry("offset", offset);
    if (!length.empty()) entry("length", length);
    m.node("Add", {"x", "w"}, {"y"});
    m.output("y");
    return m;
  }

  int code(const ModelBuilder& m) { return import_code(m, &message_, (root_ / "model" / "m.onnx").string()); }

  fs::path root_;
  std::string message_;
};

TEST_F(ExternalDataTest, ReadsBelowTheModelFolder) {
  EXPECT_EQ(code(model("w.bin")), 0) << message_;
  EXPECT_EQ(code(model("w.bin", "48", "16")), 0) << message_;
  fs::create_directories(root_ / "model" / "sub");
  write(root_ / "model" / "sub" / "w", std::string(16, '\0'));
  EXPECT_EQ(code(model("sub/w")), 0) << message_;
  EXPECT_EQ(code(model("./w.bin")), 0) << message_;
}

TEST_F(ExternalDataTest, RefusesToLeaveTheFolder) {
  for (const std::string& location :
       {std::string("../secret.bin"), (root_ / "secret.bin").string(), std::string("sub/../../secret.bin"),
        std::string("..\\secret.bin"), std::string("C:\\secret.bin"), std::string("\\\\host\\share"), std::string("")})
    EXPECT_EQ(code(model(location)), 3) << location;
  EXPECT_EQ(code(model(std::string("w.bin\0x", 7))), 3);
}

TEST_F(ExternalDataTest, RefusesLinksThatLeadOut) {
  fs::create_symlink(root_ / "secret.bin", root_ / "model" / "link.bin");
  fs::create_directory_symlink(root_, root_ / "model" / "up");
  EXPECT_EQ(code(model("link.bin")), 3);
  EXPECT_NE(message_.find("symbolic link"), std::string::npos) << message_;
  EXPECT_EQ(code(model("up/secret.bin")), 3);
}

TEST_F(ExternalDataTest, AcceptsTheHuggingFaceCache) {
  fs::create_directories(root_ / "blobs");
  fs::create_directories(root_ / "snapshot");
  write(root_ / "blobs" / "aa", model("m.onnx_data").bytes());
  write(root_ / "blobs" / "bb", std::string(16, '\0'));
  fs::create_symlink("../blobs/aa", root_ / "snapshot" / "m.onnx");
  fs::create_symlink("../blobs/bb", root_ / "snapshot" / "m.onnx_data");
  Diagnostics d;
  const ImportedModel m = import_model((root_ / "snapshot" / "m.onnx").string(), d);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(m.info.external_bytes, 16u);
}

TEST_F(ExternalDataTest, ChecksRanges) {
  for (const auto& [offset, length] : {std::pair("60", ""),
                                       {"-1", ""},
                                       {"x", ""},
                                       {"1e3", ""},
                                       {"", "15"},
                                       {"18446744073709551615", ""},
                                       {"9223372036854775807", ""}}) {
    EXPECT_EQ(code(model("w.bin", offset, length)), 3) << offset << " " << length;
    EXPECT_NE(message_.find("'w'"), std::string::npos) << message_;
  }
  ModelBuilder m = model("w.bin");
  auto* e = m.graph->mutable_initializer(0)->add_external_data();
  e->set_key("surprise");
  EXPECT_EQ(code(m), 0);  // the list is open: onnx.proto
  EXPECT_EQ(code(model("missing.bin")), 6);
}

ModelBuilder with_tensor(const pb::TensorProto& t) {
  ModelBuilder m;
  m.input("x", {"4"});
  *m.graph->add_initializer() = t;
  m.node("Add", {"x", t.name()}, {"y"});
  m.output("y");
  return m;
}

TEST(InlineTensors, ChecksPayloads) {
  std::string message;
  pb::TensorProto t;
  t.set_name("weights");
  t.set_data_type(1);
  t.add_dims(4);
  t.set_raw_data(std::string(15, '\0'));
  EXPECT_EQ(import_code(with_tensor(t), &message), 3);
  EXPECT_NE(message.find("'weights'"), std::string::npos) << message;
  t.set_raw_data(std::string(16, '\0'));
  EXPECT_EQ(import_code(with_tensor(t), &message), 0) << message;
  t.add_float_data(1);
  EXPECT_EQ(import_code(with_tensor(t)), 3);  // both kinds of data
  t.clear_raw_data();
  EXPECT_EQ(import_code(with_tensor(t)), 3);  // one value for four
  t.clear_float_data();
  EXPECT_EQ(import_code(with_tensor(t)), 3);  // none
  t.set_dims(0, -4);
  EXPECT_EQ(import_code(with_tensor(t)), 3);
  t.set_dims(0, int64_t{1} << 42);
  t.add_dims((int64_t{1} << 42) + 1);
  EXPECT_EQ(import_code(with_tensor(t)), 3);  // the product overflows
  t.clear_dims();
  t.add_dims(int64_t{1} << 40);
  t.add_float_data(1);
  EXPECT_EQ(import_code(with_tensor(t)), 3);  // nothing is allocated for a claim
}

TEST(InlineTensors, RefusesTypesWithoutArithmetic) {
  std::string message;
  for (int type : {8, 14, 17, 23, 0, 99, -1}) {
    const bool defined = type > 0 && type < 99;
    pb::TensorProto t;
    t.set_name("w");
    t.set_data_type(type);
    t.add_dims(1);
    t.set_raw_data(std::string(1, '\0'));
    EXPECT_EQ(import_code(with_tensor(t), &message), defined ? 4 : 3) << type;
    EXPECT_NE(message.find(defined ? "accepted are" : "does not define"), std::string::npos) << message;
  }
}

TEST(InlineTensors, ReadsTypedFields) {
  pb::TensorProto half;
  half.set_name("h");
  half.set_data_type(10);
  half.add_dims(2);
  half.add_int32_data(0x3c00);
  half.add_int32_data(0xc000);
  Diagnostics d;
  const ImportedModel m = with_tensor(half).import(d);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(m.graph.value(0).constant->to_float(), (std::vector<float>{1, -2}));
}

}  // namespace
}  // namespace edgeconv
