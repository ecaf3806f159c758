/* Many values at once (rule R14). */
#include "frame.h"
#include "functions.h"

int64_t qn_parameter(const mh_open *opening, uint16_t name, int64_t otherwise) {
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == name && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      return opening->params[i].i;
  return otherwise;
}

static int32_t read(const mh_open *opening, mh_bytes bytes, qn_reading *reading) {
  int is_in_tenths = qn_parameter(opening, QN_PARAM_TENTHS, 0) != 0;
  int has_user = qn_parameter(opening, QN_PARAM_SLOTS, 0) != 0;
  if (!qn_frame_is_whole(bytes)) return MH_E_PROTOCOL;
  qn_state state;
  uint8_t count;
  switch (bytes.p[0]) {
    case QN_OP_WEIGHT: return qn_read_weight(bytes, is_in_tenths, reading, &state);
    case QN_OP_STORED: return qn_read_stored(bytes, is_in_tenths, has_user, reading, &count);
    default: return MH_E_NO_VALUE;
  }
}

static int32_t decode_one(const mh_open *opening, const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  int is_ours = slice->characteristic == 0xfff1 || slice->characteristic == 0xffe1 || slice->characteristic == 0xffe2;
  if (slice->flags != 0 || !is_ours) return MH_E_UNSUPPORTED;
  qn_reading reading;
  int32_t status = read(opening, bytes, &reading);
  return status == MH_OK ? qn_reading_emit(&reading, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t qn_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int32_t status = decode_one(opening, slice, bytes, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}
