// Constants whose type, sizes and contents contradict each other.
#include <cmath>
#include <limits>

#include "tests/cli/malformed_corpus.h"

namespace edgeconv::testing {

namespace {

struct Type {
  const char* name;
  int32_t number;
  size_t bytes;
};
constexpr Type kTypes[] = {{"float", 1, 4},   {"uint8", 2, 1},   {"int8", 3, 1},     {"uint16", 4, 2},   {"int16", 5, 2},
                           {"int32", 6, 4},   {"int64", 7, 8},   {"bool", 9, 1},     {"float16", 10, 2}, {"double", 11, 8},
                           {"uint32", 12, 4}, {"uint64", 13, 8}, {"bfloat16", 16, 2}};

// The constant w of one axis is read by a Shape, so that nothing but its own rules can refuse it.
void with_constant(Corpus& c, const std::string& name, int exit_code, const std::function<void(pb::TensorProto&)>& change) {
  add_model(c, name, exit_code, [&](ModelWriter& w) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name("w");
    change(*t);
    w.node("Relu", {"x"}, {"y"});
    w.node("Shape", {"w"}, {"s"});
    w.output("s", kOnnxInt64, {int64_t{1}});
  });
}

void raw(pb::TensorProto& t, int32_t type, const std::vector<int64_t>& dims, size_t bytes) {
  t.set_data_type(type);
  for (const int64_t d : dims) t.add_dims(d);
  t.set_raw_data(std::string(bytes, '\0'));
}

void floats(pb::TensorProto& t, const std::vector<int64_t>& dims, size_t count) {
  t.set_data_type(kOnnxFloat);
  for (const int64_t d : dims) t.add_dims(d);
  for (size_t i = 0; i < count; ++i) t.add_float_data(1);
}

// A weight of a product, where its contents matter.
void weight(Corpus& c, const std::string& name, int exit_code, float value) {
  add_model(c, name, exit_code, [&](ModelWriter& w) {
    auto* t = w.proto().mutable_graph()->add_initializer();
    t->set_name("w");
    floats(*t, {4, 4}, 16);
    t->set_float_data(5, value);
    w.node("MatMul", {"x", "w"}, {"y"});
  });
}

}  // namespace

void add_tensor_damage(Corpus& c) {
  for (const Type& type : kTypes) {
    const std::string name = type.name;
    with_constant(c, name + " of the right length", 0, [&](auto& t) { raw(t, type.number, {6}, 6 * type.bytes); });
    with_constant(c, name + ", a byte too short", 3, [&](auto& t) { raw(t, type.number, {6}, 6 * type.bytes - 1); });
    with_constant(c, name + ", a byte too long", 3, [&](auto& t) { raw(t, type.number, {6}, 6 * type.bytes + 1); });
    with_constant(c, name + ", half of it", 3, [&](auto& t) { raw(t, type.number, {6}, 3 * type.bytes); });
    with_constant(c, name + ", nothing of it", 3, [&](auto& t) { raw(t, type.number, {6}, 0); });
    with_constant(c, name + ", raw and typed", 3, [&](auto& t) {
      raw(t, type.number, {1}, type.bytes);
      if (type.number == 1)
        t.add_float_data(1);
      else if (type.number == 11)
        t.add_double_data(1);
      else if (type.number == 7)
        t.add_int64_data(1);
      else if (type.number == 12 || type.number == 13)
        t.add_uint64_data(1);
      else
        t.add_int32_data(1);
    });
    with_constant(c, name + ", contents of another type", 3, [&](auto& t) {
      t.set_data_type(type.number);
      t.add_dims(2);
      for (int i = 0; i < 2; ++i) type.number == 1 ? t.add_int64_data(1) : t.add_float_data(1);
    });
  }
  for (const size_t count : {0, 1, 5, 7, 100})
    with_constant(c, std::to_string(count) + " floats for 6", 3, [&](auto& t) { floats(t, {6}, count); });
  with_constant(c, "no type", 3, [](auto& t) { t.add_dims(1), t.add_float_data(1); });
  with_constant(c, "type 0", 3, [](auto& t) { raw(t, 0, {1}, 4); });
  for (const int type : {-1, 99, INT32_MAX})
    with_constant(c, "type " + std::to_string(type), 3, [&](auto& t) { raw(t, type, {1}, 4); });
  for (const int type : {8, 14, 15, 17, 18, 19, 20, 23})  // text, complex numbers, floats of 8 and 4 bits
    with_constant(c, "type " + std::to_string(type), 4, [&](auto& t) { raw(t, type, {8}, 8); });
  for (const int type : {21, 22, 25, 26})  // integers of 4 and 2 bits
    with_constant(c, "8 of type " + std::to_string(type) + " in 8 bytes", 3, [&](auto& t) { raw(t, type, {8}, 8); });
  for (const int64_t d : {int64_t{-1}, INT64_MIN})
    with_constant(c, "size " + std::to_string(d), 3, [&](auto& t) { floats(t, {d}, 0); });
  for (const int64_t d : {int64_t{1} << 31, int64_t{1} << 40, INT64_MAX})
    with_constant(c, "size " + std::to_string(d), 3, [&](auto& t) { floats(t, {d}, 1); });
  with_constant(c, "400 million floats of which 4 are there", 3, [](auto& t) { floats(t, {400'000'000}, 4); });
  with_constant(c, "a product of sizes that wraps to 0", 3, [](auto& t) { floats(t, {int64_t{1} << 32, int64_t{1} << 32}, 0); });
  with_constant(c, "a product of sizes that wraps to 4", 3, [](auto& t) { floats(t, {(int64_t{1} << 62) + 1, 4}, 4); });
  with_constant(c, "sizes of which one is 0 and one too large", 3, [](auto& t) { floats(t, {0, INT64_MAX, INT64_MAX}, 0); });
  with_constant(c, "an empty tensor", 0, [](auto& t) { floats(t, {0}, 0); });
  with_constant(c, "1000 axes", 3, [](auto& t) { floats(t, std::vector<int64_t>(1000, 1), 1); });
  with_constant(c, "stored elsewhere without a place", 3,
                [](auto& t) { t.set_data_type(1), t.add_dims(1), t.set_data_location(1); });
  with_constant(c, "stored elsewhere in a file that is not there", 6, [](auto& t) {
    t.set_data_type(1), t.add_dims(1), t.set_data_location(1);
    auto* e = t.add_external_data();
    e->set_key("location"), e->set_value("missing.bin");
  });
  for (const char* place : {"../x", "/etc/passwd", "a/../../x", "", "."})
    with_constant(c, std::string("stored in '") + place + "'", 3, [&](auto& t) {
      t.set_data_type(1), t.add_dims(1), t.set_data_location(1);
      auto* e = t.add_external_data();
      e->set_key("location"), e->set_value(place);
    });
  for (const auto& [key, value] :
       {std::pair("offset", "-1"), {"offset", "x"}, {"offset", "99999999999999999999"}, {"length", "-4"}, {"length", "4 "}})
    with_constant(c, std::string("stored at ") + key + " " + value, 3, [&, key = key, value = value](auto& t) {
      t.set_data_type(1), t.add_dims(1), t.set_data_location(1);
      for (const auto& [k, v] : {std::pair("location", "m.onnx"), {key, value}}) {
        auto* e = t.add_external_data();
        e->set_key(k), e->set_value(v);
      }
    });
  with_constant(c, "stored at a location of 7", 3, [](auto& t) { floats(t, {1}, 1), t.set_data_location(7); });
  weight(c, "a weight of 1", 0, 1);
  weight(c, "a weight of NaN", 3, std::numeric_limits<float>::quiet_NaN());
  weight(c, "a weight of infinity", 3, HUGE_VALF);
}

}  // namespace edgeconv::testing
