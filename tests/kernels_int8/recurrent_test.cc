// The steps of recurrent cells on every level against the reference, bit for bit, and the reference against its own parts.
#include <vector>

#include "kernels_int8/dispatch/dispatch.h"
#include "tests/kernels_int8/fills.h"
#include "tests/kernels_int8/level_test.h"
#include "tests/support/guarded_buffer.h"

namespace ert::kernels::testing {
namespace {

using ert::testing::GuardedBuffer;

constexpr size_t kRecurrentWidths[] = {1, 2, 15, 16, 17, 31, 32, 33, 48, 65, 100, 256};

// Rows of one step; the gates' stride is that of rt/ops/recurrence.cc, whole panels.
struct Step {
  Step(size_t n, size_t gate_count, Fill fill, SeededRandom& random)
      : stride(round_up(n, 16)), gates((gate_count - 1) * stride + n), projected(gate_count * n), c(n), h(n) {
    fill_row(gates, fill, random);
    fill_row(projected, fill, random);
    fill_row(c, fill, random);
    fill_row(h, fill, random);
  }
  size_t stride;
  GuardedBuffer<float> gates, projected, c, h;
};

std::vector<float> copy(const GuardedBuffer<float>& from) { return {from.data(), from.data() + from.size()}; }

void compare_lstm(decltype(KernelTable::lstm_step) want, decltype(KernelTable::lstm_step) got) {
  SeededRandom random;
  for (size_t n : kRecurrentWidths) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      Step s(n, 4, static_cast<Fill>(fill), random);
      std::vector<float> c = copy(s.c), h = copy(s.h);
      want(n, s.gates.data(), s.stride, s.projected.data(), c.data(), h.data());
      got(n, s.gates.data(), s.stride, s.projected.data(), s.c.data(), s.h.data());
      ASSERT_TRUE(all_same_bits(n, c.data(), s.c.data())) << "c, n " << n << " " << fill_name(static_cast<Fill>(fill));
      ASSERT_TRUE(all_same_bits(n, h.data(), s.h.data())) << "h, n " << n << " " << fill_name(static_cast<Fill>(fill));
    }
  }
}

void compare_gru(decltype(KernelTable::gru_step) want, decltype(KernelTable::gru_step) got) {
  SeededRandom random;
  for (size_t n : kRecurrentWidths) {
    for (int fill = 0; fill < static_cast<int>(Fill::kCount); ++fill) {
      Step s(n, 3, static_cast<Fill>(fill), random);
      std::vector<float> h = copy(s.h);
      want(n, s.gates.data(), s.stride, s.projected.data(), h.data());
      got(n, s.gates.data(), s.stride, s.projected.data(), s.h.data());
      ASSERT_TRUE(all_same_bits(n, h.data(), s.h.data())) << "n " << n << " " << fill_name(static_cast<Fill>(fill));
    }
  }
}

class RecurrentTest : public LevelTest {};

TEST_P(RecurrentTest, LstmOnEveryFill) { compare_lstm(ref().lstm_step, kernels().lstm_step); }
TEST_P(RecurrentTest, GruOnEveryFill) { compare_gru(ref().gru_step, kernels().gru_step); }
TEST_P(RecurrentTest, CoarseLstmOnEveryFill) { compare_lstm(ref().lstm_step_coarse, kernels().lstm_step_coarse); }
TEST_P(RecurrentTest, CoarseGruOnEveryFill) { compare_gru(ref().gru_step_coarse, kernels().gru_step_coarse); }

// The definition, put together from the activations by name.
void compare_with_activations(Unary sigmoid_kind, Unary tanh_kind, decltype(KernelTable::lstm_step) lstm_step,
                              decltype(KernelTable::gru_step) gru_step) {
  FloatMode mode;
  SeededRandom random;
  const auto sigmoid = [=](float x) { return scalar_unary(sigmoid_kind, x); };
  const auto tanh = [=](float x) { return scalar_unary(tanh_kind, x); };
  const size_t n = 40;
  Step lstm(n, 4, Fill::kNormal, random), gru(n, 3, Fill::kNormal, random);
  const auto sum = [](const Step& s, size_t g, size_t i) { return s.gates[g * s.stride + i] + s.projected[g * n + i]; };
  const std::vector<float> c_before = copy(lstm.c), h_before = copy(gru.h);
  lstm_step(n, lstm.gates.data(), lstm.stride, lstm.projected.data(), lstm.c.data(), lstm.h.data());
  gru_step(n, gru.gates.data(), gru.stride, gru.projected.data(), gru.h.data());
  for (size_t i = 0; i < n; ++i) {
    const float kept = sigmoid(sum(lstm, 2, i)) * c_before[i], added = sigmoid(sum(lstm, 0, i)) * tanh(sum(lstm, 3, i));
    EXPECT_EQ(lstm.c[i], kept + added) << i;
    EXPECT_EQ(lstm.h[i], sigmoid(sum(lstm, 1, i)) * tanh(lstm.c[i])) << i;
    const float update = sigmoid(sum(gru, 0, i)), scaled = sigmoid(sum(gru, 1, i)) * gru.gates[2 * gru.stride + i];
    const float fresh = (1.0f - update) * tanh(scaled + gru.projected[2 * n + i]), stays = update * h_before[i];
    EXPECT_EQ(gru.h[i], fresh + stays) << i;
  }
}

TEST(RecurrentReferenceTest, IsMadeOfTheCanonicalActivations) {
  const KernelTable& t = *level_table(Level::kRef);
  compare_with_activations(Unary::kSigmoid, Unary::kTanh, t.lstm_step, t.gru_step);
}
TEST(RecurrentReferenceTest, CoarseIsMadeOfTheCoarseActivations) {
  const KernelTable& t = *level_table(Level::kRef);
  compare_with_activations(Unary::kSigmoidCoarse, Unary::kTanhCoarse, t.lstm_step_coarse, t.gru_step_coarse);
}

ERT_INSTANTIATE_LEVELS(RecurrentTest);

}  // namespace
}  // namespace ert::kernels::testing
