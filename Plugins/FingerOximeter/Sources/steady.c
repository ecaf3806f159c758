#include "steady.h"

#define SECOND UINT64_C(1000000000)
#define LENGTH (10 * SECOND)
/* Oximeters send at least once a second; after this much silence the finger may be another's. */
#define GAP_MAX (3 * SECOND)
#define SATURATION_STEP 1
#define PULSE_STEP 3

static int is_near(uint16_t a, uint16_t b, uint16_t step) { return (a > b ? a - b : b - a) <= step; }

int fo_steady_take(fo_steady *steady, const fo_value *value, uint64_t now) {
  if (!steady->is_open || now < steady->last || now - steady->last > GAP_MAX ||
      !is_near(value->saturation, steady->first.saturation, SATURATION_STEP) ||
      !is_near(value->pulse, steady->first.pulse, PULSE_STEP)) {
    *steady = (fo_steady){.start = now, .last = now, .first = *value, .is_open = 1};
    return 0;
  }
  steady->last = now;
  return now - steady->start >= LENGTH;
}

void fo_steady_break(fo_steady *steady) { steady->is_open = 0; }
