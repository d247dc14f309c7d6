// Whether the build asks for small rather than fast code: loops that only save time are then left out.
#pragma once

// The build says it once for all files (CMake: ERT_SMALL_CODE; in the one file the compiler's -Os). __OPTIMIZE_SIZE__ is no such answer:
// files of one library are optimised in different ways, and what they share in headers must be the same code in all of them.
#ifndef ERT_SMALL_CODE
#define ERT_SMALL_CODE 0
#endif

namespace ert {

constexpr bool kCodeIsSmall = ERT_SMALL_CODE != 0;

}  // namespace ert
