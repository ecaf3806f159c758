/* Many values at once (rule R14). */
#include "functions.h"
#include "packet.h"

/* A weight packet, or one with the body packet of the same weighing behind it. */
static int32_t decode_weight(mh_bytes bytes, medisana_reading *reading) {
  mh_bytes first = bytes, second = {NULL, 0};
  if (bytes.n > MEDISANA_PACKET_LENGTH) {
    first.n = MEDISANA_PACKET_LENGTH;
    second = (mh_bytes){bytes.p + MEDISANA_PACKET_LENGTH, bytes.n - MEDISANA_PACKET_LENGTH};
  }
  int32_t status = medisana_read_weight(first, reading);
  if (status != MH_OK || second.n == 0) return status;
  medisana_reading body;
  status = medisana_read_body(second, &body);
  if (status == MH_E_NO_VALUE) return MH_OK;
  if (status != MH_OK) return status;
  return medisana_belong_together(reading, &body) ? medisana_join(reading, &body) : MH_E_PROTOCOL;
}

static int32_t decode(const mh_slice *slice, mh_bytes bytes, mh_sink *sink) {
  if (slice->flags != 0) return MH_E_UNSUPPORTED;
  medisana_reading reading;
  int32_t status = MH_E_UNSUPPORTED;
  if (slice->characteristic == MEDISANA_WEIGHT) {
    status = decode_weight(bytes, &reading);
    if (status == MH_E_UNSUPPORTED) status = MH_E_PROTOCOL;
  } else if (slice->characteristic == MEDISANA_BODY) {
    status = medisana_read_body(bytes, &reading);
  } else if (slice->characteristic == MEDISANA_PERSON) {
    /* A person of the scale: sex, age and height, and no reading. */
    status = bytes.n > 0 && bytes.p[0] == 0x84u ? MH_E_NO_VALUE : MH_E_PROTOCOL;
  }
  return status == MH_OK ? medisana_put(&reading, sink) : status;
}

/* Pure: everything it needs is in its arguments (rule R14). */
int32_t medisana_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
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
