#include "include/import_text.h"

#include <string.h>

static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/* Two digits, or a number that no field allows. */
static inline unsigned two(const uint8_t *p) {
  const unsigned high = (unsigned)p[0] - '0', low = (unsigned)p[1] - '0';
  return high > 9 || low > 9 ? 100 : high * 10 + low;
}

/* Days since 1970-01-01 (H. Hinnant, chrono-compatible low-level date algorithms). */
static int64_t days_of(int64_t year, unsigned month, unsigned day) {
  year -= month <= 2;
  const int64_t era = year / 400;
  const int64_t of_era = year - era * 400;
  const int64_t of_year = (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int mh_stamp_day(const uint8_t *p, size_t n, int64_t *day) {
  static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (n != 10 || p[4] != '-' || p[7] != '-') return 0;
  for (unsigned i = 0; i < 4; i++)
    if (!is_digit(p[i])) return 0;
  const unsigned year = two(p) * 100 + two(p + 2), month = two(p + 5), in_month = two(p + 8);
  if (year == 0 || month < 1 || month > 12 || in_month < 1) return 0;
  const int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (in_month > lengths[month - 1] + (unsigned)(month == 2 && is_leap)) return 0;
  *day = days_of(year, month, in_month);
  return 1;
}

int mh_stamp_read(mh_stamp_cache *cache, const uint8_t *p, size_t n, int64_t *us) {
  if (n != MH_STAMP_LENGTH || p[10] != ' ' || p[13] != ':' || p[16] != ':' || p[19] != ' ') return 0;
  if (memcmp(cache->text, p, sizeof cache->text) != 0) {
    int64_t day;
    if (!mh_stamp_day(p, 10, &day)) return 0;
    memcpy(cache->text, p, sizeof cache->text);
    cache->seconds = day * 86400;
  }
  const unsigned hour = two(p + 11), minute = two(p + 14), second = two(p + 17);
  const unsigned ahead_hours = two(p + 21), ahead_minutes = two(p + 23);
  if (hour > 23 || minute > 59 || second > 59 || ahead_hours > 18 || ahead_minutes > 59) return 0;
  if (p[20] != '+' && p[20] != '-') return 0;
  const int64_t ahead = (int64_t)ahead_hours * 3600 + (int64_t)ahead_minutes * 60;
  const int64_t seconds = cache->seconds + (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
  *us = (p[20] == '-' ? seconds + ahead : seconds - ahead) * 1000000;
  return 1;
}

const uint8_t *mh_find(const uint8_t *p, size_t n, const char *needle, size_t length) {
  const uint8_t *end = p + n;
  while ((size_t)(end - p) >= length) {
    p = memchr(p, needle[0], (size_t)(end - p) - length + 1);
    if (p == NULL) return NULL;
    if (memcmp(p, needle, length) == 0) return p;
    p++;
  }
  return NULL;
}
