/* nets NAME: the convolutional networks of MLPerf Tiny in calls of CMSIS-NN's int8 functions, as an interpreter would make them, and what they take by the
 * core's clock, layer by layer, as JSON. linear384 is 8 rows of a Linear by both functions that can. Weights are arbitrary: the time does not depend on them.
 * Buffers come from the board's large RAM. */
#include <stdint.h>
#include <string.h>

#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"
#include "platform/cortex_m/board.h"
#include "platform/cortex_m/registers.h"
#include "platform/cortex_m/semihosting.h"
#include "platform/platform.h"

enum kind { CONV, DEPTHWISE, ADD, MEAN, DENSE, SOFTMAX };

/* Maps are numbered; `from` and `to` are maps, `other` is the second operand of ADD. */
struct layer {
  enum kind kind;
  int from, other, to;
  int height, width, channels, filters;
  int kernel_h, kernel_w, stride, top, left, out_h, out_w;
};

#define SEPARABLE(h, w, c, n, s, oh, ow) \
  {DEPTHWISE, 0, 0, 1, h, w, c, c, 3, 3, s, (s) == 1, (s) == 1, oh, ow}, { CONV, 1, 0, 0, oh, ow, c, n, 1, 1, 1, 0, 0, oh, ow }

static const struct layer ds_cnn[] = {{CONV, 1, 0, 0, 49, 10, 1, 64, 10, 4, 2, 4, 1, 25, 5},
                                      SEPARABLE(25, 5, 64, 64, 1, 25, 5),
                                      SEPARABLE(25, 5, 64, 64, 1, 25, 5),
                                      SEPARABLE(25, 5, 64, 64, 1, 25, 5),
                                      SEPARABLE(25, 5, 64, 64, 1, 25, 5),
                                      {MEAN, 0, 0, 1, 25, 5, 64, 64, 25, 5, 1, 0, 0, 1, 1},
                                      {DENSE, 1, 0, 0, 1, 1, 64, 12, 1, 1, 1, 0, 0, 1, 1},
                                      {SOFTMAX, 0, 0, 1, 1, 1, 12, 12, 1, 1, 1, 0, 0, 1, 1}};

static const struct layer resnet8[] = {
    {CONV, 1, 0, 0, 32, 32, 3, 16, 3, 3, 1, 1, 1, 32, 32},  {CONV, 0, 0, 1, 32, 32, 16, 16, 3, 3, 1, 1, 1, 32, 32},
    {CONV, 1, 0, 2, 32, 32, 16, 16, 3, 3, 1, 1, 1, 32, 32}, {ADD, 2, 0, 1, 32, 32, 16, 16, 1, 1, 1, 0, 0, 32, 32},
    {CONV, 1, 0, 0, 32, 32, 16, 32, 3, 3, 2, 0, 0, 16, 16}, {CONV, 0, 0, 2, 16, 16, 32, 32, 3, 3, 1, 1, 1, 16, 16},
    {CONV, 1, 0, 0, 32, 32, 16, 32, 1, 1, 2, 0, 0, 16, 16}, {ADD, 2, 0, 1, 16, 16, 32, 32, 1, 1, 1, 0, 0, 16, 16},
    {CONV, 1, 0, 0, 16, 16, 32, 64, 3, 3, 2, 0, 0, 8, 8},   {CONV, 0, 0, 2, 8, 8, 64, 64, 3, 3, 1, 1, 1, 8, 8},
    {CONV, 1, 0, 0, 16, 16, 32, 64, 1, 1, 2, 0, 0, 8, 8},   {ADD, 2, 0, 1, 8, 8, 64, 64, 1, 1, 1, 0, 0, 8, 8},
    {MEAN, 1, 0, 0, 8, 8, 64, 64, 8, 8, 1, 0, 0, 1, 1},     {DENSE, 0, 0, 1, 1, 1, 64, 10, 1, 1, 1, 0, 0, 1, 1},
    {SOFTMAX, 1, 0, 0, 1, 1, 10, 10, 1, 1, 1, 0, 0, 1, 1}};

static const struct layer mobilenet025[] = {{CONV, 1, 0, 0, 96, 96, 3, 8, 3, 3, 2, 0, 0, 48, 48},
                                            SEPARABLE(48, 48, 8, 16, 1, 48, 48),
                                            SEPARABLE(48, 48, 16, 32, 2, 24, 24),
                                            SEPARABLE(24, 24, 32, 32, 1, 24, 24),
                                            SEPARABLE(24, 24, 32, 64, 2, 12, 12),
                                            SEPARABLE(12, 12, 64, 64, 1, 12, 12),
                                            SEPARABLE(12, 12, 64, 128, 2, 6, 6),
                                            SEPARABLE(6, 6, 128, 128, 1, 6, 6),
                                            SEPARABLE(6, 6, 128, 128, 1, 6, 6),
                                            SEPARABLE(6, 6, 128, 128, 1, 6, 6),
                                            SEPARABLE(6, 6, 128, 128, 1, 6, 6),
                                            SEPARABLE(6, 6, 128, 128, 1, 6, 6),
                                            SEPARABLE(6, 6, 128, 256, 2, 3, 3),
                                            SEPARABLE(3, 3, 256, 256, 1, 3, 3),
                                            {MEAN, 0, 0, 1, 3, 3, 256, 256, 3, 3, 1, 0, 0, 1, 1},
                                            {DENSE, 1, 0, 0, 1, 1, 256, 2, 1, 1, 1, 0, 0, 1, 1},
                                            {SOFTMAX, 0, 0, 1, 1, 1, 2, 2, 1, 1, 1, 0, 0, 1, 1}};

/* The same product: as a convolution of 1x1 each output may have its own scale, as edgeconv's have. */
static const struct layer linear384[] = {{DENSE, 0, 0, 1, 8, 1, 384, 384, 1, 1, 1, 0, 0, 8, 1}, {CONV, 0, 0, 1, 8, 1, 384, 384, 1, 1, 1, 0, 0, 8, 1}};

enum { MOST_CHANNELS = 384, MAP_BYTES = 64 << 10, WEIGHT_BYTES = 1 << 18, SCRATCH_BYTES = 1 << 18 };

static int32_t multipliers[MOST_CHANNELS], shifts[MOST_CHANNELS], biases[MOST_CHANNELS], sums[MOST_CHANNELS];
static int8_t maps[3][MAP_BYTES] __attribute__((aligned(16)));
static int8_t* weights;
static uint8_t* scratch;

static void fill(int8_t* to, size_t bytes) {
  uint32_t state = 21;
  for (size_t i = 0; i < bytes; ++i) to[i] = (int8_t)((state = state * 1664525u + 1013904223u) >> 24);
}

static void must(int good, const char* what) {
  if (good) return;
  ert_print_error(what);
  ert_board_exit(1);
}

/* One layer. Sums of weights, which an interpreter computes once, are not in the time. */
static uint64_t run(const struct layer* l) {
  const cmsis_nn_dims in = {1, l->height, l->width, l->channels}, out = {1, l->out_h, l->out_w, l->filters},
                      bias = {1, 1, 1, l->filters};
  const cmsis_nn_per_channel_quant_params quant = {multipliers, shifts};
  const cmsis_nn_tile stride = {l->stride, l->stride}, padding = {l->left, l->top}, ones = {1, 1};
  const cmsis_nn_activation relu = {-128, 127};
  const int8_t* from = maps[l->from];
  int8_t* to = maps[l->to];
  cmsis_nn_context context = {scratch, SCRATCH_BYTES};
  arm_cmsis_nn_status status = ARM_CMSIS_NN_SUCCESS;
  int32_t size = 0;
  uint64_t began = 0;
  switch (l->kind) {
    case CONV: {
      const cmsis_nn_dims filter = {l->filters, l->kernel_h, l->kernel_w, l->channels};
      const cmsis_nn_conv_params p = {128, -128, stride, padding, ones, relu};
      size = arm_convolve_wrapper_s8_get_buffer_size(&p, &in, &filter, &out);
      began = ert_board_cycles();
      status = arm_convolve_wrapper_s8(&context, &p, &quant, &in, from, &filter, weights, &bias, biases, &out, to);
      break;
    }
    case DEPTHWISE: {
      const cmsis_nn_dims filter = {1, l->kernel_h, l->kernel_w, l->filters};
      const cmsis_nn_dw_conv_params p = {128, -128, 1, stride, padding, ones, relu};
      size = arm_depthwise_conv_wrapper_s8_get_buffer_size(&p, &in, &filter, &out);
      began = ert_board_cycles();
      status = arm_depthwise_conv_wrapper_s8(&context, &p, &quant, &in, from, &filter, weights, &bias, biases, &out, to);
      break;
    }
    case ADD:
      began = ert_board_cycles();
      status = arm_elementwise_add_s8(from, maps[l->other], 128, 1 << 30, 0, 128, 1 << 30, 0, 20, to, -128, 1 << 30, -19, -128,
                                      127, l->height * l->width * l->channels);
      break;
    case MEAN: {
      const cmsis_nn_dims filter = {1, l->kernel_h, l->kernel_w, 1};
      const cmsis_nn_pool_params p = {stride, {0, 0}, relu};
      size = arm_avgpool_s8_get_buffer_size(l->out_w, l->channels);
      began = ert_board_cycles();
      status = arm_avgpool_s8(&context, &p, &in, from, &filter, &out, to);
      break;
    }
    case DENSE: {
      const cmsis_nn_dims row = {l->height, 1, 1, l->channels}, filter = {l->channels, 1, 1, l->filters},
                          result = {l->height, 1, 1, l->filters};
      const cmsis_nn_fc_params p = {128, 0, -128, relu};
      const cmsis_nn_per_tensor_quant_params one = {multipliers[0], shifts[0]};
      size = arm_fully_connected_s8_get_buffer_size(&filter);
      if (size > 0) {
        arm_vector_sum_s8(sums, l->channels, l->filters, weights, 128, 0, biases);
        context.buf = sums;
      }
      began = ert_board_cycles();
      status = arm_fully_connected_s8(&context, &p, &one, &row, from, &filter, weights, &bias, biases, &result, to);
      break;
    }
    case SOFTMAX:
      began = ert_board_cycles();
      arm_softmax_s8(from, 1, l->channels, 1 << 30, 23, -248, to);
      break;
  }
  const uint64_t cycles = ert_board_cycles() - began;
  must(status == ARM_CMSIS_NN_SUCCESS, "a layer was refused\n");
  must(size <= SCRATCH_BYTES, "a layer needs more scratch\n");
  return cycles;
}

int main(int argc, char** argv) {
  static const char* const kinds[] = {"conv", "depthwise", "add", "mean", "dense", "softmax"};
  static const struct {
    const char* name;
    const struct layer* layers;
    size_t count;
  } nets[] = {{"ds_cnn", ds_cnn, sizeof ds_cnn / sizeof *ds_cnn},
              {"resnet8", resnet8, sizeof resnet8 / sizeof *resnet8},
              {"mobilenet025", mobilenet025, sizeof mobilenet025 / sizeof *mobilenet025},
              {"linear384", linear384, sizeof linear384 / sizeof *linear384}};
  CCR &= ~CCR_UNALIGN_TRP; /* its kernels read words that are not aligned */
  __asm volatile("dsb\n isb" ::: "memory");
  weights = (int8_t*)__bulk_start;
  scratch = __bulk_start + WEIGHT_BYTES;
  for (int i = 0; i < MOST_CHANNELS; ++i) multipliers[i] = 1 << 30, shifts[i] = -8, biases[i] = i;
  fill(weights, WEIGHT_BYTES);
  for (int i = 0; i < 3; ++i) fill(maps[i], MAP_BYTES);
  for (size_t n = 0; n < sizeof nets / sizeof *nets; ++n) {
    if (argc != 2 || strcmp(argv[1], nets[n].name) != 0) continue;
    ert_print("[");
    for (size_t i = 0; i < nets[n].count; ++i) {
      const uint64_t cycles = run(&nets[n].layers[i]);
      ert_print(i == 0 ? "{\"kind\": \"" : ", {\"kind\": \"");
      ert_print(kinds[nets[n].layers[i].kind]);
      ert_print("\", \"ns\": ");
      ert_print_unsigned(cycles * 1000000000 / ERT_CORE_HZ);
      ert_print("}");
    }
    ert_print("]\n");
    return 0;
  }
  ert_print_error("usage: nets ds_cnn|resnet8|mobilenet025|linear384\n");
  return 2;
}
