/* Many values at once (rule R14). */
#include "functions.h"
#include "swan.h"

/* Advertised data under an id of 16 bits: the contract has a flag for a service's, and these stand in a company's place. */
static int32_t decode_one(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  okok_frame frame;
  int32_t status = MH_E_UNSUPPORTED;
  if (slice->flags == MH_SLICE_SERVICE_DATA)
    status = okok_frame_read(slice->characteristic, bytes, &frame);
  else if (slice->flags == 0 && slice->characteristic == SWAN_NOTIFY)
    status = swan_read(bytes, &frame);
  return status == MH_OK ? okok_frame_emit(&frame, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t okok_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
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
