// `edgeconv export`: a blob in the forms that firmware builds link or flash.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "convert/cli/blob_file.h"
#include "convert/cli/command.h"
#include "convert/emit/atomic_file.h"
#include "convert/ir/diagnostics.h"
#include "convert/run/blob_runner.h"

namespace edgeconv::cli {

namespace {

// A C array with its size and the RAM need at maximum dims.
std::string c_array(const uint8_t* data, size_t bytes, const std::string& source, size_t arena) {
  std::string s = fmt::format(
      "/* {}: made by edgeconv export. Include it once. */\n#include <stddef.h>\n#include <stdint.h>\n\n#define MODEL_BYTES "
      "{}u\n#define MODEL_ARENA_BYTES {}u /* at the maximum dims, one thread */\n\n"
      "#if defined(__GNUC__)\n__attribute__((aligned(64)))\n#endif\nconst uint8_t model_blob[MODEL_BYTES] = {{\n",
      source, bytes, arena);
  s.reserve(s.size() + bytes * 5);
  for (size_t i = 0; i < bytes; ++i) {
    s += fmt::format("{}{},", i % 20 ? "" : "  ", data[i]);
    if (i % 20 == 19) s += '\n';
  }
  return s + "\n};\n";
}

// Assembler source that includes the blob file itself.
std::string incbin(const std::string& path) {
  return fmt::format(
      "/* made by edgeconv export: the symbols model_blob and model_blob_end */\n    .section .rodata.model_blob, \"a\"\n    "
      ".balign 64\n    .global model_blob\nmodel_blob:\n    .incbin \"{}\"\n"
      "    .global model_blob_end\nmodel_blob_end:\n",
      path);
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

int run(const std::string& blob, const std::string& format, const std::string& output) {
  const BlobFile file(blob);
  BlobRunner runner(file.data(), file.bytes());  // never export what would not open
  if (file.compressed())
    std::fprintf(stderr, "warning: '%s' is compressed; the device must expand it with ert_unpack before ert_model_open\n",
                 blob.c_str());
  const auto* data = static_cast<const uint8_t*>(file.stored_data());
  std::string text;
  if (format == "c")
    text = c_array(data, file.stored_bytes(), std::filesystem::path(blob).filename().string(), runner.memory({}, {}).bytes);
  if (format == "incbin") text = incbin(blob);
  if (format == "hex") text = intel_hex(data, file.stored_bytes());
  if (format == "bin")
    write_file_atomically(output, data, file.stored_bytes());
  else
    write_file_atomically(output, text.data(), text.size());
  return 0;
}

}  // namespace

Action add_export(CLI::App& app) {
  auto blob = std::make_shared<std::string>(), format = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  app.add_option("blob", *blob, "blob file")->required();
  app.add_option("--format", *format, "c, incbin, hex or bin")->required()->check(CLI::IsMember({"c", "incbin", "hex", "bin"}));
  app.add_option("-o,--output", *output, "file to write")->required();
  return [blob, format, output] { return run(*blob, *format, *output); };
}

}  // namespace edgeconv::cli
