// Golden blobs with convolutions and pools, as they were written when their ops were new: each later runtime opens them and computes the bits of their time, which
// they hold as golden vectors, on every level.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rt/include/ert.h"

namespace ert {
namespace {

struct Golden {
  const char* name;
  std::set<std::string> ops;  // kinds that it was made for
};

struct Seen {
  std::set<std::string> kinds;
};

int see(void* seen, uint32_t, uint32_t, const char* kind, const char*) {
  static_cast<Seen*>(seen)->kinds.insert(kind);
  return 0;
}

class GoldenBlobs : public ::testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    std::ifstream in(std::string(std::getenv("ERT_SOURCE_DIR")) + "/tests/rt/golden/" + GetParam().name + ".ert",
                     std::ios::binary);
    std::stringstream s;
    s << in.rdbuf();
    const std::string bytes = s.str();
    ASSERT_FALSE(bytes.empty());
    memory_.resize(bytes.size() + 64);
    blob_ = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64;
    std::memcpy(blob_, bytes.data(), bytes.size());
    ASSERT_EQ(ert_model_open(&model_, blob_, bytes.size()), ERT_OK);
  }
  ert_status replay(uint32_t isa_mask, Seen* seen) {
    ert_config config = {};
    config.struct_size = sizeof config;
    config.isa_mask = isa_mask;
    config.op_hook = see;
    config.op_hook_context = seen;
    ert_memory_need need = {};
    need.struct_size = sizeof need;
    if (const ert_status s = ert_arena_bytes(&model_, &config, nullptr, &need); s != ERT_OK) return s;
    std::vector<uint8_t> arena(need.bytes + 64);
    const ert_region region = {arena.data() + (64 - reinterpret_cast<uintptr_t>(arena.data()) % 64) % 64, need.bytes};
    ert_context context;
    if (const ert_status s = ert_context_init(&context, &model_, &config, nullptr, &region, 1); s != ERT_OK) return s;
    return ert_selftest(&context);
  }
  std::vector<uint8_t> memory_;
  uint8_t* blob_ = nullptr;
  ert_model model_;
};

TEST_P(GoldenBlobs, GiveTheBitsOfTheirTime) {
  Seen seen;
  for (uint32_t isa = 0; isa < 32; ++isa) {
    if ((ert_isa_available() >> isa & 1) == 0) continue;
    EXPECT_EQ(replay(1u << isa, &seen), ERT_OK) << "level " << isa;
  }
  for (const std::string& kind : GetParam().ops) EXPECT_EQ(seen.kinds.count(kind), 1u) << kind;
}

const Golden kGolden[] = {{"ds_cnn_int8", {"Conv", "DepthwiseConv"}},
                          {"ds_cnn_w8a16", {"Conv", "DepthwiseConv"}},
                          {"ds_cnn_w12a13", {"WideConv", "Linear"}},
                          {"ds_cnn_fp32", {"DirectConv", "DepthwiseConv"}},
                          {"ds_cnn_maps", {"QuantizeMap", "MapConv", "MapDepthwiseConv"}},
                          {"ds_cnn_bands", {"RowBands"}},
                          {"groups_int8", {"Conv"}},
                          {"groups_w8a16", {"Conv"}},
                          {"pools", {"Pool"}},
                          {"pools_bands", {"RowBands"}}};
std::string name_of(const ::testing::TestParamInfo<Golden>& one) { return one.param.name; }
INSTANTIATE_TEST_SUITE_P(Blobs, GoldenBlobs, ::testing::ValuesIn(kGolden), name_of);

}  // namespace
}  // namespace ert
