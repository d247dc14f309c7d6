// Large raw_data: parsed models hold its position instead of a copy, whatever stands around it; and nothing that a file writes
// into those two fields counts.
#include "convert/onnx/payloads.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

constexpr int64_t kElements = 1000;  // 4000 bytes of float32

std::string payload(float first) {
  std::vector<float> v(kElements);
  for (size_t i = 0; i < v.size(); ++i) v[i] = first + static_cast<float>(i);
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(float)};
}

void fill(pb::TensorProto* t, const std::string& name, const std::string& raw) {
  t->set_name(name);
  t->set_data_type(1);
  t->add_dims(static_cast<int64_t>(raw.size() / sizeof(float)));
  t->set_raw_data(raw);
}

// An initializer, a Constant node and a small initializer.
ModelBuilder model() {
  ModelBuilder m;
  m.input("x", {"1000"});
  fill(m.graph->add_initializer(), "large", payload(1));
  fill(m.graph->add_initializer(), "small", std::string(4, '\0'));
  auto* n = m.node("Constant", {}, {"c"});
  fill(attribute(n, "value", 4)->mutable_t(), "", payload(5));
  m.node("Add", {"x", "large"}, {"y0"});
  m.node("Add", {"y0", "small"}, {"y1"});
  m.node("Mul", {"y1", "c"}, {"y"});
  m.output("y");
  return m;
}

pb::ModelProto parsed(const std::string& bytes) {
  pb::ModelProto m;
  EXPECT_TRUE(m.ParseFromString(bytes));
  return m;
}

std::string stripped(const std::string& bytes) {
  const auto skeleton = without_payloads(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  EXPECT_TRUE(skeleton);
  return skeleton.value_or("");
}

TEST(Payloads, LargeOnesBecomePositions) {
  const std::string bytes = model().bytes(), skeleton = stripped(bytes);
  EXPECT_LT(skeleton.size(), 600u);
  const pb::ModelProto m = parsed(skeleton);
  const pb::TensorProto& large = m.graph().initializer(0);
  const pb::TensorProto& constant = m.graph().node(0).attribute(0).t();
  EXPECT_FALSE(large.has_raw_data());
  EXPECT_EQ(bytes.substr(large.payload_offset(), large.payload_bytes()), payload(1));
  EXPECT_EQ(bytes.substr(constant.payload_offset(), constant.payload_bytes()), payload(5));
  EXPECT_EQ(m.graph().initializer(1).raw_data(), std::string(4, '\0'));
  EXPECT_EQ(m.graph().node_size(), 4);
  EXPECT_EQ(m.opset_import(0).version(), 17);
}

TEST(Payloads, TensorsOfAMappedFileAreViews) {
  const auto path = std::filesystem::temp_directory_path() / ("edgeconv_payloads_" + std::to_string(::getpid()) + ".onnx");
  std::ofstream(path, std::ios::binary) << model().bytes();
  Diagnostics d;
  {
    const ImportedModel m = import_model(path.string(), d);
    d.check();
    ASSERT_EQ(m.files.size(), 1u);
    int views = 0;
    for (const Value& v : m.graph.values) {
      if (!v.constant || v.constant->elements() != kElements) continue;
      const uint8_t* at = v.constant->data();
      views += at >= m.files[0]->data && at < m.files[0]->data + m.files[0]->bytes;
      m.files[0]->drop_pages();
      EXPECT_EQ(v.constant->to_float()[10], v.name == "large" ? 11.0f : 15.0f) << v.name;
    }
    EXPECT_EQ(views, 2);
  }
  std::filesystem::remove(path);
}

TEST(Payloads, BytesWithoutAnOwnerAreCopied) {
  Diagnostics d;
  ImportedModel m = model().import(d);  // its bytes are gone by now
  d.check();
  for (const Value& v : m.graph.values)
    if (v.name == "large") {
      EXPECT_EQ(v.constant->to_float()[999], 1000.0f);
    }
}

TEST(Payloads, PositionsInAFileAreDropped) {
  ModelBuilder m = model();
  for (pb::TensorProto* t : {m.graph->mutable_initializer(0), m.graph->mutable_initializer(1)}) {
    t->set_payload_offset(0);
    t->set_payload_bytes(t->raw_data().size());
  }
  const std::string bytes = m.bytes();
  const pb::ModelProto p = parsed(stripped(bytes));
  EXPECT_EQ(bytes.substr(p.graph().initializer(0).payload_offset(), p.graph().initializer(0).payload_bytes()), payload(1));
  EXPECT_FALSE(p.graph().initializer(1).has_payload_bytes());
  m.graph->mutable_initializer(0)->clear_raw_data();
  std::string message;
  EXPECT_EQ(import_code(m, &message), 3);
  EXPECT_NE(message.find("has no data"), std::string::npos) << message;
}

// Protobuf skips groups and forgets what a key has beyond 32 bits: positions behind the one or in the other made a million large tensors of a small file.
TEST(Payloads, PositionsBehindOddFieldsAreRefused) {
  const std::string group = "\xa3\x06\xa4\x06", offset = "\xc0\x3e\x64", length = "\xc8\x3e\xa0\x1f";
  const std::string beyond_32_bits = "\xc0\xbe\x80\x80\x10\x64\xc8\xbe\x80\x80\x10\xa0\x1f";
  for (const std::string& forged : {group + offset + length, beyond_32_bits}) {
    ModelBuilder m = model();
    const std::string name(forged.size() + 2, 'n');  // exchanged for a name of one byte and the forged fields
    m.graph->mutable_initializer(0)->clear_raw_data();
    m.graph->mutable_initializer(0)->set_name(name);
    std::string bytes = m.bytes();
    const std::string field = std::string("\x42") + static_cast<char>(name.size()) + name;
    const size_t at = bytes.find(field);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, field.size(), "\x42\x02ww" + forged);
    Diagnostics d;
    try {
      import_model_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), "m.onnx", d);
      ADD_FAILURE() << "accepted";
    } catch (const FatalError& e) {
      EXPECT_EQ(e.code(), ExitCode::kMalformed);
      EXPECT_NE(std::string(e.what()).find("protobuf structure"), std::string::npos) << e.what();
    }
  }
}

TEST(Payloads, SizeAndShapeMustAgree) {
  ModelBuilder m = model();
  m.graph->mutable_initializer(0)->set_dims(0, 999);
  std::string message;
  EXPECT_EQ(import_code(m, &message), 3);
  EXPECT_NE(message.find("4000 bytes"), std::string::npos) << message;
}

// Damaged files end with a message, wherever they are damaged.
TEST(Payloads, DamagedFiles) {
  const std::string good = model().bytes();
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) bytes[random() % (i % 2 ? bytes.size() : 64)] = static_cast<char>(random());
    if (i % 5 == 0) bytes.resize(random() % bytes.size());
    Diagnostics d;
    try {
      import_model_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), "m.onnx", d);
    } catch (const FatalError&) {
    }
  }
}

}  // namespace
}  // namespace edgeconv
