/* Many values at once (rule R14). */
#include "frames.h"
#include "functions.h"

static int32_t decode_one(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  if (slice->flags != 0) return MH_E_UNSUPPORTED;
  et_reading reading;
  int32_t status = MH_E_UNSUPPORTED;
  if (slice->characteristic == ETEKCITY_A5_NOTIFY)
    status = et_esf24_begins(bytes) ? et_esf24_read(bytes, &reading) : et_a5_read(bytes, &reading);
  if (slice->characteristic == ETEKCITY_ESF37_NOTIFY) status = et_esf37_read(bytes, &reading);
  if (status == ET_ENCRYPTED) return MH_E_NO_VALUE;
  return status == MH_OK ? et_reading_emit(&reading, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t etekcity_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                            uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int32_t status = decode_one(slice, bytes, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}
