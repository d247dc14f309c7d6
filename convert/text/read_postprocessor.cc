// "post_processor" of a tokenizer.json, and its truncation and padding.
#include "convert/text/components.h"

namespace edgeconv::text {

namespace {

using ProcessorPiece = ert::text::TemplatePiece;

ProcessorPiece special(const JsonPlace& p, const char* key, uint32_t type_id) {
  const JsonPlace pair = p.at(key);
  if (pair.size() != 2) pair.malformed("is not a token and its id");
  return {0, static_cast<int32_t>(pair.item(1).number()), type_id};
}

void take_trim(const JsonPlace& p, Tokenizer& t) {
  if (p.boolean("trim_offsets", true)) t.endings.trim = p.boolean("add_prefix_space", true) ? 2 : 1;
}

void read_pieces(const JsonPlace& list, const JsonPlace& tokens, std::vector<ProcessorPiece>& out) {
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonPlace p = list.item(i);
    if (p.has("Sequence")) {
      const JsonPlace s = p.at("Sequence");
      const std::string id = s.at("id").string();
      if (id != "A" && id != "B") s.at("id").malformed("is neither A nor B");
      out.push_back({id == "A" ? 1u : 2u, 0, s.number("type_id", 0)});
      continue;
    }
    const JsonPlace s = p.at("SpecialToken");
    const std::string id = s.at("id").string();
    if (!tokens.has(id.c_str())) s.at("id").malformed("is not among the special_tokens");
    const JsonPlace ids = tokens.at(id.c_str()).at("ids");
    for (size_t k = 0; k < ids.size(); ++k)
      out.push_back({0, static_cast<int32_t>(ids.item(k).number()), s.number("type_id", 0)});
  }
}

void read_one_processor(const JsonPlace& p, Tokenizer& t) {
  Endings& e = t.endings;
  const std::string type = p.type();
  if (type == "Sequence") {
    const JsonPlace list = p.at("processors");
    for (size_t i = 0; i < list.size(); ++i) read_one_processor(list.item(i), t);
    return;
  }
  if (type == "ByteLevel") return take_trim(p, t);
  if (!e.single.empty()) return p.unsupported("post-processor '" + type + "' behind another one");
  if (type == "BertProcessing") {
    e.single = {special(p, "cls", 0), {1, 0, 0}, special(p, "sep", 0)};
    e.pair = {special(p, "cls", 0), {1, 0, 0}, special(p, "sep", 0), {2, 0, 1}, special(p, "sep", 1)};
  } else if (type == "RobertaProcessing") {
    take_trim(p, t);
    e.single = {special(p, "cls", 0), {1, 0, 0}, special(p, "sep", 0)};
    e.pair = {special(p, "cls", 0), {1, 0, 0}, special(p, "sep", 0), special(p, "sep", 0), {2, 0, 0}, special(p, "sep", 0)};
  } else if (type == "TemplateProcessing") {
    read_pieces(p.at("single"), p.at("special_tokens"), e.single);
    read_pieces(p.at("pair"), p.at("special_tokens"), e.pair);
  } else {
    p.unsupported("post-processor '" + type + "'");
  }
}

bool is_left(const JsonPlace& p) {
  const std::string direction = p.string("direction", "Right");
  if (direction != "Left" && direction != "Right") p.at("direction").malformed("is neither Left nor Right");
  return direction == "Left";
}

}  // namespace

void read_postprocessor(const JsonPlace& p, Tokenizer& t) {
  if (!p.null()) read_one_processor(p, t);
}

void read_limits(const JsonPlace& whole, Tokenizer& t) {
  Endings& e = t.endings;
  if (whole.has("truncation")) {
    const JsonPlace p = whole.at("truncation");
    e.max_tokens = p.at("max_length").number();
    e.stride = p.number("stride", 0);
    e.cut_left = is_left(p);
    const std::string strategy = p.string("strategy", "LongestFirst");
    if (strategy == "LongestFirst")
      e.truncation = ERT_TRUNCATE_LONGEST_FIRST;
    else if (strategy == "OnlyFirst")
      e.truncation = ERT_TRUNCATE_FIRST;
    else if (strategy == "OnlySecond")
      e.truncation = ERT_TRUNCATE_SECOND;
    else
      p.at("strategy").malformed("is none of LongestFirst, OnlyFirst, OnlySecond");
  }
  if (whole.has("padding")) {
    const JsonPlace p = whole.at("padding");
    const JsonPlace strategy = p.at("strategy");
    if (strategy.value().is_object())
      e.pad_to = strategy.at("Fixed").number();
    else if (strategy.string() != "BatchLongest")
      strategy.malformed("is neither BatchLongest nor Fixed");
    e.pad_multiple = p.number("pad_to_multiple_of", 0);
    e.pad_left = is_left(p);
    e.pad_id = static_cast<int32_t>(p.number("pad_id", 0));
    e.pad_type_id = p.number("pad_type_id", 0);
  }
}

}  // namespace edgeconv::text
