// A runtime without ERT_WITH_SIGNATURE opens nothing where a signature is asked for.
#include "tests/support/blob_builder.h"

#include <gtest/gtest.h>

namespace ert::testing {
namespace {

int accept(void*, const uint8_t*, const void*, size_t, size_t) { return 0; }

TEST(WithoutSignature, AskingForOneIsUnsupported) {
  const uint8_t signature[kSignatureBytes] = {};
  const AlignedBytes b = with_signature(small_program().build(), signature);
  ert_model m;
  EXPECT_EQ(ert_check_signature(b.data(), b.size(), accept, nullptr), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(ert_model_open_signed(&m, b.data(), b.size(), accept, nullptr), ERT_ERR_UNSUPPORTED);
  EXPECT_EQ(ert_model_open(&m, b.data(), b.size()), ERT_OK);
}

}  // namespace
}  // namespace ert::testing
