// See tokenizer_class.h. Source: SLOW_TO_FAST_CONVERTERS, TOKENIZER_MAPPING_NAMES and the constructors of transformers 4.57.
#include "convert/text/folder/tokenizer_class.h"

#include <string_view>

namespace edgeconv::text {

namespace {

struct NamedClass {
  std::string_view name;
  TokenizerClass kind;
};

using enum TokenizerClass;

constexpr NamedClass kClasses[] = {
    {"Bert", kBert},
    {"DistilBert", kBert},
    {"Electra", kBert},
    {"MobileBert", kBert},
    {"SqueezeBert", kBert},
    {"ConvBert", kBert},
    {"LayoutLM", kBert},
    {"Lxmert", kBert},
    {"Realm", kBert},
    {"RetriBert", kBert},
    {"DPRReader", kBert},
    {"DPRQuestionEncoder", kBert},
    {"DPRContextEncoder", kBert},
    {"MPNet", kMpnet},
    {"GPT2", kGpt2},
    {"CodeGen", kGpt2},
    {"Roberta", kRoberta},
    {"Bart", kRoberta},
    {"Longformer", kRoberta},
    {"LED", kRoberta},
    {"Mvp", kRoberta},
    {"CLIP", kClip},
    {"Llama", kLlama},
    {"XLMRoberta", kXlmRoberta},
    {"T5", kT5},
    {"Albert", kAlbert},
};

constexpr NamedClass kModels[] = {
    {"bert", kBert},
    {"distilbert", kBert},
    {"electra", kBert},
    {"mobilebert", kBert},
    {"squeezebert", kBert},
    {"convbert", kBert},
    {"layoutlm", kBert},
    {"lxmert", kBert},
    {"mpnet", kMpnet},
    {"gpt2", kGpt2},
    {"gpt_neo", kGpt2},
    {"codegen", kGpt2},
    {"roberta", kRoberta},
    {"bart", kRoberta},
    {"longformer", kRoberta},
    {"led", kRoberta},
    {"mvp", kRoberta},
    {"clip", kClip},
    {"llama", kLlama},
    {"mistral", kLlama},
    {"mixtral", kLlama},
    {"xlm-roberta", kXlmRoberta},
    {"t5", kT5},
    {"mt5", kT5},
    {"albert", kAlbert},
    {"data2vec-text", kRoberta},
    {"ibert", kRoberta},
};

struct DefaultToken {
  TokenizerClass kind;
  std::string_view key, token;
};

constexpr DefaultToken kDefaults[] = {
    {kBert, "unk_token", "[UNK]"},
    {kBert, "sep_token", "[SEP]"},
    {kBert, "pad_token", "[PAD]"},
    {kBert, "cls_token", "[CLS]"},
    {kBert, "mask_token", "[MASK]"},
    {kMpnet, "bos_token", "<s>"},
    {kMpnet, "eos_token", "</s>"},
    {kMpnet, "unk_token", "[UNK]"},
    {kMpnet, "sep_token", "</s>"},
    {kMpnet, "pad_token", "<pad>"},
    {kMpnet, "cls_token", "<s>"},
    {kMpnet, "mask_token", "<mask>"},
    {kGpt2, "bos_token", "<|endoftext|>"},
    {kGpt2, "eos_token", "<|endoftext|>"},
    {kGpt2, "unk_token", "<|endoftext|>"},
    {kRoberta, "bos_token", "<s>"},
    {kRoberta, "eos_token", "</s>"},
    {kRoberta, "unk_token", "<unk>"},
    {kRoberta, "sep_token", "</s>"},
    {kRoberta, "pad_token", "<pad>"},
    {kRoberta, "cls_token", "<s>"},
    {kRoberta, "mask_token", "<mask>"},
    {kClip, "bos_token", "<|startoftext|>"},
    {kClip, "eos_token", "<|endoftext|>"},
    {kClip, "unk_token", "<|endoftext|>"},
    {kClip, "pad_token", "<|endoftext|>"},
    {kLlama, "bos_token", "<s>"},
    {kLlama, "eos_token", "</s>"},
    {kLlama, "unk_token", "<unk>"},
    {kXlmRoberta, "bos_token", "<s>"},
    {kXlmRoberta, "eos_token", "</s>"},
    {kXlmRoberta, "unk_token", "<unk>"},
    {kXlmRoberta, "sep_token", "</s>"},
    {kXlmRoberta, "pad_token", "<pad>"},
    {kXlmRoberta, "cls_token", "<s>"},
    {kXlmRoberta, "mask_token", "<mask>"},
    {kT5, "eos_token", "</s>"},
    {kT5, "unk_token", "<unk>"},
    {kT5, "pad_token", "<pad>"},
    {kAlbert, "bos_token", "[CLS]"},
    {kAlbert, "eos_token", "[SEP]"},
    {kAlbert, "unk_token", "<unk>"},
    {kAlbert, "sep_token", "[SEP]"},
    {kAlbert, "pad_token", "<pad>"},
    {kAlbert, "cls_token", "[CLS]"},
    {kAlbert, "mask_token", "[MASK]"},
};

}  // namespace

TokenizerClass tokenizer_class(const std::string& name) {
  if (name.empty()) return kNotSaid;
  std::string_view stem = name;
  if (stem.ends_with("Fast")) stem.remove_suffix(4);
  if (!stem.ends_with("Tokenizer")) return kOther;
  stem.remove_suffix(9);
  for (const NamedClass& c : kClasses)
    if (c.name == stem) return c.kind;
  return kOther;
}

TokenizerClass tokenizer_class_of_model(const std::string& model_type) {
  for (const NamedClass& c : kModels)
    if (c.name == model_type) return c.kind;
  return model_type.empty() ? kNotSaid : kOther;
}

std::string default_token(TokenizerClass c, const std::string& key) {
  for (const DefaultToken& d : kDefaults)
    if (d.kind == c && d.key == key) return std::string(d.token);
  return {};
}

}  // namespace edgeconv::text
