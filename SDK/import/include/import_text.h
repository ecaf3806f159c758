/* Numbers and times as exports write them. Nothing is rounded to a binary fraction and nothing is guessed: what is not
 * exactly of a form is not read. */
#ifndef IMPORT_TEXT_H
#define IMPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* mantissa * 10^exponent, the exponent from -18 to 18. */
typedef struct mh_exact {
  int64_t mantissa;
  int32_t exponent;
} mh_exact;

/* Reads `-12.50`, `0.3e-05`. Of a fraction the first 18 digits count; a number without a digit, with more than 18
 * digits before the point, or too small to be told from zero is refused with 0. */
int mh_exact_read(const uint8_t *p, size_t n, mh_exact *out);

/* The sum, when both and the result have at most 18 digits at the smaller exponent; otherwise 0. */
int mh_exact_add(mh_exact *sum, mh_exact other);

#define MH_STAMP_LENGTH 25u

/* The day that was read last: records stand in the order of their times, and most have the day of the one before. */
typedef struct mh_stamp_cache {
  uint8_t text[10];
  int64_t seconds;
} mh_stamp_cache;

/* Reads `2024-01-31 07:30:00 +0200` into microseconds since 1970-01-01T00:00Z; 0 for anything else and for days
 * and hours that do not exist. */
int mh_stamp_read(mh_stamp_cache *cache, const uint8_t *p, size_t n, int64_t *us);

/* Reads `2024-01-31`: the days since 1970-01-01. */
int mh_stamp_day(const uint8_t *p, size_t n, int64_t *day);

/* Where `needle` begins first, or NULL. */
const uint8_t *mh_find(const uint8_t *p, size_t n, const char *needle, size_t length);

#endif
