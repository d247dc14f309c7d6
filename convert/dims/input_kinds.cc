// Tells what an input is from its shape, its name and its first operators (first_readers.h).
#include "convert/dims/input_kinds.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "convert/dims/first_readers.h"
#include "kernels_int8/contract/unary.h"

namespace edgeconv {

namespace {

// Sizes of mel filter banks, and of the spectra of common transforms.
constexpr int64_t kBins[] = {32, 40, 64, 80, 96, 128, 161, 201, 229, 257};
constexpr int64_t kLongKernel = 8;     // taps; of a first convolution over one channel
constexpr int64_t kManyBins = 16;      // a field with fewer is no spectrum
constexpr float kInt16Factor = 10000;  // a factor beyond it turns samples in [-1, 1] into integers, its inverse takes them back
// First convolutions of models that read colours from 0 to 1, or normalized, respond by 0.04 to 1.4; of models that read 0 to 255 by 0.0005
// to 0.002.
constexpr float kByteResponse = 0.01f;
constexpr float kByteFactor = 25;  // the same of colours; 1/255 divided by their spread of about .25 is 1/64

std::string lower(std::string s) {
  for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

bool says(const std::string& name, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return name.find(w) != std::string::npos; });
}

bool is_bins(const DimExpr& d) {
  const auto n = d.constant();
  return n && std::find(std::begin(kBins), std::end(kBins), *n) != std::end(kBins);
}
bool is_one(const DimExpr& d) { return d.constant() == 1; }

// What is left of a name without the words for "before" and "after".
std::string stem(std::string name) {
  for (const char* word :
       {"input", "output", "previous", "prev", "next", "new", "past", "present", "initial", "init", "out", "in"})
    for (size_t at; (at = name.find(word)) != std::string::npos;) name.erase(at, std::string(word).size());
  name.erase(
      std::remove_if(name.begin(), name.end(), [](unsigned char c) { return c == '_' || c == '.' || c == ':' || c == '/'; }),
      name.end());
  return name;
}

bool names_follow(const std::string& before, const std::string& after) {
  const std::string a = stem(before), b = stem(after);
  if (!std::any_of(a.begin(), a.end(), [](unsigned char c) { return std::isalpha(c); })) return false;
  return a == b || b == a + "n" || b == a + "t" || b == a + "1" || before + "n" == after;
}

// least: axes that there must be.
bool may_be_as_large(const Shape& a, const Shape& b, size_t least) {
  if (a.size() != b.size() || a.size() < least) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].constant() && b[i].constant() && *a[i].constant() != *b[i].constant()) return false;
  return true;
}

// Whether v is made of the last states of one of these layers, and of nothing else but the like.
bool is_last_state(const Graph& g, ValueId v, const std::set<NodeId>& layers, size_t which) {
  for (int depth = 0; depth < 16; ++depth) {
    const Node* p = g.producer(v);
    if (!p) return false;
    if (p->kind == OpKind::kRnn)
      return layers.count(static_cast<NodeId>(p - g.nodes.data())) && p->outputs.size() > which && p->outputs[which] == v;
    if (!passes_values(*p, 0) || p->kind == OpKind::kBinary || p->kind == OpKind::kWhere) return false;
    v = p->in(0);
  }
  return false;
}

// Which initial state the values end in: 1 of h, 2 of c, as the outputs of the operator are numbered.
size_t state_number(const Graph& g, const std::vector<std::vector<NodeId>>& users, ValueId v) {
  for (int depth = 0; depth < 16; ++depth) {
    const Node* next = nullptr;
    for (const NodeId id : users[static_cast<size_t>(v)]) {
      const Node& n = g.node(id);
      if (n.kind == OpKind::kRnn) return n.in(6) == v ? 2 : 1;
      if (!n.dead && passes_values(n, 0)) next = &n;
    }
    if (!next) return 1;
    v = next->outputs[0];
  }
  return 1;
}

// The output that gives the next state; -1 where the input is no state.
int state_output(const Graph& g, const std::vector<std::vector<NodeId>>& users, ValueId input, const FirstReaders& readers,
                 const std::set<int>& taken) {
  const Value& in = g.value(input);
  if (g.inputs.size() < 2) return -1;
  int by_structure = -1;
  for (size_t o = 0; o < g.outputs.size(); ++o) {
    const Value& out = g.value(g.outputs[o]);
    if (taken.count(static_cast<int>(o)) || out.dtype != in.dtype || !out.shape || !may_be_as_large(*in.shape, *out.shape, readers.recurrent.empty() ? 2 : 1))
      continue;
    if (names_follow(lower(in.name), lower(out.name))) return static_cast<int>(o);
    if (by_structure < 0 && !readers.recurrent.empty() &&
        is_last_state(g, g.outputs[o], readers.recurrent, state_number(g, users, input)))
      by_structure = static_cast<int>(o);
  }
  return by_structure;
}

int last_wide_axis(const Shape& s) {
  int axis = static_cast<int>(s.size()) - 1;
  while (axis > 0 && is_one(s[static_cast<size_t>(axis)])) --axis;
  return axis;
}

// Two axes beside the batch and one of length 1 or none: frames and bins.
bool spectrum_axes(const Shape& s, InputNature& n) {
  std::vector<int> wide;
  for (size_t a = 1; a < s.size(); ++a)
    if (!is_one(s[a])) wide.push_back(static_cast<int>(a));
  if (wide.size() != 2) return false;
  const bool first = is_bins(s[static_cast<size_t>(wide[0])]), second = is_bins(s[static_cast<size_t>(wide[1])]);
  const bool second_fixed = s[static_cast<size_t>(wide[1])].is_constant();
  const bool bins_last = second && (!first || second_fixed);
  n.channels = bins_last || (!first && second_fixed) ? wide[1] : wide[0];
  n.axis = n.channels == wide[0] ? wide[1] : wide[0];
  return true;
}

InputNature image(const Shape& s, int64_t channels) {
  InputNature n{InputKind::kImage, InputScale::kAny, 2, 1};
  if (s.size() == 4 && s[3].constant() == channels && s[1].constant() != channels) n.axis = 1, n.channels = 3;
  return n;
}

// rate: another input says how many samples a second has.
std::optional<InputNature> nature(const Value& v, const FirstReaders& readers, bool rate) {
  const Shape& s = *v.shape;
  const std::string name = lower(v.name);
  const bool sound = says(name, {"wav", "audio", "pcm", "signal", "samples", "speech", "sound"});
  const bool spectral = says(name, {"mel", "spec", "fbank", "stft", "fft", "mfcc"}),
             pictorial = says(name, {"pixel", "image", "img", "frame"});
  const auto wide = std::count_if(s.begin() + (s.size() > 1), s.end(), [](const DimExpr& d) { return !is_one(d); });
  InputNature n;
  if (readers.recording && !sound) {
    if (pictorial) return InputNature{InputKind::kImage, InputScale::kAny, 0, -1};
    return InputNature{InputKind::kSpectrum, InputScale::kRecorded, 0, 1};
  }
  if (wide == 1 && !spectral && s.size() <= 4) {
    const int axis = last_wide_axis(s);
    const auto length = s[static_cast<size_t>(axis)].constant();
    const bool front_end = (readers.conv1d && readers.channels == 1 && readers.kernel >= 3) || readers.power;
    if ((sound || rate || front_end) && (!length || *length >= kLongKernel)) {
      n = {InputKind::kWaveform, InputScale::kAny, axis, -1};
      if (readers.factor >= kInt16Factor) n.scale = InputScale::kUnit;
      if (readers.factor > 0 && readers.factor <= 1 / kInt16Factor) n.scale = InputScale::kInt16;
      return n;
    }
    return {};
  }
  // A convolution may read the pixels of a square as one with so many more colours.
  const auto folds = [&](int64_t colours) {
    return readers.channels > 0 && readers.channels % colours == 0 && (s[1].constant() == colours || s[3].constant() == colours);
  };
  if (wide == 3 && s.size() == 4 && readers.conv2d && (readers.channels == 4 || folds(3))) {
    n = image(s, readers.channels == 4 && !folds(3) ? 4 : 3);
    if (readers.response > 0 && readers.response * std::fabs(readers.factor) < kByteResponse) n.scale = InputScale::kByteRange;
    if (readers.factor > 0 && readers.factor <= 1 / kByteFactor) n.scale = InputScale::kBytes;
    return n;
  }
  if (wide != 2 || s.size() < 3 || !spectrum_axes(s, n)) return {};
  const auto bins = s[static_cast<size_t>(n.channels)].constant();
  n.kind = InputKind::kSpectrum;
  if (spectral) return n;
  if (readers.conv2d && readers.channels == 1) {
    const auto frames = s[static_cast<size_t>(n.axis)].constant();
    if (pictorial || (bins && frames == bins))
      n = InputNature{InputKind::kImage, InputScale::kAny, n.axis < n.channels ? n.axis : n.channels, -1};
    else if (s.size() == 4)
      n.kind = InputKind::kField;
    return n;
  }
  const bool known_bins = bins && is_bins(s[static_cast<size_t>(n.channels)]);
  if (known_bins && ((readers.conv1d && readers.channels == *bins) || says(name, {"feature", "feat"}))) return n;
  if (bins && *bins >= kManyBins && says(name, {"audio_feat", "speech_feat"})) return n;
  // A window of fixed size is what a small network behind a large one reads; sequences of any length are tokens of a transformer.
  if (s.size() == 3 && s[1].is_constant() && s[2].is_constant()) return InputNature{InputKind::kWindow};
  return {};
}

}  // namespace

std::map<ValueId, InputNature> input_kinds(const Graph& g, const std::vector<KeptState>& states) {
  std::map<ValueId, InputNature> kinds;
  const auto users = g.users();
  std::set<int> taken;
  const bool rate = std::any_of(g.inputs.begin(), g.inputs.end(), [&](ValueId in) { return is_sample_rate(g.value(in)); });
  for (const KeptState& s : states) {
    taken.insert(static_cast<int>(s.output));
    kinds[g.inputs[s.input]] = {InputKind::kState, InputScale::kAny, -1, -1, static_cast<int>(s.output)};
  }
  for (ValueId in : g.inputs) {
    const Value& v = g.value(in);
    if (kinds.count(in)) continue;
    const bool raw = v.dtype == DType::kUint8 || v.dtype == DType::kInt16;  // pixels or samples
    if ((!is_float(v.dtype) && !raw) || !v.shape || v.shape->empty() || says(lower(v.name), {"mask"})) continue;
    const FirstReaders readers = first_readers(g, users, in);
    if (const int output = state_output(g, users, in, readers, taken); output >= 0) {
      taken.insert(output);
      kinds[in] = {InputKind::kState, InputScale::kAny, -1, -1, output};
    } else if (const auto n = nature(v, readers, rate)) {
      kinds[in] = *n;
      if (raw) kinds[in].scale = v.dtype == DType::kUint8 ? InputScale::kBytes : InputScale::kInt16;
    }
  }
  // Volts or integers: the floor of a logarithm tells them apart, and nothing else. States of one unit are not fed with the other.
  const bool logarithms = std::any_of(g.nodes.begin(), g.nodes.end(), [](const Node& n) {
    return !n.dead && n.kind == OpKind::kUnary && n.as<UnaryAttrs>().kind == static_cast<int>(ert::kernels::Unary::kLog);
  });
  for (auto& [in, n] : kinds)
    if (n.kind == InputKind::kWaveform && n.scale == InputScale::kAny && (!logarithms || !taken.empty()))
      n.scale = InputScale::kUnit;
  return kinds;
}

bool is_sample_rate(const Value& input) {
  const std::string name = lower(input.name);
  return is_integer(input.dtype) && input.shape && input.shape->size() <= 1 &&
         (name == "sr" || says(name, {"sample_rate", "sampling_rate", "samplerate"}));
}

std::string kind_name(InputKind kind) {
  switch (kind) {
    case InputKind::kFeatures: return "features";
    case InputKind::kWaveform: return "sound";
    case InputKind::kSpectrum: return "a spectrum";
    case InputKind::kImage: return "images";
    case InputKind::kField: return "a spectrum or images";
    case InputKind::kWindow: return "windows of features";
    case InputKind::kState: return "the model's own states";
  }
  return "";
}

}  // namespace edgeconv
