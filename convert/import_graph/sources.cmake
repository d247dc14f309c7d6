target_sources(edgeconv_core PRIVATE
  import_graph/cut.cc
  import_graph/function_inliner.cc
  import_graph/graph_bodies.cc
  import_graph/graph_importer.cc
  import_graph/graph_inputs.cc
  import_graph/graph_sources.cc
  import_graph/import_model.cc
  import_graph/indices_of_ones.cc
  import_graph/last_marked_token.cc
  import_graph/node_patterns.cc
  import_graph/node_problems.cc
  import_graph/pinning.cc
  import_graph/refusals.cc
)
