/* ert.h - C API of the ert runtime: runs a blob made by `edgeconv` without allocating memory.
 *
 * More than 300 lines in one file, because it is the one header that applications include.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Life of a model
 *   1. ert_model_open      verifies the blob (header, checksum, structure, semantics) and fills a small ert_model
 *   2. ert_model_info, ert_model_input, ert_model_output, ert_model_dim   tell what is inside
 *   3. ert_arena_bytes     the exact number of bytes that a context needs for the largest dims the caller wants
 *   4. ert_context_init    carves the context out of the caller's memory
 *   5. ert_bind_input, ert_bind_output, ert_run   as often as wanted, with any dims up to the largest
 *
 * Threads      A const ert_model may be shared by any number of threads. An ert_context belongs to one thread at a
 *              time; two contexts on one model are independent. No function uses mutable global state.
 * Interrupts   No function may be called from an interrupt handler except ert_status_str and ert_api_version.
 * Ownership    The blob, the model and all memory regions must outlive the context. Nothing is ever freed by ert. The blob is
 *              only read. The context and its regions belong to ert: bound tensors lie outside. Inputs are only read and may
 *              overlap each other and the blob; an output overlaps neither them nor another output nor the blob.
 * struct_size  Every struct that the caller fills starts with its own size in bytes (sizeof). A library newer than
 *              the caller treats the missing tail as zero; one older refuses with ERT_ERR_ARG if the tail is not zero.
 * Errors       Every function returns ERT_OK or a status that says what is wrong. Statuses are stable: never renumbered.
 * Padding      A blob may skip padding (ert_info.skips_padding). Then outputs [batch, sequence, ..] are zero behind
 *              the last token of each row of the mask input, and what is pooled from a row without any token is
 *              computed from zeros. All other bits are the same as without skipping. What the mask may hold, and
 *              how skipping is proved and done: rt/README.md, section Padding.
 * States       A recurrent model may keep states (ert_info.states): outputs that the next run reads as inputs, from zeros in the first.
 *              They need no buffers: the context has them. A run that does not return OK leaves them as they were.
 * Numbers      The same blob and input give the same output bits on every ISA, batch, padding and thread count
 *              (kernels_int8/NUMERICS.md). ert_run sets flush-to-zero and round-to-nearest and restores both on exit.
 */
#ifndef ERT_H
#define ERT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the library is built with hidden symbols */
#endif

#define ERT_API_VERSION 3u  /* grows when functions or struct fields are added */
#define ERT_MAX_RANK 8u     /* tensors of a higher rank are refused by the converter */
#define ERT_MAX_DIMS 16u    /* named dims of one model */
#define ERT_MAX_REGIONS 2u  /* memory regions of one context: fast, then slow */
#define ERT_BLOB_ALIGN 64u  /* required alignment of the blob's first byte (16 on Cortex-M builds) */
#define ERT_ARENA_ALIGN 64u /* required alignment of each memory region */

/* ---- statuses ------------------------------------------------------------------------------------------------- */

typedef enum ert_status {
  ERT_OK = 0,
  /* 1..19: the caller's mistake */
  ERT_ERR_ARG = 1,   /* NULL pointer, bad struct_size, index out of range, region overlaps blob or other region */
  ERT_ERR_ALIGN = 2, /* blob, region or tensor data is not aligned as required */
  ERT_ERR_STATE = 3, /* call out of order: run before bind, context not initialised or already running */
  ERT_ERR_NOMEM = 4, /* memory regions are smaller than ert_arena_bytes says */
  ERT_ERR_INPUT = 5, /* dtype, shape or content of a bound tensor: dims disagree, id out of range, NaN or Inf */
  ERT_ERR_DIMS = 6,  /* a dim is 0, below its minimum or above its maximum */
  /* 20..39: the blob */
  ERT_ERR_TRUNCATED = 20,   /* fewer bytes than the header or than the header's total */
  ERT_ERR_MAGIC = 21,       /* not an ert blob */
  ERT_ERR_VERSION = 22,     /* format major version, or a critical feature, that this runtime does not know */
  ERT_ERR_CHECKSUM = 23,    /* header or content CRC-32C does not match */
  ERT_ERR_FORMAT = 24,      /* structure: FlatBuffers verification, segment table, reserved bytes */
  ERT_ERR_MODEL = 25,       /* semantics: value index, shape, lifetime, parameter of an op */
  ERT_ERR_LIMIT = 26,       /* a count or size above the limits in rt/base/limits.h */
  ERT_ERR_UNSUPPORTED = 27, /* an op, dtype or custom op that is not linked in or not registered */
  ERT_ERR_COMPRESSED = 28,  /* compressed blob: expand it with ert_unpack first */
  ERT_ERR_SIGNATURE = 29,   /* the blob has no signature, or not that of the key asked for */
  ERT_ERR_ROLLBACK = 30,    /* security counter below ert_config.min_security_counter */
  ERT_ERR_ENDIAN = 31,      /* big-endian CPU */
  ERT_ERR_LAYOUT = 32,      /* weights packed in a layout that this runtime does not read: convert with another --target */
  /* 40..: while running */
  ERT_ERR_ISA = 40,       /* none of the instruction sets in ert_config.isa_mask is built in and on this CPU */
  ERT_ERR_ABORTED = 41,   /* the op hook asked to stop: outputs undefined, context reusable */
  ERT_ERR_INTEGRITY = 42, /* corruption of context memory detected: context unusable until ert_context_init */
  ERT_ERR_SELFTEST = 43,  /* a golden vector gave other bits, or the blob has none */
  ERT_ERR_CUSTOM_OP = 44, /* a custom op's run function failed */
  ERT_STEP_MORE = 60      /* ert_step: not an error, further ops remain */
} ert_status;

/* English name and one-line meaning, never NULL; static storage. Callable from anywhere. */
const char* ert_status_str(ert_status s);

/* ERT_API_VERSION of the library that was linked. */
uint32_t ert_api_version(void);

/* ---- tensors -------------------------------------------------------------------------------------------------- */

typedef enum ert_dtype {
  ERT_F32 = 1, /* IEEE binary32 */
  ERT_I32 = 2,
  ERT_I64 = 3, /* only at the boundary: inputs and outputs; the runtime computes in 32 bits */
  ERT_U8 = 4,
  ERT_I8 = 5,
  ERT_BOOL = 6, /* one byte, 0 or 1 (any nonzero input byte counts as 1) */
  ERT_I16 = 7   /* inputs: samples; constants: tables of Embedding */
} ert_dtype;

/* Dense row-major tensor in the caller's memory. data must be aligned to the element size. */
typedef struct ert_tensor {
  uint32_t struct_size;
  uint32_t dtype; /* ert_dtype */
  uint32_t rank;
  int32_t shape[ERT_MAX_RANK];
  void* data;
  size_t bytes; /* capacity behind data; at least shape product times element size */
} ert_tensor;

/* ---- model ---------------------------------------------------------------------------------------------------- */

/* Caller storage; contents are private. Copyable; constant after ert_model_open. */
typedef struct ert_model {
  uint64_t opaque[16];
} ert_model;

/* Verifies `bytes` bytes at `blob` and fills `m`. Reads the whole blob (CRC-32C), and int8 weights once more (column sums).
 * The blob must stay in place and unchanged while the model is used: weights are read from it (flash, mmap), never copied.
 * Returns OK, ARG, ALIGN, TRUNCATED, MAGIC, ENDIAN, VERSION, CHECKSUM, FORMAT, MODEL, LIMIT, UNSUPPORTED, COMPRESSED. */
ert_status ert_model_open(ert_model* m, const void* blob, size_t bytes);

/* The same for small stacks. open, ert_model_macs, ert_arena_bytes and ert_context_init keep the sizes of all values and the operands of
 * one op in working memory: on the stack (12 KiB) after ert_model_open, in `work` (8-aligned) after this. ert_info.work_bytes and the
 * header that `edgeconv export` writes tell how much a blob needs; 12 KiB suffice for any. The model keeps the address: work stays in
 * place, and two of these functions must not run on one model at once. Nothing is in it between calls, so it may be part of the arena
 * as long as none of them is called while a context uses that.
 * Statuses as ert_model_open, and NOMEM: work_bytes is too small. Builds for Cortex-M (ERT_EVAL_ON_STACK=0) have this form only:
 * there ert_model_open returns NOMEM. */
ert_status ert_model_open_in(ert_model* m, const void* blob, size_t bytes, void* work, size_t work_bytes);

/* Is `signature` (64 bytes, Ed25519 of RFC 8032) right for the message that is `bytes` bytes at `message` followed by `zeros` zero bytes?
 * 0: yes; anything else: no. The application fills it with the Ed25519 of its choice and its public key, reached through `context`. */
typedef int (*ert_verify_signature)(void* context, const uint8_t* signature, const void* message, size_t bytes, size_t zeros);

/* Does the blob carry a signature (`edgeconv sign`) that `verify` accepts? Of the blob only the header is looked at before. A compressed
 * blob is checked as it is; what ert_unpack makes of it has no signature. Functions of signatures are there with ERT_WITH_SIGNATURE;
 * without it all of them return UNSUPPORTED, whatever the blob.
 * Returns OK, ARG (NULL), SIGNATURE (none, or verify says no), and of the header TRUNCATED, MAGIC, ENDIAN, CHECKSUM, VERSION, FORMAT, LIMIT. */
ert_status ert_check_signature(const void* blob, size_t bytes, ert_verify_signature verify, void* context);

/* ert_check_signature, then ert_model_open or ert_model_open_in: the first status that is not OK. After another one m is not opened.
 * ert_model_open and ert_model_open_in take a signed blob too, and do not ask whose signature it is. */
ert_status ert_model_open_signed(ert_model* m, const void* blob, size_t bytes, ert_verify_signature verify, void* context);
ert_status ert_model_open_signed_in(ert_model* m, const void* blob, size_t bytes, void* work, size_t work_bytes,
                                    ert_verify_signature verify, void* context);

/* Is memory that holds the blob still what was opened? Compares one segment (0 to ert_info.segments - 1) with its checksum, or with
 * ERT_WHOLE_BLOB all that follows the header, metadata included. For blobs in memory that may lose bits: call it between runs, in
 * slices of a segment. It reads the blob only, inside the bounds that open found, whatever has happened to it.
 * Returns OK, ARG (not opened, no such segment), CHECKSUM. */
#define ERT_WHOLE_BLOB 0xffffffffu
ert_status ert_recheck(const ert_model* m, uint32_t segment);

typedef struct ert_info {
  uint32_t struct_size; /* set by the caller */
  uint32_t format_major, format_minor;
  uint32_t inputs, outputs, dims, ops, values, segments;
  uint32_t golden_vectors;
  uint32_t security_counter;
  uint32_t content_crc; /* CRC-32C from the header: identifies the blob */
  uint64_t blob_bytes;
  uint64_t weight_bytes;     /* all constant segments */
  const char* producer;      /* converter name and version, static in the blob */
  const char* source_sha256; /* hex digest of the ONNX file, or "" */
  uint32_t skips_padding;    /* 1: padded positions cost nothing and are zero in outputs; 0: computed like all others */
  uint32_t mask_input;       /* of a blob that skips padding: the input [batch, sequence] that marks it ... */
  uint32_t mask_padding;     /* ... by this element, 0 or 1; positions up to the last other element are computed */
  uint32_t work_bytes;       /* that ert_model_open_in needs for this blob */
  uint32_t states;           /* outputs that the context keeps for inputs of the next run: ert_value_info.state */
} ert_info;
/* Strings point into the blob. Returns OK, ARG (NULL, wrong struct_size, model not opened). */
ert_status ert_model_info(const ert_model* m, ert_info* out);

/* Multiply-accumulates of one run at these dims (Linear, Attention, MatMul, LSTM). dims as in ert_arena_bytes.
 * Returns OK, ARG, DIMS, LIMIT. */
ert_status ert_model_macs(const ert_model* m, const int32_t* dims, uint64_t* macs);

typedef struct ert_work {
  uint32_t struct_size; /* set by the caller */
  uint32_t ops;
  uint64_t macs;             /* as ert_model_macs */
  uint64_t steps;            /* macs, every element of an operand that an op reads or writes, and what convolutions quantize: no run at these dims takes more */
  uint64_t largest_op_steps; /* of them, those of one op: the most between two feeds of a watchdog with ert_step */
} ert_work;
/* What one run at these dims costs, known before it: for watchdogs that refuse. A step is a multiply-accumulate, or one element looked at or
 * made; what it takes depends on the CPU (measure once, ert-bench). Kernels of custom operators count by their operands only; padding that a
 * blob skips counts as if it was computed. No figure can wrap. Nothing is run. dims and statuses as ert_model_macs. */
ert_status ert_model_work(const ert_model* m, const int32_t* dims, ert_work* out);

typedef struct ert_dim_info {
  uint32_t struct_size;
  const char* name; /* as in the ONNX file, or INPUT_AXIS */
  int32_t min, max; /* inclusive */
} ert_dim_info;
/* Returns OK, ARG (also for i out of range). */
ert_status ert_model_dim(const ert_model* m, uint32_t i, ert_dim_info* out);

typedef struct ert_value_info {
  uint32_t struct_size;
  const char* name;
  uint32_t dtype; /* as in the ONNX file; int inputs and outputs may be bound as ERT_I32 or ERT_I64 */
  uint32_t rank;
  int32_t shape[ERT_MAX_RANK];  /* fixed size, or -1 when it depends on a dim */
  int32_t dim[ERT_MAX_RANK];    /* index of the named dim that this axis equals, or -1 */
  int32_t min_value, max_value; /* inputs of integer type: allowed range (token ids); otherwise INT32_MIN, INT32_MAX */
  int32_t state;                /* an input: the output that the context keeps for it; an output: that input; otherwise -1 */
} ert_value_info;
/* Names point into the blob. Both return OK, ARG (also for i out of range). */
ert_status ert_model_input(const ert_model* m, uint32_t i, ert_value_info* out);
ert_status ert_model_output(const ert_model* m, uint32_t i, ert_value_info* out);

/* ---- configuration -------------------------------------------------------------------------------------------- */

typedef enum ert_isa {
  ERT_ISA_REF = 0,
  ERT_ISA_AVX2 = 1,
  ERT_ISA_AVXVNNI = 2,
  ERT_ISA_AVX512VNNI = 3,
  ERT_ISA_SSE41 = 5,
  ERT_ISA_NEON = 8,
  ERT_ISA_DOTPROD = 9,
  ERT_ISA_I8MM = 10,
  ERT_ISA_NEON_INORDER =
      11, /* twins of two levels for cores that issue in order (A53; A55); any core that has the level runs them */
  ERT_ISA_DOTPROD_INORDER = 12,
  ERT_ISA_DSP = 16,
  ERT_ISA_MVE = 17
} ert_isa;
#define ERT_ISA_BIT(isa) (1u << (isa))

/* "ref", "avx2", ...: the part behind ERT_ISA_ in small letters, as --isa takes it. NULL for a value that no level has. */
const char* ert_isa_name(ert_isa isa);
/* Bits of the levels that are built in and that this CPU can run. ERT_ISA_REF is always set. */
uint32_t ert_isa_available(void);

/* One task of a parallel loop: index in [0, tasks), thread in [0, ert_config.threads). */
typedef void (*ert_task)(void* arg, uint32_t index, uint32_t thread);

/* Runs task(arg, i, t) for every i in [0, tasks) and returns when all are done. The same thread number must not run two
 * tasks at once. Any order, any distribution: results do not depend on it. platform/posix/thread_pool.h has one. */
typedef void (*ert_parallel_for)(void* context, uint32_t tasks, ert_task task, void* arg);

/* Called before (phase 0) and after (phase 1) each op, on the thread that called ert_run. Return nonzero from phase 0 to
 * abort: ert_run gives ERT_ERR_ABORTED. name is the ONNX node's name. The hook must not call ert on the same context. */
typedef int (*ert_op_hook)(void* context, uint32_t op, uint32_t phase, const char* kind, const char* name);

/* A custom operator: registered by its domain and name, called for every node that the converter passed through. */
typedef struct ert_custom_attribute {
  const char* name;
  uint32_t
      kind; /* 0 int, 1 float, 2 string, 3 ints, 4 floats; ert_model_open refuses (FORMAT) others and values that are not there */
  uint32_t count; /* of ints or floats: 1 for kinds 0 and 1. Only the field of the kind is meant */
  const int32_t* ints;
  const float* floats;
  const char* string;
} ert_custom_attribute;
typedef struct ert_custom_op {
  uint32_t struct_size;
  const char* name; /* "domain::Name" */
  void* context;
  /* inputs and outputs are dense tensors; output shapes are set. Return 0 on success. scratch: scratch_bytes, 64-aligned. */
  int (*run)(void* context, const ert_custom_attribute* attrs, uint32_t attr_count, const ert_tensor* inputs,
             uint32_t input_count, ert_tensor* outputs, uint32_t output_count, void* scratch);
  size_t scratch_bytes;
} ert_custom_op;

typedef struct ert_config {
  uint32_t struct_size;
  uint32_t isa_mask; /* allowed levels (ERT_ISA_BIT); 0 = all. The best available one is taken */
  uint32_t threads;  /* 0 or 1 = none; otherwise parallel_for must be set */
  uint32_t min_security_counter;
  ert_parallel_for parallel_for;
  void* parallel_context;
  ert_op_hook op_hook; /* may be NULL */
  void* op_hook_context;
  const ert_custom_op* custom_ops; /* must outlive the context */
  uint32_t custom_op_count;
  uint32_t reserved;
} ert_config;

/* ---- memory --------------------------------------------------------------------------------------------------- */

typedef struct ert_memory_need {
  uint32_t struct_size;
  uint32_t alignment;      /* of each region: ERT_ARENA_ALIGN */
  size_t bytes;            /* exact need when one region is given: bytes - 1 is refused by ert_context_init */
  size_t activation_bytes; /* of that: values between ops */
  size_t scratch_bytes;    /* of that: working memory of the ops, for all threads together */
  size_t table_bytes;      /* of that: addresses and sizes of values */
} ert_memory_need;

typedef struct ert_region {
  void* base; /* aligned to ERT_ARENA_ALIGN */
  size_t bytes;
} ert_region;

/* Exact memory need of a context for dims up to max_dims (one entry per model dim, in order; NULL = each dim's maximum).
 * cfg may be NULL (defaults). Independent of the CPU and the ISA level. Returns OK, ARG, DIMS, LIMIT, UNSUPPORTED. */
ert_status ert_arena_bytes(const ert_model* m, const ert_config* cfg, const int32_t* max_dims, ert_memory_need* out);

/* ---- context -------------------------------------------------------------------------------------------------- */

/* Caller storage; contents are private; must not move after ert_context_init. */
typedef struct ert_context {
  uint64_t opaque[64];
} ert_context;

/* cfg is copied; what it points to must outlive the context. With two regions, tables and scratch and the hottest values
 * go to the first as far as they fit. Regions must not overlap each other or the blob.
 * Returns OK, ARG, ALIGN, NOMEM, DIMS, UNSUPPORTED (custom op not registered), ISA, ROLLBACK, LIMIT. */
ert_status ert_context_init(ert_context* c, const ert_model* m, const ert_config* cfg, const int32_t* max_dims,
                            const ert_region* mem, uint32_t region_count);

/* The ISA level that the context runs on. Returns OK, ARG, STATE (not initialised). */
ert_status ert_context_isa(const ert_context* c, ert_isa* out);

/* Zero copy: t->data is read during ert_run and must stay valid until then; the struct itself is copied. Integer inputs as
 * ERT_I32 or ERT_I64, bool inputs as ERT_BOOL or ERT_U8. Must not overlap the regions or the context (ert_run: ARG).
 * An input that is a state may be bound, and is then read instead of what the context keeps; t = NULL ends that.
 * Returns OK, ARG, STATE, INPUT (dtype, rank, an axis that is below 1 or not its fixed size, too few bytes), ALIGN. */
ert_status ert_bind_input(ert_context* c, uint32_t i, const ert_tensor* t);

/* t->data with t->bytes capacity receives the output; t->shape need not be set. Integer outputs as ERT_I32 or ERT_I64.
 * After ert_run, ert_output_shape tells the shape. Buffers must not overlap inputs, other outputs, the regions, the context or the
 * blob, as far as the output reaches (ert_run: ARG, before anything is written). An output that is a state may be bound, with the
 * model's own dtype, to see it: the context keeps it all the same; t = NULL ends that.
 * Returns OK, ARG, STATE, INPUT (dtype), ALIGN. */
ert_status ert_bind_output(ert_context* c, uint32_t i, const ert_tensor* t);

/* Makes all states zero again, as before the first run: call it where a new recording begins. Returns OK (also without states), ARG,
 * STATE (not initialised, or a call is under way), INTEGRITY. */
ert_status ert_state_reset(ert_context* c);

/* Shape of an output for the dims of the bound inputs; needs all inputs bound. Fills rank, shape, dtype and bytes (the need).
 * Returns OK, ARG, STATE (an input is not bound), INPUT, DIMS. */
ert_status ert_output_shape(ert_context* c, uint32_t i, ert_tensor* t);

/* Runs all ops. Everything is checked before the first op; until then outputs are untouched. Returns OK, STATE, INPUT,
 * DIMS, NOMEM (an output buffer is too small), ARG (a tensor overlaps what it must not), ABORTED, INTEGRITY, CUSTOM_OP. */
ert_status ert_run(ert_context* c);

/* What a refusal was about: filled by the functions from ert_bind_input to ert_selftest, for messages and for host tools. */
typedef enum ert_fault {
  ERT_FAULT_NONE = 0,    /* the last call succeeded, or its status says all there is to say */
  ERT_FAULT_UNBOUND = 1, /* input or output: nothing is bound to it */
  ERT_FAULT_DTYPE = 2,   /* value = ert_dtype that was given, lowest = highest = the one of the ONNX file */
  ERT_FAULT_RANK = 3,    /* value = rank that was given, lowest = highest = the rank that it needs */
  ERT_FAULT_AXIS =
      4, /* value = size of `axis`, which must be lowest..highest: below 1, a fixed size, or another input disagrees */
  ERT_FAULT_DIM = 5,         /* value = size of `dim`, which must be lowest..highest (the context's max_dims) */
  ERT_FAULT_BUFFER = 6,      /* value = bytes of the caller's buffer, lowest = bytes that the tensor needs */
  ERT_FAULT_ALIGNMENT = 7,   /* data is not aligned to its element size; lowest = alignment */
  ERT_FAULT_OVERLAP = 8,     /* input: overlaps a region or the context; output: these, an input, another output or the blob */
  ERT_FAULT_RANGE = 9,       /* input: the integer at `element` is value, allowed is lowest..highest */
  ERT_FAULT_NOT_FINITE = 10, /* input: the float at `element` is NaN or infinite; value = its bits */
  ERT_FAULT_OP =
      11 /* `op` ended the run: an index computed from the inputs is out of range, a custom op failed, the hook aborted */
} ert_fault;

/* Indices that do not apply are -1. */
typedef struct ert_error_detail {
  uint32_t struct_size;
  uint32_t fault; /* ert_fault */
  int32_t input, output, dim, op, axis;
  int32_t reserved;
  int64_t element; /* position in the dense row-major tensor */
  int64_t value, lowest, highest;
} ert_error_detail;

/* Why the last call that binds, runs or steps this context was refused. Each such call replaces it. Returns OK, ARG, STATE (not
 * initialised, or such a call is under way). */
ert_status ert_last_error(const ert_context* c, ert_error_detail* out);

/* Runs the next op only: ERT_STEP_MORE while ops remain, ERT_OK after the last. Lets the caller feed a watchdog.
 * Other statuses as ert_run. */
ert_status ert_step(ert_context* c);

/* Replays the blob's golden vectors and demands the same bits. Uses the context's memory, which has room for it; bindings are cleared, states are kept.
 * Returns OK, STATE, SELFTEST, DIMS (the golden dims exceed the context's max_dims). */
ert_status ert_selftest(ert_context* c);

/* Expands a compressed blob into out (exactly out_bytes, with work_bytes of working memory, both as ert_unpack_bytes says). in is aligned
 * like any blob, out too, work to 8 bytes. in may be discarded afterwards; the result still goes through ert_model_open. Without ERT_WITH_ZSTD
 * both return UNSUPPORTED. Otherwise OK, ARG, ALIGN, NOMEM, LIMIT, FORMAT (damaged stream), and what ert_model_open says of a header. */
ert_status ert_unpack_bytes(const void* in, size_t in_bytes, size_t* out_bytes, size_t* work_bytes);
ert_status ert_unpack(const void* in, size_t in_bytes, void* out, size_t out_bytes, void* work, size_t work_bytes);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif /* ERT_H */
