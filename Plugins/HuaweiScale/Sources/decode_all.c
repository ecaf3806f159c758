/* Many values at once (rule R14). */
#include "functions.h"
#include "measurement.h"

static int32_t decode_one(const huawei_link *link, const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  /* Without the scale's address nothing can be read. */
  if (link == NULL || slice->flags != 0 || slice->characteristic != HUAWEI_NOTIFY) return MH_E_UNSUPPORTED;
  huawei_measurement measurement;
  int32_t status = huawei_measurement_read(link, bytes, &measurement);
  return status == MH_OK ? huawei_measurement_emit(&measurement, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t huawei_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                          uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  huawei_link link;
  const huawei_link *known = huawei_link_of(opening, &link) ? &link : NULL;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int32_t status = decode_one(known, slice, bytes, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}
