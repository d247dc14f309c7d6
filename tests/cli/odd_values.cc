// See odd_values.h. Element types are numbers of ONNX: 1 float, 7 int64, 9 bool, 11 double.
#include "tests/cli/odd_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/import/registry.h"

namespace edgeconv::testing {

int64_t odd_number(Random& random) {
  static constexpr int64_t kNumbers[] = {0,         1,         -1,        2,         3,         -2,      4,       8,
                                         64,        255,       1000,      65535,     70000,     1 << 20, 1 << 24, 1 << 30,
                                         INT32_MAX, 1ll << 31, 1ll << 40, INT64_MAX, INT64_MIN, -5};
  return one_of(random, kNumbers);
}

int64_t small_number(Random& random) {
  return below(random, 12) == 0 ? odd_number(random) : static_cast<int64_t>(below(random, 7)) - 2;
}

float odd_float(Random& random) {
  static const float kFloats[] = {0,         1,         -1, .5f, 1e30f, -3e38f, 1e-42f, std::numeric_limits<float>::quiet_NaN(),
                                  HUGE_VALF, -HUGE_VALF};
  return one_of(random, kFloats);
}

std::string odd_name(Random& random) {
  switch (below(random, 6)) {
    case 0: return "";
    case 1: return std::string(5000, 'n');
    case 2: return "a\x1b[31m*/\"\n";
    case 3: return std::string("nul\0inside", 10);
    case 4: return "\xff\xfe";
    default: return "other";
  }
}

std::string attribute_name(Random& random) {
  static constexpr const char* kNames[] = {"axis",
                                           "axis",
                                           "axes",
                                           "axes",
                                           "alpha",
                                           "beta",
                                           "epsilon",
                                           "keepdims",
                                           "mode",
                                           "perm",
                                           "to",
                                           "transA",
                                           "transB",
                                           "scale",
                                           "num_heads",
                                           "q_num_heads",
                                           "kv_num_heads",
                                           "unidirectional",
                                           "do_rotary",
                                           "p",
                                           "k",
                                           "largest",
                                           "sorted",
                                           "blocksize",
                                           "block_size",
                                           "equation",
                                           "direction",
                                           "activations",
                                           "hidden_size",
                                           "linear_before_reset",
                                           "layout",
                                           "clip",
                                           "auto_pad",
                                           "pads",
                                           "strides",
                                           "dilations",
                                           "kernel_shape",
                                           "group",
                                           "ceil_mode",
                                           "count_include_pad",
                                           "coordinate_transformation_mode",
                                           "nearest_mode",
                                           "cubic_coeff_a",
                                           "exclude_outside",
                                           "approximate",
                                           "softcap",
                                           "is_causal",
                                           "upper",
                                           "reverse",
                                           "exclusive",
                                           "batch_dims",
                                           "allowzero",
                                           "start",
                                           "end",
                                           "starts",
                                           "ends",
                                           "split",
                                           "num_outputs",
                                           "value",
                                           "value_int",
                                           "value_ints",
                                           "value_float",
                                           "value_floats",
                                           "dtype",
                                           "output_dtype",
                                           "num_groups",
                                           "noop_with_empty_axes",
                                           "select_last_index",
                                           "fmod",
                                           "reduction",
                                           "new_axis",
                                           "depth",
                                           "size",
                                           "bias",
                                           "lambd",
                                           "min",
                                           "max",
                                           "interleaved",
                                           "rotary_embedding_dim",
                                           "channels_last",
                                           "stash_type",
                                           "training_mode",
                                           "shape",
                                           "bits",
                                           "N",
                                           "K"};
  return one_of(random, kNames);
}

std::string attribute_word(Random& random) {
  static constexpr const char* kWords[] = {"constant",      "reflect",
                                           "edge",          "wrap",
                                           "linear",        "nearest",
                                           "cubic",         "NOTSET",
                                           "SAME_UPPER",    "VALID",
                                           "forward",       "reverse",
                                           "bidirectional", "tanh",
                                           "none",          "add",
                                           "ij,jk->ik",     "...ij->...ji",
                                           "i,->",          "",
                                           "half_pixel",    "tf_crop_and_resize",
                                           "floor",         "DCR",
                                           "CRD",           "Relu",
                                           "Sigmoid",       "i->ii"};
  return one_of(random, kWords);
}

void fill_tensor(pb::TensorProto& t, Random& random) {
  t.clear_float_data(), t.clear_int32_data(), t.clear_int64_data(), t.clear_raw_data(), t.clear_double_data();
  int64_t n = 1;
  for (const int64_t d : t.dims()) n = d < 0 || d > 4096 || n > 4096 ? 4096 : n * d;
  for (int64_t i = 0; i < std::min<int64_t>(n, 4096); ++i) {
    if (t.data_type() == 1)
      t.add_float_data(below(random, 8) ? .25f * static_cast<float>(below(random, 9)) - 1 : odd_float(random));
    else if (t.data_type() == 11)
      t.add_double_data(.5 * static_cast<double>(below(random, 5)));
    else if (t.data_type() == 7)
      t.add_int64_data(small_number(random));
    else
      t.add_int32_data(
          static_cast<int32_t>(t.data_type() == 9 ? below(random, 2) : static_cast<size_t>(small_number(random)) & 127));
  }
}

void odd_tensor(pb::TensorProto& t, Random& random) {
  t.clear_dims();
  t.set_data_type(one_of(random, kOddTypes));
  static constexpr int64_t kSizes[] = {0, 1, 1, 2, 3, 4, 4, 4, 5, 8};
  for (size_t rank = below(random, 4) ? below(random, 3) : below(random, 6); rank > 0; --rank) t.add_dims(one_of(random, kSizes));
  fill_tensor(t, random);
}

void set_attribute(pb::AttributeProto& a, Random& random) {
  switch (below(random, 6)) {
    case 0: a.set_type(1), a.set_f(odd_float(random)); return;
    case 1:
    case 2: a.set_type(2), a.set_i(small_number(random)); return;
    case 3: a.set_type(3), a.set_s(attribute_word(random)); return;
    case 4:
      a.set_type(7);
      for (size_t n = below(random, 5); n > 0; --n) a.add_ints(small_number(random));
      return;
    default: a.set_type(4), odd_tensor(*a.mutable_t(), random);
  }
}

void set_operator(pb::NodeProto& n, Random& random) {
  const auto all = importers();
  const ImporterDef& d = all[below(random, all.size())];
  n.set_op_type(std::string(d.op));
  n.set_domain(std::string(d.domain));
}

}  // namespace edgeconv::testing
