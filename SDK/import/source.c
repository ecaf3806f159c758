#include "include/import/source.h"

#include <string.h>

/* The least that is pulled after a rest. */
#define REST_MIN 4096u

void mh_source_start(mh_source *source, uint64_t size, uint32_t most) {
  memset(source, 0, sizeof *source - sizeof source->buffer);
  source->size = size;
  source->most = most;
}

void mh_source_event(mh_source *source) {
  source->event_at = source->used;
  source->work = 0;
}

void mh_source_take(mh_source *source, uint64_t offset, mh_bytes bytes, int is_last) {
  if (offset != source->at + source->n || bytes.n > MH_SOURCE_BUFFER - source->n) return;
  if (bytes.n > 0) memcpy(source->buffer + source->n, bytes.p, bytes.n);
  source->n += (uint32_t)bytes.n;
  if (is_last) source->size = source->at + source->n;
}

int mh_source_need(mh_source *source, uint64_t at, uint32_t least, uint32_t most, const uint8_t **p, uint32_t *n) {
  if (at > source->size) at = source->size;
  source->used = at;
  if (source->size == MH_TALK_SIZE_UNKNOWN && at > source->at + source->n) {
    // Where the source ends is not known: what lies between is passed over, not jumped over.
    source->at += source->n;
    source->n = 0;
    source->pull_at = source->at;
    source->pull_n = at - source->at < MH_SOURCE_BUFFER ? at - source->at : MH_SOURCE_BUFFER;
    return 0;
  }
  if (at < source->at || at > source->at + source->n) {
    source->at = at;
    source->n = 0;
  }
  const uint32_t skipped = (uint32_t)(at - source->at), have = source->n - skipped;
  if (have < least && source->at + source->n < source->size) {
    memmove(source->buffer, source->buffer + skipped, have);
    source->at = at;
    source->n = have;
    source->pull_at = at + have;
    source->pull_n = (most > least ? most : least) - have;
    const uint64_t left = source->size - source->pull_at;
    if (source->pull_n > left) source->pull_n = left;
    return 0;
  }
  *p = source->buffer + skipped;
  *n = have;
  return 1;
}

void mh_source_rest(mh_source *source, uint64_t at) {
  // As much as the event could use, and some more: what is not used is pulled again.
  uint64_t length = at > source->event_at ? 2 * (at - source->event_at) : 0;
  if (length < REST_MIN) length = REST_MIN;
  if (length > source->most) length = source->most;
  source->at = at > source->size ? source->size : at;
  source->n = 0;
  source->pull_at = source->at;
  // At the end of the source an empty answer comes, which is all that is needed.
  const uint64_t left = source->size - source->at;
  source->pull_n = left > 0 && left < length ? left : length;
}
