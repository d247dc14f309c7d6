// "decoder" of a tokenizer.json.
#include "convert/text/components.h"

namespace edgeconv::text {

namespace {

using DecoderStep = ert::text::DecoderKind;

bool has_decoder(const Tokenizer& t, DecoderStep kind) {
  return std::any_of(t.decoder.begin(), t.decoder.end(), [kind](const Step& s) { return s.kind == static_cast<uint32_t>(kind); });
}

void add_decoder(const JsonPlace& p, Tokenizer& t, DecoderStep kind, uint32_t option = 0, std::string a = {}, std::string b = {}) {
  // The device does what pieces become first, joins them, and strips the whole. That is the order of all models in use.
  const bool pieces = kind != DecoderStep::kByteFallback && kind != DecoderStep::kFuse && kind != DecoderStep::kStrip;
  bool fits = !has_decoder(t, kind) && !has_decoder(t, DecoderStep::kStrip) && (kind != DecoderStep::kStrip || has_decoder(t, DecoderStep::kFuse));
  for (const Step& s : t.decoder)
    if (pieces && s.kind != static_cast<uint32_t>(DecoderStep::kByteFallback)) fits = false;
  if (!fits) return p.unsupported("decoder '" + p.type() + "' behind those before it");
  t.decoder.push_back({static_cast<uint32_t>(kind), option, std::move(a), std::move(b)});
}

void read_replace_decoder(const JsonPlace& p, Tokenizer& t) {
  const JsonPlace pattern = p.at("pattern");
  if (!pattern.has("String") || pattern.at("String").string().empty()) return p.unsupported("decoder Replace of an expression");
  add_decoder(p, t, DecoderStep::kReplace, 0, pattern.at("String").string(), p.at("content").string());
}

void read_one_decoder(const JsonPlace& p, Tokenizer& t) {
  const std::string type = p.type();
  if (type == "Sequence") {
    const JsonPlace list = p.at("decoders");
    for (size_t i = 0; i < list.size(); ++i) read_one_decoder(list.item(i), t);
  } else if (type == "WordPiece") {
    add_decoder(p, t, DecoderStep::kWordPiece, p.boolean("cleanup", true) ? 1 : 0, p.string("prefix", "##"));
  } else if (type == "ByteLevel") {
    add_decoder(p, t, DecoderStep::kByteLevel);
  } else if (type == "Metaspace") {
    add_decoder(p, t, DecoderStep::kMetaspace, metaspace_options(p), metaspace_mark(p));
  } else if (type == "BPEDecoder") {
    add_decoder(p, t, DecoderStep::kBpeSuffix, 0, p.string("suffix", "</w>"));
  } else if (type == "Replace") {
    read_replace_decoder(p, t);
  } else if (type == "ByteFallback") {
    add_decoder(p, t, DecoderStep::kByteFallback);
  } else if (type == "Fuse") {
    add_decoder(p, t, DecoderStep::kFuse);
  } else if (type == "Strip") {
    const uint32_t start = p.number("start", 0), stop = p.number("stop", 0);
    if (start > 255 || stop > 255) return p.unsupported("decoder Strip of more than 255 characters");
    add_decoder(p, t, DecoderStep::kStrip, start | stop << 16, p.at("content").string());
  } else {
    p.unsupported("decoder '" + type + "'");
  }
}

// Vocabularies of bytes are stored as bytes, which other decoders than ByteLevel give as the letters of the file, and it takes letters for bytes anywhere.
void spell_bytes(const JsonPlace& p, Tokenizer& t) {
  const bool bytes = (t.flags & ert::text::kByteLevel) != 0;
  if (has_decoder(t, DecoderStep::kByteLevel)) {
    for (Step& s : t.decoder)
      if (s.kind == static_cast<uint32_t>(DecoderStep::kByteLevel)) s.option = bytes ? 0 : 1;
    if (!bytes) t.flags |= ert::text::kSpelledBytes;
    return;
  }
  if (!bytes) return;
  for (Step& s : t.decoder) {
    const auto kind = static_cast<DecoderStep>(s.kind);
    if (kind == DecoderStep::kStrip) continue;  // of the text that comes out
    if (std::string spelled; byte_level_bytes(s.a, &spelled))
      s.a = spelled;
    else if (kind == DecoderStep::kWordPiece)
      p.unsupported("decoder WordPiece with a prefix that no vocabulary of bytes has");
    else
      s.a.clear();  // is found nowhere
  }
  t.decoder.push_back({static_cast<uint32_t>(DecoderStep::kLetters), 0, {}, {}});
  t.flags |= ert::text::kSpelledBytes;
}

}  // namespace

void read_decoder(const JsonPlace& whole, Tokenizer& t) {
  if (!whole.has("decoder"))
    t.decoder.push_back({static_cast<uint32_t>(DecoderStep::kJoin), 0, {}, {}});
  else
    read_one_decoder(whole.at("decoder"), t);
  spell_bytes(whole, t);
}

}  // namespace edgeconv::text
