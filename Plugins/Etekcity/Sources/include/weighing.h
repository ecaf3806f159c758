/* One act of weighing, one reading: what waits for the rest of it, and what is the last one once more. */
#ifndef ETEKCITY_WEIGHING_H
#define ETEKCITY_WEIGHING_H

#include "reading.h"

/* The last reading that was delivered, kept over sessions: these scales say the same number for as long as somebody
 * stands there, and a while after that. */
typedef struct et_last {
  int64_t unix_us;
  uint32_t grams;
  uint16_t impedance;
  uint8_t is_known;
} et_last;

typedef struct et_weighing {
  et_last last;
  et_reading pending;
  uint8_t has_pending;
  /* The scale was heard with nobody on it since the last one. */
  uint8_t has_left;
  uint8_t has_loaded;
} et_weighing;

/* What comes of a frame, in this order: `waited`, `now`. */
typedef struct et_outcome {
  et_reading waited;
  et_reading now;
  uint8_t has_waited;
  uint8_t has_now;
  /* A weight is kept back: more of it may come. */
  uint8_t waits;
  /* The last reading was heard again. */
  uint8_t is_repeat;
  /* It was heard so much later that the time of the last one is another now. */
  uint8_t has_moved;
} et_outcome;

/* Reads the last one from the host's storage, once. */
void et_weighing_load(et_weighing *weighing, const mh_host *host, uint64_t peer);
/* Takes a frame that was heard at this time of the host. */
et_outcome et_weighing_take(et_weighing *weighing, const et_reading *reading, int64_t unix_us);
/* The wait is over: the outcome has what waited, if anything did. */
et_outcome et_weighing_end(et_weighing *weighing, int64_t unix_us);
/* Writes the last one into the unit of its record. */
int32_t et_weighing_store(const et_weighing *weighing, const mh_host *host, uint64_t peer);

#endif
