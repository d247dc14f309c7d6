// Functions in double precision that are the same on every host: tables of them reach blobs, so libm may not make them.
#pragma once

#include <cstdint>

namespace edgeconv {

struct Turn {
  double cosine, sine;
};

// Of k / n of a turn; n > 0, |k| and n below 2^59. Exact at whole quarters, within 2 ulp elsewhere.
Turn turn(int64_t k, int64_t n);

// Within a few ulp. log of positive numbers.
double portable_log(double x);
double portable_exp(double x);

}  // namespace edgeconv
