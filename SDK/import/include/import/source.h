/* The bytes of a source that were pulled, and which to pull next: what reads a format asks here for those that it looks at, in
 * any order, and never blocks. */
#ifndef METERHOST_IMPORT_SOURCE_H
#define METERHOST_IMPORT_SOURCE_H

#include <meterhost/draft/import.h>

#define MH_SOURCE_BUFFER MH_TALK_CHUNK_MAX

typedef struct mh_source {
  /* MH_TALK_SIZE_UNKNOWN until its last byte was seen. */
  uint64_t size;
  /* `n` bytes from `at` on; `used`: where bytes were asked for last. */
  uint64_t at, used;
  uint32_t n;
  /* The most of a pull that goes on behind what was read. */
  uint32_t most;
  uint64_t pull_at, pull_n;
  /* Where the event began, and the bytes that it has inflated or looked through. */
  uint64_t event_at, work;
  uint8_t buffer[MH_SOURCE_BUFFER];
} mh_source;

/* `size`: MH_TALK_SIZE_UNKNOWN where nobody knows. `most`: at most MH_SOURCE_BUFFER. */
void mh_source_start(mh_source *source, uint64_t size, uint32_t most);
/* A new event begins. */
void mh_source_event(mh_source *source);
/* Bytes that were pulled; those that were not asked for are left. */
void mh_source_take(mh_source *source, uint64_t offset, mh_bytes bytes, int is_last);
/* 1: there are `least` bytes at an offset, or all that the source has: `*n` of them at `*p`. 0: they are to be pulled, at most
 * `most`, and pull_at and pull_n say which. */
int mh_source_need(mh_source *source, uint64_t at, uint32_t least, uint32_t most, const uint8_t **p, uint32_t *n);
/* Breaks the event off: the next one goes on at an offset. */
void mh_source_rest(mh_source *source, uint64_t at);

#endif
