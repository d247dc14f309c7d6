// keygen, sign and verify --key, as a user calls them; the security counter on its way into the header.
#include <sys/stat.h>

#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

class SignatureTest : public CliTest {
 protected:
  void SetUp() override {
    blob_ = small_blob();
    expect_success({"keygen", "-o", in("key.pem")});
  }
  unsigned mode(const std::string& name) const {
    struct stat s {};
    EXPECT_EQ(stat(in(name).c_str(), &s), 0) << name;
    return s.st_mode & 0777;
  }
  std::string blob_;
};

TEST_F(SignatureTest, KeysAreFilesThatOnlyTheOwnerReads) {
  EXPECT_EQ(mode("key.pem"), 0600u);
  EXPECT_EQ(read_file(in("key.pem")).rfind("-----BEGIN PRIVATE KEY-----\n", 0), 0u);
  EXPECT_EQ(read_file(in("key.pub.pem")).rfind("-----BEGIN PUBLIC KEY-----\n", 0), 0u);
  EXPECT_NE(read_file(in("key.pem")), (expect_success({"keygen", "-o", in("second.pem")}), read_file(in("second.pem"))));
  expect_success({"keygen", "-o", in("name")}, {.cwd = {}, .environment = {}, .umask = 0});
  EXPECT_EQ(mode("name"), 0600u) << "whatever the umask";
  EXPECT_EQ(mode("name.pub.pem"), 0666u);
}

TEST_F(SignatureTest, KeysAreNotReplacedAndNotPrinted) {
  expect_refusal({"keygen", "-o", in("key.pem")}, kUsage, {"key.pem", "exists", "--force"});
  std::filesystem::remove(in("key.pem"));
  expect_refusal({"keygen", "-o", in("key.pem")}, kUsage, {"key.pub.pem", "exists"});
  expect_success({"keygen", "-o", in("key.pem"), "--force"});
  expect_refusal({"keygen", "-o", "-"}, kUsage, {"private key"});
  expect_refusal({"keygen", "-o", "/dev/null"}, kUsage, {"private key"});
  expect_refusal({"keygen", "-o", "/dev/stdout", "--force"}, kUsage, {"private key"});
  expect_refusal({"keygen", "-o", "/dev/fd/1"}, kUsage, {"private key"});
  expect_refusal({"keygen"}, kUsage, {"--output"});
  expect_refusal({"keygen", "-o", in("no/such/key.pem")}, kIo, {"key.pem"});
}

TEST_F(SignatureTest, VerifyTellsWhoseBlobItIs) {
  expect_refusal({"verify", blob_, "--key", in("key.pub.pem")}, kChecksum, {"small.ert", "SIGNATURE"});
  const std::string plain = read_file(blob_);
  expect_success({"sign", blob_, "--key", in("key.pem"), "-o", in("signed.ert")});
  EXPECT_EQ(read_file(blob_), plain);
  const ProgramResult good = expect_success({"verify", in("signed.ert"), "--key", in("key.pub.pem")});
  EXPECT_NE(good.out.find("signed by this key"), std::string::npos) << good.out;
  expect_success({"verify", in("signed.ert")});
  expect_success({"keygen", "-o", in("other.pem")});
  expect_refusal({"verify", in("signed.ert"), "--key", in("other.pub.pem")}, kChecksum, {"SIGNATURE"});
  // In place, and again with another key.
  expect_success({"sign", blob_, "--key", in("key.pem")});
  EXPECT_EQ(read_file(blob_), read_file(in("signed.ert")));
  expect_success({"sign", blob_, "--key", in("other.pem")});
  expect_success({"verify", blob_, "--key", in("other.pub.pem")});
  expect_refusal({"verify", blob_, "--key", in("key.pub.pem")}, kChecksum, {"SIGNATURE"});
}

// verify --key "$KEY" where KEY was never set said that the blob is good, and asked for no signature.
TEST_F(SignatureTest, AnEmptyKeyIsNotNone) {
  expect_refusal({"verify", blob_, "--key", ""}, kUsage, {"--key", "needs a value"});
  expect_refusal({"verify", blob_, "--key="}, kUsage, {"--key"});
  expect_refusal({"sign", blob_, "--key", in("key.pem"), "-o", ""}, kUsage, {"-o", "needs a value"});
}

// One byte of every region: header, metadata, segments, signature, the bytes behind it.
TEST_F(SignatureTest, ChangesAnywhereAreRefused) {
  expect_success({"sign", blob_, "--key", in("key.pem")});
  const std::string good = read_file(blob_);
  for (size_t at = 4; at < good.size(); at += at < 64 ? 7 : at + 200 < good.size() ? 97 : 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    write_file(in("bad.ert"), bad);
    expect_refusal({"verify", in("bad.ert"), "--key", in("key.pub.pem")}, kChecksum, {"bad.ert"});
  }
  write_file(in("cut.ert"), good.substr(0, good.size() - 1));
  expect_refusal({"verify", in("cut.ert"), "--key", in("key.pub.pem")}, kMalformed, {"cut.ert", "TRUNCATED"});
}

TEST_F(SignatureTest, SignedBlobsServeAsAllOthers) {
  expect_success({"sign", blob_, "--key", in("key.pem")});
  expect_success({"inspect", blob_});
  EXPECT_NE(expect_success({"inspect", blob_}).out.find("signed"), std::string::npos);
  expect_success({"export", blob_, "--format", "bin", "-o", in("copy.bin")});
  EXPECT_EQ(read_file(in("copy.bin")), read_file(blob_));
  expect_success({"validate", in("small.onnx"), blob_});
}

TEST_F(SignatureTest, WrongFiles) {
  expect_refusal({"sign", blob_, "--key", in("key.pub.pem")}, kMalformed, {"key.pub.pem", "private key"});
  expect_refusal({"sign", blob_, "--key", in("none.pem")}, kIo, {"none.pem"});
  expect_refusal({"sign", in("small.onnx"), "--key", in("key.pem")}, kMalformed, {"small.onnx", "MAGIC"});
  expect_refusal({"sign", blob_, "--key", in("key.pem"), "-o", in("key.pem"), "--force"}, kUsage, {"would replace the key"});
  expect_refusal({"sign", blob_, "--key", in("key.pem"), "-o", blob_}, kUsage, {"the blob itself"});
  expect_refusal({"sign", blob_, "--key", in("key.pem"), "-o", in("small.onnx")}, kUsage, {"small.onnx", "exists"});
  expect_refusal({"verify", blob_, "--key", in("small.onnx")}, kMalformed, {"small.onnx"});
  expect_refusal({"verify", blob_, "--key", in("none.pem")}, kIo, {"none.pem"});
  expect_refusal({"sign", blob_}, kUsage, {"--key"});
}

// "Invalid argument", they were told.
TEST_F(SignatureTest, PipesAreNoFiles) {
  ASSERT_EQ(mkfifo(in("pipe").c_str(), 0600), 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"sign", blob_, "--key", in("pipe")}, {"verify", in("pipe")}}) {
    const ProgramResult r = edgeconv(words);
    EXPECT_EQ(r.exit_code, kIo);
    EXPECT_NE(r.err.find("pipe': it is not a regular file"), std::string::npos) << r.err;
  }
}

TEST_F(SignatureTest, SecurityCounter) {
  expect_success({in("small.onnx"), "-q", "--dim", "batch=8", "--security-counter", "4294967295", "-o", in("counted.ert")});
  EXPECT_EQ(read_file(in("counted.ert")).substr(36, 4), "\xff\xff\xff\xff");
  EXPECT_NE(expect_success({"inspect", in("counted.ert")}).out.find("counter 4294967295"), std::string::npos);
  EXPECT_NE(expect_success({"inspect", in("counted.ert"), "--json"}).out.find("\"security_counter\": 4294967295"),
            std::string::npos);
  EXPECT_EQ(read_file(blob_).substr(36, 4), std::string(4, '\0')) << "0 unless asked for";
  for (const char* wrong : {"-1", "4294967296", "x"})
    expect_refusal({in("small.onnx"), "-q", "--dim", "batch=8", "--security-counter", wrong, "-o", in("x.ert")}, kUsage,
                   {"security-counter"});
}

}  // namespace

}  // namespace edgeconv::testing
