// Who writes and who reads the values of a program. Made of one state of it: passes that move ops make it anew.
#pragma once

#include <vector>

#include "convert/program/target.h"

namespace edgeconv {

class ValueUses {
 public:
  struct Reader {
    int op;
    size_t input;
  };
  explicit ValueUses(const TargetProgram& p);

  // Of the value and its aliases; -1: an input or a constant.
  int writer(int v) const { return writer_[root(v)]; }
  const std::vector<Reader>& readers(int v) const { return readers_[root(v)]; }
  // In the arena, under this shape only, and no output: ops may disagree with the graph on how it is stored.
  bool is_internal(int v) const { return internal_[static_cast<size_t>(v)]; }

 private:
  size_t root(int v) const { return static_cast<size_t>(p_.root(v)); }
  const TargetProgram& p_;
  std::vector<int> writer_;
  std::vector<std::vector<Reader>> readers_;
  std::vector<char> internal_;
};

}  // namespace edgeconv
