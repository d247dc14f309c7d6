// Canaries: the harness must notice each kind of misbehaviour that it claims to watch for.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "rt/base/isa.h"
#include "tests/rt/ops/op_harness.h"

namespace ert::test {
namespace {

bool accept(const OpContext&, size_t* scratch) {
  *scratch = 64;
  return true;
}
bool refuse(const OpContext&, size_t*) { return false; }

float* out_of(const OpContext& c) { return c.outputs[0].mut<float>(); }

ert_status well_behaved(const OpContext& c) {
  for (int i = 0; i < 4; ++i) out_of(c)[i] = c.inputs[0].as<float>()[i];
  return ERT_OK;
}
ert_status depends_on_threads(const OpContext& c) {
  for (int i = 0; i < 4; ++i) out_of(c)[i] = static_cast<float>(c.parallel.threads);
  return ERT_OK;
}
ert_status depends_on_the_level(const OpContext& c) {
  for (int i = 0; i < 4; ++i) out_of(c)[i] = c.kernels->isa == kernels::Isa::kRef ? 0.0f : 1.0f;
  return ERT_OK;
}
ert_status reads_late(const OpContext& c) {
  for (int i = 0; i < 4; ++i) out_of(c)[i] = c.inputs[0].as<float>()[3 - i];
  return ERT_OK;
}
ert_status writes_behind_output(const OpContext& c) {
  out_of(c)[4] = 1.0f;
  return ERT_OK;
}
ert_status writes_behind_scratch(const OpContext& c) {
  c.scratch[64] = 1;
  return ERT_OK;
}
ert_status changes_its_input(const OpContext& c) {
  c.inputs[0].mut<float>()[0] = 7.0f;
  return ERT_OK;
}

// Number of failures that the harness reports for a copy of four floats done this way.
int failures(bool (*prepare)(const OpContext&, size_t*), ert_status (*run_function)(const OpContext&), uint32_t in_place) {
  const OpDef def = {"Canary", prepare, run_function, nullptr, in_place};
  OpCase c = {&def, {f32({4}, {1, 2, 3, 4})}, {empty(ERT_F32, {4})}, {}, {}, {}};
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(&results);
    run(c);
  }
  return results.size();
}

TEST(Harness, AcceptsAWellBehavedOp) { EXPECT_EQ(failures(accept, well_behaved, 1), 0); }
TEST(Harness, NoticesARefusal) { EXPECT_GT(failures(refuse, well_behaved, 0), 0); }
TEST(Harness, NoticesThatThreadsMatter) { EXPECT_GT(failures(accept, depends_on_threads, 0), 0); }
TEST(Harness, NoticesThatTheLevelMatters) {
  if (choose_kernels(0)->isa == kernels::Isa::kRef) GTEST_SKIP() << "the reference is all that this machine has";
  EXPECT_GT(failures(accept, depends_on_the_level, 0), 0);
}
TEST(Harness, NoticesAnUnsafeInPlace) {
  EXPECT_EQ(failures(accept, reads_late, 0), 0);
  EXPECT_GT(failures(accept, reads_late, 1), 0);
}
TEST(Harness, NoticesWritesBehindMemory) {
  EXPECT_GT(failures(accept, writes_behind_output, 0), 0);
  EXPECT_GT(failures(accept, writes_behind_scratch, 0), 0);
  EXPECT_GT(failures(accept, changes_its_input, 0), 0);
}

}  // namespace
}  // namespace ert::test
