/* Many values at once (rule R14). Keys are not lent here: what is sealed has no value, and what a key has opened is
 * decoded as the same frame in the clear. */
#include "frame.h"
#include "functions.h"
#include "measure.h"

static int32_t decode_one(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  if (slice->flags != MH_SLICE_SERVICE_DATA || slice->characteristic != MIBEACON_SERVICE) return MH_E_UNSUPPORTED;
  mibeacon_frame frame;
  int32_t status = mibeacon_frame_read(bytes, &frame);
  if (status != MH_OK) return status;
  if (frame.is_sealed || !frame.has_object) return MH_E_NO_VALUE;
  mibeacon_measure measure;
  mh_bytes objects = {frame.body, frame.n_body};
  status = mibeacon_measure_read(frame.kind, objects, frame.counter, &measure);
  if (status != MH_OK) return status;
  return measure.weight == 0 ? MH_E_NO_VALUE : mibeacon_measure_emit(&measure, sink);
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t mibeacon_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
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
