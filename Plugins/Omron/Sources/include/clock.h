/* The block of the memory that holds the monitor's clock. */
#ifndef OMRON_CLOCK_H
#define OMRON_CLOCK_H

#include "layout.h"

enum omron_clock_state {
  /* Nothing was ever written there. */
  OMRON_CLOCK_BLANK,
  /* The block's sum does not fit: it is no clock. */
  OMRON_CLOCK_WRONG,
  /* The block is in order and names no moment. */
  OMRON_CLOCK_UNSET,
  OMRON_CLOCK_SET
};

/* What a clock's block says; with OMRON_CLOCK_SET microseconds of civil time since 1970-01-01T00:00 in *out. */
enum omron_clock_state omron_read_clock(const omron_layout *layout, const uint8_t *bytes, int64_t *out);
/* The block that sets the clock, made of the one that was read; 0 when the monitor cannot show that moment. */
int omron_set_clock(const omron_layout *layout, const uint8_t *read, int64_t civil_us, uint8_t *out);

#endif
