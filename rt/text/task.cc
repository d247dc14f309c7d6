// See task.h.
#include "rt/text/task.h"
#include "rt/text/placed.h"

namespace ert::text {

namespace {

// The size of an axis: fixed, or a dim of its own. 0: something else.
struct Axis {
  int32_t least, most;
};
Axis axis_of(const Program& p, const int32_t* max_dims, const fb::Value& v, uint32_t axis) {
  const fb::Expr& e = p.exprs[v.shape()->Get(axis)];
  if (ert::kind_of(e) == ExprKind::kConstant)  // of a model that is open: 1 to INT32_MAX
    return {static_cast<int32_t>(e.value()), static_cast<int32_t>(e.value())};
  if (ert::kind_of(e) != ExprKind::kDim) return {0, 0};
  const uint32_t d = e.lhs();
  return {p.dims[d].min(), max_dims != nullptr ? max_dims[d] : p.dims[d].max()};
}

bool width_of(const Program& p, uint32_t output, uint32_t rank, uint32_t* width) {
  if (output >= p.outputs.size) return false;
  const fb::Value& v = p.values[p.outputs[output]];
  if (v.rank() != rank || v.dtype() != ERT_F32) return false;
  const fb::Expr& e = p.exprs[v.shape()->Get(rank - 1)];
  if (ert::kind_of(e) != ExprKind::kConstant || e.value() < 1 || e.value() > (1 << 24)) return false;
  *width = static_cast<uint32_t>(e.value());
  return true;
}

bool outputs_fit(const Program& p, const TaskTables& t, ModelShape* m) {
  m->outputs = 1, m->by_token = false;
  static_assert(TaskKind::kCount == TaskKind{6}, "a case for each kind: the last one is the default");
  switch (kind_of(t)) {
    case TaskKind::kEmbed: return width_of(p, 0, 2, &m->width);
    case TaskKind::kClassify:
    case TaskKind::kZeroShot: return width_of(p, 0, 2, &m->width) && m->width == t.labels.size;
    case TaskKind::kTokens: m->by_token = true; return width_of(p, 0, 3, &m->width) && m->width == t.labels.size;
    case TaskKind::kQa:
    default:  // read_task knows no other
      m->by_token = true, m->width = 1, m->outputs = 2;
      return p.outputs.size >= 2 && p.values[p.outputs[0]].rank() == 2 && p.values[p.outputs[1]].rank() == 2 &&
             p.values[p.outputs[0]].dtype() == ERT_F32 && p.values[p.outputs[1]].dtype() == ERT_F32;
  }
}

}  // namespace

bool read_task(const Tables& t, TaskTables* out) {
  const Section* task = find_section(t.sections, t.header->sections, SectionKind::kTask);
  if (task == nullptr || task->bytes < sizeof(Task)) return false;
  out->task = placed<const Task>(t.base + task->offset);
  if (out->task->kind == 0 || out->task->kind >= static_cast<uint32_t>(TaskKind::kCount)) return false;
  if (!text_inside(t, out->task->hypothesis)) return false;
  out->labels = {};
  if (const Section* labels = find_section(t.sections, t.header->sections, SectionKind::kLabels)) {
    if (labels->bytes != uint64_t{labels->count} * sizeof(Text)) return false;
    out->labels = {placed<const Text>(t.base + labels->offset), labels->count};
    for (uint32_t i = 0; i < out->labels.size; ++i)
      if (!text_inside(t, out->labels.data[i])) return false;
  }
  return kind_of(*out) != TaskKind::kZeroShot || out->task->entailment < out->labels.size;
}

bool read_shape(const Program& p, const int32_t* max_dims, const TaskTables& t, ModelShape* m) {
  *m = ModelShape{};
  for (uint32_t k = 0; k < kTextInputs; ++k) {
    const uint32_t at = m->inputs[k] = t.task->inputs[k];
    if (at == 0) continue;
    if (at > p.inputs.size) return false;
    for (uint32_t other = 0; other < k; ++other)
      if (m->inputs[other] == at) return false;
    const fb::Value& v = p.values[p.inputs[at - 1]];
    const uint8_t type = p.input_dtypes[at - 1];
    if (v.rank() != 2 || (type != ERT_I32 && type != ERT_I64)) return false;
    const Axis rows = axis_of(p, max_dims, v, 0), tokens = axis_of(p, max_dims, v, 1);
    if (rows.least < 1 || tokens.least < 1) return false;
    if (k == kIds)
      m->rows = rows.least, m->least = static_cast<uint32_t>(tokens.least), m->most = static_cast<uint32_t>(tokens.most);
    else if (rows.least != m->rows || tokens.least != static_cast<int32_t>(m->least) ||
             tokens.most != static_cast<int32_t>(m->most))
      return false;
  }
  if (m->inputs[kIds] == 0 || m->rows > (1 << 16)) return false;
  uint32_t taken = 0;
  for (uint32_t k = 0; k < kTextInputs; ++k) taken += m->inputs[k] != 0;
  if (taken != p.inputs.size) return false;
  if (t.task->max_tokens != 0 && t.task->max_tokens < m->most)
    m->most = t.task->max_tokens > m->least ? t.task->max_tokens : m->least;
  return outputs_fit(p, t, m);
}

}  // namespace ert::text
