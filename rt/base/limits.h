// Every limit of the blob format and of the runtime, in one place. The loader refuses what is above with ERT_ERR_LIMIT
// before it does any work that grows with the count, so the time to refuse a hostile blob is bounded by its size.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rt/include/ert.h"

// Size expressions of one model. ert_model_open, ert_model_macs, ert_arena_bytes and ert_context_init keep one int64 per
// expression in working memory (rt/sizes/eval_memory.h).
#ifndef ERT_MAX_EXPRS
#define ERT_MAX_EXPRS 1024
#endif

// 1: that memory is on the stack (12 KiB) unless the caller lends some to ert_model_open_in. 0: lending it is the only way, and
// frames stay small.
#ifndef ERT_EVAL_ON_STACK
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define ERT_EVAL_ON_STACK 0
#else
#define ERT_EVAL_ON_STACK 1
#endif
#endif

// 1: opening compares int8 weights with the sums of their columns, so that a blob cannot give other bits on another CPU; that reads them a
// second time. 0: for devices that open only blobs whose origin is proved, and by default on M-profile, where it is 1 KB of code. Memory
// is safe either way.
#ifndef ERT_CHECK_COLUMN_SUMS
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define ERT_CHECK_COLUMN_SUMS 0
#else
#define ERT_CHECK_COLUMN_SUMS 1
#endif
#endif

// Alignment that open demands of the blob's first byte.
#ifndef ERT_REQUIRED_BLOB_ALIGN
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define ERT_REQUIRED_BLOB_ALIGN 16
#else
#define ERT_REQUIRED_BLOB_ALIGN ERT_BLOB_ALIGN
#endif
#endif

namespace ert::limits {

constexpr uint32_t kMaxFlatbufferDepth = 8;
constexpr uint32_t kMaxFlatbufferTables = 65536;  // and never more than the blob's bytes / 16
constexpr uint64_t kMaxMetadataBytes = 64u << 20;
constexpr uint64_t kMaxBlobBytes = uint64_t{1} << 40;

constexpr uint32_t kMaxExprs = ERT_MAX_EXPRS;
constexpr uint32_t kMaxValues = 65536;
constexpr uint32_t kMaxOps = 65536;
constexpr uint32_t kMaxOperandEntries = 1u << 20;  // of all ops together
constexpr uint32_t kMaxSlots = 4096;
constexpr uint32_t kMaxSegments = 4096;
constexpr uint32_t kMaxInputs = 256;
constexpr uint32_t kMaxOutputs = 256;
constexpr uint32_t kMaxGolden = 64;
constexpr uint32_t kMaxCustomOps = 256;
constexpr uint32_t kMaxCustomAttributes = 4096;  // of all custom ops together
constexpr uint32_t kMaxNameBytes = 4096;
constexpr uint32_t kMaxAliasHops = 16;  // an alias of an alias of ...
constexpr int32_t kMaxDim = 1 << 30;
constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 40;  // and PTRDIFF_MAX
constexpr uint32_t kMaxThreads = 256;

}  // namespace ert::limits
