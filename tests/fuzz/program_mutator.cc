// See program_mutator.h.
#include "tests/fuzz/program_mutator.h"

#include <algorithm>
#include <cstring>

namespace ert::fuzz {
namespace {

using testing::BlobSpec;

constexpr int kMostCode = std::max({
#define ERT_OP(code, name) code,
#include "rt/ops/op_list.inc"
#undef ERT_OP
});

bool one_in(RandomNumbers* r, int n) { return r->integer(0, n - 1) == 0; }
size_t below(RandomNumbers* r, size_t n) { return static_cast<size_t>(r->bits() % n); }

template <class T>
T& any(RandomNumbers* r, std::vector<T>& v) {
  return v[below(r, v.size())];
}

template <class T>
void change_number(RandomNumbers* r, T* field) {
  *field = static_cast<T>(odd_number(r, static_cast<uint32_t>(*field)));
}

// Grows, shrinks, swaps or changes elements.
template <class T, class F>
void change_list(RandomNumbers* r, std::vector<T>* v, const F& fresh) {
  switch (v->empty() ? 0 : r->integer(0, 5)) {
    case 0: v->insert(v->begin() + static_cast<long>(below(r, v->size() + 1)), fresh()); break;
    case 1: v->erase(v->begin() + static_cast<long>(below(r, v->size()))); break;
    case 2: std::swap(any(r, *v), any(r, *v)); break;
    default: any(r, *v) = fresh();
  }
}

uint32_t some_value(RandomNumbers* r, const BlobSpec& s) {
  return one_in(r, 20) || s.values.empty() ? odd_number(r, 0) : static_cast<uint32_t>(below(r, s.values.size()));
}
uint32_t some_expr(RandomNumbers* r, const BlobSpec& s) {
  return one_in(r, 30) || s.exprs.empty() ? odd_number(r, 0) : static_cast<uint32_t>(below(r, s.exprs.size()));
}
uint32_t some_op(RandomNumbers* r, const BlobSpec& s) {
  return one_in(r, 20) || s.ops.empty() ? odd_number(r, 0) : static_cast<uint32_t>(below(r, s.ops.size()));
}
uint8_t some_dtype(RandomNumbers* r) {
  static constexpr uint8_t kTypes[] = {1, 1, 2, 2, 3, 4, 5, 6, 7, 64, 65, 66, 67, 0};
  return kTypes[below(r, sizeof kTypes)];
}

void change_value(BlobSpec* s, RandomNumbers* r) {
  if (s->values.empty()) return;
  BlobSpec::Value& v = any(r, s->values);
  switch (r->integer(0, 8)) {
    case 0: v.dtype = some_dtype(r); break;
    case 1: v.storage = static_cast<uint8_t>(r->integer(0, 5)); break;
    case 2: change_number(r, &v.index); break;
    case 3: v.offset = one_in(r, 4) ? r->bits() : odd_number(r, static_cast<uint32_t>(v.offset)); break;
    case 4: v.first_op = some_op(r, *s); break;
    case 5: v.last_op = some_op(r, *s); break;
    case 6: v = any(r, s->values); break;
    default: change_list(r, &v.shape, [&] { return some_expr(r, *s); });
  }
}

void change_op(BlobSpec* s, RandomNumbers* r) {
  if (s->ops.empty()) return;
  BlobSpec::Op& op = any(r, s->ops);
  const auto operand = [&] { return one_in(r, 8) ? -1 : static_cast<int32_t>(some_value(r, *s)); };
  switch (r->integer(0, 7)) {
    case 0:
      op.code = static_cast<params::OpCode>(one_in(r, 20) ? odd_number(r, 0) : static_cast<uint32_t>(r->integer(1, kMostCode)));
      break;
    case 1:
    case 2: change_list(r, &op.inputs, operand); break;
    case 3: change_list(r, &op.outputs, operand); break;
    case 4: op.ints = any(r, s->ops).ints; break;
    case 5: change_list(r, &op.floats, [&] { return odd_float(r); }); break;
    default:
      if (!op.ints.empty() && !one_in(r, 4)) {
        change_number(r, &any(r, op.ints));
      } else {
        change_list(r, &op.ints, [&] { return static_cast<int32_t>(odd_number(r, 0)); });
      }
  }
}

// Sizes: what all values with the expression have changes together, so that many such programs still fit.
void change_size(BlobSpec* s, RandomNumbers* r) {
  if (s->exprs.empty() || one_in(r, 4)) {
    const auto pick = [&] { return some_expr(r, *s); };
    const uint32_t lhs = pick(), rhs = pick();
    s->exprs.emplace_back(static_cast<uint32_t>(r->integer(0, 10)), lhs, rhs, one_in(r, 50),
                          static_cast<int64_t>(odd_number(r, 1)));
    return;
  }
  fb::Expr& e = any(r, s->exprs);
  const int64_t old = e.value();
  const int64_t value = one_in(r, 12)  ? static_cast<int64_t>(r->bits())
                        : one_in(r, 2) ? old + r->integer(-2, 2)
                                       : static_cast<int32_t>(odd_number(r, static_cast<uint32_t>(old)));
  if (one_in(r, 3)) {
    e = fb::Expr(static_cast<uint32_t>(r->integer(0, 9)), some_expr(r, *s), some_expr(r, *s), 0, value);
  } else {
    e = fb::Expr(e.kind(), e.lhs(), e.rhs(), one_in(r, 50), value);
  }
}

void change_dims(BlobSpec* s, RandomNumbers* r) {
  if (s->dims.empty() || one_in(r, 6)) {
    s->dims.emplace_back(1, r->integer(1, 9));
    s->dim_names.push_back("d");
    return;
  }
  fb::Dim& d = any(r, s->dims);
  d = one_in(r, 2) ? fb::Dim(static_cast<int32_t>(odd_number(r, static_cast<uint32_t>(d.min()))), d.max())
                   : fb::Dim(d.min(), static_cast<int32_t>(odd_number(r, static_cast<uint32_t>(d.max()))));
}

void change_ports(BlobSpec* s, RandomNumbers* r) {
  auto& ports = one_in(r, 2) ? s->inputs : s->outputs;
  if (ports.empty()) return;
  BlobSpec::Port& p = any(r, ports);
  switch (r->integer(0, 6)) {
    case 0: p.dtype = some_dtype(r); break;
    case 1: change_number(r, &p.min); break;
    case 2: change_number(r, &p.max); break;
    case 3: p.value = some_value(r, *s); break;
    case 4: p.name = std::string(below(r, 5), static_cast<char>(r->integer(0, 255))); break;
    case 5: ports.push_back(p); break;
    default: ports.pop_back();
  }
}

void change_segment(BlobSpec* s, RandomNumbers* r) {
  if (s->segments.empty() || one_in(r, 12)) {
    s->segments.push_back({Bytes(below(r, 200)), static_cast<uint8_t>(r->integer(0, 3))});
    return;
  }
  BlobSpec::Segment& g = any(r, s->segments);
  switch (g.bytes.empty() ? 0 : r->integer(0, 6)) {
    case 0: g.bytes.resize(one_in(r, 4) ? below(r, 4096) : g.bytes.size() + below(r, 65)); break;
    case 1: g.bytes.resize(below(r, g.bytes.size() + 1)); break;
    case 2: g.kind = static_cast<uint8_t>(r->integer(0, 3)); break;
    case 3:
      if (g.raw_bytes != 0) g.raw_bytes = odd_number(r, static_cast<uint32_t>(g.raw_bytes));
      break;
    case 4: any(r, g.bytes) ^= static_cast<uint8_t>(1u << r->integer(0, 7)); break;
    default:
      if (g.bytes.size() < 4) break;
      const float x = odd_float(r);
      const int32_t n = r->integer(-3, 9);
      const size_t at = below(r, g.bytes.size() / 4) * 4;
      std::memcpy(g.bytes.data() + at, one_in(r, 2) ? static_cast<const void*>(&x) : &n, 4);
  }
}

void change_tables(BlobSpec* s, RandomNumbers* r) {
  switch (r->integer(0, 7)) {
    case 0: change_list(r, &s->arena_order, [&] { return some_value(r, *s); }); break;
    case 1: change_number(r, &s->slots); break;
    case 2: s->program_flags ^= 1u << r->integer(0, one_in(r, 4) ? 31 : 1); break;
    case 3:
      change_list(r, &s->packing, [&] {
        return fb::Packing(static_cast<uint32_t>(r->integer(0, 3)), static_cast<uint32_t>(r->integer(0, 2)), some_expr(r, *s),
                           one_in(r, 20));
      });
      break;
    case 4:
      change_list(r, &s->states,
                  [&] { return fb::State(static_cast<uint32_t>(r->integer(0, 3)), static_cast<uint32_t>(r->integer(0, 3))); });
      break;
    case 5:
      if (s->golden.empty() || one_in(r, 3)) {
        BlobSpec::Golden g{{}, static_cast<uint32_t>(below(r, s->segments.size() + 1)), {}};
        for (const fb::Dim& d : s->dims) g.dims.push_back(d.min());
        g.offsets.assign(s->inputs.size() + s->outputs.size(), 0);
        s->golden.push_back(g);
      } else {
        BlobSpec::Golden& g = any(r, s->golden);
        if (one_in(r, 2))
          change_list(r, &g.offsets, [&] { return uint64_t{64} * below(r, 9); });
        else
          change_list(r, &g.dims, [&] { return r->integer(0, 9); });
      }
      break;
    default: {
      if (s->custom_ops.empty() || one_in(r, 3)) s->custom_ops.push_back({"fuzz::Op", "", {}, {}});
      auto& more = any(r, s->custom_ops).more;
      BlobSpec::Attribute a{"a", static_cast<uint32_t>(r->integer(0, 5))};
      if (one_in(r, 2)) a.ints.emplace(below(r, 3), 7);
      if (one_in(r, 2)) a.floats.emplace(below(r, 3), 0.5f);
      if (one_in(r, 2)) a.text = "text";
      if (more.empty() || one_in(r, 2))
        more.push_back(a);
      else
        any(r, more) = a;
    }
  }
}

// A second op of the same kind behind the last, whose output is a new value.
void repeat_op(BlobSpec* s, RandomNumbers* r) {
  if (s->ops.empty()) return;
  BlobSpec::Op op = any(r, s->ops);
  for (int32_t& out : op.outputs) {
    if (out < 0 || static_cast<size_t>(out) >= s->values.size()) continue;
    BlobSpec::Value v = s->values[static_cast<size_t>(out)];
    v.storage = 0;
    out = static_cast<int32_t>(s->add(v));
  }
  const bool before_last = s->ops.size() > 1 && one_in(r, 2);
  if (before_last && !op.outputs.empty()) s->ops.back().inputs.assign(s->ops.back().inputs.size(), op.outputs[0]);
  s->ops.insert(s->ops.end() - before_last, op);
}

// Another value of the same type and shape, or an alias of the same bytes, in an operand's place.
void rewire(BlobSpec* s, RandomNumbers* r) {
  if (s->ops.empty()) return;
  BlobSpec::Op& op = any(r, s->ops);
  if (op.inputs.empty()) return;
  int32_t& operand = any(r, op.inputs);
  if (operand < 0 || static_cast<size_t>(operand) >= s->values.size()) return;
  const BlobSpec::Value old = s->values[static_cast<size_t>(operand)];
  if (one_in(r, 2)) {
    BlobSpec::Value alias{old.dtype, old.shape, 4, static_cast<uint32_t>(operand)};
    if (one_in(r, 2)) change_list(r, &alias.shape, [&] { return some_expr(r, *s); });
    operand = static_cast<int32_t>(s->add(alias));
    return;
  }
  std::vector<int32_t> same;
  for (size_t v = 0; v < s->values.size(); ++v) {
    if (s->values[v].dtype == old.dtype && (s->values[v].shape == old.shape || one_in(r, 4)))
      same.push_back(static_cast<int32_t>(v));
  }
  if (!same.empty()) operand = any(r, same);
}

// All operands of an op in another type, or of another rank.
void change_operands(BlobSpec* s, RandomNumbers* r) {
  if (s->ops.empty()) return;
  const BlobSpec::Op& op = any(r, s->ops);
  const uint8_t dtype = some_dtype(r);
  const uint32_t axis = some_expr(r, *s);
  const int what = r->integer(0, 2);
  for (const auto* list : {&op.inputs, &op.outputs}) {
    for (const int32_t v : *list) {
      if (v < 0 || static_cast<size_t>(v) >= s->values.size()) continue;
      BlobSpec::Value& value = s->values[static_cast<size_t>(v)];
      if (what == 0) value.dtype = dtype;
      if (what == 1) value.shape.insert(value.shape.begin(), axis);
      if (what == 2 && !value.shape.empty()) value.shape.erase(value.shape.begin());
    }
  }
}

}  // namespace

void mutate_program(BlobSpec* s, RandomNumbers* r) {
  if (one_in(r, 4) && change_window(s, r)) return;
  if (one_in(r, 3) && change_maps(s, r)) return;
  switch (r->integer(0, 15)) {
    case 0:
    case 1: return change_value(s, r);
    case 2:
    case 3:
    case 4: return change_op(s, r);
    case 5:
    case 6: return change_size(s, r);
    case 7: return change_dims(s, r);
    case 8: return change_ports(s, r);
    case 9:
    case 10: return change_segment(s, r);
    case 11: return change_tables(s, r);
    case 12: return repeat_op(s, r);
    case 13: return change_operands(s, r);
    default: return rewire(s, r);
  }
}

}  // namespace ert::fuzz
