#include "include/import/moment.h"

#include <string.h>

/* Days since 1970-01-01. Years that begin in March put the leap day last (H. Hinnant, chrono-compatible date algorithms). */
static int64_t days_from_civil(int year, int month, int day) {
  int march_year = year - (month <= 2), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  return (int64_t)era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

int64_t mh_day_of(int64_t us, int32_t offset_s) {
  int64_t local = us + offset_s * MH_SECOND_US, day = local / MH_DAY_US;
  return day - (local % MH_DAY_US < 0);
}

void mh_day_text(int64_t day, char out[10]) {
  if (day < -719468 || day > 2932896) day = 0;
  int64_t shifted = day + 719468, era = shifted / 146097, of_era = shifted - era * 146097;
  int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100), part = (5 * of_year + 2) / 153;
  int64_t dd = of_year - (153 * part + 2) / 5 + 1, mm = part < 10 ? part + 3 : part - 9;
  int64_t year = year_of_era + era * 400 + (mm <= 2);
  for (int i = 3; i >= 0; i--, year /= 10) out[i] = (char)('0' + year % 10);
  out[4] = out[7] = '-';
  out[5] = (char)('0' + mm / 10), out[6] = (char)('0' + mm % 10);
  out[8] = (char)('0' + dd / 10), out[9] = (char)('0' + dd % 10);
}

/* Two digits, or a number that no field allows. */
static inline unsigned two(const char *p) {
  const unsigned high = (unsigned)(p[0] - '0'), low = (unsigned)(p[1] - '0');
  return high > 9 || low > 9 ? 100 : high * 10 + low;
}

int mh_day_read(const char *p, size_t n, int64_t *day) {
  if (n != 10 || p[4] != '-' || p[7] != '-') return 0;
  const unsigned century = two(p), of_century = two(p + 2), month = two(p + 5), in_month = two(p + 8);
  if (century > 99 || of_century > 99 || century + of_century == 0 || month < 1 || month > 12 || in_month < 1) return 0;
  const int year = (int)(century * 100 + of_century);
  if ((int)in_month > days_in_month(year, (int)month)) return 0;
  *day = days_from_civil(year, (int)month, (int)in_month);
  return 1;
}

int mh_stamp_read(mh_stamp_cache *cache, const char *p, size_t n, int64_t *us) {
  if (n != MH_STAMP_LENGTH || p[10] != ' ' || p[13] != ':' || p[16] != ':' || p[19] != ' ') return 0;
  if (memcmp(cache->text, p, sizeof cache->text) != 0) {
    int64_t day;
    if (!mh_day_read(p, 10, &day)) return 0;
    memcpy(cache->text, p, sizeof cache->text);
    cache->seconds = day * 86400;
  }
  const unsigned hour = two(p + 11), minute = two(p + 14), second = two(p + 17);
  const unsigned ahead_hours = two(p + 21), ahead_minutes = two(p + 23);
  if (hour > 23 || minute > 59 || second > 59 || ahead_hours > 18 || ahead_minutes > 59) return 0;
  if (p[20] != '+' && p[20] != '-') return 0;
  const int64_t ahead = (int64_t)ahead_hours * 3600 + (int64_t)ahead_minutes * 60;
  const int64_t seconds = cache->seconds + (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
  *us = (p[20] == '-' ? seconds + ahead : seconds - ahead) * MH_SECOND_US;
  return 1;
}

typedef struct reader {
  const char *p, *end;
} reader;

/* From least to most digits. */
static int digits(reader *in, int least, int most, int *out) {
  int value = 0, n = 0;
  while (n < most && in->p < in->end && *in->p >= '0' && *in->p <= '9') {
    value = value * 10 + (*in->p++ - '0');
    n++;
  }
  *out = value;
  return n >= least;
}

static int byte(reader *in, char c) {
  if (in->p == in->end || *in->p != c) return 0;
  in->p++;
  return 1;
}

/* Also the no-break spaces U+00A0 and U+202F, which phones write before am and pm. */
static int blanks(reader *in) {
  int n = 0;
  for (;; n++) {
    size_t left = (size_t)(in->end - in->p);
    const unsigned char *p = (const unsigned char *)in->p;
    if (left >= 1 && p[0] == ' ')
      in->p += 1;
    else if (left >= 2 && p[0] == 0xc2 && p[1] == 0xa0)
      in->p += 2;
    else if (left >= 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] == 0xaf)
      in->p += 3;
    else
      return n;
  }
}

static int fraction(reader *in, int *us) {
  int n = 0, scale = 100000;
  *us = 0;
  while (in->p < in->end && *in->p >= '0' && *in->p <= '9') {
    *us += (*in->p++ - '0') * scale;
    scale /= 10;
    n++;
  }
  return n > 0;
}

/* 1: am; 2: pm; 0: neither; -1: something else that begins so. */
static int half(reader *in) {
  if (in->end - in->p < 2 || ((in->p[0] | 32) != 'a' && (in->p[0] | 32) != 'p')) return 0;
  int which = (in->p[0] | 32) == 'a' ? 1 : 2;
  in->p++;
  byte(in, '.');
  if (in->p == in->end || (*in->p | 32) != 'm') return -1;
  in->p++;
  byte(in, '.');
  return which;
}

static int clock_time(reader *in, int64_t *us) {
  int hour, minute, second = 0, micro = 0;
  if (!digits(in, 1, 2, &hour) || !byte(in, ':') || !digits(in, 2, 2, &minute)) return 0;
  if (byte(in, ':')) {
    if (!digits(in, 2, 2, &second)) return 0;
    if ((byte(in, '.') || byte(in, ',')) && !fraction(in, &micro)) return 0;
  }
  const char *before = in->p;
  blanks(in);
  int which = half(in);
  if (which < 0 || (which > 0 && (hour < 1 || hour > 12))) return 0;
  if (which == 0) in->p = before;
  if (which > 0) hour = hour % 12 + (which == 2 ? 12 : 0);
  if (hour > 23 || minute > 59 || second > 59) return 0;
  *us = ((int64_t)(hour * 60 + minute) * 60 + second) * MH_SECOND_US + micro;
  return 1;
}

static int offset(reader *in, int32_t *out) {
  if (byte(in, 'Z')) {
    *out = 0;
    return 1;
  }
  int sign = byte(in, '-') ? -1 : byte(in, '+') ? 1 : 0, hours, minutes = 0;
  if (sign == 0 || !digits(in, 1, 2, &hours)) return 0;
  if (in->p < in->end && *in->p != ' ') {
    byte(in, ':');
    if (!digits(in, 2, 2, &minutes)) return 0;
  }
  if (hours > 18 || minutes > 59) return 0;
  *out = sign * (hours * 3600 + minutes * 60);
  return 1;
}

int mh_offset_read(const char *p, size_t n, int32_t *out) {
  reader in = {p, p + n};
  if (n >= 3 && ((p[0] == 'U' && p[1] == 'T' && p[2] == 'C') || (p[0] == 'G' && p[1] == 'M' && p[2] == 'T'))) in.p += 3;
  if (n == 3 && in.p == in.end) {
    *out = 0;
    return 1;
  }
  return offset(&in, out) && in.p == in.end;
}

int mh_moment_read(const char *p, size_t n, mh_moment *out) {
  reader in = {p, p + n};
  int64_t day, time = 0;
  *out = (mh_moment){0, 0, 0, 0};
  blanks(&in);
  if (in.end - in.p < 10 || !mh_day_read(in.p, 10, &day)) return 0;
  in.p += 10;
  int64_t midnight = day * MH_DAY_US;
  if (in.p == in.end) {
    *out = (mh_moment){midnight, 0, 0, 1};
    return 1;
  }
  if (!byte(&in, 'T') && blanks(&in) == 0) return 0;
  if (!clock_time(&in, &time)) return 0;
  blanks(&in);
  if (in.p < in.end) {
    if (in.end - in.p > 3 && in.p[0] == 'U' && in.p[1] == 'T' && in.p[2] == 'C') in.p += 3;
    if (!offset(&in, &out->offset_s)) return 0;
    out->has_zone = 1;
  }
  blanks(&in);
  out->us = midnight + time - out->offset_s * MH_SECOND_US;
  return in.p == in.end;
}

int mh_moment_of_number(mh_decimal number, int64_t *us) {
  int64_t whole;
  if (!mh_decimal_whole(number, 0, &whole) || whole < 0) return 0;
  /* A second count reaches 10^11 in the year 5138, a millisecond count passed it in 1973. */
  int places = whole < INT64_C(100000000000) ? 6 : whole < INT64_C(100000000000000) ? 3
               : whole < INT64_C(100000000000000000)                                ? 0
                                                                                    : -3;
  return mh_decimal_whole(number, places, us);
}
