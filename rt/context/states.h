// States: outputs that the context keeps and gives to inputs in the next run (Program.states). Two copies of each lie in the tables: a
// run reads one and writes the other, and what it has written counts only when it has ended well.
#pragma once

#include "rt/context/context.h"

namespace ert {

// Bytes of one copy of all states, whose shapes are fixed: any evaluated exprs will do. False when the sum leaves the limits.
bool state_bytes(const Program& p, const int64_t* exprs, size_t* out);

// Inputs and outputs of states that nothing is bound to get the context's copies. ran: behind a run that ended well, of which the copy that
// it wrote is the one to read next; what the caller's memory got instead is copied there.
void bind_states(ContextState* s, const Program& p, bool ran);

}  // namespace ert
