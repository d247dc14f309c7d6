# What runs once for a text, an answer or a blob takes -Os, and so does decoding.
set(ERT_RARE_TEXT_SOURCES
  text/answer_labels.cc text/answer_qa.cc text/answer_tokens.cc text/ask.cc text/decode.cc text/ending.cc text/models.cc text/open.cc text/runner.cc text/task.cc)
# Tokenizers (rt/include/ert_text.h); ngram.h alone is for C code without ert_text.h.
set(ERT_TEXT_SOURCES
  text/added_tokens.cc text/answer_labels.cc text/answer_qa.cc text/answer_tokens.cc text/ask.cc text/bpe.cc text/decode.cc text/encode.cc text/ending.cc text/models.cc text/ngram.cc text/normalize.cc text/normalize_bert.cc
  text/normalize_lowercase.cc text/normalize_precompiled.cc text/normalize_replace.cc text/normalize_sentencepiece.cc text/normalize_unicode.cc
  text/open.cc text/pretokenize.cc text/pretokenize_characters.cc text/pretokenize_rewriting.cc text/pretokenize_split.cc text/runner.cc text/split_rules.cc
  text/tables.cc text/task.cc text/unigram.cc text/utf8.cc text/wordpiece.cc)
