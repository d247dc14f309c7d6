// --calib: archives and folders of real inputs, and everything that may be wrong with them.
#include <zlib.h>

#include <cmath>
#include "convert/files/json.h"

#include "convert/ir/diagnostics.h"
#include "convert/files/npy.h"
#include "convert/files/npz.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

std::string number(uint32_t v, int bytes) {
  std::string s;
  for (int i = 0; i < bytes; ++i) s += static_cast<char>(v >> (8 * i));
  return s;
}

std::string deflated(const std::string& raw) {
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
std::string archive(const std::vector<std::pair<std::string, std::string>>& members, bool deflate_them,
                    uint32_t extra_raw_bytes = 0) {
  std::string data, directory;
  for (const auto& [name, raw] : members) {
    const std::string packed = deflate_them ? deflated(raw) : raw;
    const auto crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(raw.data()), static_cast<uInt>(raw.size())));
    const auto raw_bytes = static_cast<uint32_t>(raw.size()) + extra_raw_bytes;
    const std::string common = number(20, 2) + number(0, 2) + number(deflate_them ? 8 : 0, 2) + number(0, 4) + number(crc, 4) +
                               number(static_cast<uint32_t>(packed.size()), 4) + number(raw_bytes, 4) +
                               number(static_cast<uint32_t>(name.size()), 2);
    directory += number(0x02014b50, 4) + number(20, 2) + common + std::string(12, '\0') +
                 number(static_cast<uint32_t>(data.size()), 4) + name;
    data += number(0x04034b50, 4) + common + number(0, 2) + name + packed;
  }
  const auto count = static_cast<uint32_t>(members.size());
  return data + directory + number(0x06054b50, 4) + number(0, 4) + number(count, 2) + number(count, 2) +
         number(static_cast<uint32_t>(directory.size()), 4) + number(static_cast<uint32_t>(data.size()), 4) + number(0, 2);
}

std::string npy(const Tensor& t) {
  const std::vector<uint8_t> bytes = format_npy(t);
  return std::string(bytes.begin(), bytes.end());
}

Tensor samples(std::vector<int64_t> dims, float scale = 1) {
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
  void expect_bad(const std::string& bytes, const std::vector<std::string>& words, int exit_code = kMalformed) {
    write_file(in("bad.npz"), bytes);
    expect_refusal(command("bad.npz"), exit_code, words);
  }
};

TEST_F(CalibTest, StoredAndDeflatedArchivesAndFoldersAgree) {
  const std::string array = npy(samples({20, 16}, 3));
  write_file(in("stored.npz"), archive({{"x.npy", array}}, false));
  write_file(in("packed.npz"), archive({{"x.npy", array}}, true));
  std::filesystem::create_directory(in("folder"));
  write_file(in("folder/x.npy"), array);
  EXPECT_EQ(convert("stored.npz")["compared_on"], "recorded inputs of '" + in("stored.npz") + "'");
  const std::string blob = read_file(in("m.ert"));
  convert("packed.npz");
  EXPECT_TRUE(read_file(in("m.ert")) == blob);
  convert("folder");
  EXPECT_TRUE(read_file(in("m.ert")) == blob);
  // Other inputs give other smoothing factors, or the option would do nothing.
  write_file(in("other.npz"),
             archive({{"x.npy", npy(samples({20, 16}, 3).reshaped({16, 20}).reshaped({20, 16}))}, {"unused.npy", array}}, false));
  Tensor skewed = samples({20, 16});
  for (size_t i = 0; i < 320; i += 16) skewed.mut<float>()[i] *= 40;
  write_file(in("skewed.npz"), archive({{"x.npy", npy(skewed)}}, false));
  convert("skewed.npz");
  EXPECT_FALSE(read_file(in("m.ert")) == blob);
  EXPECT_NE(expect_success(command("other.npz")).err.find("'unused'"), std::string::npos);
}

TEST_F(CalibTest, SetsOfTensorFilesInSubfolders) {
  for (const char* set : {"sets", "sets/a", "sets/b"}) std::filesystem::create_directory(in(set));
  write_file(in("sets/a/input_0.pb"), float_tensor_file("x", {2, 16}, std::vector<float>(32, 0.25f)));
  write_file(in("sets/b/input_0.pb"), float_tensor_file("", {5, 16}, std::vector<float>(80, -0.5f)));
  EXPECT_EQ(convert("sets")["compared_on"], "recorded inputs of '" + in("sets") + "'");
}

TEST_F(CalibTest, SamplesMayHaveTheirOwnAxis) {
  write_file(in("own.npz"), archive({{"x.npy", npy(samples({3, 2, 16}))}}, false));
  convert("own.npz");
}

TEST_F(CalibTest, ManySamplesAreThinnedOut) {
  write_file(in("many.npz"), archive({{"x.npy", npy(samples({1000, 16}))}}, true));
  EXPECT_NE(expect_success(command("many.npz")).err.find("of 1000 samples"), std::string::npos);
}

TEST_F(CalibTest, HalfAndDoubleAreTaken) {
  for (const DType t : {DType::kFloat16, DType::kDouble}) {
    write_file(in("t.npz"), archive({{"x.npy", npy(samples({4, 16}).cast(t))}}, false));
    convert("t.npz");
  }
}

TEST_F(CalibTest, WrongContentsAreRefused) {
  Tensor nan = samples({4, 16}), infinite = samples({4, 16});
  nan.mut<float>()[17] = std::nanf("");
  infinite.mut<float>()[17] = -INFINITY;
  expect_bad(archive({{"x.npy", npy(nan)}}, false), {"'x'", "NaN"});
  expect_bad(archive({{"x.npy", npy(infinite)}}, false), {"'x'", "infinity"});
  expect_bad(archive({{"x.npy", npy(samples({4, 15}))}}, false), {"'x'", "15", "16"});
  expect_bad(archive({{"x.npy", npy(samples({64}))}}, false), {"'x'", "[64]", "batch"});
  expect_bad(archive({{"x.npy", npy(samples({0, 16}))}}, false), {"'x'", "empty"});
  expect_bad(archive({{"y.npy", npy(samples({4, 16}))}}, false), {"'x'"});
  expect_bad(archive({{"x.npy", npy(Tensor(DType::kInt64, {4, 16}))}}, false), {"'x'", "int64", "float32"});
  expect_bad(archive({}, false), {"'x'"});
}

TEST_F(CalibTest, DamagedArchivesAreRefused) {
  const std::string array = npy(samples({4, 16})), good = archive({{"x.npy", array}}, false),
                    packed = archive({{"x.npy", array}}, true);
  expect_bad("", {});
  expect_bad("not a zip", {".npz"});
  for (size_t part = 1; part < 8; ++part) expect_bad(packed.substr(0, packed.size() * part / 8), {});
  std::string changed = good;
  changed[good.size() / 2] = static_cast<char>(changed[good.size() / 2] ^ 1);
  expect_bad(changed, {"checksum"});
  expect_bad(archive({{"x.npy", array}}, true, 8), {"x.npy"});
  expect_bad(archive({{"x.npy", array}}, true, 1 << 30), {"impossible size"});
  expect_bad(archive({{"x.npy", array}}, false, 8), {"impossible size"});
  expect_bad(archive({{"x.npy", array}, {"x.npy", array}}, false), {"twice"});
  expect_bad(archive({{"x.pkl", array}}, false), {"x.pkl"});
  // Headers that lie about shape and order, and a pickle.
  std::string lying = array, objects = array;
  lying.replace(lying.find("(4,16,)"), 7, "(9,16,)");
  expect_bad(archive({{"x.npy", lying}}, false), {"shape needs"});
  objects.replace(objects.find("<f4"), 3, "|O8");
  expect_bad(archive({{"x.npy", objects}}, false), {"pickled"});
}

// A few kilobytes whose members all name the same data became as many gigabytes.
TEST_F(CalibTest, MembersThatShareTheirDataAreRefused) {
  constexpr size_t kEndBytes = 22;
  const std::string one = archive({{"x.npy", npy(samples({64, 16}))}}, true);
  const size_t directory = one.find("PK\x01\x02"), directory_bytes = one.size() - kEndBytes - directory;
  std::string two = one.substr(0, one.size() - kEndBytes) + one.substr(directory, directory_bytes);
  two[two.size() - 5] = 'y';  // x.npy
  two += number(0x06054b50, 4) + number(0, 4) + number(2, 2) + number(2, 2) + number(static_cast<uint32_t>(2 * directory_bytes), 4) +
         number(static_cast<uint32_t>(directory), 4) + number(0, 2);
  expect_bad(two, {"members overlap"});
}

// Every changed byte is refused or gives the same arrays: nothing in between, no crash.
TEST_F(CalibTest, NoChangedByteIsTrusted) {
  const Tensor x = samples({4, 16});
  for (const bool packed : {false, true}) {
    const std::string good = archive({{"x.npy", npy(x)}}, packed);
    for (size_t at = 0; at < good.size(); ++at)
      for (const int bit : {0, 3, 7}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
        try {
          for (const auto& [name, t] : parse_npz(reinterpret_cast<const uint8_t*>(bad.data()), bad.size(), "f"))
            EXPECT_TRUE(t.same_bytes(x)) << at << " bit " << bit << " as " << name;
        } catch (const FatalError&) {
        }
      }
  }
}

TEST_F(CalibTest, FoldersAndLimits) {
  expect_refusal(command("nowhere"), kIo, {"nowhere"});
  std::filesystem::create_directory(in("hollow"));
  expect_refusal(command("hollow"), kMalformed, {"hollow", "input_K.pb"});
}

// Ids out of the table and sequences above the maximum.
TEST_F(CalibTest, TokenIds) {
  ModelWriter w;
  w.input("ids", kOnnxInt64, {"batch", "sequence"});
  w.output("y", kOnnxFloat, {"batch", "sequence", 16});
  w.weights("table", {100, 16});
  w.weights("w", {16, 16});
  w.node("Gather", {"table", "ids"}, {"e"});
  w.node("MatMul", {"e", "w"}, {"y"});
  write_file(in("m.onnx"), w.bytes());
  const auto ids = [](std::vector<int64_t> dims, int64_t largest) {
    Tensor t(DType::kInt64, std::move(dims));
    t.mut<int64_t>()[0] = largest;
    return archive({{"ids.npy", npy(t)}}, true);
  };
  write_file(in("good.npz"), ids({9, 12}, 99));
  convert("good.npz");
  write_file(in("i32.npz"), archive({{"ids.npy", npy(Tensor(DType::kInt32, {9, 12}))}}, false));
  convert("i32.npz");
  expect_bad(ids({9, 12}, 100), {"'ids'", "100", "-100 to 99"});
  expect_bad(ids({9, 12}, -101), {"'ids'", "-101"});
  expect_bad(ids({2, 513}, 0), {"sequence", "513", "--dim sequence=513"}, kUsage);
  expect_bad(archive({{"ids.npy", npy(samples({2, 12}))}}, false), {"'ids'", "float32", "int64"});
}

// y = x[idx] w: made-up indices are out of the rows, so everything must come from the user's data.
class IndexInputTest : public CalibTest {
 protected:
  // from_minus_one: rows are counted from -1, which the conversion does not see through.
  void model(const char* rows, const char* picks, bool from_minus_one = false) {
    ModelWriter w;
    w.input("x", kOnnxFloat, {rows, 16});
    w.input("idx", kOnnxInt64, {picks});
    w.output("y", kOnnxFloat, {picks, 16});
    w.weights("w", {16, 16});
    if (from_minus_one) {
      auto* one = w.proto().mutable_graph()->add_initializer();
      one->set_name("one");
      one->set_data_type(kOnnxInt64);
      one->add_int64_data(1);
      w.node("Add", {"idx", "one"}, {"row"});
    }
    w.node("Gather", {"x", from_minus_one ? "row" : "idx"}, {"picked"});
    w.node("MatMul", {"picked", "w"}, {"y"});
    write_file(in("m.onnx"), w.bytes());
  }
  // idx counts down from the last row.
  static std::string data(int64_t rows, int64_t picks, bool from_minus_one = false) {
    std::vector<int64_t> idx;
    for (int64_t i = 0; i < picks; ++i) idx.push_back(rows - (from_minus_one ? 2 : 1) - i % rows);
    return archive({{"x.npy", npy(samples({rows, 16}))}, {"idx.npy", npy(Tensor::of(DType::kInt64, {picks}, idx))}}, true);
  }
};

// Was refused with exit 3: golden vectors had made-up indices whatever --calib gave.
TEST_F(IndexInputTest, GoldenVectorsComeFromTheDataToo) {
  model("rows", "picks", true);
  write_file(in("c.npz"), data(5, 3, true));
  const ProgramResult r = expect_success(command("c.npz"));
  EXPECT_NE(r.err.find("golden vectors hold 1 of the calibration inputs"), std::string::npos) << r.err;
  EXPECT_EQ(parse_json(expect_success({"inspect", in("m.ert"), "--json"}).out).at("golden_vectors"), 1);
  expect_success({in("m.onnx"), "--calib", in("c.npz"), "-o", in("none.ert"), "--golden", "none", "-q"});
  EXPECT_EQ(parse_json(expect_success({"inspect", in("none.ert"), "--json"}).out).at("golden_vectors"), 0);
}

// Was refused with exit 3: eight rows at a time, indices 19 to 12 had nothing to point to.
TEST_F(IndexInputTest, RowsThatReferToEachOtherStayTogether) {
  model("batch", "batch");
  write_file(in("c.npz"), data(20, 20));
  EXPECT_EQ(convert("c.npz").at("outputs").at(0).at("cosine").get<double>() > 0.999, true);
}

// Where the conversion cannot know valid indices without data, it says how to give them.
TEST_F(IndexInputTest, WithoutDataTheRefusalNamesCalib) {
  model("batch", "batch", true);
  expect_refusal({in("m.onnx"), "-o", in("m.ert")}, 4, {"--calib"});
}

// Was refused: a model of graphs (minimol) has an input with the graph of each node, and made-up ones were lengths.
TEST_F(IndexInputTest, MadeUpIndicesPointToRowsThatThereAre) {
  for (const auto& [rows, picks] : {std::pair("rows", "picks"), std::pair("batch", "batch")}) {
    model(rows, picks);
    expect_success({in("m.onnx"), "-o", in("m.ert"), "-q"});
    expect_success({"verify", in("m.ert")});
    expect_success({"validate", in("m.onnx"), in("m.ert")});
  }
}

TEST_F(IndexInputTest, FoldersOfArraysAndOfSets) {
  model("rows", "picks");
  for (const char* folder : {"arrays", "sets", "sets/a", "sets/b"}) std::filesystem::create_directory(in(folder));
  write_file(in("arrays/x.npy"), npy(samples({5, 16})));
  write_file(in("arrays/idx.npy"), npy(Tensor::of<int64_t>(DType::kInt64, {2}, {4, 0})));
  convert("arrays");
  // Sets of different sizes: the smallest makes the golden vector.
  for (const auto& [folder, rows] : {std::pair("sets/a/", 7), std::pair("sets/b/", 4)}) {
    write_file(in(folder) + "x.npy", npy(samples({rows, 16})));
    write_file(in(folder) + "idx.npy", npy(Tensor::of<int64_t>(DType::kInt64, {2}, {rows - 1, 0})));
  }
  convert("sets");
}

TEST_F(CalibTest, TextsNeedATokenizer) {
  for (const char* name : {"texts.txt", "texts.jsonl"}) {
    write_file(in(name), "{\"text\": \"good morning\"}\n");
    expect_refusal(command(name), kMalformed, {name, "tokenizer", "ids"});
  }
}

}  // namespace

}  // namespace edgeconv::testing
