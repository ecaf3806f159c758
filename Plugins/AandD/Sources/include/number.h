/* Numbers and times as the profiles of the Bluetooth SIG write them, and a reader that does not run past an end. */
#ifndef AANDD_NUMBER_H
#define AANDD_NUMBER_H

#include <meterhost/driver.h>

/* Bytes with a place to read from; `ok` falls when they end too early, and every later read gives 0. */
typedef struct aandd_reader {
  mh_bytes bytes;
  uint64_t at;
  int ok;
} aandd_reader;

const uint8_t *aandd_take(aandd_reader *from, uint64_t n);

/* A number with a decimal exponent; `is_number` is 0 for NaN, NRes, infinities and reserved marks. */
typedef struct aandd_decimal {
  int32_t mantissa;
  int8_t exponent;
  uint8_t is_number;
} aandd_decimal;

/* IEEE 11073-20601: SFLOAT of 2 bytes, FLOAT of 4. */
aandd_decimal aandd_sfloat(const uint8_t *p);
aandd_decimal aandd_float(const uint8_t *p);
/* The nearest double. */
double aandd_double(aandd_decimal number);
/* `number` as a value of `metric`. */
mh_value aandd_value(uint16_t metric, uint16_t unit, aandd_decimal number);

#define AANDD_TIME_LENGTH 7u
/* A Date Time (2A08) as microseconds of civil time since 1970-01-01T00:00; 0 when the clock is not set, or the fields name no
 * moment. */
int aandd_time(const uint8_t *p, int64_t *t_us);
/* The Date Time of a civil time; 0 when it is before 2000 or after 2099, which no meter here can show. */
int aandd_time_bytes(int64_t t_us, uint8_t *out);

#endif
