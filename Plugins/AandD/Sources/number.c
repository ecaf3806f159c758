#include "number.h"

const uint8_t *aandd_take(aandd_reader *from, uint64_t n) {
  static const uint8_t nothing[8] = {0};
  if (!from->ok || from->bytes.p == NULL || from->bytes.n - from->at < n) {
    from->ok = 0;
    return nothing;
  }
  const uint8_t *p = from->bytes.p + from->at;
  from->at += n;
  return p;
}

aandd_decimal aandd_sfloat(const uint8_t *p) {
  uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8;
  int32_t mantissa = (int32_t)(bits & 0xfffu), exponent = (int32_t)(bits >> 12);
  /* +INF, NaN, NRes, reserved and -INF are neighbours from 7FE to 802, with exponent 0. */
  int is_special = exponent == 0 && mantissa >= 0x7fe && mantissa <= 0x802;
  aandd_decimal number = {mantissa >= 0x800 ? mantissa - 0x1000 : mantissa,
                          (int8_t)(exponent >= 8 ? exponent - 16 : exponent), !is_special};
  return number;
}

aandd_decimal aandd_float(const uint8_t *p) {
  int32_t bits = (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16);
  int8_t exponent = (int8_t)p[3];
  /* Powers of ten beyond 10^22 are no exact doubles, and no temperature either. */
  int is_number = (bits < 0x7ffffe || bits > 0x800002) && exponent >= -22 && exponent <= 22;
  aandd_decimal number = {bits >= 0x800000 ? bits - 0x1000000 : bits, exponent, (uint8_t)is_number};
  return number;
}

/* Exact operands and one operation: the nearest double. */
double aandd_double(aandd_decimal number) {
  double power = 1;
  for (int n = number.exponent < 0 ? -number.exponent : number.exponent; n > 0; n--) power *= 10;
  return number.exponent < 0 ? number.mantissa / power : number.mantissa * power;
}

mh_value aandd_value(uint16_t metric, uint16_t unit, aandd_decimal number) {
  mh_value value = {.metric = metric,
                    .unit = unit,
                    .exp10 = number.exponent,
                    .value = aandd_double(number),
                    .raw = number.mantissa};
  return value;
}

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

int aandd_time(const uint8_t *p, int64_t *t_us) {
  int year = p[0] | p[1] << 8, month = p[2], day = p[3];
  if (year < 1582 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
      p[4] > 23 || p[5] > 59 || p[6] > 59)
    return 0;
  /* Years that begin in March put the leap day last (H. Hinnant, chrono-compatible date algorithms). */
  int march_year = year - (month <= 2), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  int64_t days = (int64_t)era * 146097 + day_of_era - 719468;
  *t_us = (((days * 24 + p[4]) * 60 + p[5]) * 60 + p[6]) * 1000000;
  return 1;
}

int aandd_time_bytes(int64_t t_us, uint8_t *out) {
  /* 2000-01-01T00:00 and 2100-01-01T00:00. */
  if (t_us < INT64_C(946684800000000) || t_us >= INT64_C(4102444800000000)) return 0;
  int64_t seconds = t_us / 1000000, days = seconds / 86400 + 719468, era = days / 146097, day_of_era = days - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t march_month = (5 * day_of_year + 2) / 153, month = march_month < 10 ? march_month + 3 : march_month - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2);
  out[0] = (uint8_t)(year & 0xff);
  out[1] = (uint8_t)(year >> 8);
  out[2] = (uint8_t)month;
  out[3] = (uint8_t)(day_of_year - (153 * march_month + 2) / 5 + 1);
  out[4] = (uint8_t)(seconds / 3600 % 24);
  out[5] = (uint8_t)(seconds / 60 % 60);
  out[6] = (uint8_t)(seconds % 60);
  return 1;
}
