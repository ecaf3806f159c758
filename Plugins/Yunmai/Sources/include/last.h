/* The last weighing that was delivered, kept as the meter's so that its repeats are known for what they are. */
#ifndef YUNMAI_LAST_H
#define YUNMAI_LAST_H

#include "frame.h"

typedef struct yunmai_last {
  /* The host's clock when it was delivered. */
  int64_t unix_us;
  /* The scale's, 0 when it had none. */
  uint32_t time;
  uint16_t weight;
  uint8_t counter;
  uint8_t is_known;
} yunmai_last;

/* Reads "meter/last"; nothing is known when it is missing or of another version. */
yunmai_last yunmai_last_load(const mh_host *host, uint64_t peer);

/* Writes "meter/last" with the event's unit. MH_OK or what the host answers. */
int32_t yunmai_last_store(const mh_host *host, uint64_t peer, const yunmai_last *last);

yunmai_last yunmai_last_of(const yunmai_frame *frame, int64_t unix_us);

/* Whether a weight that stands is the last weighing once more. `has_moved`: it has gone away and come back since. */
int yunmai_last_is(const yunmai_last *last, const yunmai_frame *frame, int64_t unix_us, int has_moved);

/* Whether a weight is still that of the last weighing: its person stands there, or steps off. */
int yunmai_last_weighs(const yunmai_last *last, const yunmai_frame *frame, int64_t unix_us);

/* Whether a weight is so far from the last weighing that somebody steps on or off. */
int yunmai_last_is_far(const yunmai_last *last, const yunmai_frame *frame);

#endif
