// A value inside a JSON file, with its path for messages: "$.model.vocab". And the list of what no code knows, which is reported as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "convert/ir/diagnostics.h"

namespace edgeconv::text {

// Members sorted by name: vocabularies are too large for the ordered class of convert/files/json.h, which searches one by one.
using JsonTree = nlohmann::json;

// Numbers with a fraction or an exponent are those of serde_double. Throws FatalError(kMalformed).
JsonTree parse_tree(const std::string& contents, const std::string& name);

// A tokenizer that asks for what no code has: all of it, each with its place.
class UnsupportedTokenizer : public FatalError {
 public:
  UnsupportedTokenizer(const std::string& name, std::vector<std::string> unknowns);
  const std::string& name() const { return name_; }
  const std::vector<std::string>& unknowns() const { return unknowns_; }

 private:
  std::string name_;
  std::vector<std::string> unknowns_;
};

// What a file asks for and nobody has.
class Unknowns {
 public:
  void add(const std::string& what) { list_.push_back(what); }
  // Throws UnsupportedTokenizer with all of them.
  void check(const std::string& name) const;

 private:
  std::vector<std::string> list_;
};

class JsonPlace {
 public:
  JsonPlace(const JsonTree& value, const std::string& file, std::string path, Unknowns& unknowns)
      : value_(&value), file_(&file), path_(std::move(path)), unknowns_(&unknowns) {}

  // Throws FatalError(kMalformed): "'tokenizer.json': $.model.vocab: why".
  [[noreturn]] void malformed(const std::string& why) const;
  void unsupported(const std::string& what) const { unknowns_->add(what + " (" + path_ + ")"); }

  const JsonTree& value() const { return *value_; }
  const std::string& path() const { return path_; }
  bool null() const { return value_->is_null(); }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key) && !(*value_)[key].is_null(); }
  JsonPlace at(const char* key) const;  // must be there
  JsonPlace item(size_t i) const;       // of an array
  size_t size() const;                  // of an array

  std::string string() const;
  bool boolean() const;
  uint32_t number() const;  // below 2^31
  double real() const;
  std::string string(const char* key, const std::string& otherwise) const { return has(key) ? at(key).string() : otherwise; }
  bool boolean(const char* key, bool otherwise) const { return has(key) ? at(key).boolean() : otherwise; }
  uint32_t number(const char* key, uint32_t otherwise) const { return has(key) ? at(key).number() : otherwise; }
  // "type" of a component.
  std::string type() const { return at("type").string(); }

 private:
  const JsonTree* value_;
  const std::string* file_;
  std::string path_;
  Unknowns* unknowns_;
};

}  // namespace edgeconv::text
