// See model_mutator.h.
#include "tests/cli/model_mutator.h"

#include <cstdint>
#include <iterator>

namespace edgeconv::testing {

namespace {

void mutate_tensor(pb::TensorProto& t, Random& random) {
  switch (below(random, 7)) {
    case 0:
      if (t.dims_size() > 0) t.set_dims(any_of(random, t.dims()), odd_number(random));
      return;
    case 1: return t.set_data_type(static_cast<int>(below(random, 24)));
    case 2: {  // empty
      t.clear_dims();
      t.add_dims(0);
      return fill_tensor(t, random);
    }
    case 3: t.clear_dims(); return fill_tensor(t, random);
    case 4: t.add_dims(1); return;
    case 5:
      if (t.dims_size() < 5) return fill_tensor(t, random);
      return;
    default:
      if (t.int64_data_size() > 0) {
        t.set_int64_data(0, odd_number(random));
      } else if (t.raw_data().size() >= 8) {
        const int64_t v = odd_number(random);
        t.mutable_raw_data()->replace(below(random, t.raw_data().size() / 8) * 8, 8, reinterpret_cast<const char*>(&v), 8);
      }
  }
}

void mutate_attribute(pb::AttributeProto& a, Random& random) {
  if (below(random, 8) == 0) return a.set_name(attribute_name(random));
  if (a.has_t()) return mutate_tensor(*a.mutable_t(), random);
  if (a.ints_size() > 0 && below(random, 3) == 0) return below(random, 2) ? a.clear_ints() : a.add_ints(small_number(random));
  if (a.ints_size() > 0) return a.set_ints(any_of(random, a.ints()), small_number(random));
  if (a.type() == 1) return a.set_f(odd_float(random));
  if (a.type() == 2) return a.set_i(below(random, 2) ? odd_number(random) : small_number(random));
  if (a.type() == 3) return a.set_s(attribute_word(random));
  a.set_type(static_cast<int>(below(random, 12)));
}

// A value that exists somewhere in the graph, or a name that nothing has.
std::string any_value(const pb::GraphProto& g, Random& random) {
  for (int attempt = 0; attempt < 8; ++attempt) switch (below(random, 8)) {
      case 0:
      case 1:
        if (g.input_size() > 0) return g.input(any_of(random, g.input())).name();
        break;
      case 2:
      case 3:
        if (g.initializer_size() > 0) return g.initializer(any_of(random, g.initializer())).name();
        break;
      case 4: return below(random, 4) ? "" : odd_name(random);
      default:
        if (g.node_size() > 0)
          if (const auto& n = g.node(any_of(random, g.node())); n.output_size() > 0) return n.output(any_of(random, n.output()));
    }
  return "";
}

void mutate_operands(pb::GraphProto& g, pb::NodeProto& n, Random& random) {
  const auto any = [&](int count) { return static_cast<int>(below(random, static_cast<size_t>(count))); };
  switch (below(random, 7)) {
    case 0: n.add_input(any_value(g, random)); return;
    case 1:
      if (n.input_size() > 0) n.mutable_input()->RemoveLast();
      return;
    case 2: n.add_output("more" + std::to_string(random() % 3)); return;
    case 3:
      if (n.output_size() > 0) n.set_output(any(n.output_size()), odd_name(random));
      return;
    case 4:
      if (n.output_size() > 1) n.mutable_output()->RemoveLast();
      return;
    default:
      if (n.input_size() > 0) n.set_input(any(n.input_size()), any_value(g, random));
  }
}

void mutate_node(pb::GraphProto& g, Random& random) {
  if (g.node_size() == 0) return;
  const auto any = [&] { return any_of(random, g.node()); };
  pb::NodeProto& n = *g.mutable_node(any());
  switch (below(random, 12)) {
    case 0: n.set_op_type(g.node(any()).op_type()); return;
    case 1:
    case 2: return set_operator(n, random);
    case 3: g.mutable_node()->SwapElements(any(), any()); return;
    case 4: n.clear_attribute(); return;
    case 5: n.set_name(odd_name(random)); return;
    case 6: g.add_node()->CopyFrom(g.node(any())); return;
    case 7: g.mutable_node()->DeleteSubrange(any(), 1); return;
    case 8: {
      auto* a = n.add_attribute();
      a->set_name(attribute_name(random));
      return set_attribute(*a, random);
    }
    default:
      if (n.attribute_size() > 0) mutate_attribute(*n.mutable_attribute(any_of(random, n.attribute())), random);
  }
}

void mutate_value_info(google::protobuf::RepeatedPtrField<pb::ValueInfoProto>& values, Random& random) {
  if (values.empty()) return;
  auto& v = *values.Mutable(any_of(random, values));
  auto* type = v.mutable_type()->mutable_tensor_type();
  switch (below(random, 6)) {
    case 0: return type->set_elem_type(one_of(random, kOddTypes));
    case 1: return v.set_name(odd_name(random));
    case 2: type->mutable_shape()->add_dim()->set_dim_value(small_number(random)); return;
    case 3:
      if (type->shape().dim_size() > 0) type->mutable_shape()->mutable_dim()->RemoveLast();
      return;
    default: break;
  }
  if (type->shape().dim_size() == 0) return;
  auto* dim = type->mutable_shape()->mutable_dim(any_of(random, type->shape().dim()));
  static constexpr const char* kNames[] = {"batch", "sequence", "other", "9", "", "batch + 1", "a*b/c-", "?"};
  if (below(random, 2))
    dim->set_dim_param(below(random, 12) ? one_of(random, kNames) : std::string(5000, 'd'));
  else
    dim->set_dim_value(odd_number(random));
}

// A node of any operator whose result replaces an operand, or becomes an output.
void insert_node(pb::GraphProto& g, Random& random) {
  pb::NodeProto n;
  set_operator(n, random);
  for (size_t inputs = below(random, 4); inputs > 0; --inputs) n.add_input(any_value(g, random));
  const std::string result = "inserted" + std::to_string(g.node_size());
  n.add_output(result);
  for (size_t attributes = below(random, 3); attributes > 0; --attributes) {
    auto* a = n.add_attribute();
    a->set_name(attribute_name(random));
    set_attribute(*a, random);
  }
  if (g.node_size() > 0 && below(random, 2)) {
    auto& reader = *g.mutable_node(any_of(random, g.node()));
    if (reader.input_size() > 0) {
      auto* operand = reader.mutable_input(any_of(random, reader.input()));
      n.add_input(*operand);
      n.mutable_input()->SwapElements(0, n.input_size() - 1);
      *operand = result;
    }
  } else {
    g.add_output()->set_name(result);
  }
  g.add_node()->CopyFrom(n);
}

}  // namespace

void mutate_bytes(std::string& s, Random& random) {
  const uint64_t changes = uint64_t{1} << (random() % 4);
  for (uint64_t i = 0; i < changes && s.size() > 8; ++i) {
    const size_t at = random() % s.size();
    static constexpr unsigned char kValues[] = {0, 1, 2, 8, 0x7f, 0x80, 0xff};
    switch (random() % 5) {
      case 0: s[at] = static_cast<char>(s[at] ^ (1 << (random() % 8))); break;
      case 1: s[at] = static_cast<char>(kValues[random() % std::size(kValues)]); break;
      case 2: s.erase(at, 1 + random() % 4); break;
      case 3: s.insert(at, std::string(1 + random() % 4, static_cast<char>(random()))); break;
      default: s.resize(random() % 8 == 0 ? at : s.size());
    }
  }
}

void mutate_model(pb::ModelProto& m, Random& random) {
  pb::GraphProto& g = *m.mutable_graph();
  switch (below(random, 20)) {
    case 0:
    case 1:
      if (g.initializer_size() > 0) mutate_tensor(*g.mutable_initializer(any_of(random, g.initializer())), random);
      return;
    case 2: return mutate_value_info(*g.mutable_input(), random);
    case 3: return mutate_value_info(*g.mutable_output(), random);
    case 4: g.add_output()->set_name(any_value(g, random)); return;
    case 5:
      if (below(random, 4) == 0 && m.opset_import_size() > 0)
        m.mutable_opset_import(0)->set_version(6 + static_cast<int64_t>(below(random, 22)));
      return;
    case 6:
      if (below(random, 4) == 0) m.set_ir_version(odd_number(random));
      return;
    case 7:
    case 8:
    case 9: return insert_node(g, random);
    case 10:
    case 11:
    case 12:
    case 13:
      if (g.node_size() > 0) mutate_operands(g, *g.mutable_node(any_of(random, g.node())), random);
      return;
    default: mutate_node(g, random);
  }
}

}  // namespace edgeconv::testing
