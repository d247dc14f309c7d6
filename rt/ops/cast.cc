// Cast between f32, i32, u8, i8 and bool. Floats truncate and saturate, NaN becomes 0; integers wrap; to bool: not zero.
#include <string.h>

#include "rt/ops/op_defs.h"
#include "rt/ops/operand_checks.h"
#include "rt/ops/parallel_blocks.h"
#include "rt/ops/scalar_arithmetic.h"

namespace ert {
namespace {
namespace cast_op {

using namespace ops;

bool prepare(const OpContext& c, size_t* scratch) {
  *scratch = 0;
  if (!check_counts(c, {1, 1}, {1, 1}, {0, 0}, {0, 0})) return false;
  const Operand &in = input(c, 0), &out = output(c, 0);
  return element_bytes(in) != 0 && element_bytes(out) != 0 && same_shape(in, out);
}

// Elements are read and written through memcpy: the output may be the input's memory under another type.
template <class T>
T load(const uint8_t* p) {
  T v;
  memcpy(&v, p, sizeof v);
  return v;
}

void from_floats(const uint8_t* src, uint8_t* dst, ptrdiff_t n, uint8_t to) {
  for (ptrdiff_t i = 0; i < n; ++i) {
    const float v = load<float>(src + 4 * i);
    if (to == ERT_F32) {
      memcpy(dst + 4 * i, &v, 4);
    } else if (to == ERT_BOOL) {
      dst[i] = !equal(v, 0.0f);
    } else {
      int32_t w = float_to_i32(v);
      if (to == ERT_I32) {
        memcpy(dst + 4 * i, &w, 4);
        continue;
      }
      const int32_t low = to == ERT_U8 ? 0 : -128;
      w = w < low ? low : w > low + 255 ? low + 255 : w;
      dst[i] = static_cast<uint8_t>(w);
    }
  }
}

template <class T>
void from_ints(const uint8_t* src, uint8_t* dst, ptrdiff_t n, uint8_t to, bool is_boolean) {
  for (ptrdiff_t i = 0; i < n; ++i) {
    const T raw = load<T>(src + static_cast<ptrdiff_t>(sizeof(T)) * i);
    const int32_t v = is_boolean ? raw != 0 : raw;
    if (to == ERT_F32) {
      const float w = static_cast<float>(v);
      memcpy(dst + 4 * i, &w, 4);
    } else if (to == ERT_I32) {
      memcpy(dst + 4 * i, &v, 4);
    } else {
      dst[i] = to == ERT_BOOL ? v != 0 : static_cast<uint8_t>(v);
    }
  }
}

ert_status run(const OpContext& c) {
  const Operand &in = input(c, 0), &out = output(c, 0);
  const int64_t in_bytes = static_cast<int64_t>(element_bytes(in)), out_bytes = static_cast<int64_t>(element_bytes(out));
  for_blocks(c, in.elements(), 1, 64, [&](int64_t begin, int64_t end, uint32_t) {
    const uint8_t* src = in.as<uint8_t>() + begin * in_bytes;
    uint8_t* dst = out.mut<uint8_t>() + begin * out_bytes;
    switch (in.dtype) {
      case ERT_F32: from_floats(src, dst, end - begin, out.dtype); break;
      case ERT_I32: from_ints<int32_t>(src, dst, end - begin, out.dtype, false); break;
      case ERT_I8: from_ints<int8_t>(src, dst, end - begin, out.dtype, false); break;
      default: from_ints<uint8_t>(src, dst, end - begin, out.dtype, is_bool(in)); break;
    }
  });
  return ERT_OK;
}

}  // namespace cast_op
}  // namespace

const OpDef kOpCast = {"Cast", cast_op::prepare, cast_op::run, nullptr, 1};

}  // namespace ert
