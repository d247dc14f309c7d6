// Operands and parameters of a runtime op by the names of rt/ops/op_params.h, so that their order stands there alone:
//   named<softmax::kIntCount>({{softmax::kAxis, axis}, {softmax::kLog, 0}})
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

namespace edgeconv {

// The list of the first kCount positions of an enum. Throws std::logic_error unless each of them is named exactly once and every number
// fits: a parameter added to op_params.h makes the first conversion fail that does not write it.
template <auto kCount, class To, class From>
std::vector<To> by_position(std::initializer_list<std::pair<decltype(kCount), From>> values) {
  std::vector<To> list(static_cast<size_t>(kCount));
  std::vector<char> set(list.size(), 0);
  for (const auto& [position, value] : values) {
    const auto at = static_cast<size_t>(position);
    if (set.at(at)++) throw std::logic_error("a parameter of a runtime op is written twice");
    list[at] = static_cast<To>(value);
    if (static_cast<From>(list[at]) != value && value == value)
      throw std::logic_error("a parameter of a runtime op does not fit");
  }
  if (values.size() != list.size()) throw std::logic_error("a parameter of a runtime op is not written");
  return list;
}

template <auto kCount>
std::vector<int32_t> named(std::initializer_list<std::pair<decltype(kCount), int64_t>> values) {
  return by_position<kCount, int32_t, int64_t>(values);
}
template <auto kCount>
std::vector<float> named_floats(std::initializer_list<std::pair<decltype(kCount), float>> values) {
  return by_position<kCount, float, float>(values);
}

}  // namespace edgeconv
