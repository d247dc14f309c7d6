// `edgeconv export`: a blob in the forms that firmware builds link or flash.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/cli/dim_option.h"
#include "convert/cli/standard_output.h"
#include "convert/files/outputs.h"
#include "convert/ir/diagnostics.h"
#include "convert/ir/foreign_text.h"
#include "convert/report/memory_table.h"
#include "convert/run/blob_runner.h"
#include "rt/blob/header.h"
#include "rt/ops/op.h"
#include "rt/schema/program_generated.h"

namespace edgeconv::cli {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct ExportArguments {
  std::string blob, format, output, header, ops, name = "model";
  std::vector<std::string> dims;
  bool force = false;
};

// What the array and the macros are called: NAME_blob, NAME_BYTES. Firmware with two models gives each its own.
struct Symbols {
  std::string array, prefix;
};

Symbols symbols_of(const std::string& name) {
  const bool letters = std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  constexpr size_t kLongest = 64;
  if (name.empty() || !letters || !is_letter(name[0]) || name.size() > kLongest)
    throw FatalError(
        ExitCode::kUsage,
        fmt::format("--name '{}': expected letters, digits and '_' that do not begin with a digit, at most {}, as in a C "
                    "name: 'vad' makes vad_blob and VAD_BYTES",
                    printable(name), kLongest));
  std::string prefix = name;
  for (char& c : prefix)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return {name + "_blob", prefix};
}

// What firmware reserves. Pointers of this host are at least as long as the device's, so the figures suffice there.
std::string macros(const Symbols& symbols, const BlobRunner& runner, size_t bytes, const std::map<std::string, int64_t>& dims) {
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
      "#define {0}_BYTES {1}u\n#define {0}_ARENA_BYTES {2}u /* at {3}, one thread */\n"
      "#define {0}_WORK_BYTES {4}u  /* for ert_model_open_in */\n",
      symbols.prefix, bytes, arena, at.empty() ? "the maximum dims" : at, info.work_bytes);
}

std::string c_header(const Symbols& symbols, const std::string& source, const std::string& definitions) {
  return fmt::format(
      "/* {0}: made by edgeconv export. The array is in the C or assembler file of the same export. */\n#ifndef {2}_BLOB_H\n"
      "#define {2}_BLOB_H\n\n#include <stdint.h>\n\n{1}\n#ifdef __cplusplus\nextern \"C\"\n#else\nextern\n#endif\nconst uint8_t "
      "{3}[{2}_BYTES];\n\n#endif /* {2}_BLOB_H */\n",
      source, definitions, symbols.prefix, symbols.array);
}

// The rows of rt/ops/op_list.inc that this blob needs: for ert_link_only_ops (rt/link_only_ops.cmake).
std::string op_list(const void* blob, const std::string& source) {
  const auto& program = *flatbuffers::GetRoot<ert::fb::Program>(static_cast<const uint8_t*>(blob) + ert::kMetadataOffset);
  std::set<uint16_t> codes;
  for (const auto* op : *program.ops()) codes.insert(op->code());
  std::string s = fmt::format("// Ops of {}: made by edgeconv export.\n", source);
  for (const uint16_t code : codes) s += fmt::format("ERT_OP({}, {})\n", code, ert::find_op(code)->name);
  return s;
}

// A C array with its size and the memory that it needs.
std::string c_array(const Symbols& symbols, const uint8_t* data, size_t bytes, const std::string& source,
                    const std::string& definitions) {
  std::string s = fmt::format(
      "/* {}: made by edgeconv export. Include it once. */\n#include <stddef.h>\n#include <stdint.h>\n\n{}\n"
      "#if defined(__GNUC__)\n__attribute__((aligned(64)))\n#endif\nconst uint8_t {}[{}_BYTES] = {{\n",
      source, definitions, symbols.array, symbols.prefix);
  s.reserve(s.size() + bytes * 5);
  for (size_t i = 0; i < bytes; ++i) {
    s += fmt::format("{}{},", i % 20 ? "" : "  ", data[i]);
    if (i % 20 == 19) s += '\n';
  }
  return s + "\n};\n";
}

// Assembler source that includes the blob file itself.
std::string incbin(const Symbols& symbols, const std::string& path) {
  return fmt::format(
      "/* made by edgeconv export: the symbols {0} and {0}_end */\n    .section .rodata.{0}, \"a\"\n    "
      ".balign 64\n    .global {0}\n{0}:\n    .incbin \"{1}\"\n"
      "    .global {0}_end\n{0}_end:\n",
      symbols.array, c_text(path));
}

// Intel HEX with extended linear addresses, from address 0.
std::string intel_hex(const uint8_t* data, size_t bytes) {
  std::string s;
  const auto record = [&](uint8_t type, uint16_t address, const uint8_t* payload, size_t n) {
    unsigned sum = static_cast<unsigned>(n) + (address >> 8) + (address & 255) + type;
    s += fmt::format(":{:02X}{:04X}{:02X}", n, address, type);
    for (size_t i = 0; i < n; ++i) {
      s += fmt::format("{:02X}", payload[i]);
      sum += payload[i];
    }
    s += fmt::format("{:02X}\n", (0x100 - (sum & 255)) & 255);
  };
  for (size_t at = 0; at < bytes; at += 32) {
    if (at % 0x10000 == 0) {
      const uint8_t high[2] = {static_cast<uint8_t>(at >> 24), static_cast<uint8_t>(at >> 16)};
      record(4, 0, high, 2);
    }
    record(0, static_cast<uint16_t>(at), data + at, std::min<size_t>(32, bytes - at));
  }
  record(1, 0, nullptr, 0);
  return s;
}

constexpr const char* kMark = "made by edgeconv export";

// What a build may write again and again.
OutputFormat format_of(const std::string& format) {
  if (format == "c") return {{".c"}, kMark};
  if (format == "incbin") return {{".s", ".asm"}, kMark};
  if (format == "hex") return {{".hex", ".ihex", ".ihx"}, ""};  // Intel HEX has no place for a mark
  return {{".bin", ".ert"}, ert::kMagic};
}

void write_text(const Outputs& outputs, const std::string& path, const std::string& text) {
  outputs.write(path, text.data(), text.size());
}

int run_export(const ExportArguments& o) {
  const std::map<std::string, int64_t> dims = parse_dims(o.dims);
  const Symbols symbols = symbols_of(o.name);
  Outputs outputs(o.force);
  outputs.reads(o.blob, "the blob itself");
  outputs.writes("-o", o.output, format_of(o.format));
  if (!o.header.empty()) outputs.writes("--header", o.header, {{".h", ".hh", ".hpp", ".hxx"}, kMark});
  if (!o.ops.empty()) outputs.writes("--ops", o.ops, {{".inc"}, kMark});
  const BlobFile file(o.blob);
  const BlobRunner runner(file.data(), file.bytes());  // never export what would not open
  if (file.compressed())
    tell("warning: '" + o.blob + "' is compressed; the device must expand it with ert_unpack before ert_model_open\n");
  const auto* data = static_cast<const uint8_t*>(file.stored_data());
  const std::string name = c_text(std::filesystem::path(o.blob).filename().string());
  const std::string definitions = macros(symbols, runner, file.stored_bytes(), dims);
  if (!o.header.empty()) write_text(outputs, o.header, c_header(symbols, name, definitions));
  if (!o.ops.empty()) write_text(outputs, o.ops, op_list(file.data(), name));
  if (o.format == "c") write_text(outputs, o.output, c_array(symbols, data, file.stored_bytes(), name, definitions));
  if (o.format == "incbin") write_text(outputs, o.output, incbin(symbols, o.blob));
  if (o.format == "hex") write_text(outputs, o.output, intel_hex(data, file.stored_bytes()));
  if (o.format == "bin") outputs.write(o.output, data, file.stored_bytes());
  return 0;
}

}  // namespace

Action add_export(Arguments& a) {
  auto o = std::make_shared<ExportArguments>();
  a.option("blob", o->blob, "blob file", {.required = true});
  a.option("--format", o->format, "c, incbin, hex or bin", {.required = true, .one_of = {"c", "incbin", "hex", "bin"}});
  a.option("-o,--output", o->output, "file to write; - is standard output", {.required = true, .type = "FILE"});
  a.option(
      "--dim", o->dims,
      "largest value of a dim on the device, NAME=N, repeatable: MODEL_ARENA_BYTES is for these and the maxima of the others");
  a.option("--name", o->name, "of the symbols: NAME_blob, NAME_BYTES (model); firmware with several models gives each its own",
           {.type = "NAME"});
  a.option("--header", o->header, "also write a C header: sizes and the array's declaration");
  a.option("--ops", o->ops, "also write the list of runtime ops that the blob needs, for a link without the others");
  a.flag("--force", o->force, "replace existing files that edgeconv did not make and that are not named as the format");
  a.example("edgeconv export model.ert --format c -o model.c --header model.h", "an array for firmware, and what it needs");
  return [o] { return run_export(*o); };
}

}  // namespace edgeconv::cli
