// The golden vectors of a converted model: they replay on every ISA level of this host, and they notice a changed weight that no
// checksum does.
#include "convert/blob/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "convert/pipeline/convert.h"
#include "convert/run/blob_runner.h"
#include "kernels_int8/contract/packed_layout.h"
#include "rt/blob/crc32c.h"
#include "rt/blob/header.h"
#include "rt/loading/model.h"
#include "rt/ops/op_params.h"

namespace edgeconv::testing {

namespace {

const char* const kModels[] = {"bert_base_ts14", "textclassifier_ts17", "mlp_ts13"};

// All of them are in the repository's own subset.
ConvertResult converted(const std::string& fixture, PrecisionMode mode) {
  ConvertOptions options;
  options.precision.mode = mode;
  return convert_model(std::string(std::getenv("ERT_SOURCE_DIR")) + "/tests/fixtures/" + fixture + "/model.onnx", options);
}

// The int8 product and the one of two digits are kernels of their own.
class GoldenReplay : public ::testing::TestWithParam<PrecisionMode> {};
INSTANTIATE_TEST_SUITE_P(Precisions, GoldenReplay, ::testing::Values(PrecisionMode::kInt8, PrecisionMode::kW8A16),
                         [](const auto& p) { return std::string(p.param == PrecisionMode::kInt8 ? "Int8" : "W8A16"); });

bool replays(const Tensor& blob, uint32_t isa_mask) {
  try {
    return BlobRunner(blob.data(), blob.bytes()).replay_golden({1, isa_mask, false}) > 0;
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kAccuracy) << e.what();
    return false;
  }
}

template <class T>
void put(Tensor& blob, size_t at, T v) {
  std::memcpy(blob.mutable_data() + at, &v, sizeof v);
}

// The column sums that ops use with the packed weights `v`; -1 if none.
int32_t sums_of(const ert::fb::Program& p, uint32_t v) {
  namespace linear = ert::params::linear;
  namespace recurrence = ert::params::recurrence;
  for (const ert::fb::Op* op : *p.ops()) {
    const bool is_linear = op->code() == static_cast<uint16_t>(ert::params::OpCode::kLinear);
    const uint32_t behind = is_linear ? linear::kColsum - linear::kWeights : recurrence::kColsum - recurrence::kWeights;
    for (uint32_t i = 0; i + behind < op->n_inputs(); ++i)
      if (p.operands()->Get(op->first_operand() + i) == static_cast<int32_t>(v))
        return p.operands()->Get(op->first_operand() + i + behind);
  }
  return -1;
}

// All three levels of checksums, so that only the replay can tell.
void reseal(Tensor& blob, const ert::fb::Segment& segment) {
  const size_t row = static_cast<size_t>(reinterpret_cast<const uint8_t*>(&segment) - blob.data());
  const ert::fb::Segment changed(segment.offset(), segment.bytes(), segment.raw_bytes(),
                                 ert::crc32c(0, blob.data() + segment.offset(), segment.bytes()), segment.kind(),
                                 segment.compression(), segment.reserved());
  put(blob, row, changed);
  put(blob, 48, ert::crc32c(0, blob.data() + ert::kHeaderBytes, blob.bytes() - ert::kHeaderBytes));
  put(blob, 52, ert::crc32c(0, blob.data(), 52));
}

TEST_P(GoldenReplay, PassesOnEveryIsaLevel) {
  for (const char* name : kModels) {
    const ConvertResult r = converted(name, GetParam());
    int levels = 0;
    for (int isa = 0; isa < 32; ++isa) {
      if (!(ert_isa_available() >> isa & 1)) continue;
      EXPECT_TRUE(replays(r.blob, 1u << isa)) << name << " on " << ert_isa_name(static_cast<ert_isa>(isa));
      ++levels;
    }
    EXPECT_GE(levels, 1);
  }
}

// The highest bit of magnitude of one weight in the middle of every Linear; keys of 8 bits may round away what the lowest one does,
// where a level has no column sums that contradict it. The blob opens: its checksums and column sums are those of the changed bytes.
TEST_P(GoldenReplay, NoticesOneBitOfOneWeightOnEveryIsaLevel) {
  for (const char* name : kModels) {
    const Tensor good = converted(name, GetParam()).blob;
    const auto& program = *flatbuffers::GetRoot<ert::fb::Program>(good.data() + ert::kMetadataOffset);
    int flipped = 0;
    for (uint32_t index = 0; index < program.values()->size(); ++index) {
      const ert::fb::Value* v = program.values()->Get(index);
      if (v->storage() != static_cast<uint8_t>(ert::Storage::kConstant) || !ert::params::is_packed(v->dtype())) continue;
      const auto size = [&](uint32_t axis) { return static_cast<size_t>(program.exprs()->Get(v->shape()->Get(axis))->value()); };
      const ert::fb::Segment& segment = *program.segments()->Get(v->index());
      const size_t n = size(0), k = size(1),
                   at = segment.offset() + v->offset() +
                        ert::kernels::packed_offset(ert::kernels::Layout::kN16K4, n / 2, k / 2, k);
      Tensor bad = good;
      const auto before = static_cast<int8_t>(bad.data()[at]);
      const auto after = static_cast<int8_t>(before ^ (before == -64 ? 0x20 : 0x40));  // -128 is no weight
      put(bad, at, after);
      const auto& changed = *flatbuffers::GetRoot<ert::fb::Program>(bad.data() + ert::kMetadataOffset);
      const int32_t sums = sums_of(program, index);
      ASSERT_GE(sums, 0);
      const ert::fb::Value& sum_row = *program.values()->Get(static_cast<uint32_t>(sums));
      const ert::fb::Segment& sum_segment = *changed.segments()->Get(sum_row.index());
      const size_t sum_at = sum_segment.offset() + sum_row.offset() + n / 2 * sizeof(int32_t);
      int32_t sum;
      std::memcpy(&sum, bad.data() + sum_at, sizeof sum);
      put(bad, sum_at, sum + after - before);
      reseal(bad, sum_segment);
      reseal(bad, *changed.segments()->Get(v->index()));
      ert_model model;
      ASSERT_EQ(ert_model_open(&model, bad.data(), bad.bytes()), ERT_OK) << "the checksums must not be what notices it";
      for (int isa = 0; isa < 32; ++isa)
        if (ert_isa_available() >> isa & 1) {
          EXPECT_FALSE(replays(bad, 1u << isa))
              << name << ", Linear " << flipped << " of depth " << k << " on " << ert_isa_name(static_cast<ert_isa>(isa));
        }
      ++flipped;
    }
    EXPECT_GE(flipped, 2) << name;
    EXPECT_TRUE(replays(good, 0)) << name;
  }
}

// Its fixed sizes make an input larger than everything else: made on the device, within 4 kB.
TEST(GoldenRecipes, AreShortMoveOutputsAndNoticeAChangedWeight) {
  const Tensor good = converted("ast_dy23_sdpa", PrecisionMode::kAuto).blob;
  const auto& program = *flatbuffers::GetRoot<ert::fb::Program>(good.data() + ert::kMetadataOffset);
  ASSERT_EQ(program.flags() & ert::kFlagRecipes, ert::kFlagRecipes);
  uint64_t golden = 0;
  for (const ert::fb::Segment* s : *program.segments())
    if (s->kind() == static_cast<uint8_t>(ert::SegmentKind::kGolden)) golden += s->bytes();
  EXPECT_LE(golden, most_golden_bytes(good.bytes()));
  for (int isa = 0; isa < 32; ++isa)
    if (ert_isa_available() >> isa & 1) {
      EXPECT_TRUE(replays(good, 1u << isa)) << ert_isa_name(static_cast<ert_isa>(isa));
    }
  int changed = 0;
  for (uint32_t index = 0; index < program.values()->size(); ++index) {
    const ert::fb::Value* v = program.values()->Get(index);
    if (v->storage() != static_cast<uint8_t>(ert::Storage::kConstant) || v->dtype() != ERT_F32 || v->rank() == 0) continue;
    const ert::fb::Segment& segment = *program.segments()->Get(v->index());
    Tensor bad = good;
    bad.mutable_data()[segment.offset() + v->offset() + 2] ^= 0x40;  // the highest bit of the first float's fraction
    reseal(bad, *flatbuffers::GetRoot<ert::fb::Program>(bad.data() + ert::kMetadataOffset)->segments()->Get(v->index()));
    changed += !replays(bad, 0);
  }
  EXPECT_GE(changed, 5);
}

// It had run twice for each: of a model whose file fixes large sizes that was an eighth of the conversion.
TEST(GoldenRecipes, TheBlobIsAskedOnceForEachInput) {
  Tensor input(DType::kFloat, {1, 5000});
  for (size_t i = 0; i < 5000; ++i) input.mut<float>()[i] = static_cast<float>(i % 7);
  std::vector<std::vector<Tensor>> asked;
  const GoldenRun run = [&](const std::vector<Tensor>& inputs) {
    asked.push_back(inputs);
    Tensor sum(DType::kFloat, {1, 1});
    for (float v : inputs[0].as<float>()) sum.mut<float>()[0] += v;
    return std::optional(std::vector<Tensor>{sum});
  };
  bool still = false;
  const std::vector<GoldenVector> stored = shortened(run, {{{}, {input}, {Tensor(DType::kFloat, {1, 1})}}}, 0, &still);
  ASSERT_EQ(asked.size(), 2u);  // the second shows that the output moves
  EXPECT_NE(asked[0][0].as<float>()[0], asked[1][0].as<float>()[0]);
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_FALSE(still);
  EXPECT_EQ(std::memcmp(stored[0].inputs[0].data(), asked[0][0].data(), input.bytes()), 0);
}

}  // namespace

}  // namespace edgeconv::testing
