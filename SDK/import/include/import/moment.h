/* Times that exports write as text or number, as microseconds since 1970-01-01T00:00Z and what they say of a zone. */
#ifndef METERHOST_IMPORT_MOMENT_H
#define METERHOST_IMPORT_MOMENT_H

#include "decimal.h"

/* Microseconds of a second, day. */
#define MH_SECOND_US INT64_C(1000000)
#define MH_DAY_US INT64_C(86400000000)

/* A moment as its text names it. */
typedef struct mh_moment {
  /* Microseconds since 1970-01-01T00:00Z; without a zone: of the local clock, as if it were UTC. */
  int64_t us;
  /* Seconds that the clock is ahead of UTC. */
  int32_t offset_s;
  uint8_t has_zone;
  /* No time of the day. */
  uint8_t is_day;
} mh_moment;

/* YYYY-MM-DD, then a blank or T, H:MM[:SS[.fraction]], am or pm behind any blank, and Z or an offset +HH:MM, +HHMM, +HH. */
int mh_moment_read(const char *p, size_t n, mh_moment *out);
/* Seconds, milli-, micro- or nanoseconds since 1970 by their size. The zone is UTC, which says nothing of a local clock. */
int mh_moment_of_number(mh_decimal number, int64_t *us);

#define MH_STAMP_LENGTH 25u

/* The day that was read last: records stand in the order of their times, and most have the day of the one before. */
typedef struct mh_stamp_cache {
  uint8_t text[10];
  int64_t seconds;
} mh_stamp_cache;

/* The one form `2024-01-31 07:30:00 +0200`, for exports with millions of them: microseconds since 1970-01-01T00:00Z. 0 for
 * any other form, and for days and hours that do not exist. A cache begins zeroed. */
int mh_stamp_read(mh_stamp_cache *cache, const char *p, size_t n, int64_t *us);

/* +0900, -04:00, UTC+0900, Z: 1 and the seconds. */
int mh_offset_read(const char *p, size_t n, int32_t *out);
/* Reads `2024-01-31`: the days since 1970-01-01. */
int mh_day_read(const char *p, size_t n, int64_t *day);
/* The day of a moment by its own clock, days since 1970-01-01, and back to YYYY-MM-DD. */
int64_t mh_day_of(int64_t us, int32_t offset_s);
void mh_day_text(int64_t day, char out[10]);

#endif
