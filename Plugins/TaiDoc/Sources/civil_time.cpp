#include "reading.h"

namespace taidoc {

static int days_in_month(int year, int month) {
  constexpr uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  /* 2000 to 2127: of the hundreds only 2100 is none. */
  bool leap = year % 4 == 0 && year != 2100;
  return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* Days from and to civil dates, counted in years that begin in March so that the leap day comes last (H. Hinnant,
 * chrono-compatible date algorithms). */
static int64_t days_from_civil(int year, int month, int day) {
  int march_year = year - (month <= 2 ? 1 : 0), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  return static_cast<int64_t>(era) * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

bool civil_time(const Payload &time, int64_t *microseconds) {
  uint16_t date = low_word(time);
  int year = 2000 + (date >> 9), month = date >> 5 & 0xf, day = date & 0x1f;
  /* The bits above are flags of some meters: bit 6 of the minute an irregular heartbeat, bit 7 of the hour an average
   * (YentingChia-Ultron/Ultron-esp32BLE foraBP.c, markchuang56/iOS-Demo ForaD40.h). */
  int minute = time.d[2] & 0x3f, hour = time.d[3] & 0x1f;
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59) return false;
  *microseconds = ((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * INT64_C(60000000);
  return true;
}

bool clock_payload(int64_t civil_microseconds, Payload *out) {
  /* 2000-01-01T00:00 and the end of 2127. */
  if (civil_microseconds < INT64_C(946684800000000) || civil_microseconds >= INT64_C(4985971200000000)) return false;
  int64_t minutes = civil_microseconds / INT64_C(60000000);
  int64_t days = minutes / 1440 + 719468, era = days / 146097, day_of_era = days - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t march_month = (5 * day_of_year + 2) / 153, month = march_month < 10 ? march_month + 3 : march_month - 9;
  int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
  int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  int64_t date = (year - 2000) << 9 | month << 5 | day;
  *out = Payload{{static_cast<uint8_t>(date & 0xff), static_cast<uint8_t>(date >> 8),
                  static_cast<uint8_t>(minutes % 60), static_cast<uint8_t>(minutes / 60 % 24)}};
  return true;
}

} // namespace taidoc
