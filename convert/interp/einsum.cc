// Einsum: any equation with repeated letters, ellipsis and implicit output. Products of two operands that are matrix products
// run as such; the rest is a plain sum over all labels.
#include "convert/interp/einsum.h"

#include <algorithm>
#include <map>

#include "convert/interp/eval.h"
#include "convert/interp/strided.h"

namespace edgeconv {
namespace {

// Splits "ab...c" into labels; the ellipsis stands for `ellipsis_rank` axes, numbered from the end.
bool labels_of(const std::string& term, int ellipsis_rank, int max_ellipsis, std::map<char, int>& letters, std::vector<int>& out,
               std::string& error) {
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.compare(i, 3, "...") == 0) {
      for (int k = 0; k < ellipsis_rank; ++k) out.push_back(max_ellipsis - ellipsis_rank + k);
      i += 2;
    } else if ((term[i] >= 'a' && term[i] <= 'z') || (term[i] >= 'A' && term[i] <= 'Z')) {
      const int next = max_ellipsis + static_cast<int>(letters.size());
      out.push_back(letters.emplace(term[i], next).first->second);
    } else {
      error = std::string("unexpected character '") + term[i] + "'";
      return false;
    }
  }
  return true;
}

std::vector<std::string> split_terms(const std::string& s) {
  std::vector<std::string> terms(1);
  for (char ch : s) {
    if (ch == ',') {
      terms.emplace_back();
    } else {
      terms.back() += ch;
    }
  }
  return terms;
}

}  // namespace

std::optional<EinsumSpec> parse_einsum(const std::string& equation, const std::vector<int>& ranks, std::string& error) {
  std::string e = equation;
  e.erase(std::remove(e.begin(), e.end(), ' '), e.end());
  const size_t arrow = e.find("->");
  const std::vector<std::string> terms = split_terms(e.substr(0, arrow));
  if (terms.size() != ranks.size()) {
    error = "it has " + std::to_string(terms.size()) + " terms for " + std::to_string(ranks.size()) + " inputs";
    return std::nullopt;
  }
  std::vector<int> ellipsis(terms.size(), 0);
  int longest = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool has = terms[i].find("...") != std::string::npos;
    const int letters = static_cast<int>(terms[i].size()) - (has ? 3 : 0);
    ellipsis[i] = ranks[i] - letters;
    if (ellipsis[i] < 0 || (!has && ellipsis[i] != 0)) {
      error = "term '" + terms[i] + "' does not fit rank " + std::to_string(ranks[i]);
      return std::nullopt;
    }
    longest = std::max(longest, ellipsis[i]);
  }
  EinsumSpec spec;
  std::map<char, int> letters;
  spec.inputs.resize(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!labels_of(terms[i], ellipsis[i], longest, letters, spec.inputs[i], error)) return std::nullopt;
  }
  const size_t known = letters.size();
  if (arrow != std::string::npos) {
    if (!labels_of(e.substr(arrow + 2), longest, longest, letters, spec.output, error)) return std::nullopt;
    if (letters.size() != known) {
      error = "the output has a letter that no input has";
      return std::nullopt;
    }
  } else {
    for (int k = 0; k < longest; ++k) spec.output.push_back(k);
    const std::string left = e.substr(0, arrow);
    for (const auto& [letter, label] : letters) {  // letters that occur once, in alphabetical order
      if (std::count(left.begin(), left.end(), letter) == 1) spec.output.push_back(label);
    }
  }
  spec.labels = longest + static_cast<int>(letters.size());
  return spec;
}

namespace {

// Strides of one operand over all labels; a repeated letter adds its strides (the diagonal).
Dims label_strides(const std::vector<int>& labels, const Dims& dims, int count) {
  const Dims own = row_major_strides(dims);
  Dims s(static_cast<size_t>(count), 0);
  for (size_t k = 0; k < labels.size(); ++k) {
    if (dims[k] != 1) s[static_cast<size_t>(labels[k])] += own[k];
  }
  return s;
}

// Product of two operands, summed over `summed` labels, as batched matrix products. Labels fall into four groups.
Tensor contract(const NodeInputs& c, const Tensor& a, const Tensor& b, const Dims& sa, const Dims& sb, const Dims& sizes,
                const std::vector<bool>& kept) {
  std::vector<size_t> batch, left, right, inner;
  for (size_t l = 0; l < sizes.size(); ++l) {
    const bool in_a = sa[l] != 0, in_b = sb[l] != 0;
    if (kept[l]) {
      (in_a && in_b ? batch : (in_b ? right : left)).push_back(l);
    } else {
      inner.push_back(l);
    }
  }
  const auto gather = [&](const Tensor& t, const Dims& strides, std::initializer_list<const std::vector<size_t>*> groups) {
    Dims d, s;
    for (const auto* g : groups) {
      for (size_t l : *g) {
        d.push_back(sizes[l]);
        s.push_back(strides[l]);
      }
    }
    return strided_copy(t, d, s);
  };
  const auto count = [&](const std::vector<size_t>& g) {
    int64_t n = 1;
    for (size_t l : g) n *= sizes[l];
    return n;
  };
  const Tensor ta = gather(a, sa, {&batch, &left, &inner}), tb = gather(b, sb, {&batch, &inner, &right});
  const int64_t m = count(left), n = count(right), k = count(inner), batches = count(batch);
  Dims out_dims;
  std::vector<size_t> order;
  for (const auto* g : {&batch, &left, &right}) {
    for (size_t l : *g) {
      out_dims.push_back(sizes[l]);
      order.push_back(l);
    }
  }
  Tensor r(DType::kFloat, out_dims);
  float* d = r.mut<float>().data();
  for (int64_t i = 0; i < batches; ++i) {
    matmul_f32(c.backend, m, n, k, {ta.as<float>().data() + i * m * k, k}, {tb.as<float>().data() + i * k * n, n}, d + i * m * n,
               n);
  }
  // Back to label order, kept labels only; others have size 1.
  Dims full(sizes.size(), 1), strides(sizes.size(), 0);
  const Dims own = row_major_strides(out_dims);
  for (size_t i = 0; i < order.size(); ++i) {
    full[order[i]] = sizes[order[i]];
    strides[order[i]] = own[i];
  }
  return strided_copy(r, full, strides);
}

}  // namespace

Results eval_einsum(const NodeInputs& c) {
  std::vector<int> ranks;
  for (size_t i = 0; i < c.count(); ++i) ranks.push_back(c.in(i).rank());
  std::string error;
  const auto spec = parse_einsum(c.node.as<EinsumAttrs>().equation, ranks, error);
  if (!spec) c.fail("equation '" + c.node.as<EinsumAttrs>().equation + "': " + error);
  if (!is_float(c.in(0).dtype())) c.fail("only floats are supported");
  Dims sizes(static_cast<size_t>(spec->labels), 1);
  for (size_t i = 0; i < c.count(); ++i) {
    for (size_t k = 0; k < spec->inputs[i].size(); ++k) {
      int64_t& s = sizes[static_cast<size_t>(spec->inputs[i][k])];
      const int64_t d = c.in(i).dims()[k];
      if (s != 1 && d != 1 && s != d) c.fail("one letter stands for sizes " + std::to_string(s) + " and " + std::to_string(d));
      if (s == 1) s = d;
    }
  }
  // Operands are multiplied from left to right; a label is summed once no later operand and not the output has it.
  Tensor acc = Tensor::scalar(1.0f);
  Dims acc_strides(sizes.size(), 0);
  std::vector<size_t> readers(sizes.size(), 0);  // of each label: the output, and operands that are left
  for (int l : spec->output) ++readers[static_cast<size_t>(l)];
  for (const auto& labels : spec->inputs)
    for (int l : labels) ++readers[static_cast<size_t>(l)];
  for (size_t i = 0; i < c.count(); ++i) {
    for (int l : spec->inputs[i]) --readers[static_cast<size_t>(l)];
    std::vector<bool> kept(sizes.size(), false);
    for (size_t l = 0; l < sizes.size(); ++l) kept[l] = readers[l] > 0;
    const Dims own = label_strides(spec->inputs[i], c.in(i).dims(), spec->labels);
    // Labels that neither operand has yet must not multiply the result.
    Dims present(sizes.size(), 1);
    for (size_t l = 0; l < sizes.size(); ++l) {
      if (own[l] != 0 || acc_strides[l] != 0) present[l] = sizes[l];
    }
    acc = contract(c, acc, c.in(i).cast(DType::kFloat), acc_strides, own, present, kept);
    acc_strides = broadcast_strides(acc.dims(), acc.dims());
  }
  Dims out, strides;
  for (int l : spec->output) {
    out.push_back(sizes[static_cast<size_t>(l)]);
    strides.push_back(acc_strides[static_cast<size_t>(l)]);
  }
  return {strided_copy(acc, out, strides)};
}

}  // namespace edgeconv
