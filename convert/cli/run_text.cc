// See run_text.h.
#include "convert/cli/run_text.h"

#include <charconv>
#include <fstream>
#include <iostream>
#include <optional>

#include "convert/cli/blob_file.h"
#include "convert/cli/standard_output.h"
#include "convert/files/json.h"
#include "convert/files/text_lines.h"
#include "convert/ir/diagnostics.h"
#include "convert/run/text_session.h"
#include "convert/task/task.h"

namespace edgeconv::cli {

namespace {

constexpr size_t kShownNumbers = 8;    // of a vector
constexpr uint32_t kMostAnswers = 16;  // ert_question.top

// The shortest digits that give the same float again.
double number(float v) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, v).ptr;
  double d = 0;
  std::from_chars(digits, end, d);
  return d;
}

std::vector<std::string> candidate_labels(const std::string& given) {
  if (given.starts_with('@')) return read_label_names(given.substr(1));
  std::vector<std::string> labels(1);
  for (const char c : given) {
    if (c == ',')
      labels.emplace_back();
    else
      labels.back() += c;
  }
  for (std::string& label : labels) {
    const size_t first = label.find_first_not_of(' '), last = label.find_last_not_of(' ');
    if (first == std::string::npos)
      throw FatalError(ExitCode::kUsage, "--labels " + printable(given) + ": a label is empty; write a,b,c or @FILE");
    label = label.substr(first, last - first + 1);
  }
  return labels;
}

// TaskKind and ert_text_task have the same numbers.
std::string name_of(ert_text_task task) { return std::string(task_name(static_cast<TaskKind>(task))); }

class Answering {
 public:
  Answering(TextSession& session, bool json, const TextArguments& o) : session_(session), json_(json), o_(o) {
    const ert_text_task task = session.task();
    if (task == ERT_TEXT_ZERO_SHOT && o.labels.empty())
      throw FatalError(
          ExitCode::kUsage,
          "the blob's task is zero-shot: give the labels that texts are to be judged by, --labels a,b,c or --labels @FILE");
    if (task != ERT_TEXT_ZERO_SHOT && !o.labels.empty())
      throw FatalError(ExitCode::kUsage, "--labels: the blob's task is " + name_of(task) +
                                             "; only zero-shot takes labels of the user's: leave it out");
    if (o.top > 0 && (task == ERT_TEXT_EMBED || task == ERT_TEXT_TOKENS))
      throw FatalError(ExitCode::kUsage, fmt::format("--top {}: the blob's task is {}, which has no best ones; only classify, zero-shot and qa have: leave it out",
                                                     o.top, name_of(task)));
    if (task == ERT_TEXT_QA && o.top > kMostAnswers)
      throw FatalError(ExitCode::kUsage,
                       fmt::format("--top {}: a blob that answers questions gives {} answers at most; use --top {}", o.top,
                                   kMostAnswers, kMostAnswers));
    if (!o.labels.empty()) labels_ = candidate_labels(o.labels);
  }

  // Whether every text had an answer; those that had none are named on stderr.
  bool all_answered() const { return all_answered_; }

  bool wants_pairs() const { return session_.task() == ERT_TEXT_QA; }

  void answer(const std::string& text, const std::optional<std::string>& pair, const std::string& where) {
    if (wants_pairs() && !pair)
      throw FatalError(ExitCode::kUsage, where + ": the blob's task is qa: give the context of each question" +
                                             std::string(o_.file.empty() ? ", --text QUESTION --pair CONTEXT" : " behind a TAB"));
    if (!wants_pairs() && pair && (session_.task() == ERT_TEXT_TOKENS || session_.task() == ERT_TEXT_ZERO_SHOT))
      throw FatalError(ExitCode::kUsage, where + ": the blob's task is " + name_of(session_.task()) + ", which takes no pair");
    Question q{text, {}, labels_, o_.top};
    if (pair) q.pair = *pair;
    Answered a;
    try {
      a = session_.answer(q);
    } catch (const Unanswerable& e) {
      tell("error: " + where + ": " + e.what() + "\n");
      all_answered_ = false;
      a.truncated = true;
    }
    const bool ranked = session_.task() == ERT_TEXT_CLASSIFY || session_.task() == ERT_TEXT_ZERO_SHOT;
    if (ranked && o_.top > 0 && a.scored.size() > o_.top) a.scored.resize(o_.top);
    const std::string& source = pair && wants_pairs() ? *pair : text;
    json_ ? print_data(json_line(a, source)) : print_text(words(a, text, source));
  }

 private:
  static std::string part(const std::string& source, const Scored& s) { return source.substr(s.start, s.end - s.start); }

  std::string json_line(const Answered& a, const std::string& source) const {
    Json j;
    j["version"] = 1;
    j["task"] = name_of(session_.task());
    j["truncated"] = a.truncated;
    if (session_.task() == ERT_TEXT_EMBED) {
      Json& v = j["vector"] = Json::array();
      for (const float x : a.vector) v.push_back(number(x));
    } else {
      const bool qa = session_.task() == ERT_TEXT_QA, tokens = session_.task() == ERT_TEXT_TOKENS;
      Json& all = j[qa ? "answers" : tokens ? "entities" : "labels"] = Json::array();
      for (const Scored& s : a.scored) {
        Json one;
        if (qa) one["text"] = part(source, s);
        if (!qa) one["label"] = s.label;
        one["score"] = number(s.score);
        if (qa || tokens) one["start"] = s.start, one["end"] = s.end;
        if (tokens) one["text"] = part(source, s);
        all.push_back(std::move(one));
      }
    }
    return json_in_one_line(j) + "\n";
  }

  std::string words(const Answered& a, const std::string& text, const std::string& source) const {
    std::string out = text + (a.truncated ? "  (cut to what the model takes)" : "") + "\n";
    if (session_.task() == ERT_TEXT_EMBED) {
      out += "  " + std::to_string(a.vector.size()) + " numbers:";
      for (size_t i = 0; i < a.vector.size() && i < kShownNumbers; ++i) out += fmt::format(" {:.4f}", a.vector[i]);
      return out + (a.vector.size() > kShownNumbers ? " ..; --json has all\n" : "\n");
    }
    const bool qa = session_.task() == ERT_TEXT_QA, spans = qa || session_.task() == ERT_TEXT_TOKENS;
    for (const Scored& s : a.scored) {
      out += fmt::format("  {:.4f}", s.score);
      if (!qa) out += "  " + s.label;
      if (spans) out += fmt::format("  {}  ({} to {})", part(source, s), s.start, s.end);
      out += "\n";
    }
    if (a.scored.empty()) out += "  nothing found\n";
    return out;
  }

  TextSession& session_;
  bool json_;
  const TextArguments& o_;
  std::vector<std::string> labels_;
  bool all_answered_ = true;
};

void answer_file(Answering& answering, const TextArguments& o) {
  std::ifstream file;
  if (o.file != "-") {
    file.open(o.file, std::ios::binary);
    if (!file) throw FatalError(ExitCode::kIo, "--text-file " + printable(o.file) + ": the file cannot be read");
  }
  std::istream& in = o.file == "-" ? std::cin : file;
  size_t number = 0;
  const std::string name = "--text-file " + printable(o.file);
  for (std::string line; next_line(in, line, name);) {
    const std::string where = name + ", line " + std::to_string(++number);
    const size_t tab = answering.wants_pairs() ? line.find('\t') : std::string::npos;
    if (tab == std::string::npos) {
      answering.answer(line, {}, where);
      continue;
    }
    if (line.find('\t', tab + 1) != std::string::npos)
      throw FatalError(ExitCode::kUsage, where + ": more than one TAB; write QUESTION, TAB, CONTEXT");
    answering.answer(line.substr(0, tab), line.substr(tab + 1), where);
  }
  if (in.bad()) throw FatalError(ExitCode::kIo, "--text-file " + printable(o.file) + ": reading failed");
}

}  // namespace

int run_texts(const std::string& blob, uint32_t isa_mask, uint32_t threads, bool json, const TextArguments& o) {
  if (!o.file.empty() && (!o.texts.empty() || !o.pairs.empty()))
    throw FatalError(ExitCode::kUsage, "--text-file: give texts either there or with --text and --pair");
  if (!o.pairs.empty() && o.pairs.size() != o.texts.size())
    throw FatalError(ExitCode::kUsage, "--pair: " + std::to_string(o.pairs.size()) + " given for " +
                                           std::to_string(o.texts.size()) +
                                           " of --text; the n-th belongs to the n-th: give as many of both");
  const BlobFile file(blob);
  BlobRunner runner(file.data(), file.bytes(), "'" + blob + "'");
  TextSession session(runner, {threads, isa_mask});
  Answering answering(session, json, o);
  for (size_t i = 0; i < o.texts.size(); ++i) {
    std::optional<std::string> pair;
    if (!o.pairs.empty()) pair = o.pairs[i];
    answering.answer(o.texts[i], pair, "--text " + printable(o.texts[i]));
  }
  if (!o.file.empty()) answer_file(answering, o);
  return answering.all_answered() ? 0 : static_cast<int>(ExitCode::kUsage);
}

}  // namespace edgeconv::cli
