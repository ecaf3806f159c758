/* Lines of the export: what a person's tracker writes, read exactly and believed in nothing. */
#include "line.h"

#include <string.h>

#define TEXT(literal) {literal, sizeof(literal) - 1}
#define FIELDS 6u
#define SECOND INT64_C(1000000)
/* So many digits fit into a mantissa. */
#define DIGITS_MAX 18u

const struct line_type_name line_types[LINE_TYPES] = {{TEXT("steps"), MH_QTY_STEPS},
                                                      {TEXT("weight"), MH_QTY_WEIGHT},
                                                      {TEXT("other"), MH_QTY_OTHER}};
const mh_str line_units[LINE_UNITS] = {TEXT("count"), TEXT("kg"), TEXT("lb")};

static int is_same(mh_str a, mh_str b) { return a.n == b.n && memcmp(a.p, b.p, a.n) == 0; }

/* Takes the text apart; 0 when it has another number of fields, or a quote. */
static int split(mh_str text, mh_str field[FIELDS]) {
  uint32_t n = 0;
  uint64_t from = 0;
  for (uint64_t i = 0; i <= text.n; i++) {
    if (i < text.n && text.p[i] == '"') return 0;
    if (i < text.n && text.p[i] != ',') continue;
    if (n == FIELDS) return 0;
    field[n++] = (mh_str){text.p + from, i - from};
    from = i + 1;
  }
  return n == FIELDS;
}

/* So many digits from a place on as a number; -1 when there is anything else. */
static int64_t digits(mh_str text, uint64_t at, uint64_t n) {
  int64_t number = 0;
  if (n > text.n || at > text.n - n) return -1;
  for (uint64_t i = at; i < at + n; i++) {
    if (text.p[i] < '0' || text.p[i] > '9') return -1;
    number = number * 10 + (text.p[i] - '0');
  }
  return number;
}

static int is_leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int64_t days_in(int64_t year, int64_t month) {
  static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day) {
  const int64_t before = year - 1;
  int64_t days = before * 365 + before / 4 - before / 100 + before / 400 - 719162;
  for (int64_t i = 1; i < month; i++) days += days_in(year, i);
  return days + day - 1;
}

/* Z, +HH:MM or -HH:MM at the end of a time. */
static int read_zone(mh_str zone, int64_t *seconds, int32_t *offset) {
  *offset = MH_IMPORT_NO_OFFSET;
  *seconds = 0;
  if (zone.n == 1) return zone.p[0] == 'Z';
  if (zone.n != 6 || (zone.p[0] != '+' && zone.p[0] != '-') || zone.p[3] != ':') return 0;
  const int64_t hours = digits(zone, 1, 2), minutes = digits(zone, 4, 2);
  if (hours < 0 || minutes < 0 || minutes > 59) return 0;
  *seconds = (hours * 60 + minutes) * 60;
  if (*seconds > MH_IMPORT_OFFSET_MAX) return 0;
  if (zone.p[0] == '-') *seconds = -*seconds;
  *offset = (int32_t)*seconds;
  return 1;
}

/* 2025-03-01T08:00:00+01:00. The day and hour must exist: one that does not is an error of the file, and no other day. */
static int read_time(mh_str text, int64_t *us, int32_t *offset) {
  int64_t zone;
  if (text.n < 20 || text.p[4] != '-' || text.p[7] != '-' || text.p[10] != 'T' || text.p[13] != ':' ||
      text.p[16] != ':')
    return 0;
  const int64_t year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const int64_t hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return 0;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return 0;
  if (!read_zone((mh_str){text.p + 19, text.n - 19}, &zone, offset)) return 0;
  *us = (days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone) * SECOND;
  return *us >= MH_IMPORT_US_MIN && *us <= MH_IMPORT_US_MAX;
}

/* 812 or 81.60, as it is written: nothing is rounded, and no zero is left out. */
static int read_number(mh_str text, line *out) {
  uint64_t point = text.n, n = 0;
  out->mantissa = 0;
  for (uint64_t i = 0; i < text.n; i++) {
    if (text.p[i] == '.' && point == text.n && i > 0 && i + 1 < text.n) {
      point = i;
      continue;
    }
    if (text.p[i] < '0' || text.p[i] > '9' || ++n > DIGITS_MAX) return 0;
    out->mantissa = out->mantissa * 10 + (text.p[i] - '0');
  }
  out->exponent = (int16_t)(point == text.n ? 0 : -(int64_t)(text.n - point - 1));
  return n > 0;
}

static int unit_fits(uint32_t type, uint32_t unit) {
  return type == LINE_STEPS ? unit == LINE_COUNT : unit == LINE_KG || unit == LINE_LB;
}

uint32_t line_read(mh_str text, line *out) {
  mh_str field[FIELDS];
  int32_t end_offset;
  memset(out, 0, sizeof *out);
  out->type = LINE_TYPES;
  if (!split(text, field) || field[2].n == 0) return MH_REFUSED_FORM;
  for (out->type = 0; out->type < LINE_OTHER; out->type++)
    if (is_same(field[2], line_types[out->type].text)) break;
  if (out->type == LINE_OTHER) return 0;
  if (!read_time(field[0], &out->start_us, &out->utc_offset_s) || !read_time(field[1], &out->end_us, &end_offset) ||
      out->start_us > out->end_us)
    return MH_REFUSED_TIME;
  /* The tracker's word for a measurement that brought nothing. */
  if (field[3].n == 1 && field[3].p[0] == '-') return MH_REFUSED_SENTINEL;
  if (!read_number(field[3], out)) return MH_REFUSED_VALUE;
  while (out->unit < LINE_UNITS && !is_same(field[4], line_units[out->unit])) out->unit++;
  if (out->unit == LINE_UNITS || !unit_fits(out->type, out->unit) || field[5].n == 0) return MH_REFUSED_FORM;
  out->device = field[5];
  return 0;
}
