target_sources(edgeconv_core PRIVATE plan/dims.cc plan/slots.cc)
