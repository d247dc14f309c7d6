// Model folders: what their files say is taken, what is not understood is named, what is no such file is malformed.
// More than 300 lines, because every test writes a folder of its own.
#include "convert/task/model_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace edgeconv::testing {

namespace {

class ModelFolderTest : public ::testing::Test {
 protected:
  ModelFolderTest()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ModelFolderTest() override { std::filesystem::remove_all(folder_); }

  void file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  ModelFolder read(const TaskSettings& flags = {}, bool lowercases = false) { return read_model_folder(folder_.string(), flags, lowercases, d_); }
  std::string malformed() {
    try {
      read();
    } catch (const FatalError& e) {
      EXPECT_EQ(e.code(), ExitCode::kMalformed);
      return e.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }
  std::string fact(const ModelFolder& m, const std::string& what) {
    for (const FolderFact& f : m.facts)
      if (f.what == what) return f.value + " (" + f.file + ")";
    return "";
  }

  std::filesystem::path folder_;
  Diagnostics d_;
};

TEST_F(ModelFolderTest, EmptyFolderSaysNothing) {
  const ModelFolder m = read();
  EXPECT_EQ(m.settings, TaskSettings{});
  EXPECT_TRUE(m.facts.empty());
}

TEST_F(ModelFolderTest, SentenceTransformer) {
  file("config.json", R"({"architectures": ["BertModel"], "model_type": "bert", "max_position_embeddings": 512})");
  file("modules.json", R"([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                           {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                           {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  file("1_Pooling/config.json",
       R"({"word_embedding_dimension": 384, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true})");
  file("sentence_bert_config.json", R"({"max_seq_length": 256, "do_lower_case": false})");
  const ModelFolder m = read();
  EXPECT_TRUE(d_.ok());
  EXPECT_EQ(m.settings.kind, TaskKind::kEmbed);
  EXPECT_EQ(m.settings.pooling, Pooling::kMean);
  EXPECT_EQ(m.settings.normalize, true);
  EXPECT_EQ(m.settings.max_tokens, 256);
  EXPECT_EQ(fact(m, "pooling"), "mean (1_Pooling/config.json)");
  EXPECT_EQ(fact(m, "max tokens"), "256 (sentence_bert_config.json)");
}

TEST_F(ModelFolderTest, NewerPoolingConfiguration) {
  file(
      "modules.json",
      R"([{"type": "sentence_transformers.models.Transformer", "path": ""}, {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  file("1_Pooling/config.json", R"({"pooling_mode": "lasttoken"})");
  const ModelFolder m = read();
  EXPECT_EQ(m.settings.pooling, Pooling::kLast);
  EXPECT_EQ(m.settings.normalize, false);
}

TEST_F(ModelFolderTest, ClassifierWithSoftmaxAndSigmoid) {
  file("config.json",
       R"({"architectures": ["DistilBertForSequenceClassification"], "id2label": {"0": "NEGATIVE", "1": "POSITIVE"}})");
  ModelFolder m = read();
  EXPECT_EQ(m.settings.kind, TaskKind::kClassify);
  EXPECT_EQ(m.settings.labels, (std::vector<std::string>{"NEGATIVE", "POSITIVE"}));
  EXPECT_EQ(m.settings.independent, false);
  file("config.json", R"({"architectures": ["BertForSequenceClassification"], "problem_type": "multi_label_classification",
                          "id2label": {"1": "b", "0": "a", "2": "c"}})");
  m = read();
  EXPECT_EQ(m.settings.labels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(m.settings.independent, true);
  file("config.json", R"({"architectures": ["BertForSequenceClassification"], "id2label": {"0": "score"}})");
  EXPECT_EQ(read().settings.independent, true) << "one label is a number of its own";
}

TEST_F(ModelFolderTest, TokensAndQuestions) {
  file("config.json", R"({"architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "1": "B-PER"}})");
  EXPECT_EQ(read().settings.kind, TaskKind::kTokens);
  file("config.json", R"({"architectures": ["BertForQuestionAnswering"], "id2label": {"0": "LABEL_0", "1": "LABEL_1"}})");
  EXPECT_EQ(read().settings.kind, TaskKind::kQa);
  EXPECT_TRUE(read().settings.labels.empty());
}

TEST_F(ModelFolderTest, PositionsOfRobertaBeginBehindPadding) {
  file("config.json",
       R"({"architectures": ["RobertaModel"], "model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1})");
  file("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(read().settings.max_tokens, 512);
  file("tokenizer_config.json", R"({"model_max_length": 128})");
  EXPECT_EQ(read().settings.max_tokens, 128);
}

TEST_F(ModelFolderTest, AllThatIsNotUnderstoodIsNamed) {
  file(
      "modules.json",
      R"([{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
                           {"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])");
  file("1_Pooling/config.json", R"({"pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true})");
  file("config_sentence_transformers.json", R"({"prompts": {"query": "query: "}, "default_prompt_name": "query"})");
  read();
  ASSERT_EQ(d_.problems().size(), 4u);
  EXPECT_EQ(d_.problems()[0].where, "pooling_mode_max_tokens");
  EXPECT_EQ(d_.problems()[1].where, "pooling");
  EXPECT_EQ(d_.problems()[2].where, "/2");
  EXPECT_EQ(d_.problems()[3].where, "/default_prompt_name");
}

TEST_F(ModelFolderTest, FlagsReplaceWhatTheFolderSaysAndItsProblems) {
  file(
      "modules.json",
      R"([{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
                           {"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])");
  file("1_Pooling/config.json", R"({"pooling_mode_max_tokens": true})");
  file("sentence_bert_config.json", R"({"max_seq_length": 64, "do_lower_case": true})");
  TaskSettings flags;
  flags.pooling = Pooling::kMean;
  flags.max_tokens = 32;
  const ModelFolder m = read(flags, true);
  EXPECT_TRUE(d_.ok());
  EXPECT_EQ(m.settings.pooling, Pooling::kMean);
  EXPECT_EQ(m.settings.max_tokens, 32);
  EXPECT_EQ(fact(m, "pooling") + fact(m, "max tokens"), "") << "what flags replaced is no fact of the folder";
  flags = {};
  flags.kind = TaskKind::kNoTask;
  EXPECT_EQ(fact(read(flags), "task"), "");
  EXPECT_TRUE(d_.ok());
  read();
  EXPECT_EQ(d_.problems().size(), 3u) << "pooling, Dense, small letters";
}

TEST_F(ModelFolderTest, APoolingWithoutItsFileIsNamed) {
  file("modules.json", R"([{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])");
  read();
  ASSERT_EQ(d_.problems().size(), 1u);
  EXPECT_NE(d_.problems()[0].hint.find("--pooling"), std::string::npos);
}

TEST_F(ModelFolderTest, MalformedFilesAreNamedWithTheirPlace) {
  file("config.json", "{\"architectures\": [");
  EXPECT_NE(malformed().find("no valid JSON at byte"), std::string::npos);
  for (const auto& [text, place] :
       {std::pair("{\"architectures\": 3}", "/architectures"), std::pair("[]", "/ is not"),
        std::pair("{\"architectures\": [\"XForSequenceClassification\"], \"id2label\": {\"1\": \"a\"}}", "/id2label/1"),
        std::pair("{\"architectures\": [\"XForSequenceClassification\"], \"id2label\": {\"0\": 5}}", "/id2label/0"),
        std::pair("{\"max_position_embeddings\": \"many\"}", "/max_position_embeddings")}) {
    file("config.json", text);
    EXPECT_NE(malformed().find(place), std::string::npos) << text;
  }
}

TEST_F(ModelFolderTest, FieldsOfAnotherKindAreNamed) {
  const std::string classifier = R"({"architectures": ["XForSequenceClassification"], )", pooling = R"([{"type": "m.Pooling"}])";
  for (const auto& [name, text, said] : std::vector<std::array<std::string, 3>>{
           {"config.json", R"({"architectures": [3]})", "/architectures is not a list of names"},
           {"config.json", R"({"model_type": 1})", "/model_type is not a string"},
           {"config.json", classifier + R"("problem_type": []})", "/problem_type is not a string"},
           {"config.json", classifier + R"("id2label": {"0": "a", "00": "b"}})", "/id2label/00 is not an index from 0 on"},
           {"config.json", classifier + R"("id2label": {"": "a"}})", "/id2label/ is not an index from 0 on"},
           {"config.json", classifier + R"("id2label": {"123456": "a"}})", "/id2label/123456 is not an index from 0 on"},
           {"config.json", classifier + R"("id2label": {"one": "a"}})", "/id2label/one is not an index from 0 on"},
           {"config.json", classifier + R"("id2label": {"0": ""}})", "/id2label/0 is not the name of a label"},
           {"modules.json", "{}", "/ is not a list of modules"},
           {"modules.json", "[3]", "/0/type is not the name of a module"},
           {"modules.json", R"([{"path": ""}])", "/0/type is not the name of a module"},
           {"modules.json", R"([{"type": {}}])", "/0/type is not the name of a module"},
           {"1_Pooling/config.json", R"({"pooling_mode_cls_token": "yes"})", "/pooling_mode_cls_token is not true or false"},
           {"config_sentence_transformers.json", R"({"default_prompt_name": "q"})", "/default_prompt_name is not the name of one of"},
           {"config_sentence_transformers.json", R"({"default_prompt_name": "q", "prompts": ["q"]})", "/default_prompt_name is not"},
           {"config_sentence_transformers.json", R"({"default_prompt_name": "q", "prompts": {"d": ""}})", "/default_prompt_name is not"},
           {"config_sentence_transformers.json", R"({"default_prompt_name": "q", "prompts": {"q": 3}})", "/default_prompt_name is not"},
       }) {
    if (name != "config.json") file("modules.json", pooling);
    file(name, text);
    const std::string message = malformed();
    EXPECT_NE(message.find(said), std::string::npos) << text << message;
    EXPECT_NE(message.find(name), std::string::npos) << message;
    std::filesystem::remove_all(folder_ / name);
  }
}

// null is what transformers writes for what is not set.
TEST_F(ModelFolderTest, FieldsThatAreNullSayNothing) {
  file("config.json", R"({"architectures": null, "model_type": null, "max_position_embeddings": null})");
  EXPECT_EQ(read().settings, TaskSettings{});
  file("config.json", R"({"architectures": []})");
  EXPECT_EQ(read().settings, TaskSettings{});
  file("config.json", R"({"architectures": ["T5ForConditionalGeneration"]})");
  EXPECT_EQ(read().settings, TaskSettings{}) << "a head that no task is for";
}

TEST_F(ModelFolderTest, ScoresAreWhatTheConfigurationSays) {
  const auto scores = [&](const std::string& more) {
    file("config.json", R"({"architectures": ["XForSequenceClassification"], "id2label": {"0": "a", "1": "b"}, )" + more + "}");
    return read().settings.independent;
  };
  EXPECT_EQ(scores(R"("function_to_apply": "sigmoid")"), true);
  EXPECT_EQ(scores(R"("problem_type": "multi_label_classification", "function_to_apply": "softmax")"), false);
  EXPECT_TRUE(d_.ok());
  scores(R"("function_to_apply": "none")");
  scores(R"("problem_type": "regression")");
  ASSERT_EQ(d_.problems().size(), 2u);
  EXPECT_EQ(d_.problems()[0].where + d_.problems()[1].where, "/function_to_apply/problem_type");
}

TEST_F(ModelFolderTest, PoolingByItsNewName) {
  file("modules.json", R"([{"type": "m.Transformer"}, {"type": "m.Pooling"}])");  // in 1_Pooling, where no path says otherwise
  for (const auto& [mode, kind] : {std::pair{"mean", Pooling::kMean}, {"cls", Pooling::kFirst}, {"lasttoken", Pooling::kLast}}) {
    file("1_Pooling/config.json", std::string(R"({"pooling_mode": ")") + mode + "\"}");
    EXPECT_EQ(read().settings.pooling, kind) << mode;
  }
  EXPECT_TRUE(d_.ok());
  file("1_Pooling/config.json", R"({"pooling_mode": "max"})");
  EXPECT_FALSE(read().settings.pooling.has_value());
  ASSERT_EQ(d_.problems().size(), 1u);
  EXPECT_EQ(d_.problems()[0].where, "pooling_mode: max");
}

// A prompt that is empty changes no text, and one of a folder that no task embeds with is nobody's.
TEST_F(ModelFolderTest, PromptsThatChangeNothingAreNoProblem) {
  file("modules.json", R"([{"type": "m.Transformer"}])");
  file("config_sentence_transformers.json", R"({"prompts": {"document": ""}, "default_prompt_name": "document"})");
  read();
  file("config_sentence_transformers.json", R"({"prompts": {"query": "query: "}, "default_prompt_name": "query"})");
  TaskSettings flags;
  flags.kind = TaskKind::kNoTask;
  read(flags);
  EXPECT_TRUE(d_.ok());
}

// Reading went on until the memory ended, or for ever.
TEST_F(ModelFolderTest, DevicesAndLoopsAreErrorsOfInput) {
  for (const char* target : {"/dev/zero", "config.json"}) {
    std::filesystem::create_symlink(target, folder_ / "config.json");
    try {
      read();
      ADD_FAILURE() << target;
    } catch (const FatalError& e) {
      EXPECT_EQ(e.code(), ExitCode::kIo) << e.what();
    }
    std::filesystem::remove(folder_ / "config.json");
  }
}

TEST_F(ModelFolderTest, ModulesOutsideTheFolderAreNotRead) {
  for (const char* path : {"../other", "1_Pooling/../../other", "/etc"}) {
    file("modules.json", std::string(R"([{"type": "sentence_transformers.models.Pooling", "path": ")") + path + "\"}]");
    EXPECT_NE(malformed().find("/0/path is not a folder below this one"), std::string::npos) << path;
  }
}

// The difference was no int64_t: undefined, and a maximum of -2^63 tokens.
TEST_F(ModelFolderTest, PositionsBeforeHugePaddingSetNoMaximum) {
  for (const char* padding : {"-1e300", "1e300", "-1e18"}) {
    file("config.json", std::string(R"({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": )") + padding + "}");
    EXPECT_FALSE(read().settings.max_tokens.has_value()) << padding;
  }
}

// The labels were not looked at where only the command line named the task.
TEST_F(ModelFolderTest, LabelsCountForATaskOfTheCommandLine) {
  TaskSettings flags;
  flags.kind = TaskKind::kClassify;
  file("config.json", R"({"id2label": 3})");
  try {
    read(flags);
    ADD_FAILURE() << "accepted";
  } catch (const FatalError& e) {
    EXPECT_EQ(e.code(), ExitCode::kMalformed);
    EXPECT_NE(std::string(e.what()).find("config.json: /id2label is not an object"), std::string::npos) << e.what();
  }
  file("config.json", R"({"id2label": {"0": "so", "1": "or so"}})");
  EXPECT_EQ(read(flags).settings.labels, (std::vector<std::string>{"so", "or so"}));
}

TEST_F(ModelFolderTest, LabelsOfAFile) {
  file("labels.txt", "yes\nno\r\nperhaps");
  EXPECT_EQ(read_label_names((folder_ / "labels.txt").string()), (std::vector<std::string>{"yes", "no", "perhaps"}));
  for (const char* text : {"", "a\n\nb\n", "a\na\n"}) {
    file("labels.txt", text);
    EXPECT_THROW(read_label_names((folder_ / "labels.txt").string()), FatalError) << text;
  }
  EXPECT_EQ(entailment_label({"contradiction", "neutral", "ENTAILMENT"}), 2);
  EXPECT_EQ(entailment_label({"yes", "no"}), -1);
}

}  // namespace

}  // namespace edgeconv::testing
