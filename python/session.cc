#include "python/session.h"

#include <algorithm>
#include <system_error>

#include "python/refusal.h"

namespace edgeconv_python {

namespace {

constexpr size_t kMostEntities = 4096;      // to begin with
constexpr size_t kRoomOfHypothesis = 4096;  // the blob's sentence around a label

// "PER" of "B-PER", and what stands behind the first '-' of any label, as the pipeline of transformers shows spans.
std::string name_of_span(const std::string& label) {
  const size_t dash = label.find('-');
  return dash == std::string::npos ? label : label.substr(dash + 1);
}

void parallel_for(void* pool, uint32_t tasks, ert_task task, void* arg) { ert_thread_pool_parallel_for(pool, tasks, task, arg); }

}  // namespace

Session::Session(const Blob& blob, const Settings& settings) : blob_(blob) {
  config_.struct_size = sizeof config_;
  config_.isa_mask = settings.isa_mask;
  config_.threads = settings.threads;
  if (settings.threads < 2) return;
  const size_t bytes = ert_thread_pool_bytes(settings.threads);
  pool_memory_ = allocate_aligned(bytes);
  if (const int error = ert_thread_pool_init(&pool_, pool_memory_.get(), bytes, settings.threads); error != 0)
    throw std::system_error(error, std::generic_category(), "cannot start " + std::to_string(settings.threads) + " threads");
  config_.parallel_for = parallel_for;
  config_.parallel_context = pool_;
}

Session::~Session() {
  if (pool_ != nullptr) ert_thread_pool_shutdown(pool_);
}

void Session::refuse(ert_status s) const { refuse_run(s, blob_.model(), context_); }

void Session::reserve(const std::vector<int32_t>& dims) {
  std::vector<int32_t> wanted = dims;
  bool fits = ready_;
  for (size_t i = 0; i < dims.size(); ++i) {
    const ert_dim_info& d = blob_.dims()[i];
    if (dims[i] < d.min || dims[i] > d.max)
      throw Refusal(ERT_ERR_DIMS, "dim '" + std::string(d.name) + "' is " + std::to_string(dims[i]) + ", this blob takes " +
                                      std::to_string(d.min) + " to " + std::to_string(d.max) + "; edgeconv.convert(..., dim='" +
                                      d.name + "=MAX') sets the largest");
    if (ready_) {
      fits &= dims[i] <= dims_[i];
      wanted[i] = std::max(dims[i], dims_[i]);
    }
    // A stream goes on in the context that has its states: it has room for all that may come.
    if (blob_.info().states != 0) wanted[i] = d.max;
  }
  if (fits) return;
  const int32_t* largest = wanted.empty() ? nullptr : wanted.data();
  ert_memory_need need{};
  need.struct_size = sizeof need;
  if (const ert_status s = ert_arena_bytes(&blob_.model(), &config_, largest, &need); s != ERT_OK)
    throw Refusal(s, std::string("cannot plan the memory of a run: ") + ert_status_str(s));
  ready_ = false;
  arena_ = allocate_aligned(need.bytes);
  const ert_region region{arena_.get(), need.bytes};
  if (const ert_status s = ert_context_init(&context_, &blob_.model(), &config_, largest, &region, 1); s != ERT_OK)
    throw Refusal(s, std::string("cannot prepare a run: ") + ert_status_str(s));
  dims_ = wanted;
  ready_ = true;
}

std::vector<int32_t> Session::dims_of(const std::vector<ert_tensor>& inputs) const {
  std::vector<int32_t> dims;
  for (const ert_dim_info& d : blob_.dims()) dims.push_back(d.min);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ert_value_info& v = blob_.inputs()[i];
    if (inputs[i].data == nullptr || inputs[i].rank != v.rank) continue;  // bind says what is wrong
    for (uint32_t axis = 0; axis < v.rank; ++axis)
      if (v.dim[axis] >= 0) dims[static_cast<size_t>(v.dim[axis])] = inputs[i].shape[axis];
  }
  return dims;
}

std::vector<int32_t> Session::dims_of_one_text() const {
  std::vector<int32_t> dims;
  for (const ert_dim_info& d : blob_.dims()) dims.push_back(d.max);
  for (const ert_value_info& v : blob_.inputs())
    if (v.rank != 0 && v.dim[0] >= 0) dims[static_cast<size_t>(v.dim[0])] = blob_.dims()[static_cast<size_t>(v.dim[0])].min;
  return dims;
}

void Session::run(const std::vector<ert_tensor>& inputs,
                  const std::function<void*(size_t i, const ert_tensor& shape)>& allocate) {
  reserve(dims_of(inputs));
  for (uint32_t i = 0; i < inputs.size(); ++i)
    if (const ert_status s = ert_bind_input(&context_, i, inputs[i].data != nullptr ? &inputs[i] : nullptr); s != ERT_OK)
      refuse(s);
  for (uint32_t i = 0; i < blob_.outputs().size(); ++i) {
    ert_tensor t{};
    t.struct_size = sizeof t;
    if (const ert_status s = ert_output_shape(&context_, i, &t); s != ERT_OK) refuse(s);
    t.dtype = blob_.outputs()[i].dtype;
    t.data = allocate(i, t);
    if (const ert_status s = ert_bind_output(&context_, i, &t); s != ERT_OK) refuse(s);
  }
  if (const ert_status s = ert_run(&context_); s != ERT_OK) refuse(s);
}

void Session::reset_states() {
  if (ready_) ert_state_reset(&context_);
}

ert_isa Session::isa() {
  std::vector<int32_t> least;
  for (const ert_dim_info& d : blob_.dims()) least.push_back(d.min);
  if (!ready_) reserve(least);
  ert_isa isa = ERT_ISA_REF;
  ert_context_isa(&context_, &isa);
  return isa;
}

Answer Session::answer(const Question& q) {
  reserve(dims_of_one_text());
  const uint32_t task = blob_.task().task;
  std::vector<ert_text_name> names;
  size_t pair_bytes = q.pair ? q.pair->size() : 0;
  for (const std::string& label : q.labels) {
    names.push_back({label.data(), label.size()});
    pair_bytes = std::max(pair_bytes, label.size() + kRoomOfHypothesis);
  }
  ert_question question{};
  question.struct_size = sizeof question;
  question.top = q.top;
  question.text = q.text.data(), question.bytes = q.text.size();
  if (q.pair) question.pair = q.pair->data(), question.pair_bytes = q.pair->size();
  question.labels = names.data(), question.label_count = static_cast<uint32_t>(names.size());
  size_t need = 0;
  if (const ert_status s = ert_text_run_bytes(blob_.text(), &context_, q.text.size(), pair_bytes, &need); s != ERT_OK)
    throw Refusal(s, std::string("the text cannot be answered: ") + ert_status_str(s));
  if (need > work_bytes_) work_ = allocate_aligned(need), work_bytes_ = need;
  std::vector<float> vector(blob_.task().vector);
  std::vector<ert_scored> scored(
      task == ERT_TEXT_EMBED ? 0 : std::max<size_t>({kMostEntities, blob_.task().labels, q.labels.size(), q.top}));
  ert_answer a{};
  for (;;) {
    a = {};
    a.struct_size = sizeof a;
    a.capacity = static_cast<uint32_t>(task == ERT_TEXT_EMBED ? vector.size() : scored.size());
    a.vector = vector.data(), a.scored = scored.data();
    const ert_status s = ert_text_run(&context_, blob_.text(), &question, work_.get(), work_bytes_, &a);
    if (s == ERT_OK) break;
    if (s != ERT_ERR_NOMEM || a.count <= scored.size())
      throw Refusal(s, std::string("the text cannot be answered: ") + ert_status_str(s));
    scored.resize(a.count);
  }
  Answer out;
  out.truncated = a.truncated != 0;
  if (task == ERT_TEXT_EMBED) {
    out.vector.assign(vector.begin(), vector.begin() + a.count);
    return out;
  }
  for (uint32_t i = 0; i < a.count; ++i) {
    Scored one{"", scored[i].score, scored[i].span.start, scored[i].span.end};
    if (task == ERT_TEXT_CLASSIFY) one.label = blob_.labels().at(scored[i].label);
    if (task == ERT_TEXT_TOKENS) one.label = name_of_span(blob_.labels().at(scored[i].label));
    if (task == ERT_TEXT_ZERO_SHOT) one.label = q.labels.at(scored[i].label);
    out.scored.push_back(one);
  }
  return out;
}

std::vector<int32_t> encode(const Blob& blob, const std::string& text, const std::optional<std::string>& pair,
                            bool special_tokens) {
  size_t need = 0;
  if (const ert_status s = ert_text_bytes(blob.text(), text.size(), pair ? pair->size() : 0, &need); s != ERT_OK)
    throw Refusal(s, std::string("the text is too long: ") + ert_status_str(s));
  const AlignedMemory work = allocate_aligned(need);
  ert_text_options options{};
  options.struct_size = sizeof options;
  options.flags = ERT_TEXT_NO_PADDING | (special_tokens ? 0u : ERT_TEXT_NO_SPECIAL_TOKENS);
  std::vector<int32_t> ids(64 + text.size() + (pair ? pair->size() : 0));
  for (;;) {
    ert_encoding e{};
    e.struct_size = sizeof e;
    e.capacity = static_cast<uint32_t>(ids.size());
    e.ids = ids.data();
    const ert_status s = ert_text_encode(blob.text(), &options, text.data(), text.size(), pair ? pair->data() : nullptr,
                                         pair ? pair->size() : 0, work.get(), need, &e);
    if (s == ERT_ERR_NOMEM && e.tokens > ids.size()) {
      ids.resize(e.tokens);
      continue;
    }
    if (s != ERT_OK) throw Refusal(s, std::string("the text cannot be encoded: ") + ert_status_str(s));
    ids.resize(e.tokens);
    return ids;
  }
}

}  // namespace edgeconv_python
