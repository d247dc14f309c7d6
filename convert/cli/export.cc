// `edgeconv export`: a blob in the forms that firmware builds link or flash.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/dim_option.h"
#include "convert/cli/export_formats.h"
#include "convert/cli/standard_output.h"
#include "convert/files/outputs.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"
#include "convert/report/memory_table.h"
#include "convert/report/ops_of_blob.h"
#include "convert/run/blob_runner.h"
#include "rt/blob/header.h"
#include "rt/ops/op.h"
#include "rt/ops/op_params.h"
#include "rt/schema/program_generated.h"

namespace edgeconv::cli {

namespace {

struct ExportArguments {
  std::string blob, format, output, header, ops, address, family, name = "model";
  std::vector<std::string> dims;
  bool force = false;
};

// What firmware reserves. Pointers of this host are at least as long as the device's, so the figures suffice there.
std::string macros(const std::string& symbol, const BlobRunner& runner, size_t bytes,
                   const std::map<std::string, int64_t>& dims) {
  ert_info info{};
  info.struct_size = sizeof info;
  ert_model_info(&runner.model(), &info);
  std::string at;
  size_t arena = runner.memory({}, {}).bytes;
  if (!dims.empty()) {
    std::map<std::string, int64_t> all = dims;
    for (const NamedDim& d : runner.dims()) all.emplace(d.name, d.max);
    const MemoryTable::Row row = memory_table(runner, all).rows.at(0);
    arena = row.bytes;
    for (const auto& [name, size] : row.dims) at += fmt::format("{}{} {}", at.empty() ? "" : ", ", c_text(name), size);
  }
  return fmt::format(
      "#define {0}_BYTES {1}u\n#define {0}_ARENA_BYTES {2}u /* at {3}, one thread; a little less where pointers have 32 bits: ert_arena_bytes */\n"
      "#define {0}_WORK_BYTES {4}u  /* for ert_model_open_in */\n",
      capitals(symbol), bytes, arena, at.empty() ? "the maximum dims" : at, info.work_bytes);
}

// The rows of rt/ops/op_list.inc that this blob needs: for ert_link_only_ops (rt/link_only_ops.cmake).
std::string op_list(const void* blob, const std::string& source) {
  const auto& program = *flatbuffers::GetRoot<ert::fb::Program>(static_cast<const uint8_t*>(blob) + ert::kMetadataOffset);
  std::set<uint16_t> codes;
  for (const OpOfBlob& op : ops_of_blob(program)) codes.insert(op.code);
  // Firmware that has this op has the kernels of Linears in its precision too (rt/ops/op_table.cc).
  for (const ert::fb::Value* v : *program.values())
    if (v->dtype() == ert::params::kPackedN16K2) codes.insert(static_cast<uint16_t>(ert::params::OpCode::kWideConv));
  std::string s = fmt::format("// Ops of {}: made by edgeconv export.\n", source);
  for (const uint16_t code : codes) s += fmt::format("ERT_OP({}, {})\n", code, ert::find_op(code)->name);
  return s;
}

constexpr const char* kMark = "made by edgeconv export";

// What a build may write again and again.
OutputFormat format_of(const std::string& format) {
  if (format == "c") return {{".c"}, kMark};
  if (format == "incbin") return {{".s", ".asm"}, kMark};
  if (format == "uf2") return {{".uf2"}, "UF2\n"};
  if (format == "srec") return {{".srec", ".s19", ".s28", ".s37", ".mot"}, ""};  // nor have S-records
  if (format == "hex") return {{".hex", ".ihex", ".ihx"}, ""};                   // Intel HEX has no place for a mark
  return {{".bin", ".ert"}, ert::kMagic};
}

void write_text(const Outputs& outputs, const std::string& path, const std::string& text) {
  outputs.write(path, text.data(), text.size());
}

int run_export(const ExportArguments& o) {
  const std::map<std::string, int64_t> dims = parse_dims(o.dims);
  require_c_identifier(o.name);
  const FlashPlace place = flash_place(o.format, o.address, o.family);
  Outputs outputs(o.force);
  outputs.reads(o.blob, "the blob itself");
  outputs.writes("-o", o.output, format_of(o.format));
  if (!o.header.empty()) outputs.writes("--header", o.header, {{".h", ".hh", ".hpp", ".hxx"}, kMark});
  if (!o.ops.empty()) outputs.writes("--ops", o.ops, {{".inc"}, kMark});
  const BlobFile file(o.blob);
  const BlobRunner runner(file.data(), file.bytes(), "'" + o.blob + "'");  // never export what would not open
  if (file.compressed())
    tell("warning: '" + o.blob + "' is compressed; the device must expand it with ert_unpack before ert_model_open\n");
  const auto* data = static_cast<const uint8_t*>(file.stored_data());
  check_place(place, file.stored_bytes());
  const std::string source = c_text(std::filesystem::path(o.blob).filename().string());
  const std::string definitions = macros(o.name, runner, file.stored_bytes(), dims);
  if (!o.header.empty()) write_text(outputs, o.header, c_header(o.name, source, definitions));
  if (!o.ops.empty()) write_text(outputs, o.ops, op_list(file.data(), source));
  if (o.format == "c") write_text(outputs, o.output, c_array(o.name, data, file.stored_bytes(), source, definitions));
  if (o.format == "incbin") write_text(outputs, o.output, incbin(o.name, o.blob));
  if (o.format == "hex") write_text(outputs, o.output, intel_hex(data, file.stored_bytes(), place.address));
  if (o.format == "srec") write_text(outputs, o.output, s_records(data, file.stored_bytes(), place.address));
  if (o.format == "uf2") write_text(outputs, o.output, uf2(data, file.stored_bytes(), place));
  if (o.format == "bin") outputs.write(o.output, data, file.stored_bytes());
  return 0;
}

}  // namespace

Action add_export(Arguments& a) {
  auto o = std::make_shared<ExportArguments>();
  a.option("blob", o->blob, "blob file", {.required = true});
  a.option("--format", o->format, "c, incbin, hex, srec, uf2 or bin",
           {.required = true, .one_of = {"c", "incbin", "hex", "srec", "uf2", "bin"}});
  a.option("-o,--output", o->output, "file to write; - is standard output", {.required = true, .type = "FILE"});
  a.option("--name", o->name,
           "c and incbin: of the symbols: NAME_blob, and in capitals NAME_BYTES and others (model); several models in one "
           "program need each its own",
           {.type = "NAME"});
  a.option("--address", o->address,
           "hex, srec and uf2: where the blob lies in flash, a multiple of 64 (uf2: of 256), decimal or 0x..; default 0",
           {.type = "ADDRESS"});
  a.option("--uf2-family", o->family, "uf2: the family id of the chip, 0x.. (0xe48bff56: RP2040)", {.type = "ID"});
  a.option(
      "--dim", o->dims,
      "largest value of a dim on the device, NAME=N, repeatable: MODEL_ARENA_BYTES is for these and the maxima of the others");
  a.option("--header", o->header, "also write a C header: sizes and the array's declaration");
  a.option("--ops", o->ops, "also write the list of runtime ops that the blob needs, for a link without the others");
  a.flag("--force", o->force, "replace existing files that edgeconv did not make; of hex and srec, that are not named as the format");
  a.example("edgeconv export model.ert --format c -o model.c --header model.h", "an array for firmware, and what it needs");
  return [o] { return run_export(*o); };
}

}  // namespace edgeconv::cli
