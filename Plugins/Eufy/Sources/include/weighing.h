/* One act of weighing, one reading: what waits for the rest of it, and what is the last one once more. */
#ifndef EUFY_WEIGHING_H
#define EUFY_WEIGHING_H

#include "reading.h"

/* The last reading that was delivered, kept over sessions: these scales say the same number for as long as somebody
 * stands there, and a while after that. */
typedef struct eu_last {
  int64_t unix_us;
  /* In steps of 10 g. */
  uint32_t weight;
  uint16_t impedance;
  uint8_t is_known;
} eu_last;

typedef struct eu_weighing {
  eu_last last;
  eu_reading pending;
  uint8_t has_pending;
  /* The scale was heard with nobody on it since the last one. */
  uint8_t has_left;
  uint8_t has_loaded;
} eu_weighing;

/* What comes of a frame, in this order: `waited`, `now`. */
typedef struct eu_outcome {
  eu_reading waited;
  eu_reading now;
  uint8_t has_waited;
  uint8_t has_now;
  /* A weight is kept back: more of it may come. */
  uint8_t waits;
  /* The last reading was heard again. */
  uint8_t is_repeat;
  /* It was heard so much later that the time of the last one is another now. */
  uint8_t has_moved;
} eu_outcome;

/* Reads the last one from the host's storage, once. */
void eu_weighing_load(eu_weighing *weighing, const mh_host *host, uint64_t peer);
/* Takes a frame that was heard at this time of the host. */
eu_outcome eu_weighing_take(eu_weighing *weighing, const eu_reading *reading, int64_t unix_us);
/* The wait is over: the outcome has what waited, if anything did. */
eu_outcome eu_weighing_end(eu_weighing *weighing, int64_t unix_us);
/* Writes the last one into the unit of its record. */
int32_t eu_weighing_store(const eu_weighing *weighing, const mh_host *host, uint64_t peer);

#endif
