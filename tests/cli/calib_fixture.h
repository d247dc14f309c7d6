// Archives of arrays as numpy writes them, and conversions with them.
#pragma once

#include <zlib.h>

#include <cmath>

#include "convert/files/json.h"
#include "convert/files/npy.h"
#include "convert/files/npz.h"
#include "convert/ir/diagnostics.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

inline std::string archived_number(uint32_t v, int bytes) {
  std::string s;
  for (int i = 0; i < bytes; ++i) s += static_cast<char>(v >> (8 * i));
  return s;
}

inline std::string deflated(const std::string& raw) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, raw.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  z.avail_in = static_cast<uInt>(raw.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// A zip archive as numpy.savez (stored) or savez_compressed writes it.
inline std::string archive(const std::vector<std::pair<std::string, std::string>>& members, bool deflate_them,
                    uint32_t extra_raw_bytes = 0) {
  std::string data, directory;
  for (const auto& [name, raw] : members) {
    const std::string packed = deflate_them ? deflated(raw) : raw;
    const auto crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(raw.data()), static_cast<uInt>(raw.size())));
    const auto raw_bytes = static_cast<uint32_t>(raw.size()) + extra_raw_bytes;
    const std::string common = archived_number(20, 2) + archived_number(0, 2) + archived_number(deflate_them ? 8 : 0, 2) + archived_number(0, 4) + archived_number(crc, 4) +
                               archived_number(static_cast<uint32_t>(packed.size()), 4) + archived_number(raw_bytes, 4) +
                               archived_number(static_cast<uint32_t>(name.size()), 2);
    directory += archived_number(0x02014b50, 4) + archived_number(20, 2) + common + std::string(12, '\0') +
                 archived_number(static_cast<uint32_t>(data.size()), 4) + name;
    data += archived_number(0x04034b50, 4) + common + archived_number(0, 2) + name + packed;
  }
  const auto count = static_cast<uint32_t>(members.size());
  return data + directory + archived_number(0x06054b50, 4) + archived_number(0, 4) + archived_number(count, 2) + archived_number(count, 2) +
         archived_number(static_cast<uint32_t>(directory.size()), 4) + archived_number(static_cast<uint32_t>(data.size()), 4) + archived_number(0, 2);
}

inline std::string npy(const Tensor& t) {
  const std::vector<uint8_t> bytes = format_npy(t);
  return std::string(bytes.begin(), bytes.end());
}

inline Tensor samples(std::vector<int64_t> dims, float scale = 1) {
  Tensor t(DType::kFloat, std::move(dims));
  size_t i = 0;
  for (float& x : t.mut<float>()) x = scale * static_cast<float>(static_cast<int>(i++ * 37 % 101) - 50) / 50;
  return t;
}

class CalibTest : public CliTest {
 protected:
  void SetUp() override { write_file(in("m.onnx"), small_model()); }
  std::vector<std::string> command(const std::string& calib) const {
    return {in("m.onnx"), "--calib", in(calib), "-o", in("m.ert"), "--json"};
  }
  Json convert(const std::string& calib) { return parse_json(expect_success(command(calib)).out); }
  void expect_bad(const std::string& bytes, const std::vector<std::string>& words, int exit_code = static_cast<int>(ExitCode::kMalformed)) {
    write_file(in("bad.npz"), bytes);
    expect_refusal(command("bad.npz"), exit_code, words);
  }
};

}  // namespace edgeconv::testing
