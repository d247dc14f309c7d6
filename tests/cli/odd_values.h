// What damaged models are made of: numbers, names, words, tensors and attributes that an importer may not expect.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "convert/onnx/onnx.pb.h"

namespace edgeconv::testing {

using Random = std::mt19937_64;

inline size_t below(Random& random, size_t n) { return static_cast<size_t>(random() % n); }

template <typename T, size_t n>
T one_of(Random& random, const T (&all)[n]) {
  return all[below(random, n)];
}

// Any index into a repeated field that is not empty.
template <typename Repeated>
int any_of(Random& random, const Repeated& all) {
  return static_cast<int>(below(random, static_cast<size_t>(all.size())));
}

// Element types of operands, by their number in ONNX, the usual ones more often.
constexpr int kOddTypes[] = {1, 1, 1, 7, 7, 6, 9, 2, 3, 10, 11};

int64_t odd_number(Random& random);
// What occurs in models that work, mostly: damage that is refused at the first look finds nothing.
int64_t small_number(Random& random);
float odd_float(Random& random);
std::string odd_name(Random& random);

// Contents for the tensor's type and sizes, at most 4096 elements.
void fill_tensor(pb::TensorProto& t, Random& random);
void odd_tensor(pb::TensorProto& t, Random& random);

// A name, or a text, that some operator has among its attributes.
std::string attribute_name(Random& random);
std::string attribute_word(Random& random);
void set_attribute(pb::AttributeProto& a, Random& random);

// Any operator of `edgeconv supported-ops`.
void set_operator(pb::NodeProto& n, Random& random);

}  // namespace edgeconv::testing
