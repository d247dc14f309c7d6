// Golden vectors that are too large to be stored: what stands for each tensor in the golden segment when Program.flags has kFlagRecipes.
// Part of the blob format (rt/schema/README.md, Golden vectors). Opening checks recipes, ert_selftest follows them.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ert {

enum class RecipeKind : uint32_t {
  kStored,  // an input: its bytes follow
  kMade,    // an input: made from seed, low, high and exponent
  kDigest,  // an output: its first bytes follow, crc is of all of them
  kCount
};

// 32 bytes, little-endian, 64-aligned in the segment; `bytes` bytes follow it. Fields that a kind does not name are 0.
struct Recipe {
  uint32_t kind;
  uint32_t seed;
  int32_t low, high;
  int32_t exponent;  // of float inputs
  uint32_t crc;      // CRC-32C of the whole tensor, NaN as kCanonicalNan
  uint32_t bytes;
  uint32_t reserved;
};
static_assert(sizeof(Recipe) == 32, "part of the format");

constexpr uint32_t kCanonicalNan = 0x7FC00000u;
constexpr int32_t kMostMadeFloat = 1 << 24;  // |low|, |high| of float inputs: such integers are floats
constexpr int32_t kMostMadeExponent = 96;    // |exponent|: nothing is subnormal or infinite

// Element j of a made input: an integer v from low to high, the same on every CPU. Float inputs are v * 2^exponent, which is exact. From
// low to high are fewer than 2^32 integers: one multiplication of 32 by 32 bits.
inline int32_t made_integer(const Recipe& r, uint32_t j) {
  uint32_t z = r.seed + j * 0x9E3779B9u;
  z = (z ^ z >> 16) * 0x21F0AAADu;
  z = (z ^ z >> 15) * 0x735A2D97u;
  z ^= z >> 15;
  const uint32_t low = static_cast<uint32_t>(r.low), count = static_cast<uint32_t>(r.high) - low + 1;
  return static_cast<int32_t>(low + static_cast<uint32_t>(uint64_t{z} * count >> 32));
}

// recipe.cc: fills the bytes of a made input, whole elements.
void make_input(const Recipe& r, uint32_t dtype, size_t bytes, void* out);
// Every NaN of a float tensor becomes kCanonicalNan: which NaN an operation gives is the CPU's choice.
void canonical_nan(void* data, size_t bytes);

}  // namespace ert
