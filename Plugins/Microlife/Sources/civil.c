#include "civil.h"

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

int microlife_from_civil(microlife_civil civil, int64_t *t_us) {
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

int microlife_to_civil(int64_t t_us, microlife_civil *civil) {
  /* 2000-01-01T00:00 and 2100-01-01T00:00. */
  if (t_us < INT64_C(946684800000000) || t_us >= INT64_C(4102444800000000)) return 0;
  int64_t seconds = t_us / 1000000, days = seconds / 86400 + 719468, era = days / 146097, day_of_era = days - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t march_month = (5 * day_of_year + 2) / 153, month = march_month < 10 ? march_month + 3 : march_month - 9;
  civil->year = (int)(year_of_era + era * 400 + (month <= 2));
  civil->month = (int)month;
  civil->day = (int)(day_of_year - (153 * march_month + 2) / 5 + 1);
  civil->hour = (int)(seconds / 3600 % 24);
  civil->minute = (int)(seconds / 60 % 60);
  civil->second = (int)(seconds % 60);
  return 1;
}
