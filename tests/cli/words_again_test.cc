// The line that advice offers makes the same blob, but for the inputs: every option of `convert` is in it.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>

#include "convert/cli/arguments.h"
#include "convert/cli/convert_arguments.h"
#include "tests/cli/cli_test.h"

namespace edgeconv::testing {

namespace {

using Words = std::vector<std::string>;

struct Parsed {
  CLI::App app;
  cli::ConvertArguments arguments;

  Parsed() {
    cli::Arguments declared(app);
    arguments.declare(declared);
  }
  Words again(Words words) {
    std::reverse(words.begin(), words.end());  // as CLI11 takes a vector
    app.parse(std::move(words));
    return arguments.words_again();
  }
};

// A value that the option takes.
std::string value_of(const CLI::Option& o) {
  const std::string type = o.get_type_name();
  return type == "N" || type == "X" ? "1" : type.substr(0, type.find('|'));
}

// What it says, or where, changes nothing of the blob; --calib is what the advice adds.
TEST(WordsAgain, HaveEveryOptionOfConvertButMessages) {
  const std::set<std::string> left_out = {"--calib", "--report", "--json", "--progress", "--quiet", "--verbose", "--dump-graph"};
  std::set<std::string> seen;
  const Parsed all;
  for (const CLI::Option* o : all.app.get_options()) {
    if (o->get_positional() || o == all.app.get_help_ptr()) continue;
    const std::string name = o->get_name();
    seen.insert(name);
    Words given = {"m.onnx", name};
    if (o->get_expected_max() != 0) given.push_back(value_of(*o));
    EXPECT_EQ(Parsed().again(given), left_out.count(name) ? Words{"m.onnx"} : given) << name;
  }
  for (const std::string& name : left_out) EXPECT_TRUE(seen.count(name)) << name;
  for (const char* name : {"--state", "--input-scale", "--precision", "--concat", "--custom-op", "--tokenizer", "--target", "--max-loss"})
    EXPECT_TRUE(seen.count(name)) << name;
}

TEST(WordsAgain, AreReadAsTheyWere) {
  EXPECT_EQ(Parsed().again({"--dim", "b=2", "-q", "m.onnx", "--dim=n=3", "--force", "-o", "-", "--outputs=-y"}),
            (Words{"m.onnx", "--output", "-", "--force", "--dim", "b=2", "--dim", "n=3", "--outputs=-y"}));
}

class AdviceTest : public CliTest {};

// It left out states and raw inputs: what was typed made another blob, or was refused.
TEST_F(AdviceTest, AdviceToCalibrateRepeatsWhatWasAskedFor) {
  ModelWriter w;
  w.input("x", kOnnxFloat, {1, 8});
  w.input("h", kOnnxFloat, {1, 8});
  for (const char* name : {"y", "z", "h_out"}) w.output(name, kOnnxFloat, {1, 8});
  w.weights("w", {8, 8});
  float_constant(w, "far", {}).add_float_data(1000);
  w.node("Add", {"x", "h"}, {"sum"});
  w.node("Tanh", {"sum"}, {"h_out"});
  w.node("MatMul", {"h_out", "w"}, {"product"}).set_name("dense");
  w.node("Sub", {"product", "far"}, {"below"});
  w.node("Relu", {"below"}, {"y"});
  w.node("Relu", {"y"}, {"z"});
  write_file(in("it's.onnx"), w.bytes());
  const ProgramResult r = expect_success({in("it's.onnx"), "--max-loss", "0.01", "-q", "--target", "armv8-i8mm", "--state", "h_out=h", "--input-scale",
                                          "x=128,64,uint8", "--precision", "auto", "--precision", "den*=w8a16", "--concat", "y 2=y,z:1", "--golden", "2"});
  EXPECT_NE(r.err.find("it'\\''s.onnx' --target armv8-i8mm --golden 2 --state h_out=h --input-scale x=128,64,uint8 --concat 'y 2=y,z:1' "
                       "--precision auto --precision 'den*=w8a16' --max-loss 0.01 --calib FILE.npz"),
            std::string::npos)
      << r.err;
}

}  // namespace

}  // namespace edgeconv::testing
