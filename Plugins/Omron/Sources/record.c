/* A record is a row of little-endian words, of which older monitors send the bytes exchanged (README.md):
 *   0 systolic - 25, 1 diastolic, 2 pulse, 3 year - 2000 in six bits, and the position of a wrist,
 *   4-5 hour 5, day 5, month 4, two flags; 6-7 second 6, minute 6, cuff, three bits that sources read differently,
 *   8-9 counts that nobody explains, 10-11 number of the record, at the end the sum of all before it and one byte more. */
#include "record.h"

#include <string.h>

#define SYSTOLIC_OFFSET 25
#define SYSTOLIC_MAX 0xe1
#define IDENTITY_LENGTH 14u
#define IDENTITY_FORM 1u

/* Bits of blood_pressure_status, as those of the Blood Pressure Service. */
#define STATUS_MOVEMENT 0x01u
#define STATUS_CUFF_LOOSE 0x02u
#define STATUS_IRREGULAR 0x04u
#define STATUS_POSITION 0x20u
/* Those that make the monitor itself doubt the pressures. */
#define STATUS_DOUBTS (STATUS_MOVEMENT | STATUS_CUFF_LOOSE | STATUS_POSITION)

typedef struct reading {
  uint8_t systolic, diastolic, pulse, year, month, day, hour, minute, second;
  uint8_t status;
  uint16_t number;
} reading;

void omron_words(const omron_layout *layout, const uint8_t *bytes, uint32_t n, uint8_t *out) {
  for (uint32_t i = 0; i < n; i++) out[i] = bytes[layout->is_big_endian ? i ^ 1u : i];
}

int omron_sum_fits(const uint8_t *words, uint32_t n) {
  uint8_t sum = 0;
  for (uint32_t i = 0; i + 2 < n; i++) sum = (uint8_t)(sum + words[i]);
  return sum == words[n - 2];
}

int omron_civil_time(uint32_t year, uint32_t month, uint32_t day, uint32_t hour, uint32_t minute, uint32_t second,
                     int64_t *out) {
  static const uint8_t days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 2000 || year > 2255 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return 0;
  int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day < 1 || day > (uint32_t)days_of[month - 1] + (month == 2 && is_leap ? 1u : 0u)) return 0;
  int64_t days = 10957;
  for (uint32_t y = 2000; y < year; y++) days += y % 4 == 0 && (y % 100 != 0 || y % 400 == 0) ? 366 : 365;
  for (uint32_t m = 1; m < month; m++) days += days_of[m - 1] + (m == 2 && is_leap ? 1 : 0);
  days += day - 1;
  *out = ((days * 24 + hour) * 60 + minute) * INT64_C(60000000) + (int64_t)second * 1000000;
  return 1;
}

/* A slot that was never written holds one byte only, FF or 00. */
static int is_empty(const uint8_t *bytes, uint32_t n) {
  if (bytes[0] != 0xff && bytes[0] != 0x00) return 0;
  for (uint32_t i = 1; i < n; i++)
    if (bytes[i] != bytes[0]) return 0;
  return 1;
}

static reading read_words(const omron_layout *layout, const uint8_t *w) {
  uint16_t first = (uint16_t)(w[4] | w[5] << 8), second = (uint16_t)(w[6] | w[7] << 8);
  reading r = {.systolic = w[0], .diastolic = w[1], .pulse = w[2], .year = w[3] & 0x3f};
  r.hour = first & 0x1f;
  r.day = first >> 5 & 0x1f;
  r.month = first >> 10 & 0x0f;
  r.second = second & 0x3f;
  r.minute = second >> 6 & 0x3f;
  int low = first >> 14 & 1, high = first >> 15 & 1;
  if (layout->is_movement_low ? low : high) r.status |= STATUS_MOVEMENT;
  if (layout->is_movement_low ? high : low) r.status |= STATUS_IRREGULAR;
  if (layout->has_cuff_bit && (second >> 12 & 1) == 0) r.status |= STATUS_CUFF_LOOSE;
  if (layout->has_position_bit && (w[3] & 0x80) != 0) r.status |= STATUS_POSITION;
  if (layout->is_numbered) r.number = (uint16_t)(w[10] | w[11] << 8);
  return r;
}

static mh_value value_of(uint16_t metric, uint16_t unit, int64_t raw, uint8_t qualifier) {
  return (mh_value){.metric = metric, .unit = unit, .qualifier = qualifier, .value = (double)raw, .raw = raw};
}

/* What the meter's owner sees is in it, and who it is; never a flag, which says something about the reading. */
static void identify(const reading *r, uint32_t user, uint8_t *out) {
  const uint8_t bytes[IDENTITY_LENGTH] = {IDENTITY_FORM, (uint8_t)(user + 1), r->systolic,        r->diastolic,
                                          r->pulse,      r->year,             r->month,           r->day,
                                          r->hour,       r->minute,           r->second,          (uint8_t)r->number,
                                          (uint8_t)(r->number >> 8), 0};
  memcpy(out, bytes, sizeof bytes);
}

int32_t omron_put_record(const omron_layout *layout, const uint8_t *bytes, uint32_t user, uint32_t flags,
                         mh_sink *sink) {
  uint32_t n = layout->record_size;
  if (is_empty(bytes, n)) return MH_E_NO_VALUE;
  uint8_t words[OMRON_RECORD_MAX];
  omron_words(layout, bytes, n, words);
  int fits = omron_sum_fits(words, n);
  if (!fits && layout->has_sum) return MH_E_PROTOCOL;
  reading r = read_words(layout, words);
  int32_t systolic = r.systolic + SYSTOLIC_OFFSET;
  if (r.systolic > SYSTOLIC_MAX || r.diastolic == 0 || systolic <= r.diastolic) return MH_E_NO_VALUE;
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .flags = flags, .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN, .ident_class = MH_IDENT_STORED};
  if (!fits) record.flags |= MH_REC_HELD;
  if (omron_users(layout) > 1 && user < OMRON_USERS_MAX) {
    record.flags |= MH_REC_USER;
    record.device_user = (uint16_t)(user + 1);
  }
  /* The six bits of the second hold up to 63: such a time is that of its minute, and is not trusted. */
  int has_second = r.second <= 59;
  if (omron_civil_time(2000u + r.year, r.month, r.day, r.hour, r.minute, has_second ? r.second : 0, &record.t_us))
    record.time_kind = MH_TIME_CIVIL;
  if (record.time_kind == MH_TIME_NONE || !has_second) record.flags |= MH_REC_CLOCK_SUSPECT;
  record.end_us = record.t_us;
  uint8_t qualifier = (r.status & STATUS_DOUBTS) != 0 ? MH_QUAL_QUESTIONABLE : MH_QUAL_EXACT;
  mh_value values[4] = {value_of(MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, systolic, qualifier),
                        value_of(MH_METRIC_DIASTOLIC, MH_UNIT_MMHG, r.diastolic, qualifier)};
  uint16_t count = 2;
  if (r.pulse != 0 && r.pulse != 0xff)
    values[count++] = value_of(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, r.pulse, qualifier);
  values[count++] = value_of(MH_METRIC_BLOOD_PRESSURE_STATUS, MH_UNIT_NONE, r.status, MH_QUAL_EXACT);
  uint8_t identity[IDENTITY_LENGTH];
  identify(&r, user, identity);
  return mh_sink_record(sink, &record, values, count, identity, sizeof identity);
}
