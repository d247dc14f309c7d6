target_sources(edgeconv_core PRIVATE
  dims/counted_axes.cc
  dims/dims.cc
  dims/first_readers.cc
  dims/fitting_sizes.cc
  dims/frame_axes.cc
  dims/hidden_states.cc
  dims/index_origin.cc
  dims/input_kinds.cc
  dims/kept_states.cc
  dims/multiple_dims.cc
  dims/size_equalities.cc
  dims/table_limits.cc
)
