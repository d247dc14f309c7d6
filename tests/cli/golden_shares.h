// What golden vectors take of blobs: at most a tenth or 4 kB, and each blob has one that replays. For the tests that convert all fixtures.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "convert/files/json.h"

namespace edgeconv::testing {

class GoldenShares {
 public:
  // What `inspect --json` and `verify --json` say of a blob. Returns what is wrong with it, or nothing.
  std::string add(const Json& inspection, const Json& verification) {
    const uint64_t golden = inspection.at("golden_bytes"), blob = inspection.at("bytes");
    ++blobs_;
    if (golden > kLeastBytes)
      largest_share_ = std::max(largest_share_, static_cast<double>(golden) / static_cast<double>(blob));
    else
      small_most_ = std::max(small_most_, golden);
    if (inspection.at("golden_vectors") == 0 || verification.at("golden_vectors") != inspection.at("golden_vectors"))
      return "no golden vector, or one that was not replayed";
    if (golden > std::max(blob / 10, kLeastBytes)) return fmt::format("golden vectors take {} of {} bytes", golden, blob);
    return "";
  }
  std::string text() const {
    return fmt::format("golden vectors of {} blobs: up to {} bytes where they take at most {}, else up to {:.1f} % of the blob\n", blobs_,
                       small_most_, kLeastBytes, 100 * largest_share_);
  }

 private:
  static constexpr uint64_t kLeastBytes = 4096;
  int blobs_ = 0;
  uint64_t small_most_ = 0;
  double largest_share_ = 0;
};

}  // namespace edgeconv::testing
