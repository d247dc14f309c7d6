// Operands of types that ONNX does not allow, told by the file's own names. Before, an Add of int8 and uint8 ended in exit 4 behind the advice to give other inputs, an Atan of an
// integer behind that to cast it.
#include <gtest/gtest.h>

#include "convert/import/operand_types.h"
#include "convert/import/registry.h"
#include "tests/convert/model_builder.h"

namespace edgeconv {
namespace {

struct Judged {
  const char* op;
  std::vector<DType> operands;
  const char* fault;  // part of it; "" for none
};

std::string judge(const Judged& j) {
  std::vector<TypedOperand> operands;
  for (const DType t : j.operands) operands.push_back({"abcdefghi"[operands.size()] + std::string(), t});
  return operand_type_fault(j.op, operands);
}

TEST(OperandTypes, WhatOnnxForbids) {
  constexpr DType f32 = DType::kFloat, f16 = DType::kFloat16, i8 = DType::kInt8, u8 = DType::kUint8, i32 = DType::kInt32, i64 = DType::kInt64;
  constexpr DType truth = DType::kBool, text = DType::kString, unknown = DType::kUndefined;
  for (const Judged& j : std::vector<Judged>{
           {"Add", {i8, u8}, "its input 'b' is uint8, it must be int8 as 'a'"},
           {"Max", {unknown, i32, i64}, "its input 'c' is int64, it must be int32 as 'b'"},
           {"Pow", {f32, i8}, ""},
           {"Mod", {truth, truth}, "its input 'a' is bool, it must be a number"},
           {"Less", {f32, i64}, "its input 'b' is int64, it must be float32 as 'a'"},
           {"Atan", {i64}, "its input 'a' is int64, it must be a float type"},
           {"And", {truth, i8}, "its input 'b' is int8, it must be bool"},
           {"Sum", {f32, i8}, "its input 'b' is int8, it must be a float type"},
           {"MatMul", {i8, i8}, "its input 'a' is int8, it must be a float type, int32, int64, uint32 or uint64"},
           {"EyeLike", {text}, "its input 'a' is string, it must be a number or bool"},
           {"Where", {truth, i32, i64}, "its input 'c' is int64, it must be int32 as 'b'"},
           {"Gather", {f32, f32}, "its input 'b' is float32, it must be int32 or int64"},
           {"ConvInteger", {u8, i8, i8}, "its input 'c' is int8, it must be uint8 as 'a'"},
           // what files have and the converter understands
           {"Add", {f32, f16}, ""},
           {"Where", {truth, f16, f32}, ""},
           {"Reshape", {f32, i32}, ""},
           {"Clip", {i64, f32, f32}, ""},
           {"Conv", {f32, f16, f16}, ""},
           // what is absent, not known, or of an operator that is not in the table
           {"Add", {i8, unknown}, ""},
           {"Add", {i8, i8, u8}, ""},
           {"Cast", {text}, ""},
           {"Add Sub", {i8, u8}, ""},
       })
    EXPECT_EQ(judge(j), j.fault) << j.op;
  const std::vector<TypedOperand> absent = {{"a", f32}, {"", i64}, {"c", i64}};
  EXPECT_EQ(operand_type_fault("Resize", absent), "its input 'c' is int64, it must be a float type");
}

// Operators that take any type of each operand, and those of sequences and bodies.
TEST(OperandTypes, EveryImporterIsInTheTable) {
  const std::string any =
      " Cast CastLike Constant DepthToSpace Flatten Identity Shape Size SpaceToDepth Transpose "
      " Loop Scan ConcatFromSequence SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength SplitToSequence "
      " SimplifiedLayerNormalization ";
  for (const ImporterDef& d : importers()) {
    if (!d.domain.empty()) continue;
    std::vector<DType> mixed(9, DType::kString);
    bool judged = !judge({std::string(d.op).c_str(), mixed, ""}).empty();
    mixed[0] = DType::kFloat;
    judged |= !judge({std::string(d.op).c_str(), mixed, ""}).empty();
    EXPECT_EQ(judged, any.find(" " + std::string(d.op) + " ") == std::string::npos) << d.op;
  }
}

void cast(ModelBuilder& m, const std::string& from, const std::string& to, int type) { set_int(m.node("Cast", {from}, {to}), "to", type); }

// As far as the file is read: behind 300 nodes, and in a body that reads values of the graph around it.
TEST(OperandTypes, AreKnownWhereverTheNodeStands) {
  const auto message = [](const ModelBuilder& m) {
    std::string s;
    EXPECT_EQ(import_code(m, &s), 3);
    return s;
  };
  ModelBuilder deep;
  deep.input("x", {"n"});
  cast(deep, "x", "a0", 3);
  cast(deep, "x", "b0", 2);
  for (int i = 0; i < 300; ++i)
    for (const std::string side : {"a", "b"}) deep.node("Transpose", {side + std::to_string(i)}, {side + std::to_string(i + 1)});
  deep.node("Mul", {"a300", "b300"}, {"y"});
  deep.output("y");
  EXPECT_NE(message(deep).find("'y' (ai.onnx::Mul(17)): its input 'b300' is uint8, it must be int8 as 'a300'"), std::string::npos);

  ModelBuilder outer;
  outer.input("x", {"n"});
  outer.input("flag", {}, 9);
  cast(outer, "x", "k", 7);
  pb::NodeProto* choice = outer.node("If", {"flag"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    pb::GraphProto* body = attribute(choice, branch, 5)->mutable_g();
    ModelBuilder::fill(body->add_node(), "Sin", {"k"}, {"r"});
    body->add_output()->set_name("r");
  }
  outer.output("y");
  EXPECT_NE(message(outer).find("'r' (ai.onnx::Sin(17)): its input 'k' is int64, it must be a float type"), std::string::npos);
}

// Valid, and not understood: exit 4 with names of the file. It was exit 3 with names of nodes that the importer made.
TEST(OperandTypes, PicturesOfIntegersAreNotSampled) {
  ModelBuilder m;
  m.input("map", {"b", "c", "h", "w"}, 2);
  m.input("grid", {"b", "i", "j", "two"});
  m.node("GridSample", {"map", "grid"}, {"y"});
  m.output("y");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 4);
  EXPECT_NE(message.find("it samples uint8"), std::string::npos) << message;
}

// Its grid of three coordinates was reshaped first, and that was called malformed.
TEST(OperandTypes, VolumesAreNotSampled) {
  ModelBuilder m(20);
  m.input("volume", {"1", "2", "3", "4", "5"});
  m.input("grid", {"1", "2", "2", "2", "3"});
  m.node("GridSample", {"volume", "grid"}, {"y"});
  m.output("y");
  std::string message;
  EXPECT_EQ(import_code(m, &message), 4);
  EXPECT_NE(message.find("its input has rank 5"), std::string::npos) << message;
}

}  // namespace
}  // namespace edgeconv
