/* Many values at once (rule R14). */
#include "decode.h"
#include "functions.h"

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t microlife_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                               uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  int no_clock = 0;
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_NO_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      no_clock = opening->params[i].i != 0;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int32_t status =
        slice->flags != 0 ? MH_E_UNSUPPORTED : microlife_decode(slice->characteristic, bytes, no_clock, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}
