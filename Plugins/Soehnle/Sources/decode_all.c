/* Many values at once (rule R14). */
#include "frame.h"
#include "functions.h"

static int32_t decode(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  if (slice->flags != 0) return MH_E_UNSUPPORTED;
  if (slice->characteristic == SOEHNLE_DECODE_COMMAND) return bytes.n > 0 ? MH_E_NO_VALUE : MH_E_PROTOCOL;
  if (slice->characteristic != SOEHNLE_DECODE_VALUES) return MH_E_UNSUPPORTED;
  soehnle_reading reading;
  int32_t status = soehnle_read(bytes, &reading);
  return status == MH_OK ? soehnle_put(&reading, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t soehnle_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                           uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int32_t status = decode(slice, bytes, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}
