// The output that a task's answer is made of, and no other: pooling and normalization become part of the graph, so that the same rounding, the
// same memory formula and the same tests hold for them as for every layer.
#pragma once

#include <string>
#include <vector>

#include "convert/ir/graph.h"
#include "convert/task/task.h"

namespace edgeconv {

// Positions in Graph::inputs of what a tokenizer gives, -1: the model does not take it.
struct TextInputs {
  int ids = -1, mask = -1, types = -1, positions = -1;
  bool operator==(const TextInputs&) const = default;
};

// By name, as exporters have them (input_ids, attention_mask, token_type_ids, position_ids; segment_ids and input_mask of older ones).
// Throws FatalError(kUsage), naming the inputs, where there are no ids, or where another input is needed that no text gives.
TextInputs find_text_inputs(const Graph& g);
// The input that ids are for, by its name or as the only one that fits: for a tokenizer that is kept beside a model without a task. -1: none.
int ids_input(const Graph& g);

// Rewrites g, whose shapes are inferred and have to be inferred again, for settings.kind:
//   embed      [batch, hidden], named sentence_embedding
//   classify, zero-shot   [batch, labels]
//   tokens     [batch, sequence, labels]
//   qa         start and end, [batch, sequence] each, in this order
// Other outputs go. Fills in what settings leave open: pooling, normalization, names of labels as transformers give them. Throws FatalError(kUsage)
// where the model has no such output, naming those that it has, or another number of labels.
void give_task_output(Graph& g, const TextInputs& inputs, TaskSettings& settings);

}  // namespace edgeconv
