// See model_mutator.h.
#include "tests/fuzz/model_mutator.h"

#include "tests/cli/model_mutator.h"
#include "tests/fuzz/nested_mutator.h"

namespace ert::fuzz {

bool mutate_onnx(Bytes* bytes, RandomNumbers* random) {
  edgeconv::testing::Random engine(random->bits());
  std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  edgeconv::pb::ModelProto model;
  if (random->integer(0, 3) != 0 && model.ParseFromString(text) && model.has_graph()) {
    for (int n = random->integer(1, 3); n > 0; --n)
      random->integer(0, 3) == 0 ? mutate_nested(&model, engine) : edgeconv::testing::mutate_model(model, engine);
    text = model.SerializeAsString();
  } else if (!text.empty()) {
    edgeconv::testing::mutate_bytes(text, engine);
  }
  bytes->assign(text.begin(), text.end());
  return true;
}

}  // namespace ert::fuzz
