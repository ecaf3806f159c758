/* Numbers and times that exports write as text. Nothing here rounds through binary fractions, and nothing knows a locale. */
#ifndef METERHOST_IMPORT_TEXT_H
#define METERHOST_IMPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* mantissa * 10^exponent. */
typedef struct mh_decimal {
  int64_t mantissa;
  int16_t exponent;
} mh_decimal;

/* -?[0-9]+(.[0-9]+)?, with an exponent where `with_exponent` allows it. 18 digits count, the rest rounds half up. 1, or 0 when
 * the text is no such number: a number with groups of thousands is none. */
int mh_decimal_read(const char *p, size_t n, int with_exponent, mh_decimal *out);
/* The shortest decimal that names this binary fraction, or its first 15 digits. 0 when it is not finite or beyond 1e22. */
int mh_decimal_of_double(double value, mh_decimal *out);
/* Takes so many from the exponent: divides by 10^places. */
mh_decimal mh_decimal_shift(mh_decimal value, int places);
/* value * factor. 0 when the product has more digits than fit. */
int mh_decimal_times(mh_decimal value, int64_t factor, int places, mh_decimal *out);

/* Brings the exponent into -most..most; 0 when the mantissa does not fit then. */
int mh_decimal_fit(mh_decimal *value, int most);

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
/* +0900, -04:00, UTC+0900, Z: 1 and the seconds. */
int mh_offset_read(const char *p, size_t n, int32_t *out);
/* The day of a moment by its own clock, days since 1970-01-01, and back to YYYY-MM-DD. */
int64_t mh_day_of(int64_t us, int32_t offset_s);
void mh_day_text(int64_t day, char out[10]);
/* Microseconds of a second, day. */
#define MH_SECOND_US INT64_C(1000000)
#define MH_DAY_US INT64_C(86400000000)

#endif
