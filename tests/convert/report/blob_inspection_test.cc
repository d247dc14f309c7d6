// What inspect says about a blob whose certificate is not what a conversion writes: it is text from the file, nothing more.
#include "convert/files/json.h"
#include "convert/report/blob_inspection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "convert/blob/blob.h"
#include "convert/lower/build_program.h"
#include "convert/dims/dims.h"
#include "tests/convert/passes/graph_builder.h"

namespace edgeconv::testing {

namespace {

Json inspected(const std::string& certificate) {
  GraphBuilder b;
  b.output(b.node(OpKind::kLinear, {b.input("x", {DimExpr::symbol("batch"), 8}), b.weights({8, 8}), kNone}, LinearAttrs{}));
  finish(b.g);
  Diagnostics d;
  const TargetProgram p = build_program(b.g, lower_options(plan_dims(b.g, {})), d);
  const Tensor blob = write_blob(p, {"edgeconv", "s", certificate, 0, {}});
  return blob_inspection({blob.data(), blob.bytes(), blob.bytes(), false, false}, {});
}

TEST(BlobInspection, ShowsACertificate) {
  const Json j = inspected(R"({"attention":"int8","layers":[{"precision":"w8a16"}],"outputs":[{"name":"y","cosine":0.5}]})");
  EXPECT_EQ(j.at("certificate").at("attention"), "int8");
  const std::string text = blob_inspection_text(j);
  EXPECT_NE(text.find("w8a16 1; attention int8"), std::string::npos) << text;
  EXPECT_NE(text.find("y: cosine 0.500000"), std::string::npos) << text;
}

// Inputs and outputs are the caller's, so that the value between the layers stands alone in the arena.
TEST(BlobInspection, SaysWhereTheMemoryGoes) {
  GraphBuilder b;
  const ValueId x = b.input("x", {DimExpr::symbol("batch"), 8});
  const ValueId first = b.node(OpKind::kLinear, {x, b.weights({8, 32}), kNone}, LinearAttrs{});
  const ValueId second = b.node(OpKind::kLinear, {first, b.weights({32, 8}), kNone}, LinearAttrs{});
  b.output(second), b.output(b.node(OpKind::kSoftmax, {second}, AxisAttrs{0}));
  finish(b.g);
  Diagnostics d;
  const TargetProgram p = build_program(b.g, lower_options(plan_dims(b.g, {})), d);
  const Tensor blob = write_blob(p, {"edgeconv", "s", "", 0, {}});
  const Json j = blob_inspection({blob.data(), blob.bytes(), blob.bytes(), false, false}, {});
  const Json& most = j.at("most_memory");
  const int rows = most.at("dims").at("batch").get<int>();
  ASSERT_EQ(most.at("values").size(), 1u);
  EXPECT_EQ(most.at("values")[0].at("type"), fmt::format("float32 [{}, 32]", rows));
  EXPECT_EQ(most.at("live_bytes").get<int>(), rows * 32 * 4);
  EXPECT_EQ(most.at("slot_bytes").get<int>() + most.at("other_bytes").get<int>(), j.at("memory").back().at("arena_bytes").get<int>());
  const std::string text = blob_inspection_text(j);
  EXPECT_NE(text.find(fmt::format("(float32 [{}, 32])", rows)), std::string::npos);
  EXPECT_EQ(most.at("scratch_op"), "Softmax") << "along rows, which it gathers";
  EXPECT_EQ(most.at("scratch_bytes").get<int>(), rows * 4);
  EXPECT_LT(most.at("scratch_bytes").get<int>(), most.at("other_bytes").get<int>());
  EXPECT_NE(text.find("scratch "), std::string::npos) << text;
  EXPECT_EQ(most.at("selftest_bytes"), 0) << "without golden vectors";
  EXPECT_EQ(most.at("state_bytes"), 0);
}

TEST(BlobInspection, OtherTextsAreNoCertificate) {
  for (const char* text : {"", "{", "7", "[]", "null", "\"x\""}) {
    const Json j = inspected(text);
    EXPECT_TRUE(j.at("certificate").is_null()) << text;
    EXPECT_NE(blob_inspection_text(j).find("no certificate"), std::string::npos) << text;
  }
}

TEST(BlobInspection, OtherStructuresAreNoFault) {
  for (const char* text :
       {R"({"layers":7,"outputs":"x"})", R"({"layers":[7],"outputs":{"a":[]}})", R"({"layers":{},"outputs":null})"})
    EXPECT_NE(blob_inspection_text(inspected(text)).find("layers "), std::string::npos) << text;
}

// Printing is recursive: without a limit this exhausts the stack.
TEST(BlobInspection, DeepNestingIsCutOff) {
  const std::string deep = std::string(500000, '[') + std::string(500000, ']');
  const Json j = inspected(R"({"layers":)" + deep + R"(,"outputs":[]})");
  EXPECT_LT(j.dump().size(), 5000u);
  blob_inspection_text(j);
}

TEST(BlobInspection, ControlCharactersDoNotReachTheTerminal) {
  const std::string text =
      blob_inspection_text(inspected(R"({"layers":[],"outputs":[{"name":"\u001b[2J"}],"attention":"\u0007"})"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

}  // namespace

}  // namespace edgeconv::testing
