// Tensor files: what is written is read back, and headers that lie are refused.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "convert/ir/diagnostics.h"
#include "convert/files/npy.h"
#include "convert/onnx/tensor_file.h"

namespace edgeconv_test {
namespace {

using namespace edgeconv;

ExitCode code_of(const std::vector<uint8_t>& bytes) {
  try {
    parse_npy(bytes.data(), bytes.size(), "test.npy");
    return ExitCode::kOk;
  } catch (const FatalError& e) {
    EXPECT_EQ(std::string(e.what()).rfind("test.npy: ", 0), 0u) << e.what();
    return e.code();
  }
}

std::vector<uint8_t> npy(const std::string& header, size_t data_bytes) {
  std::vector<uint8_t> r = {
      0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<uint8_t>(header.size()), static_cast<uint8_t>(header.size() >> 8)};
  r.insert(r.end(), header.begin(), header.end());
  r.resize(r.size() + data_bytes);
  return r;
}

TEST(Npy, RoundTripsEveryType) {
  for (DType t : {DType::kFloat, DType::kDouble, DType::kFloat16, DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16,
                  DType::kInt32, DType::kInt64, DType::kBool}) {
    const Tensor x = Tensor::of<float>(DType::kFloat, {2, 3}, {0, 1, 2, 3, 4, 5}).cast(t);
    const std::vector<uint8_t> bytes = format_npy(x);
    EXPECT_EQ((bytes.size() - x.bytes()) % 64, 0u);
    EXPECT_TRUE(parse_npy(bytes.data(), bytes.size(), "x").same_bytes(x)) << dtype_name(t);
  }
  const Tensor scalar = Tensor::scalar(2.5f);
  const std::vector<uint8_t> bytes = format_npy(scalar);
  EXPECT_TRUE(parse_npy(bytes.data(), bytes.size(), "x").same_bytes(scalar));
}

// numpy.save writes what was transposed with its first axis fastest.
TEST(Npy, ReadsFortranOrder) {
  std::vector<uint8_t> bytes = npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2), }", 0);
  for (int16_t v = 0; v < 12; ++v) bytes.insert(bytes.end(), {static_cast<uint8_t>(v), 0});
  const Tensor t = parse_npy(bytes.data(), bytes.size(), "x");
  EXPECT_EQ(t.dims(), (std::vector<int64_t>{2, 3, 2}));
  EXPECT_EQ(t.to_int64(), (std::vector<int64_t>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

TEST(Npy, RefusesBadHeaders) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  EXPECT_EQ(code_of(npy(good, 24)), ExitCode::kOk);
  EXPECT_EQ(code_of(npy(good, 23)), ExitCode::kMalformed);
  EXPECT_EQ(code_of(npy(good, 25)), ExitCode::kMalformed);
  EXPECT_EQ(code_of(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", 8)), ExitCode::kMalformed);
  EXPECT_EQ(code_of(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4)), ExitCode::kUnsupported);
  EXPECT_EQ(code_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4)), ExitCode::kMalformed);
  EXPECT_EQ(code_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 4)),
            ExitCode::kMalformed);
  EXPECT_EQ(code_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0)),
            ExitCode::kMalformed);
  EXPECT_EQ(code_of(npy("{'descr': '<f4', 'shape': (1,), }", 4)), ExitCode::kMalformed);
  EXPECT_EQ(code_of(npy("{'descr': '<f4", 4)), ExitCode::kMalformed);
  std::vector<uint8_t> cut = npy(good, 24);
  for (size_t n = 0; n < 70; ++n)
    EXPECT_EQ(code_of({cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(n)}), ExitCode::kMalformed) << n;
  cut[6] = 3;
  EXPECT_EQ(code_of(cut), ExitCode::kMalformed);
}

TEST(TensorFile, RoundTripsWithItsName) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("edgeconv_files_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + ".pb");
  const Tensor x = Tensor::of<float>(DType::kFloat, {1, 2}, {1.5f, -2});
  write_tensor_pb(path.string(), "logits", x);
  std::string name;
  EXPECT_TRUE(read_tensor_pb(path.string(), &name).same_bytes(x));
  EXPECT_EQ(name, "logits");
  std::filesystem::remove(path);
  EXPECT_THROW(read_tensor_pb(path.string(), nullptr), FatalError);
  EXPECT_THROW(write_tensor_pb("/nonexistent_folder/x.pb", "x", x), FatalError);
}

}  // namespace
}  // namespace edgeconv_test
