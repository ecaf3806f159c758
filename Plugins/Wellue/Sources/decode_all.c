/* Many values at once (rule R14). */
#include "functions.h"
#include "sample.h"

/* One value is one whole frame: what a notification has behind it is not thrown away unseen. */
static int32_t decode_one(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  const wellue_protocol *protocol = slice->flags == 0 ? wellue_protocol_of(slice->characteristic) : NULL;
  if (protocol == NULL) return MH_E_UNSUPPORTED;
  wellue_frame frame;
  if (bytes.p == NULL || wellue_find(bytes.p, bytes.n, protocol->answering, &frame) != WELLUE_FRAME ||
      frame.length + WELLUE_OVERHEAD != bytes.n)
    return MH_E_PROTOCOL;
  wellue_sample sample;
  int32_t status = wellue_sample_read(protocol, &frame, &sample);
  /* One value alone has not settled: progress. */
  return status == MH_OK ? wellue_sample_put(&sample, 1, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t wellue_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
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
