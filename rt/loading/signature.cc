// Signed blobs: what is signed, and that nothing but the header is read before. The arithmetic is the application's.
#include "rt/blob/header.h"

#ifndef ERT_WITH_SIGNATURE
#define ERT_WITH_SIGNATURE 0
#endif

using namespace ert;

ert_status ert_check_signature(const void* blob, size_t bytes, ert_verify_signature verify, void* context) {
#if ERT_WITH_SIGNATURE
  if (blob == nullptr || verify == nullptr) return ERT_ERR_ARG;
  const uint8_t* begin = static_cast<const uint8_t*>(blob);
  Header h;
  const ert_status header = decode_header(begin, bytes, &h);
  if (header != ERT_OK) return header;
  if ((h.flags & kFlagSigned) == 0) return ERT_ERR_SIGNATURE;
  const size_t message = static_cast<size_t>(h.segments_end());
  return verify(context, begin + message, begin, message, kSignatureBlockBytes) == 0 ? ERT_OK : ERT_ERR_SIGNATURE;
#else
  (void)blob, (void)bytes, (void)verify, (void)context;
  return ERT_ERR_UNSUPPORTED;
#endif
}

ert_status ert_model_open_signed_in(ert_model* m, const void* blob, size_t bytes, void* work, size_t work_bytes,
                                    ert_verify_signature verify, void* context) {
  if (m == nullptr) return ERT_ERR_ARG;
  *m = ert_model{};
  const ert_status status = ert_check_signature(blob, bytes, verify, context);
  return status == ERT_OK ? ert_model_open_in(m, blob, bytes, work, work_bytes) : status;
}

ert_status ert_model_open_signed(ert_model* m, const void* blob, size_t bytes, ert_verify_signature verify, void* context) {
  return ert_model_open_signed_in(m, blob, bytes, nullptr, 0, verify, context);
}
