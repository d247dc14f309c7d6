// A tokenizer of twelve words in a model's folder, models that are a table of its ids, and conversions of both.
#pragma once

#include "convert/files/json.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

// tokenizer.json of a WordPiece model; vocabulary: {"word": id, ..}.
inline std::string tokenizer_json(const std::string& vocabulary) {
  return R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
  {"id": 0, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 2, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
  {"id": 3, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
 "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
 "pre_tokenizer": {"type": "BertPreTokenizer"},
 "post_processor": {"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
  "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
           {"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
  "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}, "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
 "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
 "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
  "vocab": )" + vocabulary + "}}";
}

inline const std::string kTokenizer = tokenizer_json(
    R"({"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "anna": 4, "lives": 5, "in": 6, "rome": 7, "where": 8, "##s": 9, "good": 10, "bad": 11})");

// ids -> rows of a table [12, width]; row i begins with i, then what `row` says.
inline void add_table(ModelWriter& w, int64_t width, float (*row)(int64_t id, int64_t column)) {
  auto* t = w.proto().mutable_graph()->add_initializer();
  t->set_name("table");
  t->set_data_type(kOnnxFloat);
  t->add_dims(12);
  t->add_dims(width);
  std::vector<float> values;
  for (int64_t id = 0; id < 12; ++id)
    for (int64_t column = 0; column < width; ++column) values.push_back(row(id, column));
  t->set_raw_data(values.data(), values.size() * sizeof(float));
}

inline void add_int(ModelWriter& w, pb::NodeProto& node, const char* name, int64_t value) {
  (void)w;
  auto* a = node.add_attribute();
  a->set_name(name);
  a->set_type(2);
  a->set_i(value);
}

// tokens [batch, sequence, width], made of the ids alone.
inline ModelWriter token_model(int64_t width, float (*row)(int64_t, int64_t), const char* output) {
  ModelWriter w;
  w.input("input_ids", kOnnxInt64, {"batch", "sequence"});
  w.input("attention_mask", kOnnxInt64, {"batch", "sequence"});
  w.output(output, kOnnxFloat, {"batch", "sequence", width});
  add_table(w, width, row);
  w.node("Gather", {"table", "input_ids"}, {"rows"});
  w.masked("rows", "attention_mask", output);
  return w;
}

// logits [batch, 2]: of each the largest of all tokens.
inline ModelWriter two_class_model(float (*row)(int64_t, int64_t)) {
  ModelWriter w = token_model(2, row, "tokens");
  w.proto().mutable_graph()->clear_output();
  w.output("logits", kOnnxFloat, {"batch", 2});
  auto& largest = w.node("ReduceMax", {"tokens"}, {"logits"});
  auto* axes = largest.add_attribute();
  axes->set_name("axes");
  axes->set_type(7);
  axes->add_ints(1);
  add_int(w, largest, "keepdims", 0);
  return w;
}

class TextTasksTest : public CliTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(in("model"));
    write_file(in("model/tokenizer.json"), kTokenizer);
  }
  void convert(const std::vector<std::string>& options) {
    std::vector<std::string> all{in("m.onnx"), "-q", "--precision", "fp32", "--dim", "sequence=16", "--tokenizer", in("model")};
    all.insert(all.end(), options.begin(), options.end());
    expect_success(all);
  }
  Json ask(std::vector<std::string> options) {
    options.insert(options.begin(), {"run", in("m.ert"), "--json"});
    const ProgramResult r = expect_success(options);
    return parse_json(r.out);
  }
};

}  // namespace edgeconv::testing
