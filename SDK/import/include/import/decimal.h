/* Numbers that exports write, as exact decimals: nothing is rounded to a binary fraction, and nothing knows a locale. */
#ifndef METERHOST_IMPORT_DECIMAL_H
#define METERHOST_IMPORT_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* mantissa * 10^exponent. */
typedef struct mh_decimal {
  int64_t mantissa;
  int16_t exponent;
} mh_decimal;

/* What a text may have beyond -?[0-9]+(.[0-9]+)?: an exponent as `e-05`; a point without digits before or behind it. And what it
 * may not: more than 18 digits before the point. */
#define MH_DECIMAL_EXPONENT 1u
#define MH_DECIMAL_BARE_POINT 2u
#define MH_DECIMAL_EXACT 4u

/* 18 digits count, the rest rounds half up. 1, or 0 when the text is no such number: one with groups of thousands is none. */
int mh_decimal_read(const char *p, size_t n, uint32_t form, mh_decimal *out);
/* The shortest decimal that names this binary fraction, or its first 15 digits. 0 when it is not finite or beyond 1e22. */
int mh_decimal_of_double(double value, mh_decimal *out);
/* Takes so many from the exponent: divides by 10^places. */
mh_decimal mh_decimal_shift(mh_decimal value, int places);
/* value * factor / 10^places. 0 when the product has more digits than fit. */
int mh_decimal_times(mh_decimal value, int64_t factor, int places, mh_decimal *out);
/* The sum, when both and the result have at most 18 digits at the smaller exponent; otherwise 0. */
int mh_decimal_add(mh_decimal *sum, mh_decimal other);
/* value * 10^places without its fraction. 0 when it does not fit. */
int mh_decimal_whole(mh_decimal value, int places, int64_t *out);
/* Brings the exponent into -most..most; 0 when the mantissa does not fit then. */
int mh_decimal_fit(mh_decimal *value, int most);

#endif
