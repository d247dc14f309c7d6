// Chains of ops under construction, as tests of RowBands make them.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "rt/ops/row_bands.h"
#include "tests/rt/ops/op_harness.h"

namespace ert::test {

namespace bands = params::row_bands;
using params::OpCode;

struct Step {
  OpCode code;
  std::vector<int> inputs;  // values; -1: absent
  std::vector<int> outputs;
  std::vector<int32_t> ints;
  std::vector<float> floats;
};

// A chain under construction. Each step runs alone when it is added, which fills its outputs.
struct Net {
  std::vector<Tensor> values;
  std::vector<Step> steps;

  int add(Tensor t) {
    values.push_back(std::move(t));
    return static_cast<int>(values.size()) - 1;
  }
  int constant(Tensor t) {
    if (t.dtype == 0) return -1;
    t.constant = true;
    return add(std::move(t));
  }
  // The first `given` inputs of the case are values that are there already.
  std::vector<int> step(OpCode code, OpCase c, const std::vector<int>& given) {
    Step s = {code, given, {}, c.ints, c.floats};
    for (size_t i = 0; i < given.size(); ++i) c.inputs[i] = given[i] < 0 ? absent() : values[static_cast<size_t>(given[i])];
    for (size_t i = given.size(); i < c.inputs.size(); ++i) s.inputs.push_back(constant(c.inputs[i]));
    EXPECT_EQ(run(c), ERT_OK);
    for (Tensor& t : c.outputs) s.outputs.push_back(add(std::move(t)));
    steps.push_back(s);
    return s.outputs;
  }

  OpCase as_bands(int32_t rows) const {
    OpCase c = {&kOpRowBands, {}, {}, {rows, static_cast<int32_t>(steps.size()), 0}, {}, {}};
    std::map<int, int32_t> inner, outer;
    std::vector<int32_t> ops;
    for (const Step& s : steps) {
      ops.insert(ops.end(),
                 {static_cast<int32_t>(s.code), static_cast<int32_t>(s.inputs.size()), static_cast<int32_t>(s.outputs.size()),
                  static_cast<int32_t>(s.ints.size()), static_cast<int32_t>(s.floats.size())});
      for (const int v : s.inputs) {
        if (v < 0) {
          ops.push_back(bands::kAbsent);
        } else if (inner.count(v) != 0) {
          ops.push_back(bands::value_of(inner[v]));
        } else {
          const auto [it, fresh] = outer.emplace(v, static_cast<int32_t>(c.inputs.size()));
          if (fresh) c.inputs.push_back(values[static_cast<size_t>(v)]);
          ops.push_back(it->second);
        }
      }
      ops.insert(ops.end(), s.ints.begin(), s.ints.end());
      c.floats.insert(c.floats.end(), s.floats.begin(), s.floats.end());
      if (&s == &steps.back()) break;
      for (const int v : s.outputs) {
        const Tensor& t = values[static_cast<size_t>(v)];
        inner.emplace(v, static_cast<int32_t>(inner.size()));
        std::vector<int32_t> ints = {t.dtype, static_cast<int32_t>(t.dims.size()), 0, 0, 0, 0};
        for (size_t i = 0; i < t.dims.size(); ++i) {
          ints[bands::kFirstExpr + i] = static_cast<int32_t>(c.exprs.size());
          c.exprs.push_back(t.dims[i]);
        }
        c.ints.insert(c.ints.end(), ints.begin(), ints.end());
      }
    }
    c.ints[bands::kValues] = static_cast<int32_t>(inner.size());
    c.ints.insert(c.ints.end(), ops.begin(), ops.end());
    for (const int v : steps.back().outputs)
      c.outputs.push_back(empty(values[static_cast<size_t>(v)].dtype, values[static_cast<size_t>(v)].dims));
    return c;
  }

  void expect_same_in_bands(int32_t rows) const {
    OpCase c = as_bands(rows);
    ASSERT_TRUE(prepares(c));
    ASSERT_EQ(run(c), ERT_OK);
    for (size_t i = 0; i < c.outputs.size(); ++i)
      EXPECT_EQ(c.outputs[i].bytes, values[static_cast<size_t>(steps.back().outputs[i])].bytes) << "output " << i;
  }
};

}  // namespace ert::test
