// See rnn_activations.h.
#include "convert/interp/rnn_activations.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace edgeconv {

namespace {

using KernelUnary = ert::kernels::Unary;

// Defaults of alpha and beta, where the file gives none.
Activation make_activation(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char ch) { return static_cast<char>(std::tolower(ch)); });
  if (lower == "leakyrelu") return {lower, 0.01f, 0};
  if (lower == "hardsigmoid") return {lower, 0.2f, 0.5f};
  return {lower, 1.0f, 0};
}

}  // namespace

std::vector<Activation> activations_of(const RnnAttrs& a, size_t directions) {
  const size_t per = a.kind == "LSTM" ? 3 : (a.kind == "GRU" ? 2 : 1);
  std::vector<Activation> r;
  size_t alpha = 0, beta = 0;
  for (size_t i = 0; i < per * directions; ++i) {
    const bool gate = i % per == 0 && a.kind != "RNN";
    r.push_back(make_activation(i < a.activations.size() ? a.activations[i] : (gate ? "sigmoid" : "tanh")));
    const std::string& n = r.back().name;
    const bool takes_beta = n == "affine" || n == "scaledtanh" || n == "hardsigmoid";
    const bool takes_alpha = takes_beta || n == "leakyrelu" || n == "thresholdedrelu" || n == "elu";
    if (takes_alpha && alpha < a.alpha.size()) r.back().alpha = a.alpha[alpha++];
    if (takes_beta && beta < a.beta.size()) r.back().beta = a.beta[beta++];
  }
  return r;
}

void activate(const NodeInputs& c, const Activation& f, int64_t count, const float* src, float* dst) {
  const auto kernel = [&](KernelUnary u) {
    apply_unary(c.backend, static_cast<int>(u), 0, static_cast<size_t>(count), src, dst);
  };
  const auto each = [&](auto function) { std::transform(src, src + count, dst, function); };
  const std::string& n = f.name;
  if (n == "sigmoid") return kernel(KernelUnary::kSigmoid);
  if (n == "tanh") return kernel(KernelUnary::kTanh);
  if (n == "relu") return kernel(KernelUnary::kRelu);
  if (n == "softplus") return kernel(KernelUnary::kSoftplus);
  if (n == "affine") return each([&](float x) { return f.alpha * x + f.beta; });
  if (n == "leakyrelu") return each([&](float x) { return x < 0 ? f.alpha * x : x; });
  if (n == "thresholdedrelu") return each([&](float x) { return x > f.alpha ? x : 0.0f; });
  if (n == "scaledtanh")
    return each([&](float x) {
      return f.alpha * apply_unary_one(c.backend, static_cast<int>(KernelUnary::kTanh), 0, f.beta * x);
    });
  if (n == "hardsigmoid") return each([&](float x) { return std::clamp(f.alpha * x + f.beta, 0.0f, 1.0f); });
  if (n == "elu") return each([&](float x) { return x < 0 ? f.alpha * (exp_of(c.backend, x) - 1.0f) : x; });
  if (n == "softsign") return each([](float x) { return x / (1.0f + std::fabs(x)); });
  c.fail("activation '" + n + "' is not supported");
}

}  // namespace edgeconv
