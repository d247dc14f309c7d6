// --calib: archives and folders of real inputs, and everything that may be wrong with them.
#include "tests/cli/calib_fixture.h"

namespace edgeconv::testing {

namespace {

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
  two += archived_number(0x06054b50, 4) + archived_number(0, 4) + archived_number(2, 2) + archived_number(2, 2) + archived_number(static_cast<uint32_t>(2 * directory_bytes), 4) +
         archived_number(static_cast<uint32_t>(directory), 4) + archived_number(0, 2);
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

TEST_F(CalibTest, TextsNeedATokenizer) {
  for (const char* name : {"texts.txt", "texts.jsonl"}) {
    write_file(in(name), "{\"text\": \"good morning\"}\n");
    expect_refusal(command(name), kMalformed, {name, "tokenizer", "ids"});
  }
}

}  // namespace

}  // namespace edgeconv::testing
