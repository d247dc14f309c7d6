// What people type next, as summaries offer it.
#pragma once

#include <string>
#include <vector>

namespace edgeconv {

class BlobRunner;

// "next ...\n" behind a conversion or with the inspection of a blob. runner: the blob; answers: it has a tokenizer and a task;
// inspected: the reader is inspecting already. Small inputs are given as numbers, so that the command runs as it stands.
std::string next_with_blob(const std::string& blob, const BlobRunner& runner, bool answers, bool inspected);

// Behind the inspection of a model that converts: with the options that were given. Empty for blobs and models that do not convert.
std::string next_with_model(const std::string& model, const std::vector<std::string>& options);

}  // namespace edgeconv
