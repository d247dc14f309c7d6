// What an op is to the runtime: a prepare function that checks everything for the current dims and a run function that
// trusts it. One file per op in rt/ops/; rt/ops/op_list.inc names them; rt/ops/op_table.cc collects them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels_int8/contract/kernel_table.h"
#include "rt/base/cores.h"
#include "rt/include/ert.h"

namespace ert {

// A value as an op sees it: shape for the current dims, and while running its address.
struct Operand {
  uint8_t dtype = 0;  // ert_dtype or params::Layout; 0 = absent
  uint8_t rank = 0;
  bool constant = false;
  uint8_t pairs = 0;  // in a context: what the Linear that writes this value does together with its neighbours (pairs.h)
  int32_t dims[ERT_MAX_RANK] = {};
  const void* data = nullptr;  // null while preparing, except constants
  bool present() const { return dtype != 0; }
  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i];
    return n;
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <class T>
  T* mut() const {
    return static_cast<T*>(const_cast<void*>(data));
  }
};

static_assert(offsetof(Operand, dims) == sizeof(int32_t), "ert_arena_bytes counts Operands: pairs takes a byte that was padding");

// Second forms of loops, which give the same sooner: code that small cores have no room for.
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
constexpr bool kFastForms = false;
#else
constexpr bool kFastForms = true;
#endif

constexpr int kMaxOperands = 64;  // inputs plus outputs of one op; the converter splits longer Concats

// Runs task(arg, i, thread) for i in [0, tasks): on the caller's hook, or in a plain loop. Tasks on the hook's threads run
// in ert's float mode (flush to zero, round to nearest), whatever mode those threads are in.
struct Parallel {
  ert_parallel_for hook = nullptr;
  void* context = nullptr;
  uint32_t threads = 1;
  void operator()(uint32_t tasks, ert_task task, void* arg) const {
    if (threads > 1 && tasks > 1) return on_hook(tasks, task, arg);
    for (uint32_t i = 0; i < tasks; ++i) task(arg, i, 0);
  }

 private:
  void on_hook(uint32_t tasks, ert_task task, void* arg) const;
};

// The rows of a run that are computed (Program.packing): of each sequence those up to its last token. batch is 0 when the program
// packs nothing.
struct RowMap {
  int32_t batch = 0, sequence = 0;
  int32_t total = 0;                // rows of a packed value: the sum of the lengths, but at least 1
  const int32_t* starts = nullptr;  // run only: sequence b is rows [starts[b], starts[b + 1]); batch + 1 entries
};

namespace ops {
struct RowNorm;
}

// What a Linear does together with its neighbours (pairs.cc finds them).
struct LinearPair {
  bool hands_over = false;             // the next op alone reads the result, which may stay in the quantized form of that Linear,
  const float* inv_smooth = nullptr;   // which multiplies by this before, where not null
  int32_t producer_depth = 0;          // k of the Linear before, which may have handed x over; else 0
  const ops::RowNorm* norm = nullptr;  // the next op, which this one may run on its rows as they are done:
  bool* norm_done = nullptr;           // then it sets this
};

// The cores are set for runs only. A base: it is empty in firmware.
struct OpContext : Cores {
  uint32_t n_inputs = 0, n_outputs = 0;
  const Operand* inputs = nullptr;  // absent operands have dtype 0
  const Operand* outputs = nullptr;
  uint32_t n_ints = 0, n_floats = 0;
  const int32_t* ints = nullptr;  // plain numbers, and indices into exprs where op_params.h says expr
  const float* floats = nullptr;
  const int64_t* exprs = nullptr;  // all size expressions, evaluated for the current dims
  uint32_t n_exprs = 0;
  Operand* inner = nullptr;  // RowBands only: room for the operands of an op in it, params::row_bands::kMostOperands
  RowMap rows;
  const kernels::KernelTable* kernels = nullptr;
  Parallel parallel;           // hook and context: run only; threads as configured, 1 while ert_model_open prepares
  uint8_t* scratch = nullptr;  // run only: threads * scratch_stride bytes, 64-aligned
  size_t scratch_stride = 0;   // run, and prepare for dims of a context whose memory is planned: what prepare asks for then must not exceed it
  LinearPair pair;  // run only, Linear only
  // Custom only. custom is null while ert_model_open prepares: nothing is registered yet.
  const ert_custom_op* custom = nullptr;
  const ert_custom_attribute* custom_attributes = nullptr;
  uint32_t n_custom_attributes = 0;
};

// Its code stands in op_list.inc alone.
struct OpDef {
  const char* name;
  // Checks operand count, dtypes, ranks, shapes and parameters; false = the blob is wrong (ERT_ERR_MODEL). Sets the scratch
  // bytes that one thread needs for these dims, the same on every ISA. Must not touch operand data.
  bool (*prepare)(const OpContext& c, size_t* scratch_bytes_per_thread);
  // Computes the outputs. Only data-dependent faults (an index out of range) give a status other than OK.
  ert_status (*run)(const OpContext& c);
  // Multiply-accumulates for these dims; may be null (0).
  uint64_t (*macs)(const OpContext& c);
  // Bit i set: output 0 may share memory with input i where both have as many elements of the same dtype, so that input i is not
  // broadcast: each element is then read before the one in its place is written.
  uint32_t in_place_inputs;
  // For ert_work.steps. Bit i set: of input i, if it is a constant, no more is read than output 0 has elements.
  uint32_t looked_up_inputs = 0;
  uint32_t steps_per_element = 1;  // at most, where an op comes back to elements: 2 * log2 of what fits
  // What it does to elements beside macs and once for each operand, where that may be more than these; null: nothing.
  uint64_t (*further_steps)(const OpContext& c) = nullptr;

  // Ops may have more inputs than the masks have bits: those behind them are neither.
  bool may_replace(size_t i) const { return i < 32 && (in_place_inputs >> i & 1) != 0; }
  bool looks_up(size_t i) const { return i < 32 && (looked_up_inputs >> i & 1) != 0; }
};

// Null if the code is unknown or not linked in.
const OpDef* find_op(uint16_t code);

}  // namespace ert
