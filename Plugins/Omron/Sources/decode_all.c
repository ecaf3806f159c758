/* Many values at once (rule R14): a whole answer of the memory with one record, as the newest monitors send it in one
 * notification, or one record by itself, cut out of an answer. */
#include <string.h>

#include "frame.h"
#include "functions.h"
#include "record.h"

/* The user whose ring has a slot that begins at the address; OMRON_USERS_MAX: none has. */
static uint32_t user_at(const omron_layout *layout, uint16_t address) {
  for (uint32_t user = 0; user < omron_users(layout); user++) {
    uint32_t start = layout->start[user], end = start + (uint32_t)layout->slots * layout->record_size;
    if (address >= start && address < end && (address - start) % layout->record_size == 0) return user;
  }
  return OMRON_USERS_MAX;
}

/* An answer with several records is more than a sink that holds one could take of one value: a session reads them. */
static int32_t decode_frame(const omron_layout *layout, const omron_frame *frame, mh_sink *sink) {
  uint32_t user = user_at(layout, frame->address);
  if (frame->type != (OMRON_ANSWER | OMRON_READ) || !frame->has_data || user == OMRON_USERS_MAX) return MH_E_NO_VALUE;
  if (frame->n != layout->record_size) return frame->n > layout->record_size ? MH_E_UNSUPPORTED : MH_E_NO_VALUE;
  return omron_put_record(layout, frame->data, user, 0, sink);
}

static int32_t decode(const omron_layout *layout, mh_bytes bytes, mh_sink *sink) {
  omron_frame frame;
  if (omron_read_frame(bytes, &frame) == MH_OK) return decode_frame(layout, &frame, sink);
  if (bytes.n == layout->record_size) return omron_put_record(layout, bytes.p, OMRON_USERS_MAX, 0, sink);
  return MH_E_PROTOCOL;
}

int32_t omron_decode_all(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                         uint64_t *n_done) {
  if (opening == NULL || !MH_HAS(opening, params) || (slices == NULL && n != 0) || sink == NULL ||
      !MH_HAS(sink, ctx) || n_done == NULL)
    return MH_E_ARG;
  const omron_layout *layout = omron_layout_in(opening->params, opening->n_params);
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
    int is_known = layout != NULL && slice->flags == 0 && slice->characteristic == OMRON_CHARACTERISTIC;
    int32_t status = is_known ? decode(layout, bytes, sink) : MH_E_UNSUPPORTED;
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  return MH_OK;
}
