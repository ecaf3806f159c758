/* Many values at once (rule R14). */
#include "frame.h"
#include "functions.h"

static int32_t decode(mh_bytes bytes, mh_sink *sink) {
  beurer_reading reading;
  int32_t status = beurer_read_value(bytes, &reading);
  return status == MH_OK ? beurer_put(&reading, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t beurer_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                          uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int is_known = slice->flags == 0 && slice->characteristic == BEURER_VALUE;
    int32_t status = is_known ? decode(bytes, sink) : MH_E_UNSUPPORTED;
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}
