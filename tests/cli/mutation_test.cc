// Damaged files in bulk, from fixed seeds: bytes of small ONNX models and of a blob changed, cut and inserted, and models changed
// within the rules of protobuf (attributes, sizes, names, operators). Every command ends by itself within the time limit, with a
// documented exit code that is not "internal error", says something when it fails, and leaves no output behind.
//
// EDGECONV_MUTATIONS=N sets the number of cases of each kind (the full tier's is in CMakeLists.txt). EDGECONV_MUTATION_SEED=N replays
// one, and leaves its file in the working directory.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>

#include "tests/cli/cli_test.h"
#include "tests/cli/fixture_folder.h"

namespace edgeconv::testing {

namespace {

constexpr const char* kTimeLimit = "60";  // seconds of one command; a hang, not a measurement
constexpr int kTimedOut = 124;

struct Seeds {
  int first, end;
  bool replay;
};

Seeds case_seeds() {
  if (const char* one = std::getenv("EDGECONV_MUTATION_SEED")) return {std::atoi(one), std::atoi(one) + 1, true};
  const char* n = std::getenv("EDGECONV_MUTATIONS");
  return {0, n ? std::max(1, std::atoi(n)) : 25, false};
}

// The smallest models of the fixtures that are here.
std::vector<std::string> seeds() {
  std::vector<std::string> models = {small_model(), model_with_two_problems()};
  if (const auto root = fixture_root())
    for (const char* name : {"mlp_ts13", "function_nested_inlineable", "mlp_bn_ts14__static_qdq", "if_rank_ts14",
                             "loop_const_helper14", "lstm_lengths_uni_ts13__dyn_qint8", "lstm_lengths_sorted_ts14",
                             "gru_lengths_bi_ts14", "twoinput_lstm_ts13", "bert_base_ts14__ort_optimizer__dyn_qint8"})
      if (fs::exists(*root / name / "model.onnx")) models.push_back(read_file(*root / name / "model.onnx"));
  return models;
}

using Random = std::mt19937_64;

void mutate_bytes(std::string& s, Random& random) {
  const uint64_t changes = uint64_t{1} << (random() % 4);
  for (uint64_t i = 0; i < changes && s.size() > 8; ++i) {
    const size_t at = random() % s.size();
    static constexpr unsigned char kValues[] = {0, 1, 2, 8, 0x7f, 0x80, 0xff};
    switch (random() % 5) {
      case 0: s[at] = static_cast<char>(s[at] ^ (1 << (random() % 8))); break;
      case 1: s[at] = static_cast<char>(kValues[random() % std::size(kValues)]); break;
      case 2: s.erase(at, 1 + random() % 4); break;
      case 3: s.insert(at, std::string(1 + random() % 4, static_cast<char>(random()))); break;
      default: s.resize(random() % 8 == 0 ? at : s.size());
    }
  }
}

int64_t odd_number(Random& random) {
  static constexpr int64_t kNumbers[] = {0,         1,         -1,        2,         3,         -2,      8,
                                         64,        255,       1000,      65535,     1 << 20,   1 << 24, 1 << 30,
                                         INT32_MAX, 1ll << 31, 1ll << 40, INT64_MAX, INT64_MIN, -5};
  return kNumbers[random() % std::size(kNumbers)];
}

void mutate_tensor(pb::TensorProto& t, Random& random) {
  switch (random() % 3) {
    case 0:
      if (t.dims_size() > 0) t.set_dims(static_cast<int>(random() % static_cast<uint64_t>(t.dims_size())), odd_number(random));
      break;
    case 1: t.set_data_type(static_cast<int>(random() % 24)); break;
    default:
      if (t.int64_data_size() > 0) {
        t.set_int64_data(0, odd_number(random));
      } else if (t.has_raw_data() && t.raw_data().size() >= 8) {
        const int64_t v = odd_number(random);
        t.mutable_raw_data()->replace(random() % (t.raw_data().size() / 8) * 8, 8, reinterpret_cast<const char*>(&v), 8);
      }
  }
}

void mutate_attribute(pb::AttributeProto& a, Random& random) {
  static const float kFloats[] = {0, -1, 1e30f, 1e-42f, std::numeric_limits<float>::quiet_NaN(), HUGE_VALF};
  if (a.has_t()) return mutate_tensor(*a.mutable_t(), random);
  if (a.ints_size() > 0) return a.set_ints(static_cast<int>(random() % static_cast<uint64_t>(a.ints_size())), odd_number(random));
  if (a.type() == 1) return a.set_f(kFloats[random() % std::size(kFloats)]);
  if (a.type() == 2) return a.set_i(odd_number(random));
  a.set_type(static_cast<int>(random() % 12));
}

void mutate_input(pb::GraphProto& g, Random& random) {
  if (g.input_size() == 0) return;
  auto* type =
      g.mutable_input(static_cast<int>(random() % static_cast<uint64_t>(g.input_size())))->mutable_type()->mutable_tensor_type();
  static constexpr int kTypes[] = {1, 6, 7, 9, 10, 2};
  if (random() % 4 == 0) type->set_elem_type(kTypes[random() % std::size(kTypes)]);
  if (type->shape().dim_size() == 0) return;
  auto* dim = type->mutable_shape()->mutable_dim(static_cast<int>(random() % static_cast<uint64_t>(type->shape().dim_size())));
  static constexpr const char* kNames[] = {"batch", "sequence", "other", "9", ""};
  if (random() % 2)
    dim->set_dim_param(kNames[random() % std::size(kNames)]);
  else
    dim->set_dim_value(odd_number(random));
}

void mutate_graph(pb::GraphProto& g, Random& random) {
  if (g.node_size() == 0) return;
  const auto any = [&] { return static_cast<int>(random() % static_cast<uint64_t>(g.node_size())); };
  pb::NodeProto& n = *g.mutable_node(any());
  switch (random() % 8) {
    case 0:
    case 1:
      if (n.attribute_size() > 0)
        mutate_attribute(*n.mutable_attribute(static_cast<int>(random() % static_cast<uint64_t>(n.attribute_size()))), random);
      break;
    case 2: n.set_op_type(g.node(any()).op_type()); break;
    case 3:
      if (const pb::NodeProto& other = g.node(any()); n.input_size() > 0 && other.output_size() > 0)
        n.set_input(static_cast<int>(random() % static_cast<uint64_t>(n.input_size())), other.output(0));
      break;
    case 4: g.mutable_node()->SwapElements(any(), any()); break;
    case 5: n.clear_attribute(); break;
    case 6:
      if (g.initializer_size() > 0)
        mutate_tensor(*g.mutable_initializer(static_cast<int>(random() % static_cast<uint64_t>(g.initializer_size()))), random);
      break;
    default: mutate_input(g, random);
  }
}

class MutationTest : public CliTest {
 protected:
  // Runs the command under a time limit; it must keep the promises above.
  void check(int seed, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {kTimeLimit, EDGECONV_BINARY});
    const ProgramResult r = run_program("timeout", arguments, {{}, {"OPENBLAS_NUM_THREADS=1"}, -1, 0});
    ++exits_[r.exit_code];
    const bool documented = r.exit_code == 0 || (r.exit_code >= 2 && r.exit_code <= 8);
    EXPECT_TRUE(documented) << "seed " << seed << (r.exit_code == kTimedOut ? ": time limit " : ": ") << r.exit_code << "\n"
                            << r.err;
    if (case_seeds().replay) {
      const fs::path file = arguments[arguments[2] == "verify" || arguments[2] == "inspect" ? 3 : 2];
      fs::copy_file(file, "mutated_" + std::to_string(seed) + file.extension().string(), fs::copy_options::overwrite_existing);
    }
    const bool output = fs::exists(in("out.ert"));
    EXPECT_EQ(output && r.exit_code != 0, false) << "seed " << seed << ": an output file of a failed conversion";
    EXPECT_TRUE(r.exit_code == 0 || !r.err.empty()) << "seed " << seed;
    if (output) fs::remove(in("out.ert"));
  }
  ~MutationTest() override {
    for (const auto& [code, count] : exits_) std::printf("exit %d: %d\n", code, count);
  }
  std::map<int, int> exits_;
};

TEST_F(MutationTest, BytesOfModels) {
  const std::vector<std::string> models = seeds();
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    std::string bytes = models[static_cast<size_t>(seed) % models.size()];
    mutate_bytes(bytes, random);
    write_file(in("m.onnx"), bytes);
    check(seed, {in("m.onnx"), "-q", "-o", in("out.ert")});
  }
}

TEST_F(MutationTest, FieldsOfModels) {
  const std::vector<std::string> models = seeds();
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 1000000);
    pb::ModelProto m;
    ASSERT_TRUE(m.ParseFromString(models[static_cast<size_t>(seed) % models.size()]));
    for (uint64_t i = 0; i <= random() % 3; ++i) mutate_graph(*m.mutable_graph(), random);
    write_file(in("m.onnx"), m.SerializeAsString());
    check(seed, {in("m.onnx"), "-q", "-o", in("out.ert")});
  }
}

TEST_F(MutationTest, BytesOfBlobs) {
  const std::string good = read_file(small_blob());
  for (int seed = case_seeds().first; seed < case_seeds().end; ++seed) {
    Random random(static_cast<uint64_t>(seed) + 2000000);
    std::string bytes = good;
    mutate_bytes(bytes, random);
    write_file(in("b.ert"), bytes);
    static constexpr const char* kVerbs[] = {"verify", "inspect"};
    check(seed, {kVerbs[seed % 2], in("b.ert")});
    if (bytes == good) exits_.erase(0);
    EXPECT_EQ(exits_.count(0), 0u) << "seed " << seed << ": a damaged blob passed";
  }
}

}  // namespace

}  // namespace edgeconv::testing
