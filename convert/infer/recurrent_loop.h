// Loops that are recurrent layers: exporters write the GRU, the masked LSTM and the simple RNN of Keras so.
#pragma once

#include "convert/ir/graph.h"

namespace edgeconv {

// Puts Rnn nodes in place of Loop n, where it runs once for each step of what it reads and its body has the equations of LSTM, GRU or simple RNN,
// of one cell or of several that read each other, with or without a mask of steps. Dims stay dynamic then, and nothing has to be unrolled.
// False, and nothing is changed, where anything else is computed. The caller sorts the graph.
bool replace_recurrent_loop(Graph& g, NodeId n);

}  // namespace edgeconv
