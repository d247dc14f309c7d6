// Where an output is decided: a probability by its logit, a spectrum by the powers that it is the logarithm of. Cosines of such outputs
// forgive errors that change decisions.
#pragma once

#include <string>

#include "convert/ir/graph.h"
#include "convert/measure/accuracy.h"

namespace edgeconv {

// Of the output `v` of g, from the operators in front of it.
DecidedBy decision_of(const Graph& g, ValueId v);

// "value", "logit" or "logarithm": as reports name them.
const char* decision_name(Decision d);

// Before figures of an output: "" or "as scores before ArgMax, axis -1: ". And what its agreement is of: "same argmax", "same choices".
std::string measured_text(const OutputError& e);
const char* agreement_text(const OutputError& e);

// "is zero", "hardly moves", ...; empty where it moves.
const char* evidence_text(Evidence e);
// "moves", "hardly moves", "still", "constant", "zero", "certain", "chaotic": as reports name them.
const char* evidence_name(Evidence e);

// Of a probability, within what probabilities of 0.001 and 0.999 have: beyond them nothing is decided.
double clipped_logit(double p);
// The probability that its logarithm is taken of.
double clipped_probability(double p);

}  // namespace edgeconv
