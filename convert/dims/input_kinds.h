// What the float inputs of a model are: sound, spectra, images, states that it gave itself, or features that tell nothing of themselves.
// Made-up inputs go by it: layers whose errors decide an output on real inputs are often exact on others.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "convert/dims/kept_states.h"
#include "convert/ir/graph.h"

namespace edgeconv {

enum class InputKind : uint8_t {
  kFeatures,
  kWaveform,  // samples along `axis`
  kSpectrum,  // frames along `axis`, bins along `channels`
  kImage,     // rows along `axis`, columns along the next one, colours along `channels`
  kField,     // one channel in two dimensions: a spectrum or a gray image
  kWindow,    // some frames of features that another network gives: [rows, frames, features]
  kState,     // what output number `output` gave in the run before
};

// Sound and pictures.
constexpr bool is_signal(InputKind k) {
  return k == InputKind::kWaveform || k == InputKind::kSpectrum || k == InputKind::kImage || k == InputKind::kField;
}

enum class InputScale : uint8_t {
  kAny,        // the graph does not tell
  kUnit,       // up to about 1
  kInt16,      // samples as integers
  kBytes,      // colours as integers
  kByteRange,  // those, or what is left of them without their mean
  kLogarithms,  // of the power in bins, as they are (inputs/spectrum_units.h)
  kRecorded,    // of one recording, as its maker likes: logarithms from 0 up, or normalized
};

struct InputNature {
  InputKind kind = InputKind::kFeatures;
  InputScale scale = InputScale::kAny;
  int axis = -1, channels = -1;
  int output = -1;
};

// Of all float inputs, and those of pixels (uint8) and samples (int16), that are not plain features, by shape, name and first operators. g: the model as exported, shapes inferred. states: those that the user
// has named, of any type.
std::map<ValueId, InputNature> input_kinds(const Graph& g, const std::vector<KeptState>& states = {});

// Whether an input is the number of samples in a second.
bool is_sample_rate(const Value& input);

// "waveform", "spectrum", ...: for reports.
std::string kind_name(InputKind kind);

}  // namespace edgeconv
