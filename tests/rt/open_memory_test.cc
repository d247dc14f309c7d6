// What opening takes beside the blob: no heap (no_allocation_test.cc), and a constant of working memory and of stack, none of it for a byte of the blob.
#include <gtest/gtest.h>

#include <pthread.h>

#include "rt/base/limits.h"
#include "rt/sizes/eval_memory.h"
#include "tests/support/context_fixture.h"

namespace ert::testing {
namespace {

constexpr size_t kMostWork = 12 * 1024;   // ert.h: suffices for any blob
constexpr size_t kMostStack = 16 * 1024;  // rt/README.md: beyond a program's own

// y = neg(neg(.. x)), one op after the other, and `weights` bytes of a constant that nobody reads.
BlobSpec long_program(uint32_t ops, size_t weights) {
  BlobSpec s;
  const uint32_t batch = s.dim("batch", 1, 8), four = s.constant(4);
  uint32_t x = s.add_input("x", ERT_F32, {batch, four});
  for (uint32_t i = 0; i < ops; ++i) {
    const bool last = i + 1 == ops;
    const uint32_t y =
        last ? s.add_output("y", ERT_F32, {batch, four}, i) : s.add({ERT_F32, {batch, four}, 0, i % 2, 0, i, i + 1});
    s.ops.push_back({params::OpCode::kUnary, {static_cast<int32_t>(x)}, {static_cast<int32_t>(y)}, {params::unary::kNeg}, {}});
    x = y;
  }
  s.slots = ops > 2 ? 2 : ops - 1;
  for (uint32_t slot = 0; slot < 2; ++slot)
    for (uint32_t v = 0; v < s.values.size(); ++v)
      if (s.values[v].storage == 0 && s.values[v].index == slot) s.arena_order.push_back(v);
  s.add_constant(ERT_F32, {s.constant(static_cast<int64_t>(weights / 4))}, std::vector<float>(weights / 4, 1.0f));
  return s;
}

// As many expressions as there may be, and an op with as many operands.
BlobSpec widest_program() {
  BlobSpec s = small_program();
  BlobSpec::Op concat = {params::OpCode::kConcat, {}, {}, {0}, {}};
  const uint32_t rows = s.constant(8 * (kMaxOperands - 1)), eight = s.constant(8), four = s.constant(4);
  const uint32_t part = s.add_constant(ERT_F32, {eight, four}, std::vector<float>(32, 1.0f));
  concat.inputs.assign(kMaxOperands - 1, static_cast<int32_t>(part));
  concat.outputs = {static_cast<int32_t>(s.add_output("joined", ERT_F32, {rows, four}, static_cast<uint32_t>(s.ops.size())))};
  s.ops.push_back(concat);
  while (s.exprs.size() < limits::kMaxExprs) s.constant(7);
  return s;
}

uint32_t work_of(const AlignedBytes& blob) {
  ert_model m;
  EXPECT_EQ(ert_model_open(&m, blob.data(), blob.size()), ERT_OK);
  ert_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(ert_model_info(&m, &info), ERT_OK);
  return info.work_bytes;
}

TEST(OpenMemory, WorkDoesNotGrowWithTheBlob) {
  const uint32_t least = work_of(long_program(3, 4).build());
  EXPECT_LT(least, 512u);
  EXPECT_EQ(work_of(long_program(300, 4).build()), least);
  EXPECT_EQ(work_of(long_program(20000, 4).build()), least);
  EXPECT_EQ(work_of(long_program(3, 8 << 20).build()), least);
}

TEST(OpenMemory, TwelveKiBSufficeForAnyBlob) {
  const AlignedBytes blob = widest_program().build();
  const uint32_t work = work_of(blob);
  EXPECT_EQ(work, limits::kMaxExprs * sizeof(int64_t) + kMaxOperands * sizeof(Operand));
  static_assert(limits::kMaxExprs * sizeof(int64_t) + kMostOperandRoom * sizeof(Operand) <= kMostWork, "that of a RowBands too");
  std::vector<uint64_t> lent(kMostWork / sizeof(uint64_t));
  ert_model m;
  EXPECT_EQ(ert_model_open_in(&m, blob.data(), blob.size(), lent.data(), kMostWork), ERT_OK);
  EXPECT_EQ(ert_model_open_in(&m, blob.data(), blob.size(), lent.data(), work), ERT_OK);
  EXPECT_EQ(ert_model_open_in(&m, blob.data(), blob.size(), lent.data(), work - 1), ERT_ERR_NOMEM);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // both have frames of their own

struct Opening {
  const AlignedBytes* blob;  // null: nothing is opened
  ert_status status;
};

void* open_on_thread(void* arg) {
  Opening& o = *static_cast<Opening*>(arg);
  ert_model m;
  if (o.blob != nullptr) o.status = ert_model_open(&m, o.blob->data(), o.blob->size());
  return nullptr;
}

// Bytes of its stack that a thread writes to.
size_t stack_of(Opening o, ert_status want) {
  constexpr size_t kBytes = 256 * 1024;
  static const std::unique_ptr<uint8_t, void (*)(void*)> stack(static_cast<uint8_t*>(std::aligned_alloc(4096, kBytes)),
                                                               &std::free);
  std::memset(stack.get(), 0xA5, kBytes);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack.get(), kBytes), 0);
  EXPECT_EQ(pthread_create(&thread, &attributes, open_on_thread, &o), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(o.status, want);
  size_t untouched = 0;
  while (untouched < kBytes && stack.get()[untouched] == 0xA5) ++untouched;
  return kBytes - untouched;
}

// The deepest of the blobs that are right or refused late.
TEST(OpenMemory, StackDoesNotGrowWithTheBlob) {
  stack_of({nullptr, ERT_OK}, ERT_OK);  // what a thread does once
  const size_t own = stack_of({nullptr, ERT_OK}, ERT_OK);
  BlobSpec wrong = long_program(20000, 4);
  wrong.ops.back().ints = {9999};
  const std::pair<BlobSpec, ert_status> specs[] = {{small_program(), ERT_OK},
                                                   {long_program(20000, 4), ERT_OK},
                                                   {long_program(3, 8 << 20), ERT_OK},
                                                   {widest_program(), ERT_OK},
                                                   {wrong, ERT_ERR_MODEL}};
  std::vector<size_t> taken;
  for (const auto& [spec, status] : specs) {
    const AlignedBytes blob = spec.build();
    taken.push_back(stack_of({&blob, ERT_OK}, status) - own);
    EXPECT_GT(taken.back(), 4096u) << "the measure sees the working memory that is written to";
    EXPECT_LE(taken.back(), kMostStack);
  }
  RecordProperty("most", static_cast<int>(*std::max_element(taken.begin(), taken.end())));
  EXPECT_LE(taken[1], taken[0] + 512) << "20,000 ops";
  EXPECT_LE(taken[2], taken[0] + 512) << "8 MiB of weights";
}

#endif

}  // namespace
}  // namespace ert::testing
