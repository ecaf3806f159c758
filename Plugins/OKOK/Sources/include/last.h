/* The last weighing that was delivered, kept as the meter's so that its repeats are known for what they are. */
#ifndef OKOK_LAST_H
#define OKOK_LAST_H

#include "frame.h"

typedef struct okok_last {
  /* The host's clock when it was delivered. */
  int64_t unix_us;
  okok_frame frame;
  uint8_t is_known;
} okok_last;

/* Reads "meter/last"; nothing is known when it is missing or of another version. */
okok_last okok_last_load(const mh_host *host, uint64_t peer);

/* Writes "meter/last" with the event's unit. MH_OK or what the host answers. */
int32_t okok_last_store(const mh_host *host, uint64_t peer, const okok_last *last);

/* Whether a final frame is the last weighing once more. `has_moved`: the weight has gone away and come back since. */
int okok_last_is(const okok_last *last, const okok_frame *frame, int64_t unix_us, int has_moved);

/* Whether a weight is still, or again, that of the last weighing: its person stands there, or steps off. */
int okok_last_weighs(const okok_last *last, const okok_frame *frame, int64_t unix_us);

/* Whether a weight is so far from the last weighing that somebody steps on or off. */
int okok_last_is_far(const okok_last *last, const okok_frame *frame);

#endif
