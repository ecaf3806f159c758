#include "civil.h"

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

int yonker_from_civil(yonker_civil civil, int64_t *t_us) {
  int month = civil.month, day = civil.day;
  if (civil.year < 2000 || civil.year > 2255 || month < 1 || month > 12 || day < 1 ||
      day > days_in_month(civil.year, month) || civil.hour < 0 || civil.hour > 23 || civil.minute < 0 || civil.minute > 59 ||
      civil.second < 0 || civil.second > 59)
    return 0;
  /* Years that begin in March put the leap day last (H. Hinnant, chrono-compatible date algorithms). */
  int march_year = civil.year - (month <= 2), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  int64_t days = (int64_t)era * 146097 + day_of_era - 719468;
  *t_us = (((days * 24 + civil.hour) * 60 + civil.minute) * 60 + civil.second) * 1000000;
  return 1;
}
