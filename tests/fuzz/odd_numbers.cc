// Numbers at edges: see program_mutator.h.
#include <cmath>
#include <iterator>

#include "tests/fuzz/program_mutator.h"

namespace ert::fuzz {

uint32_t odd_number(RandomNumbers* r, uint32_t old) {
  switch (r->integer(0, 3)) {
    case 0: return old + static_cast<uint32_t>(r->integer(-2, 2));
    case 1: return static_cast<uint32_t>(r->integer(0, 9));
    case 2: return (1u << r->integer(0, 31)) + static_cast<uint32_t>(r->integer(-1, 1));
    default: return r->integer(0, 3) == 0 ? static_cast<uint32_t>(r->bits()) : static_cast<uint32_t>(r->integer(-1, 70));
  }
}

float odd_float(RandomNumbers* r) {
  static constexpr float kFloats[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1e-9f, 1e-40f, 65504.0f, 1e30f, -1e30f, INFINITY, NAN};
  return r->integer(0, 2) == 0 ? kFloats[r->bits() % std::size(kFloats)] : r->normal();
}

}  // namespace ert::fuzz
