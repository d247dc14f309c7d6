// Loop and Scan over an axis of unknown length, end to end: unrolled as often as --dim allows, with runs of any length up to it.
#include <fmt/format.h>

#include "tests/cli/loops_fixture.h"

namespace edgeconv::testing::loop_models {

TEST_F(LoopsTest, AScanRunsAtAnyLengthUpToItsDim) {
  for (const int64_t axis : {0, 1})
    for (const bool backward : {false, true}) {
      SCOPED_TRACE(fmt::format("axis {}, {}", axis, backward ? "backward" : "forward"));
      write(scan(axis, backward));
      convert({"--dim", "T=5"});
      for (const Floats& x : {Floats{3}, Floats{1, -2}, Floats{1, 2, 3, 4, 5}}) {
        Floats turned = x;
        if (backward) std::reverse(turned.begin(), turned.end());
        Floats want = decaying_sums(turned);
        const float last = want.back();
        if (backward) std::reverse(want.begin(), want.end());
        const auto [sums, end] = run(x, axis == 0);
        EXPECT_EQ(sums, want);
        EXPECT_EQ(end, Floats{last});
      }
    }
}

TEST_F(LoopsTest, ALoopOverRowsRunsAtAnyLengthUpToItsDim) {
  for (const bool counts : {false, true}) {
    SCOPED_TRACE(counts);
    write(loop(counts));
    convert({"--dim", "T=4", "--force"});
    for (const Floats& x : {Floats{3}, Floats{1, -2, 5}, Floats{1, 2, 3, 4}}) {
      const auto [sums, last] = run(x, true);
      EXPECT_EQ(sums, decaying_sums(x));
      EXPECT_EQ(last, Floats{sums.back()});
    }
    const ProgramResult v = expect_success({"validate", in("m.onnx"), in("m.ert")});
    EXPECT_NE(v.out.find("certificate: confirmed"), std::string::npos) << v.out;
  }
}

// A condition that ends the loop a round early, or compares with another number, leaves the rounds to the run.
TEST_F(LoopsTest, AConditionThatMayEndEarlyIsRefused) {
  ModelWriter w = loop(true);
  auto& nodes = *w.proto().mutable_graph()->mutable_node();
  auto& body = *nodes[nodes.size() - 1].mutable_attribute(0)->mutable_g();
  for (pb::NodeProto& n : *body.mutable_node())
    if (n.output(0) == "more_rounds") n.set_input(0, "next_row");
  write(w);
  convert({"--dim", "T=4"});
  for (pb::NodeProto& n : *body.mutable_node())
    if (n.output(0) == "more_rounds") n.set_input(0, "later");
  auto* later = body.add_node();
  later->set_op_type("Add");
  later->add_input("next_row");
  later->add_input("one");
  later->add_output("later");
  for (int i = body.node_size() - 1; i > 1; --i) body.mutable_node()->SwapElements(i, i - 1);
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--dim", "T=4"}, kUnsupported,
                 {"recurrence", "a condition that depends on the data ends them"});
}

// An And of a value with itself, again and again: the ways to what is compared double with each.
TEST_F(LoopsTest, AConditionOfManyPartsEndsAtOnce) {
  ModelWriter w = loop(true);
  auto& nodes = *w.proto().mutable_graph()->mutable_node();
  auto& body = *nodes[nodes.size() - 1].mutable_attribute(0)->mutable_g();
  std::string part = "again";
  for (int i = 0; i < 60; ++i) {
    const std::string both = "both" + std::to_string(i);
    inner_node(body, "And", {part, part}, both);
    part = both;
  }
  body.mutable_output(0)->set_name(part);
  write(w);
  expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--dim", "T=4"}, kUnsupported, {"recurrence"});
}

TEST_F(LoopsTest, AFixedLengthNeedsNoChoices) {
  for (const ModelWriter& w : {loop(), loop(true), scan(0, false)}) {
    write(w);
    convert({"--fix", "T=3"});
    EXPECT_EQ(run({1, 2, 3}, true).first, decaying_sums({1, 2, 3}));
    const ProgramResult i = expect_success({"inspect", in("m.ert"), "--json"});
    EXPECT_EQ(i.out.find("\"Where\""), std::string::npos) << i.out;
  }
}

TEST_F(LoopsTest, AnUnboundedLengthIsRefusedWithWhatBoundsIt) {
  for (const ModelWriter& w : {loop(), loop(true), scan(0, true)}) {
    write(w);
    expect_refusal({in("m.onnx"), "-o", in("no.ert")}, kUnsupported, {"recurrence", "dim 'T'", "--dim T=MAX", "--fix T=N"});
    expect_refusal({in("m.onnx"), "-o", in("no.ert"), "--dim", "T=1100"}, kUnsupported, {"recurrence", "at most 1024"});
  }
}

}  // namespace edgeconv::testing::loop_models
