#include "steady.h"

#define SECOND UINT64_C(1000000000)
#define LENGTH (10 * SECOND)
/* The oximeter is asked once a second; after this much silence the finger may be another's. */
#define GAP_MAX (3 * SECOND)
#define SATURATION_BAND 1
#define PULSE_BAND 3

static int is_within(int a, int b, int band) { return a - b <= band && b - a <= band; }

int wellue_steady_take(wellue_steady *steady, const wellue_sample *sample, uint64_t now) {
  if (sample == NULL || sample->is_moving) {
    steady->has_run = 0;
    return 0;
  }
  if (!steady->has_run || now < steady->last || now - steady->last > GAP_MAX ||
      !is_within(sample->saturation, steady->first.saturation, SATURATION_BAND) ||
      !is_within(sample->pulse, steady->first.pulse, PULSE_BAND)) {
    steady->start = now;
    steady->first = *sample;
    steady->has_run = 1;
  }
  steady->last = now;
  return now - steady->start >= LENGTH;
}
