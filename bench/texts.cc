// Times texts: see texts.h.
#include "bench/texts.h"

#include <cstring>
#include <fstream>

#include "bench/context_parts.h"
#include "rt/include/ert_text.h"

namespace ert::bench {
namespace {

struct Line {
  std::string text, pair;
  bool has_pair = false;
};

std::vector<Line> read_lines(const std::string& path, bool pairs) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Failure{6, "--text-file " + path + ": " + std::strerror(errno)};
  std::vector<Line> lines;
  for (std::string line; std::getline(in, line);) {
    const size_t tab = line.find('\t');
    if (pairs && (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos))
      throw Failure{2, "--text-file " + path + ": line " + std::to_string(lines.size() + 1) +
                           " has not exactly one tab: the blob's task is qa, which takes QUESTION, a tab, CONTEXT"};
    if (pairs)
      lines.push_back({line.substr(0, tab), line.substr(tab + 1), true});
    else
      lines.push_back({line, {}, false});
  }
  if (in.bad()) throw Failure{6, "--text-file " + path + ": reading failed"};
  if (lines.empty()) throw Failure{2, "--text-file " + path + ": no lines"};
  return lines;
}

const char* name_of_task(uint32_t task) {
  constexpr const char* kNames[] = {"none", "embed", "classify", "tokens", "qa", "zero-shot"};
  return kNames[task];
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

class TextBench {
 public:
  TextBench(const Blob& blob, const TextOptions& texts, const Options& options) : threads_(options.threads) {
    open(blob.model());
    lines_ = read_lines(texts.file, task_.task == ERT_TEXT_QA);
    if ((task_.task == ERT_TEXT_ZERO_SHOT) == texts.labels.empty())
      throw Failure{2, texts.labels.empty() ? "the blob's task is zero-shot: give the labels that texts are judged by, --labels a,b,c"
                                            : "--labels: the blob's task is " + std::string(name_of_task(task_.task)) +
                                                  "; only zero-shot takes labels of the user's"};
    for (const std::string& label : texts.labels) names_.push_back({label.data(), label.size()});
    make_context(blob.model(), options);
    make_work();
  }

  TextResult run(const TextOptions& texts, const Options& options) {
    TextResult r;
    r.task = name_of_task(task_.task), r.threads = options.threads, r.texts = lines_.size();
    ert_isa isa;
    require(ert_context_isa(&context_, &isa), "isa");
    r.isa = ert_isa_name(isa);
    r.arena_bytes = arena_bytes_, r.work_bytes = work_bytes_;
    pass(&r);  // not timed: pages and caches
    std::vector<double> answers, tokenizers, models;
    for (uint32_t i = 0; i < std::max(texts.passes, 1u); ++i) {
      pass(&r);
      answers.push_back(r.answer_us), tokenizers.push_back(r.tokenizer_us), models.push_back(r.model_us);
    }
    r.answer_us = median(answers), r.tokenizer_us = median(tokenizers);
    r.model_us = r.runs == r.texts ? median(models) : 0;
    return r;
  }

 private:
  void open(const ert_model& m) {
    const ert_status s = ert_text_open(&text_, &m);
    if (s == ERT_ERR_UNSUPPORTED)
      throw Failure{2, "--text-file: the blob has no tokenizer: convert the model with --tokenizer FILE|DIR"};
    require(s, "tokenizer");
    task_.struct_size = sizeof task_;
    require(ert_text_task_of(&text_, &m, &task_), "task");
    if (task_.task == ERT_TEXT_NO_TASK) throw Failure{2, "--text-file: the blob has no task: convert the model with --task NAME"};
  }
  // One text at a time, each at its own length.
  void make_context(const ert_model& m, const Options& options) {
    std::vector<int32_t> dims;
    ert_dim_info d{};
    d.struct_size = sizeof d;
    ert_value_info ids{};
    ids.struct_size = sizeof ids;
    require(ert_model_input(&m, 0, &ids), "inputs");
    for (uint32_t i = 0; ert_model_dim(&m, i, &d) == ERT_OK; ++i)
      dims.push_back(ids.dim[1] == static_cast<int32_t>(i) ? std::min(d.max, static_cast<int32_t>(task_.max_tokens)) : d.min);
    ert_config cfg{};
    cfg.struct_size = sizeof cfg;
    cfg.isa_mask = options.isa_mask;
    cfg.threads = options.threads;
    cfg.parallel_for = ert_thread_pool_parallel_for;
    cfg.parallel_context = threads_.pool();
    ert_memory_need need{};
    need.struct_size = sizeof need;
    require(ert_arena_bytes(&m, &cfg, dims.data(), &need), "memory plan");
    arena_bytes_ = need.bytes;
    arena_ = allocate(need.bytes);
    const ert_region region = {arena_.get(), need.bytes};
    require(ert_context_init(&context_, &m, &cfg, dims.data(), &region, 1), "context");
  }
  void make_work() {
    size_t longest = 0, longest_pair = 0;
    for (const Line& l : lines_) longest = std::max(longest, l.text.size()), longest_pair = std::max(longest_pair, l.pair.size());
    for (const ert_text_name& n : names_) longest_pair = std::max(longest_pair, n.bytes + 4096);  // the hypothesis around it
    require(ert_text_run_bytes(&text_, &context_, longest, longest_pair, &work_bytes_), "working memory");
    size_t encode = 0;
    require(ert_text_bytes(&text_, longest, longest_pair, &encode), "working memory");
    work_ = allocate(work_bytes_), encode_work_ = allocate(encode);
    encode_bytes_ = encode;
    capacity_ = std::max({task_.vector, task_.labels, uint32_t{4096}, static_cast<uint32_t>(names_.size())});
    vector_.resize(capacity_), scored_.resize(capacity_);
    ids_.resize(task_.max_tokens);
  }
  // All lines: the answer, then the same run of the model again with the ids that it left, then the tokenizer alone.
  void pass(TextResult* r) {
    r->answer_us = r->tokenizer_us = r->model_us = 0;
    r->tokens = r->runs = r->truncated = 0;
    for (const Line& l : lines_) {
      ert_question q{};
      q.struct_size = sizeof q;
      q.text = l.text.data(), q.bytes = l.text.size();
      if (l.has_pair) q.pair = l.pair.data(), q.pair_bytes = l.pair.size();
      q.labels = names_.data(), q.label_count = static_cast<uint32_t>(names_.size());
      ert_answer a{};
      a.struct_size = sizeof a;
      a.capacity = capacity_, a.vector = vector_.data(), a.scored = scored_.data();
      const uint64_t start = ert_clock_ns();
      const ert_status s = ert_text_run(&context_, &text_, &q, work_.get(), work_bytes_, &a);
      r->answer_us += us_since(start);
      require(s, "a text");
      r->tokens += a.tokens, r->runs += a.runs, r->truncated += a.truncated != 0;
      if (a.runs == 1) {
        const uint64_t model = ert_clock_ns();
        const ert_status again = ert_run(&context_);
        r->model_us += us_since(model);
        require(again, "run");
      }
      tokenize(l, r);
    }
  }
  void tokenize(const Line& l, TextResult* r) {
    ert_text_options o{};
    o.struct_size = sizeof o;
    o.flags = ERT_TEXT_NO_PADDING;
    o.max_tokens = task_.max_tokens;
    ert_encoding e{};
    e.struct_size = sizeof e;
    e.capacity = static_cast<uint32_t>(ids_.size());
    e.ids = ids_.data();
    const uint64_t start = ert_clock_ns();
    const ert_status s = ert_text_encode(&text_, &o, l.text.data(), l.text.size(), l.has_pair ? l.pair.data() : nullptr, l.pair.size(),
                                         encode_work_.get(), encode_bytes_, &e);
    r->tokenizer_us += us_since(start);
    require(s, "tokenizer");
  }

  Threads threads_;
  ert_text text_{};
  ert_text_task_info task_{};
  std::vector<Line> lines_;
  std::vector<ert_text_name> names_;
  Memory arena_, work_, encode_work_;
  size_t arena_bytes_ = 0, work_bytes_ = 0, encode_bytes_ = 0;
  ert_context context_{};
  uint32_t capacity_ = 0;
  std::vector<float> vector_;
  std::vector<ert_scored> scored_;
  std::vector<int32_t> ids_;
};

}  // namespace

TextResult measure_texts(const Blob& blob, const TextOptions& texts, const Options& options) {
  return TextBench(blob, texts, options).run(texts, options);
}

}  // namespace ert::bench
