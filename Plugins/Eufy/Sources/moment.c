#include "moment.h"

#define EARLIEST_YEAR 2010
#define DAY INT64_C(86400)

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

int eu_moment_read(const uint8_t *p, int64_t *t_us) {
  int year = p[0] << 8 | p[1], month = p[2], day = p[3];
  if (year < EARLIEST_YEAR || year > 2099 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
      p[4] > 23 || p[5] > 59 || p[6] > 59)
    return 0;
  int64_t days = 0;
  for (int y = 1970; y < year; y++) days += 337 + days_in_month(y, 2);
  for (int m = 1; m < month; m++) days += days_in_month(year, m);
  days += day - 1;
  *t_us = (((days * 24 + p[4]) * 60 + p[5]) * 60 + p[6]) * 1000000;
  return 1;
}

void eu_moment_write(int64_t civil_seconds, uint8_t *p) {
  int64_t days = civil_seconds / DAY, rest = civil_seconds % DAY;
  int year = 1970, month = 1;
  while (days >= 337 + days_in_month(year, 2) && year < 9999) days -= 337 + days_in_month(year++, 2);
  while (month < 12 && days >= days_in_month(year, month)) days -= days_in_month(year, month++);
  p[0] = (uint8_t)(year >> 8);
  p[1] = (uint8_t)year;
  p[2] = (uint8_t)month;
  p[3] = (uint8_t)(days + 1);
  p[4] = (uint8_t)(rest / 3600);
  p[5] = (uint8_t)(rest / 60 % 60);
  p[6] = (uint8_t)(rest % 60);
}
