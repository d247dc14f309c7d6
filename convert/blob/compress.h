// A blob for storage and update: the same blob with its segments as zstd frames (rt/schema/README.md, Compressed blobs).
#pragma once

#include "convert/ir/tensor.h"

namespace edgeconv {

// `blob` is a whole uncompressed blob. Segments that do not shrink stay as they are; if none does, the blob itself is returned.
// ert_unpack of the result gives `blob` byte for byte. The frames depend on the release of libzstd.
Tensor compress_blob(const Tensor& blob);

}  // namespace edgeconv
