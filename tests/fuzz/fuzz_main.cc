// The entry points that libFuzzer calls, for the one target that ERT_FUZZ_TARGET_NAME names. With ERT_FUZZ_WRITE_SEEDS=FOLDER in the environment the program
// writes its seeds there as files, and ends.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/seeds.h"
#include "tests/fuzz/target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t bytes, size_t most);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t bytes, size_t most, unsigned seed);

namespace {

#define JOIN_AGAIN(a, b) a##b
#define JOIN(a, b) JOIN_AGAIN(a, b)
const ert::fuzz::Target& target() { return ert::fuzz::JOIN(target_, ERT_FUZZ_TARGET_NAME)(); }

}  // namespace

int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("ERT_FUZZ_WRITE_SEEDS");
  if (folder == nullptr) return 0;
  std::filesystem::create_directories(folder);
  for (const ert::fuzz::Seed& seed : ert::fuzz::seeds_of(target().name)) {
    std::ofstream out(std::filesystem::path(folder) / seed.name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(seed.bytes.data()), static_cast<std::streamsize>(seed.bytes.size()));
    if (!out) std::exit(1);
  }
  std::exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  target().run(data, bytes);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t bytes, size_t most, unsigned seed) {
  const char key[5] = {static_cast<char>(1 + seed % 255), static_cast<char>(1 + (seed >> 8) % 255),
                       static_cast<char>(1 + (seed >> 16) % 255), static_cast<char>(1 + (seed >> 24) % 255), 0};
  ert::fuzz::RandomNumbers random(key);
  if (random.integer(0, 31) != 0) {
    ert::fuzz::Bytes changed(data, data + bytes);
    if (target().mutate(&changed, &random) && changed.size() <= most) {
      std::copy(changed.begin(), changed.end(), data);
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(data, bytes, most);
}
