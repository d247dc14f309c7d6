// Everything the converter has to say about a model, collected so that a user sees all problems at once. The exit code of
// the command line follows from the worst entry.
#pragma once

#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace edgeconv {

enum class ExitCode {
  kOk = 0,
  kInternal = 1,
  kUsage = 2,
  kMalformed = 3,
  kUnsupported = 4,
  kLimit = 5,
  kIo = 6,
  kAccuracy = 7,
  kChecksum = 8,
  kInterrupted = 130
};

// A fault that ends the work at once: the file cannot be read any further. what() is a full message: what, where, why, what to do.
class FatalError : public std::runtime_error {
 public:
  FatalError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// s escaped (foreign_text.h) and cut to a sane length: names from a model are printed to terminals.
std::string printable(const std::string& s);

struct Problem {
  std::string op;          // "ai.onnx::NonZero(13)", "my.ops::Inverse2"
  std::string where;       // node name, and torch scope where known
  std::string detail;      // shapes, dtypes, attribute
  std::string reason;      // why it is not supported
  std::string hint;        // what to do about it
  bool malformed = false;  // the file contradicts ONNX here (exit 3), it does not only want what the converter lacks; hint: the rule, or empty
};

// `where`, and what stands in it before each `before`: a node may be told with its scope behind its name.
std::vector<std::string> places_in(const std::string& where, const std::string& before);

class Diagnostics {
 public:
  void unsupported(Problem p);  // collected; conversion stops with exit 4 at the next checkpoint
  // Adds to the hints of the problems of one node.
  void add_hint(const std::string& op, const std::string& where, const std::string& hint);
  bool has_problem(const std::string& op, const std::string& where) const { return at(op, where) != nullptr; }
  void malformed(const std::string& message);         // collected; exit 3
  // The file was read without a fault, and `sizes` are the user's (--fix): what contradicts itself from here on does so by them, exit 2.
  // Empty: the file is to blame again.
  void blame_sizes(const std::string& sizes) { blamed_sizes_ = sizes; }
  // What is told of a node that contradicts ONNX, which wants `rule` (may be empty), and who is to blame for it.
  std::string blame(const std::string& reason, const std::string& rule) const;
  void warn(const std::string& message);              // printed, does not stop; equal messages once
  void set_node_count(size_t n) { node_count_ = n; }  // nodes in the file, for the closing note of check()
  bool malformed_file() const { return !malformed_.empty(); }
  bool ok() const { return problems_.empty() && malformed_.empty(); }
  // Throws FatalError with the complete, grouped list (operators with counts, first node, reason, hint) when not ok().
  void check() const;
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  const std::vector<size_t>* at(const std::string& op, const std::string& where) const;

  std::vector<Problem> problems_;
  std::unordered_map<std::string, std::vector<size_t>> at_;  // operator and place -> the first problems there
  std::vector<std::string> malformed_, warnings_;
  std::string blamed_sizes_;
  size_t node_count_ = 0;
};

}  // namespace edgeconv
