# Sources of convert/interp.
find_library(ERT_OPENBLAS_LIBRARY openblas REQUIRED)
find_path(ERT_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas openblas-pthread x86_64-linux-gnu aarch64-linux-gnu REQUIRED)
target_sources(edgeconv_core PRIVATE
  interp/control_flow.cc
  interp/conv.cc
  interp/einsum.cc
  interp/elementwise.cc
  interp/elementwise_binary.cc
  interp/evaluate.cc
  interp/fused.cc
  interp/gather_scatter.cc
  interp/interpret.cc
  interp/matmul.cc
  interp/movement.cc
  interp/norm.cc
  interp/pool.cc
  interp/quantized.cc
  interp/reduce.cc
  interp/rnn.cc
  interp/search.cc
  interp/shape_ops.cc
  interp/strided.cc
)
target_include_directories(edgeconv_core SYSTEM PRIVATE ${ERT_OPENBLAS_INCLUDE})
target_link_libraries(edgeconv_core PRIVATE ert_kernels ert_platform PUBLIC ${ERT_OPENBLAS_LIBRARY})
