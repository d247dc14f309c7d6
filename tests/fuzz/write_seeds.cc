// write_seeds TARGET FOLDER: the seeds of a target of blobs as files, for replay_files.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/seeds.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_seeds TARGET FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[2]);
  for (const ert::fuzz::Seed& seed : ert::fuzz::blob_seeds(argv[1])) {
    std::ofstream out(std::filesystem::path(argv[2]) / seed.name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(seed.bytes.data()), static_cast<std::streamsize>(seed.bytes.size()));
    if (!out) return 1;
  }
  return 0;
}
