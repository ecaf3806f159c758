#include "splitter.h"

void fo_splitter_drop(fo_splitter *splitter, uint32_t count) {
  if (count > splitter->n) count = splitter->n;
  for (uint32_t i = count; i < splitter->n; i++) splitter->bytes[i - count] = splitter->bytes[i];
  splitter->n -= count;
}

static void fill(fo_splitter *splitter, mh_bytes *rest) {
  uint32_t count = FO_SPLITTER_ROOM - splitter->n;
  if (rest->n < count) count = (uint32_t)rest->n;
  for (uint32_t i = 0; i < count; i++) splitter->bytes[splitter->n + i] = rest->p[i];
  splitter->n += count;
  if (count != 0) rest->p += count;
  rest->n -= count;
}

uint32_t fo_splitter_next(fo_splitter *splitter, const fo_model *model, mh_bytes *rest, int is_end, uint64_t *n_skipped) {
  if (rest->p == NULL) rest->n = 0;
  for (;;) {
    fill(splitter, rest);
    if (splitter->n == 0) return 0;
    int length = model->measure(splitter->bytes, splitter->n, is_end && rest->n == 0);
    if (length > 0) return (uint32_t)length;
    /* A packet is shorter than the room, so that there is none when the room is full. */
    if (length == 0 && splitter->n < FO_SPLITTER_ROOM) return 0;
    uint32_t count = model->is_packet ? splitter->n : 1;
    fo_splitter_drop(splitter, count);
    *n_skipped += count;
  }
}
