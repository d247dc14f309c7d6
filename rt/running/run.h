// The steps of a run, for ert_run, ert_step and ert_selftest.
#pragma once

#include "rt/context/context.h"

namespace ert {

// input_check.cc, after evaluation: every bound shape is what its expressions give; outputs fit; nothing overlaps; contents are allowed.
// Bindings of kind kOwn are in the context's memory on purpose: states, and what ert_selftest binds.
ert_status check_inputs(const ContextState& s, const Program& p, ert_error_detail* why);
ert_status check_outputs(const ContextState& s, const Program& p, ert_error_detail* why);

// rows.cc: reads the mask that is bound, fills row_starts and returns the number of packed rows.
int32_t find_rows(ContextState* s, const Program& p);

// run.cc
ert_status begin_run(ContextState* s, const Program& p);
ert_status run_op(ContextState* s, const Program& p, uint32_t op);
ert_status run_all(ContextState* s, const Program& p);

}  // namespace ert
