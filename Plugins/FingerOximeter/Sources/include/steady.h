/* Waits until what an oximeter streams has settled: saturation within one percent and pulse within three beats of where
 * they were, for ten seconds of the host's clock, without a gap. The rule is that of the profile's oximeters
 * (Plugins/Oximeter): a person's reading must not depend on the brand. */
#ifndef FINGER_OXIMETER_STEADY_H
#define FINGER_OXIMETER_STEADY_H

#include "value.h"

typedef struct fo_steady {
  uint64_t start;
  uint64_t last;
  fo_value first;
  uint8_t is_open;
} fo_steady;

/* Takes a value at a moment; true when the values have been steady long enough. */
int fo_steady_take(fo_steady *steady, const fo_value *value, uint64_t now);

/* The meter has no value: what comes next may be another finger's. */
void fo_steady_break(fo_steady *steady);

#endif
