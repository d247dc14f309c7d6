// What the tables say of the model's task, and how the model takes text. Found anew by each call: it costs a look at a few structs.
#pragma once

#include "rt/context/context.h"
#include "rt/text/tables.h"

namespace ert::text {

struct TaskTables {
  const Task* task = nullptr;
  Row<Text> labels;
};

// False: there is no task, or what stands there is none.
bool read_task(const Tables& t, TaskTables* out);

enum TextInput : uint32_t { kIds, kMask, kTypes, kPositions, kTextInputs };

// One run of a model: `rows` equal rows of `tokens` tokens, of which the first row's results count.
struct ModelShape {
  int32_t rows;                  // 1, unless the model has a fixed batch
  uint32_t least, most;          // tokens that a run takes
  uint32_t inputs[kTextInputs];  // 1 + position, 0: none
  uint32_t width;                // of results: embed's vector, labels, 1 for qa
  bool by_token;                 // results of each token
  uint32_t outputs;
};

// False: the model is not what the task says. max_dims: those of a context, or null for the model's own.
bool read_shape(const Program& p, const int32_t* max_dims, const TaskTables& t, ModelShape* out);

inline TaskKind kind_of(const TaskTables& t) { return static_cast<TaskKind>(t.task->kind); }
inline uint32_t results_of(const ModelShape& m, uint32_t tokens) { return m.width * (m.by_token ? tokens : 1); }

}  // namespace ert::text
