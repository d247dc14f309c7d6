// What the tables of a tokenizer say of the model's task.
#pragma once

#include "convert/task/task_output.h"
#include "convert/text/tokenizer.h"

namespace edgeconv::text {

// Fills t.task, and cuts texts to most_tokens by default, unless the tokenizer itself cuts them to less. settings: with nothing left open.
void take_task(Tokenizer& t, const TaskSettings& settings, const TextInputs& inputs, int64_t most_tokens);

// The highest id that an encoding can give.
int64_t highest_id(const Tokenizer& t);

}  // namespace edgeconv::text
