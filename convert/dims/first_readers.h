// The operators that an input meets first.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "convert/ir/graph.h"

namespace edgeconv {

// What the first operators are. Channels: those that a convolution sums over.
struct FirstReaders {
  bool conv1d = false, conv2d = false, matmul = false;
  int64_t channels = 0, kernel = 0;
  bool power = false;  // products whose squares are added in pairs, as of the two parts of a Fourier transform
  float factor = 1;  // by which the values are multiplied before
  // Of a convolution over two dimensions: what its outputs vary by where colours vary as those of pictures from 0 to 1; 0: not known.
  float response = 0;
  std::set<NodeId> recurrent;  // whose initial states these values are
  bool recording = false;  // an input of two axes whose leading one is no batch: a convolution or a recurrent layer goes along it
};

// Whether what this input of the node holds is in its outputs, moved or scaled.
bool passes_values(const Node& n, size_t input);

// Follows an input through what leaves samples as samples. users: the nodes that read each value.
FirstReaders first_readers(const Graph& g, const std::vector<std::vector<NodeId>>& users, ValueId input);

}  // namespace edgeconv
