#include "wire.h"

void huawei_clock_of(int64_t seconds, uint8_t *clock) {
  if (seconds < 0) seconds = 0;
  int64_t days = seconds / 86400, rest = seconds % 86400;
  /* The date of a day, by years that begin in March (H. Hinnant, chrono-compatible date algorithms). */
  int64_t z = days + 719468, era = z / 146097, day_of_era = z - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t from_march = (5 * day_of_year + 2) / 153, month = from_march < 10 ? from_march + 3 : from_march - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2);
  clock[0] = (uint8_t)(year & 0xff);
  clock[1] = (uint8_t)(year >> 8 & 0xff);
  clock[2] = (uint8_t)month;
  clock[3] = (uint8_t)(day_of_year - (153 * from_march + 2) / 5 + 1);
  clock[4] = (uint8_t)(rest / 3600);
  clock[5] = (uint8_t)(rest / 60 % 60);
  clock[6] = (uint8_t)(rest % 60);
  /* 1970-01-01 was a Thursday; Monday is 1. */
  clock[7] = (uint8_t)((days + 3) % 7 + 1);
}
