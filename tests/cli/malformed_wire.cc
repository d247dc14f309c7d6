// Damage below ONNX: tags, lengths, varints and groups. Fields of the wrong wire type are unknown fields by the rules of protobuf.
#include "tests/cli/malformed_corpus.h"

namespace edgeconv::testing {

namespace {

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroup = 3, kEndGroup = 4, kFixed32 = 5 };

std::string varint(uint64_t v) {
  std::string s;
  for (; v >= 128; v >>= 7) s += static_cast<char>(v | 128);
  return s + static_cast<char>(v);
}

std::string tag(uint32_t field, uint32_t type) { return varint(field << 3 | type); }
std::string number(uint32_t field, uint64_t v) { return tag(field, kVarint) + varint(v); }
std::string bytes(uint32_t field, const std::string& s) { return tag(field, kBytes) + varint(s.size()) + s; }

// y = Relu(x), x float [n, 4], in pieces.
struct Pieces {
  std::string node = bytes(1, "x") + bytes(2, "y") + bytes(4, "Relu");
  std::string shape = bytes(1, bytes(2, "n")) + bytes(1, number(1, 4));
  std::string type = bytes(1, number(1, 1) + bytes(2, shape));
  std::string input = bytes(1, "x") + bytes(2, type);
  std::string output = bytes(1, "y") + bytes(2, type);
  std::string initializer = number(1, 1) + number(2, 1) + bytes(8, "w") + bytes(4, std::string(4, '\0'));
  std::string more_graph, more_model;
  std::string graph() const {
    return bytes(1, node) + bytes(2, "g") + bytes(5, initializer) + bytes(11, input) + bytes(12, output) + more_graph;
  }
  std::string model() const { return number(1, 8) + bytes(7, graph()) + bytes(8, number(2, 17)) + more_model; }
};

void with_pieces(Corpus& c, const std::string& name, int exit_code, const std::function<void(Pieces&)>& change) {
  Pieces p;
  change(p);
  c.push_back({name, exit_code, p.model()});
}

}  // namespace

void add_wire_damage(Corpus& c) {
  const std::string good = Pieces{}.model(), small = small_model();
  c.push_back({"a small model", 0, good});
  for (size_t n = 0; n < good.size(); ++n) c.push_back({"cut at byte " + std::to_string(n), 3, good.substr(0, n)});
  for (size_t n = 1; n < small.size(); n += small.size() / 40)
    c.push_back({"a model with weights, cut at byte " + std::to_string(n), 3, small.substr(0, n)});
  for (size_t i = 1; i <= 9; ++i) c.push_back({std::to_string(i) + " zero bytes behind it", 3, good + std::string(i, '\0')});
  c.push_back({"the same model twice", 3, good + good});
  c.push_back({"two models", 3, good + small});
  c.push_back({"text", 3, "this is no model\n"});
  c.push_back({"a page", 3, "<!DOCTYPE html><html><body>Sign in</body></html>"});
  c.push_back({"a pointer of git-lfs", 3, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"});
  c.push_back({"an archive", 3, std::string("PK\3\4\24\0\0\0\10\0", 10) + std::string(64, '\1')});
  c.push_back({"a blob", 3, "ERT1" + std::string(60, '\0')});
  for (const size_t n : {1, 64, 4096}) {
    c.push_back({std::to_string(n) + " zero bytes", 3, std::string(n, '\0')});
    c.push_back({std::to_string(n) + " bytes of ones", 3, std::string(n, '\xff')});
  }
  const std::string ten(10, '\xff'), eleven = ten + "\1";
  const std::pair<const char*, std::string> damages[] = {
      {"a varint of 11 bytes", tag(1, kVarint) + eleven},
      {"a varint without an end", tag(1, kVarint) + ten},
      {"a tag without an end", ten},
      {"field 0", tag(0, kVarint) + varint(1)},
      {"wire type 6", tag(100, 6) + varint(1)},
      {"wire type 7", tag(100, 7) + varint(1)},
      {"a length past the end", tag(100, kBytes) + varint(1000)},
      {"a length of 2^31 - 1", tag(100, kBytes) + varint(INT32_MAX)},
      {"a length of 2^32 - 1", tag(100, kBytes) + varint(UINT32_MAX)},
      {"a length of 2^64 - 1", tag(100, kBytes) + varint(UINT64_MAX)},
      {"a group without an end", tag(100, kGroup)},
      {"the end of a group that did not begin", tag(100, kEndGroup)},
      {"a group with the end of another", tag(100, kGroup) + tag(101, kEndGroup)},
      {"half of a fixed number", tag(100, kFixed64) + std::string(4, '\0')},
      {"a fixed number of 32 bits cut", tag(100, kFixed32) + std::string(3, '\0')},
  };
  for (const auto& [what, damage] : damages) {
    const std::string& d = damage;
    with_pieces(c, std::string("model: ") + what, 3, [&](Pieces& p) { p.more_model = d; });
    with_pieces(c, std::string("graph: ") + what, 3, [&](Pieces& p) { p.more_graph = d; });
    with_pieces(c, std::string("node: ") + what, 3, [&](Pieces& p) { p.node += d; });
    with_pieces(c, std::string("initializer: ") + what, 3, [&](Pieces& p) { p.initializer += d; });
    with_pieces(c, std::string("input: ") + what, 3, [&](Pieces& p) { p.input += d; });
  }
  std::string begun, ended;
  for (int i = 0; i < 300; ++i) begun += tag(100, kGroup), ended += tag(100, kEndGroup);
  with_pieces(c, "300 groups in each other", 3, [&](Pieces& p) { p.more_model = begun + ended; });
  with_pieces(c, "an unknown group", 3, [&](Pieces& p) { p.more_model = tag(100, kGroup) + number(1, 2) + tag(100, kEndGroup); });
  with_pieces(c, "an unknown text", 0, [&](Pieces& p) { p.more_model = bytes(100, "text"); });
  with_pieces(c, "unknown numbers", 0, [&](Pieces& p) { p.node += tag(100, kFixed64) + std::string(8, '\1') + number(101, 7); });
  // Graphs in attributes, one in another.
  std::string nested = "";
  for (int i = 0; i < 120; ++i)
    nested = bytes(1, bytes(2, "y") + bytes(4, "If") + bytes(5, bytes(1, "then_branch") + bytes(6, nested) + number(20, 5)));
  with_pieces(c, "120 graphs in each other", 5, [&](Pieces& p) { p.more_graph = nested; });
  with_pieces(c, "no graph", 3, [&](Pieces& p) { p.input.clear(), p.output.clear(), p.node.clear(); });
  c.push_back({"a model without a graph", 3, number(1, 8) + bytes(8, number(2, 17))});
  c.push_back({"a graph that is a number", 3, number(1, 8) + number(7, 1) + bytes(8, number(2, 17))});
  c.push_back(
      {"a graph that is a fixed number", 3, number(1, 8) + tag(7, kFixed32) + std::string(4, '\0') + bytes(8, number(2, 17))});
  with_pieces(c, "a node that is a number", 3, [](Pieces& p) { p.node.clear(), p.more_graph = number(1, 3); });
  with_pieces(c, "sizes that are text", 3, [](Pieces& p) { p.initializer = bytes(1, "abc\xff") + number(2, 1) + bytes(8, "w"); });
  with_pieces(c, "a type that is text", 3, [](Pieces& p) {
    p.type = bytes(1, bytes(1, "float") + bytes(2, p.shape)), p.input = bytes(1, "x") + bytes(2, p.type);
  });
  with_pieces(c, "floats of 3 bytes", 3,
              [](Pieces& p) { p.initializer = number(1, 1) + number(2, 1) + bytes(8, "w") + bytes(4, "abc"); });
}

}  // namespace edgeconv::testing
