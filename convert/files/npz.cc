// Reads the central directory, which states sizes and checksums of all members; the local headers only say where data begins.
#include "convert/files/npz.h"

#include <zlib.h>

#include <cstring>
#include <vector>

#include "convert/ir/diagnostics.h"
#include "convert/files/mapped_file.h"
#include "convert/files/npy.h"

namespace edgeconv {

namespace {

constexpr uint32_t kEndSignature = 0x06054b50, kEntrySignature = 0x02014b50, kLocalSignature = 0x04034b50;
constexpr size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30, kMaxComment = 65535;
constexpr uint64_t kMaxArrayBytes = uint64_t{1} << 31;
constexpr uint64_t kMaxDeflateRatio = 1032;  // no deflate stream expands further
constexpr int kStored = 0, kDeflated = 8;

struct Entry {
  std::string name;
  int method;
  uint32_t crc;
  uint64_t bytes, raw_bytes, header;
};

class Archive {
 public:
  Archive(const uint8_t* data, size_t bytes, const std::string& where) : data_(data), bytes_(bytes), where_(where) {}

  std::vector<Entry> entries() const {
    const size_t end = find_end();
    const uint32_t count = u16(end + 10), size = u32(end + 12), start = u32(end + 16);
    if (count == 0xFFFF || start == 0xFFFFFFFF)
      throw FatalError(ExitCode::kLimit,
                       where_ + ": archives of more than 4 GB (zip64) are not read; use a folder of .npy files");
    if (size > end || start > end - size) fail("the list of members is damaged");
    std::vector<Entry> all;
    size_t at = start, room = start;
    for (uint32_t i = 0; i < count; ++i) {
      all.push_back(entry(at, size_t{start} + size));
      // Members that share their data would make a small file as large as all memory.
      if (all.back().bytes > room) fail("its members overlap");
      room -= all.back().bytes;
    }
    if (at != size_t{start} + size) fail("the list of members is damaged");
    return all;
  }

  std::vector<uint8_t> contents(const Entry& e) const {
    if (e.header > bytes_ || bytes_ - e.header < kLocalBytes || u32(e.header) != kLocalSignature)
      fail("member '" + printable(e.name) + "' is damaged");
    const uint64_t begin = e.header + kLocalBytes + u16(e.header + 26) + u16(e.header + 28);
    if (begin > bytes_ || e.bytes > bytes_ - begin) fail("member '" + printable(e.name) + "' is cut off");
    std::vector<uint8_t> raw =
        e.method == kStored ? std::vector<uint8_t>(data_ + begin, data_ + begin + e.bytes) : inflated(e, data_ + begin);
    uLong crc = crc32(0, nullptr, 0);
    crc = crc32_z(crc, raw.data(), raw.size());
    if (crc != e.crc) fail("the checksum of member '" + printable(e.name) + "' is wrong");
    return raw;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FatalError(ExitCode::kMalformed, where_ + ": " + what + "; write it again with numpy.savez");
  }
  uint32_t u16(uint64_t at) const { return data_[at] | uint32_t{data_[at + 1]} << 8; }
  uint32_t u32(uint64_t at) const { return u16(at) | u16(at + 2) << 16; }

  // The end record is last, before a comment of at most 64 KB.
  size_t find_end() const {
    if (bytes_ < kEndBytes) fail("this is no .npz file");
    const size_t last = bytes_ - kEndBytes;
    for (size_t back = 0; back <= std::min(last, kMaxComment); ++back)
      if (u32(last - back) == kEndSignature && u16(last - back + 20) == back) return last - back;
    fail("the archive is cut off");
  }

  Entry entry(size_t& at, size_t end) const {
    if (end - at < kEntryBytes || u32(at) != kEntrySignature) fail("the list of members is damaged");
    const size_t name = u16(at + 28), skip = name + u16(at + 30) + u16(at + 32);
    if (end - at - kEntryBytes < skip) fail("the list of members is damaged");
    Entry e{std::string(reinterpret_cast<const char*>(data_) + at + kEntryBytes, name),
            static_cast<int>(u16(at + 10)),
            u32(at + 16),
            u32(at + 20),
            u32(at + 24),
            u32(at + 42)};
    if (u16(at + 8) & 1) throw FatalError(ExitCode::kUnsupported, where_ + ": the archive is encrypted");
    if (e.method != kStored && e.method != kDeflated)
      throw FatalError(ExitCode::kUnsupported, where_ + ": member '" + printable(e.name) + "' is packed with method " +
                                                   std::to_string(e.method) +
                                                   "; numpy.savez and savez_compressed write what is read here");
    if (e.raw_bytes > kMaxArrayBytes || e.bytes > kMaxArrayBytes)
      throw FatalError(ExitCode::kLimit, where_ + ": member '" + printable(e.name) + "' is larger than 2 GB");
    if (e.method == kStored ? e.raw_bytes != e.bytes : e.raw_bytes / kMaxDeflateRatio > e.bytes)
      fail("member '" + printable(e.name) + "' states an impossible size");
    at += kEntryBytes + skip;
    return e;
  }

  std::vector<uint8_t> inflated(const Entry& e, const uint8_t* from) const {
    std::vector<uint8_t> raw(e.raw_bytes);
    uint8_t nothing = 0;
    z_stream z{};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw FatalError(ExitCode::kInternal, "zlib does not start");
    z.next_in = const_cast<Bytef*>(from);
    z.avail_in = static_cast<uInt>(e.bytes);
    z.next_out = raw.empty() ? &nothing : raw.data();
    z.avail_out = static_cast<uInt>(raw.size());
    const int result = inflate(&z, Z_FINISH);
    const bool exact = result == Z_STREAM_END && z.avail_in == 0 && z.avail_out == 0;
    inflateEnd(&z);
    if (!exact) fail("member '" + printable(e.name) + "' is damaged");
    return raw;
  }

  const uint8_t* data_;
  size_t bytes_;
  const std::string& where_;
};

}  // namespace

bool looks_like_zip(const uint8_t* data, size_t bytes) {
  return bytes >= 4 && std::memcmp(data, "PK", 2) == 0 && ((data[2] == 3 && data[3] == 4) || (data[2] == 5 && data[3] == 6));
}

std::map<std::string, Tensor> parse_npz(const uint8_t* data, size_t bytes, const std::string& where) {
  std::map<std::string, Tensor> arrays;
  const Archive archive(data, bytes, where);
  for (const Entry& e : archive.entries()) {
    const std::string shown = printable(e.name);
    if (e.name.size() <= 4 || e.name.compare(e.name.size() - 4, 4, ".npy") != 0)
      throw FatalError(ExitCode::kMalformed,
                       where + ": member '" + shown + "' is no .npy array; write it again with numpy.savez");
    const std::vector<uint8_t> raw = archive.contents(e);
    if (!arrays.emplace(e.name.substr(0, e.name.size() - 4), parse_npy(raw.data(), raw.size(), where + ":" + shown)).second)
      throw FatalError(ExitCode::kMalformed, where + ": member '" + shown + "' is there twice; write each array once");
  }
  return arrays;
}

std::map<std::string, Tensor> read_npz(const std::string& path) {
  const auto file = MappedFile::open(path);
  return parse_npz(file->data, file->bytes, path);
}

}  // namespace edgeconv
