#include "frame.h"

#include <string.h>

/* 300 kg: far above what the scales bear. */
#define WEIGHT_MAX 3000u
/* Nobody's body has less or more. */
#define OHM_MIN 50u
#define OHM_MAX 3000u

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

int soehnle_is_uuid(const mh_uuid *uuid, uint8_t number) {
  static const uint8_t base[16] = {0x35, 0x2e, 0x30, 0x00, 0x28, 0xe9, 0x40, 0xb8,
                                   0xa3, 0x61, 0x6d, 0xb4, 0xcc, 0xa4, 0x14, 0x7c};
  mh_uuid wanted;
  memcpy(wanted.b, base, sizeof base);
  wanted.b[3] = number;
  return memcmp(wanted.b, uuid->b, sizeof base) == 0;
}

static int days_of(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && is_leap ? 29 : days[month - 1];
}

/* Days since 1970-01-01 (H. Hinnant, chrono-compatible date algorithms). */
static int64_t day_number(int year, int month, int day) {
  int march_year = year - (month <= 2), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  return (int64_t)era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/* Year, month, day, hour, minute, second: a time that names no moment is that of a clock that was never set. */
static int read_time(const uint8_t *p, int64_t *t_us) {
  int year = u16(p), month = p[2], day = p[3], hour = p[4], minute = p[5], second = p[6];
  if (year < 1970 || year > 9998 || month < 1 || month > 12 || day < 1 || day > days_of(year, month) || hour > 23 ||
      minute > 59 || second > 59)
    return 0;
  *t_us = ((day_number(year, month, day) * 24 + hour) * 3600 + minute * 60 + second) * INT64_C(1000000);
  return 1;
}

int32_t soehnle_read(mh_bytes frame, soehnle_reading *out) {
  memset(out, 0, sizeof *out);
  if (frame.p == NULL || frame.n == 0) return MH_E_PROTOCOL;
  if (frame.p[0] != SOEHNLE_HISTORY) return MH_E_NO_VALUE;
  if (frame.n != SOEHNLE_FRAME_LENGTH) return MH_E_PROTOCOL;
  out->user = frame.p[1];
  out->has_time = (uint8_t)read_time(frame.p + 2, &out->t_us);
  out->weight = u16(frame.p + 9);
  /* At 50 kHz; that at 5 kHz is a part of the identity only. */
  uint16_t impedance = u16(frame.p + 13);
  out->impedance = impedance >= OHM_MIN && impedance <= OHM_MAX ? impedance : 0;
  memcpy(out->identity, frame.p + 2, SOEHNLE_IDENTITY_LENGTH);
  if (out->user > SOEHNLE_USERS) return MH_E_PROTOCOL;
  if (out->weight == 0 || out->weight == 0xffffu) return MH_E_NO_VALUE;
  return out->weight > WEIGHT_MAX ? MH_E_PROTOCOL : MH_OK;
}

int32_t soehnle_put(const soehnle_reading *reading, mh_sink *sink) {
  mh_value values[2] = {{.metric = MH_METRIC_BODY_WEIGHT,
                         .unit = MH_UNIT_KILOGRAM,
                         .exp10 = -1,
                         .value = reading->weight / 10.0,
                         .raw = reading->weight},
                        {.metric = MH_METRIC_BODY_IMPEDANCE,
                         .unit = MH_UNIT_OHM,
                         .value = reading->impedance,
                         .raw = reading->impedance}};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .time_kind = reading->has_time ? MH_TIME_CIVIL : MH_TIME_NONE,
                      .t_us = reading->t_us,
                      .end_us = reading->t_us,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_STORED};
  if (!reading->has_time) record.flags |= MH_REC_CLOCK_SUSPECT;
  if (reading->user != 0) {
    record.flags |= MH_REC_USER;
    record.device_user = reading->user;
  }
  return mh_sink_record(sink, &record, values, reading->impedance != 0 ? 2 : 1, reading->identity,
                        SOEHNLE_IDENTITY_LENGTH);
}

/* The date of a day since 1970-01-01 (H. Hinnant, chrono-compatible date algorithms). */
static void put_date(int64_t days, uint8_t *p) {
  int64_t shifted = days + 719468, era = shifted / 146097, day_of_era = shifted - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted_month = (5 * day_of_year + 2) / 153, month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2);
  p[0] = (uint8_t)year;
  p[1] = (uint8_t)(year >> 8);
  p[2] = (uint8_t)month;
  p[3] = (uint8_t)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
}

void soehnle_put_time(int64_t civil_seconds, uint8_t *p) {
  int64_t days = civil_seconds / 86400, rest = civil_seconds % 86400;
  put_date(days, p);
  p[4] = (uint8_t)(rest / 3600);
  p[5] = (uint8_t)(rest / 60 % 60);
  p[6] = (uint8_t)(rest % 60);
  /* 1970-01-01 was a Thursday, and Monday is 1. */
  p[7] = (uint8_t)((days + 3) % 7 + 1);
  p[8] = p[9] = 0;
}
