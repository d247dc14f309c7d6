// See seeds.h.
#include "tests/fuzz/seeds.h"

#include <cstring>

#include "rt/blob/kinds.h"
#include "rt/blob/recipe.h"
#include "tests/fuzz/op_seeds.h"
#include "tests/rt/packed_encoder.h"

#if ERT_FUZZ_UNPACK
#include <zstd.h>
#endif

namespace ert::fuzz {
namespace {

using params::OpCode;
using testing::BlobSpec;

Bytes built(const BlobSpec& s) {
  const testing::AlignedBytes blob = s.build();
  return {blob.data(), blob.data() + blob.size()};
}

// y = |x + sum|, and sum for the next run.
BlobSpec with_state() {
  BlobSpec s;
  const uint32_t two = s.constant(2);
  const auto i = [](uint32_t v) { return static_cast<int32_t>(v); };
  const uint32_t x = s.add_input("x", ERT_F32, {two}), sum = s.add_input("sum", ERT_F32, {two});
  const uint32_t y = s.add_output("y", ERT_F32, {two}, 1), next = s.add_output("next_sum", ERT_F32, {two}, 0);
  s.ops = {{OpCode::kBinary, {i(x), i(sum)}, {i(next)}, {params::binary::kAdd}, {}},
           {OpCode::kUnary, {i(next)}, {i(y)}, {params::unary::kAbs}, {}}};
  s.states = {{1, 1}};
  s.program_flags = kFlagStates;
  return s;
}

BlobSpec with_golden() {
  BlobSpec s = testing::small_program();
  std::vector<uint8_t> vector(128);
  s.segments.push_back({vector, 1});
  s.golden.push_back({{2}, 1, {0, 64}});
  return s;
}

// An input of a batch of 2 that is made, an output of which a checksum is known.
BlobSpec with_recipes() {
  BlobSpec s = testing::small_program();
  const Recipe in{static_cast<uint32_t>(RecipeKind::kMade), 1, -1000, 1000, -8, 0, 0, 0};
  const Recipe out{static_cast<uint32_t>(RecipeKind::kDigest), 0, 0, 0, 0, 0, 16, 0};
  std::vector<uint8_t> vector(128);
  std::memcpy(vector.data(), &in, sizeof in);
  std::memcpy(vector.data() + 64, &out, sizeof out);
  s.segments.push_back({vector, 1});
  s.golden.push_back({{2}, 1, {0, 64}});
  s.program_flags = kFlagRecipes;
  return s;
}

void add_blobs(std::vector<Seed>* seeds) {
  seeds->push_back({"small", built(testing::small_program())});
  seeds->push_back({"state", built(with_state())});
  seeds->push_back({"golden", built(with_golden())});
  seeds->push_back({"recipes", built(with_recipes())});
  for (const bool packed : {true, false}) {
    testing::Choice choice;
    choice.packed = packed;
    seeds->push_back({packed ? "encoder_packed_rows" : "encoder", built(testing::encoder(choice))});
  }
  for (const auto& [name, program] : op_programs()) seeds->push_back({"op_" + name, built(program)});
  for (const auto& [name, program] : map_programs()) seeds->push_back({name, built(program)});
  for (const auto& [name, program] : band_programs()) seeds->push_back({name, built(program)});
}

#if ERT_FUZZ_UNPACK
void add_compressed(std::vector<Seed>* seeds) {
  for (const int level : {1, 19}) {
    BlobSpec s = testing::small_program();
    s.segments.push_back({std::vector<uint8_t>(3000, static_cast<uint8_t>(level)), 2});
    for (BlobSpec::Segment& g : s.segments) {
      Bytes frame(ZSTD_compressBound(g.bytes.size()));
      frame.resize(ZSTD_compress(frame.data(), frame.size(), g.bytes.data(), g.bytes.size(), level));
      g.raw_bytes = g.bytes.size();
      g.bytes = frame;
    }
    seeds->push_back({"compressed_" + std::to_string(level), built(s)});
  }
}
#endif

}  // namespace

std::vector<Seed> blob_seeds([[maybe_unused]] const std::string& target) {
  std::vector<Seed> seeds;
  add_blobs(&seeds);
#if ERT_FUZZ_UNPACK
  if (target == "unpack" || target == "open") add_compressed(&seeds);
#endif
  return seeds;
}

}  // namespace ert::fuzz
