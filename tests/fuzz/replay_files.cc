// replay_files FILE...: blobs in files through the targets open and open_run. Without GoogleTest and without what lives in the C++ library, so that all code in it can be
// built with MemorySanitizer, which takes whatever an uninstrumented library wrote for uninitialised.
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/target.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    FILE* file = fopen(argv[i], "rb");
    if (file == nullptr) return perror(argv[i]), 1;
    ert::fuzz::Bytes bytes(1 << 20);
    bytes.resize(fread(bytes.data(), 1, bytes.size(), file));
    fclose(file);
    if (getenv("ERT_REPLAY_NAMES") != nullptr) printf("%s\n", argv[i]), fflush(stdout);
    ert::fuzz::target_open().run(bytes.data(), bytes.size());
    ert::fuzz::target_open_run().run(bytes.data(), bytes.size());
  }
  printf("%d files replayed\n", argc - 1);
  return 0;
}
