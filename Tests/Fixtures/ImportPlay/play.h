#ifndef IMPORT_PLAY_H
#define IMPORT_PLAY_H

#include <meterhost/draft/import.h>
#include <meterhost/driver.h>
#include <stddef.h>

typedef struct play_options {
  /* Bytes of a pull at most; 0: as many as were asked for. */
  uint64_t chunk;
  /* Cuts at most. */
  uint64_t most;
  int64_t now_us;
  /* The window, seconds; both 0: all. */
  int64_t since_s, until_s;
  int small, quiet;
} play_options;

typedef struct play_result {
  /* A rule that the driver has broken; NULL: none. */
  const char *fault;
  int failed, partial;
  uint64_t samples, events, pulled, hash;
} play_result;

play_result play(const uint8_t *bytes, uint64_t n, play_options options);

#endif
