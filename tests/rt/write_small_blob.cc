// write_small_blob FILE [fixed]: writes small_program() to a file, or one without dims, for tests of command-line tools.
#include <cstdio>

#include "tests/support/blob_builder.h"

using ert::testing::BlobSpec;

static BlobSpec program_without_dims() {
  BlobSpec s;
  const uint32_t four = s.constant(4);
  const int32_t x = static_cast<int32_t>(s.add_input("x", ERT_F32, {four}));
  const int32_t out = static_cast<int32_t>(s.add_output("out", ERT_F32, {four}, 0));
  s.ops = {{ert::params::OpCode::kUnary, {x}, {out}, {ert::params::unary::kNeg}, {}}};
  return s;
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return 2;
  const ert::testing::AlignedBytes blob = (argc == 3 ? program_without_dims() : ert::testing::small_program()).build();
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 6;
  const bool written = std::fwrite(blob.data(), 1, blob.size(), file) == blob.size();
  return std::fclose(file) == 0 && written ? 0 : 6;
}
