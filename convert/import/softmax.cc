// Softmax and LogSoftmax.
#include "convert/import/softmax_axis.h"

namespace edgeconv {
namespace {

void import_along_axis(ImportContext& c, const OnnxNode& n, OpKind kind) {
  const SoftmaxAxis a = softmax_axis(c, n);
  if (a.flattened)
    bind_softmax(c, n, a, c.inner(n, kind, {a.x}, AxisAttrs{a.axis}));
  else
    c.emit(n, kind, {a.x}, AxisAttrs{a.axis});
}

}  // namespace

void import_softmax(ImportContext& c, const OnnxNode& n) { import_along_axis(c, n, OpKind::kSoftmax); }
void import_log_softmax(ImportContext& c, const OnnxNode& n) { import_along_axis(c, n, OpKind::kLogSoftmax); }

}  // namespace edgeconv
