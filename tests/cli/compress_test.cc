// --compress zstd: the same model in fewer bytes, expanded by every command, refused by ert_model_open, never trusted.
#include <cstring>
#include "convert/files/json.h"

#include "convert/cli/blob_file.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "rt/blob/program.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

// A model with a weight that compresses well beside one that does not.
std::string compressible_model() {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 16});
  w.output("y", kOnnxFloat, {"batch", 512});
  w.weights("w", {16, 512});
  auto* c = w.proto().mutable_graph()->add_initializer();
  c->set_name("c");
  c->set_data_type(kOnnxFloat);
  c->add_dims(512);
  for (int i = 0; i < 512; ++i) c->add_float_data(static_cast<float>(i % 3));
  w.node("MatMul", {"x", "w"}, {"h"});
  w.node("Add", {"h", "c"}, {"s"});
  w.node("Tanh", {"s"}, {"y"});
  return w.bytes();
}

class CompressTest : public CliTest {
 protected:
  void SetUp() override {
    write_file(in("m.onnx"), compressible_model());
    expect_success({in("m.onnx"), "-q", "-o", in("plain.ert")});
    report_ = parse_json(expect_success({in("m.onnx"), "--compress", "zstd", "--json", "-o", in("packed.ert")}).out);
    std::filesystem::create_directory(in("data"));
    std::vector<float> x(3 * 16);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) - 3.0f;
    write_file(in("data/input_0.pb"), float_tensor_file("x", {3, 16}, x));
  }
  std::string packed() const { return read_file(in("packed.ert")); }
  // Writes the blob with correct checksums and says what each command must answer.
  void expect_refused(std::string bytes, int exit_code, bool fix_checksums) {
    if (fix_checksums) seal(bytes);
    write_file(in("bad.ert"), bytes);
    expect_refusal({"verify", in("bad.ert")}, exit_code, {"bad.ert"});
    expect_refusal({"run", in("bad.ert"), "--data", in("data"), "--out", in("result")}, exit_code, {});
    expect_refusal({"inspect", in("bad.ert")}, exit_code, {});
  }
  static const ert::fb::Segment& segment(const std::string& blob, size_t i) { return *table(blob).Get(static_cast<uint32_t>(i)); }
  static const flatbuffers::Vector<const ert::fb::Segment*>& table(const std::string& blob) {
    return *flatbuffers::GetRoot<ert::fb::Program>(blob.data() + ert::kMetadataOffset)->segments();
  }
  // The first compressed segment.
  static size_t frame(const std::string& blob) {
    for (uint32_t i = 0; i < table(blob).size(); ++i)
      if (table(blob).Get(i)->compression() == static_cast<uint8_t>(ert::Compression::kZstd)) return i;
    ADD_FAILURE() << "nothing is compressed";
    return 0;
  }
  // Changes one row of the segment table.
  static void replace(std::string& blob, size_t i, uint64_t raw_bytes) {
    const ert::fb::Segment& s = segment(blob, i);
    const ert::fb::Segment changed(s.offset(), s.bytes(), raw_bytes, s.crc(), s.kind(), s.compression(), 0);
    std::memcpy(blob.data() + (reinterpret_cast<const char*>(&s) - blob.data()), &changed, sizeof changed);
  }

  Json report_;

 private:
  static void seal(std::string& blob) {
    for (uint32_t i = 0; i < table(blob).size(); ++i) {
      const ert::fb::Segment s = segment(blob, i);
      const ert::fb::Segment sealed(s.offset(), s.bytes(), s.raw_bytes(), ert::crc32c(0, blob.data() + s.offset(), s.bytes()),
                                    s.kind(), s.compression(), 0);
      std::memcpy(blob.data() + (reinterpret_cast<const char*>(&segment(blob, i)) - blob.data()), &sealed, sizeof sealed);
    }
    ert::Header h;
    ASSERT_EQ(ert::decode_header(reinterpret_cast<const uint8_t*>(blob.data()), blob.size(), &h), ERT_OK);
    h.content_crc = ert::crc32c(0, blob.data() + ert::kHeaderBytes, blob.size() - ert::kHeaderBytes);
    ert::encode_header(h, reinterpret_cast<uint8_t*>(blob.data()));
  }
};

TEST_F(CompressTest, ExpandsToTheUncompressedBlob) {
  const std::string plain = read_file(in("plain.ert"));
  EXPECT_LT(packed().size(), plain.size());
  const cli::BlobFile file(in("packed.ert"));
  ASSERT_TRUE(file.compressed());
  ASSERT_EQ(file.bytes(), plain.size());
  EXPECT_EQ(std::memcmp(file.data(), plain.data(), plain.size()), 0);
  EXPECT_EQ(file.stored_bytes(), packed().size());
  EXPECT_EQ(report_["blob_bytes"], plain.size());
  EXPECT_EQ(report_["stored_bytes"], packed().size());
  EXPECT_EQ(report_["compression"], "zstd");
}

TEST_F(CompressTest, OpenSaysCompressed) {
  const std::string bytes = packed();
  Tensor aligned(DType::kUint8, {static_cast<int64_t>(bytes.size())});
  std::memcpy(aligned.mutable_data(), bytes.data(), bytes.size());
  ert_model m;
  EXPECT_EQ(ert_model_open(&m, aligned.data(), aligned.bytes()), ERT_ERR_COMPRESSED);
}

TEST_F(CompressTest, CommandsTakeBothForms) {
  for (const char* blob : {"plain.ert", "packed.ert"})
    expect_success({"run", in(blob), "--data", in("data"), "--out", in(blob + std::string("_out"))});
  EXPECT_EQ(read_file(in("plain.ert_out/output_0.pb")), read_file(in("packed.ert_out/output_0.pb")));
  const std::string sizes =
      std::to_string(report_["blob_bytes"].get<size_t>()) + " bytes (" + std::to_string(packed().size()) + " compressed)";
  EXPECT_NE(expect_success({"verify", in("packed.ert")}).out.find(sizes), std::string::npos);
  const Json shown = parse_json(expect_success({"inspect", in("packed.ert"), "--json"}).out);
  EXPECT_EQ(shown["compression"], "zstd");
  EXPECT_EQ(shown["stored_bytes"], packed().size());
  EXPECT_EQ(parse_json(expect_success({"inspect", in("plain.ert"), "--json"}).out)["compression"], "none");
  expect_success({"validate", in("m.onnx"), in("packed.ert")});
  const ProgramResult exported = expect_success({"export", in("packed.ert"), "--format", "bin", "-o", in("copy.bin")});
  EXPECT_NE(exported.err.find("ert_unpack"), std::string::npos);
  EXPECT_EQ(read_file(in("copy.bin")), packed());
}

TEST_F(CompressTest, SummaryShowsSizesBeforeAndAfter) {
  const ProgramResult r = expect_success({in("m.onnx"), "--compress", "zstd", "-o", in("again.ert")});
  EXPECT_NE(r.err.find("stored"), std::string::npos) << r.err;
  EXPECT_EQ(read_file(in("again.ert")), packed());
  expect_refusal({in("m.onnx"), "--compress", "zstd", "-o", in("other.ert"), "--flash-limit", "100"}, kLimit,
                 {std::to_string(packed().size()), "100"});
  expect_refusal({in("m.onnx"), "--compress", "gzip"}, 2, {"--compress"});
}

TEST_F(CompressTest, WhatDoesNotShrinkStaysPlain) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {"batch", 4});
  w.output("y", kOnnxFloat, {"batch", 4});
  w.node("Relu", {"x"}, {"y"});
  write_file(in("tiny.onnx"), w.bytes());
  const ProgramResult r = expect_success({in("tiny.onnx"), "--compress", "zstd", "--golden", "none", "--json"});
  EXPECT_EQ(parse_json(r.out)["compression"], "none");
  EXPECT_NE(r.err.find("written uncompressed"), std::string::npos) << r.err;
  expect_success({"verify", in("tiny.ert")});
}

TEST_F(CompressTest, DamagedBytesAreRefused) {
  const std::string good = packed();
  for (size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write_file(in("bad.ert"), bad);
    const ProgramResult r = edgeconv({"verify", in("bad.ert")});
    EXPECT_TRUE(r.exit_code == kMalformed || r.exit_code == kUnsupported || r.exit_code == kChecksum)
        << at << ": exit " << r.exit_code << r.err;
  }
  expect_refused(good.substr(0, good.size() / 2), kMalformed, false);
  expect_refused(good.substr(0, good.size() - 1), kMalformed, false);
}

// With every checksum right: only the decoder can see these.
TEST_F(CompressTest, DamagedStreamsAreRefused) {
  const std::string good = packed();
  const size_t i = frame(good);
  const size_t offset = segment(good, i).offset(), bytes = segment(good, i).bytes();
  for (const size_t at : {size_t{0}, size_t{4}, size_t{5}, bytes - 4}) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string bad = good;
    bad[offset + at] = static_cast<char>(~bad[offset + at]);
    expect_refused(bad, kMalformed, true);
  }
  std::string longer = good, shorter = good, huge = good;
  replace(longer, i, segment(good, i).raw_bytes() + 1);
  expect_refused(longer, kMalformed, true);
  replace(shorter, i, segment(good, i).raw_bytes() - 1);
  expect_refused(shorter, kMalformed, true);
  replace(huge, i, uint64_t{1} << 60);
  expect_refused(huge, kLimit, true);
}

TEST_F(CompressTest, ASignatureIsOfTheFileAsItIs) {
  expect_success({"keygen", "-o", in("key.pem")});
  expect_success({"sign", in("packed.ert"), "--key", in("key.pem"), "-o", in("signed.ert")});
  expect_success({"verify", in("signed.ert"), "--key", in("key.pub.pem")});
  expect_refusal({"verify", in("packed.ert"), "--key", in("key.pub.pem")}, kChecksum, {"SIGNATURE"});
  // ert_unpack takes it off: what it makes is the blob as converted, byte for byte.
  const cli::BlobFile file(in("signed.ert"));
  EXPECT_TRUE(file.compressed() && file.has_signature());
  EXPECT_EQ(std::string(static_cast<const char*>(file.data()), file.bytes()), read_file(in("plain.ert")));
}

}  // namespace

}  // namespace edgeconv::testing
