target_sources(edgeconv_core PRIVATE plan/dims.cc plan/limits.cc plan/slots.cc)
