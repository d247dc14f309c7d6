// Good cases with something changed at random: one axis, one size wherever it occurs, a type, a rank, a parameter, an operand that is gone or there
// twice. Whatever prepare still accepts must run inside its operands and its scratch, and give the same on one thread, on three, on the best level, in place and without
// an FPU, which the harness looks at. A prepare that forgets a check is found here by the run that relied on it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "kernels_int8/contract/packed_layout.h"
#include "tests/rt/ops/good_cases.h"
#include "tests/support/seeded_random.h"

namespace ert::test {
namespace {

constexpr int kRoundsOfACase = 300;         // or ERT_CHANGED_CASES
constexpr int64_t kMostElements = 1 << 14;  // more are not run: nothing new, and slow

class Changes {
 public:
  // One to three changes.
  OpCase changed(const OpCase& good) {
    OpCase c = good;
    for (int n = random_.integer(1, 3); n > 0; --n) change(&c);
    return c;
  }

  // Bytes for the shapes as they are now: finite numbers, indices of small tables, truth values.
  void fill(Tensor* t) {
    if (t->dtype == 0) return;
    const bool packed = params::is_known_layout(t->dtype);
    if (packed) {
      const auto n = static_cast<size_t>(t->dims[0]), k = static_cast<size_t>(t->dims[1]);
      t->bytes.resize(kernels::packed_bytes(params::kernel_layout(t->dtype), n, k));
    } else {
      t->bytes = empty(t->dtype, t->dims).bytes;
    }
    uint8_t* bytes = t->bytes.data();
    if (t->dtype == ERT_F32) {
      const std::vector<float> v = noise(t->elements(), static_cast<uint32_t>(random_.bits()));
      if (!v.empty()) std::memcpy(bytes, v.data(), t->bytes.size());
    } else if (t->dtype == ERT_I32) {
      for (size_t i = 0; i + 4 <= t->bytes.size(); i += 4) put<int32_t>(bytes + i, -2, 6);
    } else if (t->dtype == ERT_I64) {
      for (size_t i = 0; i + 8 <= t->bytes.size(); i += 8) put<int64_t>(bytes + i, -2, 6);
    } else {
      const bool truth = t->dtype == ERT_BOOL;
      for (uint8_t& b : t->bytes) b = static_cast<uint8_t>(random_.integer(truth ? 0 : -100, truth ? 1 : 100));
    }
  }

 private:
  template <class T>
  void put(uint8_t* to, int low, int high) {
    const T v = static_cast<T>(random_.integer(low, high));
    std::memcpy(to, &v, sizeof v);
  }
  int32_t size() {
    constexpr int32_t kSizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33};
    return kSizes[random_.integer(0, std::size(kSizes) - 1)];
  }
  uint8_t dtype() {
    constexpr uint8_t kTypes[] = {
        ERT_F32, ERT_I32, ERT_I64, ERT_U8, ERT_I8, ERT_BOOL, ERT_I16, params::kPackedN16K4, params::kPackedN2K16};
    return kTypes[random_.integer(0, std::size(kTypes) - 1)];
  }
  template <class F>
  static void each_tensor(OpCase* c, const F& f) {
    for (Tensor& t : c->inputs) f(t);
    for (Tensor& t : c->outputs) f(t);
  }
  Tensor& any_tensor(OpCase* c) {
    const size_t at = static_cast<size_t>(random_.integer(0, static_cast<int>(c->inputs.size() + c->outputs.size()) - 1));
    return at < c->inputs.size() ? c->inputs[at] : c->outputs[at - c->inputs.size()];
  }
  template <class T>
  T* any_of(std::vector<T>* v) {
    return v->empty() ? nullptr : &(*v)[static_cast<size_t>(random_.integer(0, static_cast<int>(v->size()) - 1))];
  }
  void change(OpCase* c) {
    if (c->inputs.empty() && c->outputs.empty()) return;
    Tensor& t = any_tensor(c);
    int32_t* axis = any_of(&t.dims);
    switch (random_.integer(0, 11)) {
      case 0:
        if (axis != nullptr) *axis = size();
        break;
      case 1:
      case 2:
        if (axis != nullptr) {
          const int32_t from = *axis, to = size();
          each_tensor(c, [&](Tensor& every) { std::replace(every.dims.begin(), every.dims.end(), from, to); });
        }
        break;
      case 3: t.dtype = dtype(); break;
      case 4: {
        const uint8_t from = t.dtype, to = dtype();
        each_tensor(c, [&](Tensor& every) {
          if (every.dtype == from) every.dtype = to;
        });
        break;
      }
      case 5: each_tensor(c, [](Tensor& every) { every.dims.insert(every.dims.begin(), 1); }); break;
      case 6:
        if (axis != nullptr) t.dims.erase(t.dims.begin() + (axis - t.dims.data()));
        break;
      case 7:
        if (int32_t* v = any_of(&c->ints)) *v = static_cast<int32_t>(random_.integer(-2, 40));
        break;
      case 8:
        if (int64_t* v = any_of(&c->exprs)) *v = random_.integer(-5, 9);
        if (int32_t* v = any_of(&c->ints)) *v = static_cast<int32_t>(random_.integer(-1, 3));
        break;
      case 9:
        if (float* v = any_of(&c->floats))
          *v = static_cast<float>(random_.integer(-2, 2)) / 2;
        else
          c->floats.push_back(0.5f);
        break;
      case 10:
        if (Tensor* gone = any_of(&c->inputs)) *gone = absent();
        break;
      default:
        if (random_.integer(0, 1) == 0) {
          c->inputs.push_back(t);
        } else if (!c->ints.empty()) {
          c->ints.pop_back();
        }
        break;
    }
  }
  testing::SeededRandom random_;
};

bool well_shaped(const Tensor& t) {
  return !params::is_packed(t.dtype) || (params::is_known_layout(t.dtype) && t.dims.size() == 2);
}

// How much memory there is behind operands is open's affair: packed values are of rank 2 (sizes/dims.cc), and everything is small enough to run.
bool can_be_run(const OpCase& c) {
  const auto fits = [](const Tensor& t) {
    return t.dims.size() <= ERT_MAX_RANK && well_shaped(t) && t.elements() <= kMostElements;
  };
  return std::all_of(c.inputs.begin(), c.inputs.end(), fits) && std::all_of(c.outputs.begin(), c.outputs.end(), fits) &&
         scratch_bytes(c) <= 1 << 22;
}

// What open holds of packed weights, so that every level computes the same: no weight beyond its type's limit, zeros behind the last k, and the sums of
// the columns in the first int32 operand behind them.
void make_right(Tensor* weights, Tensor* sums) {
  const kernels::Layout layout = params::kernel_layout(weights->dtype);
  const size_t n = static_cast<size_t>(weights->dims[0]), k = static_cast<size_t>(weights->dims[1]);
  std::vector<uint8_t> right(weights->bytes.size(), 0);
  std::vector<int32_t> of_columns(n, 0);
  for (size_t column = 0; column < n; ++column)
    for (size_t kk = 0; kk < k; ++kk) {
      const size_t at = kernels::packed_offset(layout, column, kk, k);
      if (kernels::weight_bytes(layout) == 2) {
        int16_t v;
        std::memcpy(&v, &weights->bytes[at], sizeof v);
        v = static_cast<int16_t>(v % 2048);
        std::memcpy(&right[at], &v, sizeof v);
      } else {
        right[at] = weights->bytes[at];
        of_columns[column] += static_cast<int8_t>(right[at]);
      }
    }
  weights->bytes = right;
  if (sums != nullptr && sums->bytes.size() == n * sizeof(int32_t) && n != 0) std::memcpy(sums->bytes.data(), of_columns.data(), sums->bytes.size());
}

void make_weights_right(OpCase* c) {
  for (size_t i = 0; i < c->inputs.size(); ++i) {
    if (!params::is_known_layout(c->inputs[i].dtype)) continue;
    size_t next = i + 1;
    while (next < c->inputs.size() && c->inputs[next].dtype != ERT_I32) ++next;
    make_right(&c->inputs[i], next < c->inputs.size() ? &c->inputs[next] : nullptr);
  }
}

TEST(ChangedCases, WhatPrepareAcceptsRunsInBounds) {
  const char* given = std::getenv("ERT_CHANGED_CASES");
  const int rounds = given == nullptr ? kRoundsOfACase : std::atoi(given);
  Changes changes;
  std::vector<OpCase> cases = good_cases();
  for (const OpCase& c : further_cases()) cases.push_back(c);
  std::map<std::string, int> ran;
  for (const OpCase& good : cases) {
    EXPECT_TRUE(prepares(good)) << good.def->name << ", case " << &good - cases.data();
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      OpCase c = changes.changed(good);
      if (!prepares(c) || !can_be_run(c)) continue;
      for (Tensor& t : c.inputs) changes.fill(&t);
      make_weights_right(&c);
      for (Tensor& t : c.outputs) {
        if (t.dtype != 0) t.bytes = empty(t.dtype, t.dims).bytes;
      }
      const ert_status status = run(c);
      const bool refused_contents = status == ERT_ERR_INPUT || (good.def == &kOpCustom && status == ERT_ERR_UNSUPPORTED);
      EXPECT_TRUE(status == ERT_OK || refused_contents) << good.def->name << " " << status << " in round " << round;
      ++ran[good.def->name];
    }
    EXPECT_FALSE(HasFailure()) << good.def->name;
  }
  for (const OpCase& good : good_cases()) EXPECT_GT(ran[good.def->name], 5) << good.def->name << " was refused nearly always";
}

}  // namespace
}  // namespace ert::test
