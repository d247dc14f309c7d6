// JSON as ert-bench prints it (bench/ert_bench.schema.json), over semihosting.
#include "bench/firmware/bench.h"
#include "platform/cortex_m/semihosting.h"

namespace ert::bench {
namespace {

#define ERT_TEXT(x) #x
#define ERT_EXPANDED(x) ERT_TEXT(x)

void print_string(const char* text) {
  ert_print("\"");
  for (; *text != '\0'; ++text) {
    const unsigned char c = static_cast<unsigned char>(*text);
    if (c == '"' || c == '\\') ert_print("\\");
    if (c < 0x20) {
      ert_print("\\u");
      ert_print_hex(c, 4);
    } else {
      ert_print_bytes(text, 1);
    }
  }
  ert_print("\"");
}

void print_key(const char* indent, const char* key) {
  ert_print(",\n");
  ert_print(indent);
  print_string(key);
  ert_print(": ");
}

// value / 1000, three digits behind the point.
void print_thousandths(uint64_t value) {
  const uint64_t rest = value % 1000;
  ert_print_unsigned(value / 1000);
  ert_print(rest < 10 ? ".00" : rest < 100 ? ".0" : ".");
  ert_print_unsigned(rest);
}

void print_us(const char* key, uint64_t ns) {
  print_key("      ", key);
  print_thousandths(ns);
}

void print_crc(const char* indent, const char* key, uint32_t crc) {
  print_key(indent, key);
  ert_print("\"");
  ert_print_hex(crc, 8);
  ert_print("\"");
}

void print_dims(const ert_model& model, const int32_t* dims) {
  ert_dim_info dim = {};
  dim.struct_size = sizeof dim;
  ert_print("{");
  for (uint32_t i = 0; ert_model_dim(&model, i, &dim) == ERT_OK; ++i) {
    if (i != 0) ert_print(", ");
    print_string(dim.name);
    ert_print(": ");
    ert_print_unsigned(static_cast<uint64_t>(dims[i]));
  }
  ert_print("}");
}

void print_ops(const BoardResult& r, uint32_t runs) {
  print_key("      ", "ops");
  ert_print("[");
  for (uint32_t i = 0; i < r.n_ops; ++i) {
    ert_print(i == 0 ? "\n        {\"kind\": " : ",\n        {\"kind\": ");
    print_string(r.ops[i].kind);
    ert_print(", \"name\": ");
    print_string(r.ops[i].name);
    ert_print(", \"us\": ");
    print_thousandths(r.ops[i].ns / runs);
    ert_print("}");
  }
  ert_print("\n      ]");
}

}  // namespace

void print_head(const BoardOptions& options, const ert_info& info, uint64_t open_ns) {
  ert_print("{\n  \"schema\": \"ert-bench\",\n  \"schema_version\": 1");
  print_key("  ", "blob");
  print_string(options.blob);
  print_crc("  ", "blob_crc", info.content_crc);
  print_key("  ", "blob_bytes");
  ert_print_unsigned(info.blob_bytes);
  print_key("  ", "producer");
  print_string(info.producer);
  print_key("  ", "cpu");
  print_string("Cortex-" ERT_BOARD_CORE " on " ERT_BOARD_NAME ", " ERT_EXPANDED(ERT_CORE_HZ) " Hz");
  print_key("  ", "compiler");
  print_string("gcc " __VERSION__);
  print_key("  ", "isa_available");
  ert_print("[");
  bool first = true;
  for (int isa = 0; isa < 32; ++isa) {
    if ((ert_isa_available() >> isa & 1) == 0) continue;
    if (!first) ert_print(", ");
    print_string(ert_isa_name(static_cast<ert_isa>(isa)));
    first = false;
  }
  ert_print("]");
  print_key("  ", "open_us");
  print_thousandths(open_ns);
  print_key("  ", "warmup");
  ert_print_unsigned(options.warmup);
  print_key("  ", "runs");
  ert_print_unsigned(options.runs);
  print_key("  ", "results");
  ert_print("[");
}

void print_result(const ert_model& model, const BoardOptions& options, const BoardResult& r, bool first) {
  ert_print(first ? "\n    {\n      \"dims\": " : ",\n    {\n      \"dims\": ");
  print_dims(model, r.dims);
  print_key("      ", "threads");
  ert_print("1");
  print_key("      ", "isa");
  print_string(ert_isa_name(r.isa));
  print_us("p50_us", r.p50);
  print_us("min_us", r.min);
  print_us("p90_us", r.p90);
  print_us("p99_us", r.p99);
  print_us("max_us", r.max);
  print_us("mean_us", r.mean);
  print_us("init_us", r.init);
  print_us("first_run_us", r.first_run);
  print_key("      ", "arena_bytes");
  ert_print_unsigned(r.arena_bytes);
  print_key("      ", "macs");
  ert_print_unsigned(r.macs);
  print_key("      ", "gmacs_per_second");
  print_thousandths(r.p50 == 0 ? 0 : (r.macs * 1000 + r.p50 / 2) / r.p50);
  print_crc("      ", "output_crc", r.output_crc);
  if (r.ops != nullptr) print_ops(r, options.runs);
  ert_print("\n    }");
}

void print_tail() { ert_print("\n  ]\n}\n"); }

}  // namespace ert::bench
