/* Waits until a stream of live values has settled: saturation within one percent and pulse within three beats of where they
 * were, the hand still, for ten seconds of the host's clock, without a gap. Pure. */
#ifndef WELLUE_STEADY_H
#define WELLUE_STEADY_H

#include "sample.h"

typedef struct wellue_steady {
  uint64_t start;
  uint64_t last;
  wellue_sample first;
  uint8_t has_run;
} wellue_steady;

/* Takes a sample; NULL is an answer without one. True when the values have been steady for long enough. */
int wellue_steady_take(wellue_steady *steady, const wellue_sample *sample, uint64_t now);

#endif
