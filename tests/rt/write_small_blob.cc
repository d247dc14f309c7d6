// Writes small_program() to a file, for tests of command-line tools.
#include <cstdio>

#include "tests/support/blob_builder.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const ert::testing::AlignedBytes blob = ert::testing::small_program().build();
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 6;
  const bool written = std::fwrite(blob.data(), 1, blob.size(), file) == blob.size();
  return std::fclose(file) == 0 && written ? 0 : 6;
}
