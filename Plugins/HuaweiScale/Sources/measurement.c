#include "measurement.h"

/* First byte of both halves. */
#define HALF 0xbcu

/* A clock that was set shows this year or a later one. */
#define EARLIEST_YEAR 2014
#define LATEST_YEAR 2099
/* 0.1 kg: less is nobody, more no scale of theirs weighs. */
#define LEAST_WEIGHT 20u
#define GREATEST_WEIGHT 3000u
#define RESISTANCE_END 4000u
#define USERS 10u

static uint16_t read_u16(const uint8_t *p) { return (uint16_t)((uint16_t)p[0] | (uint16_t)p[1] << 8); }

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

/* Year, month, day, hour, minute, second; 0 when the fields name no moment. */
static int read_date(const uint8_t *p, int64_t *t_us, int *year_out) {
  int year = read_u16(p), month = p[2], day = p[3];
  if (year < 1970 || year > LATEST_YEAR || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
      p[4] > 23 || p[5] > 59 || p[6] > 59)
    return 0;
  /* Years that begin in March put the leap day last (H. Hinnant, chrono-compatible date algorithms). */
  int march_year = year - (month <= 2), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  int64_t days = (int64_t)era * 146097 + day_of_era - 719468;
  *t_us = (((days * 24 + p[4]) * 60 + p[5]) * 60 + p[6]) * 1000000;
  *year_out = year;
  return 1;
}

int32_t huawei_measurement_read(const huawei_link *link, mh_bytes frame, huawei_measurement *measurement) {
  *measurement = (huawei_measurement){0};
  if (frame.p == NULL || frame.n < HUAWEI_HEAD) return MH_E_PROTOCOL;
  if (frame.p[0] != HALF || (frame.p[2] != HUAWEI_MEASURED && frame.p[2] != HUAWEI_STORED)) return MH_E_NO_VALUE;
  if (frame.n < HUAWEI_FRAME_MAX) return MH_E_PROTOCOL;
  uint8_t p[HUAWEI_BLOCK];
  for (uint8_t i = 0; i < HUAWEI_BLOCK; i++) p[i] = huawei_byte(link, frame, i) ^ link->stream[i];
  int year = 0;
  /* Another address, slot or key gives any bytes: hardly ever a user, a date and a day of the week. */
  if (p[0] < 1 || p[0] > USERS || p[12] > 7 || !read_date(p + 5, &measurement->t_us, &year)) return MH_E_PROTOCOL;
  measurement->is_stored = frame.p[2] == HUAWEI_STORED;
  measurement->has_time = year >= EARLIEST_YEAR;
  measurement->user = p[0];
  measurement->has_user = link->has_slot || p[0] != link->token[HUAWEI_TOKEN - 1];
  measurement->weight = read_u16(p + 1);
  uint16_t resistance = read_u16(p + 13);
  if (resistance < RESISTANCE_END) measurement->resistance = resistance;
  uint8_t *ident = measurement->ident;
  for (int i = 0; i < 3; i++) ident[i] = p[i];
  for (int i = 0; i < 7; i++) ident[3 + i] = p[5 + i];
  for (int i = 0; i < 2; i++) ident[10 + i] = p[13 + i];
  if (measurement->weight < LEAST_WEIGHT) return MH_E_NO_VALUE;
  return measurement->weight > GREATEST_WEIGHT ? MH_E_PROTOCOL : MH_OK;
}

int32_t huawei_measurement_emit(const huawei_measurement *measurement, mh_sink *sink) {
  mh_value values[2] = {{.metric = MH_METRIC_BODY_WEIGHT,
                         .unit = MH_UNIT_KILOGRAM,
                         .exp10 = -1,
                         .value = measurement->weight / 10.0,
                         .raw = measurement->weight}};
  uint16_t n_values = 1;
  if (measurement->resistance != 0)
    values[n_values++] = (mh_value){.metric = MH_METRIC_BODY_IMPEDANCE,
                                    .unit = MH_UNIT_OHM,
                                    .value = measurement->resistance,
                                    .raw = measurement->resistance};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (measurement->has_user) {
    record.flags = MH_REC_USER;
    record.device_user = measurement->user;
  }
  if (!measurement->has_time) {
    /* Out of the memory without a time: neither when nor how often it was sent is known. */
    if (measurement->is_stored) record.flags |= MH_REC_HELD;
    return mh_sink_record(sink, &record, values, n_values, NULL, 0);
  }
  record.time_kind = MH_TIME_CIVIL;
  record.t_us = record.end_us = measurement->t_us;
  record.ident_class = MH_IDENT_STORED;
  return mh_sink_record(sink, &record, values, n_values, measurement->ident, HUAWEI_IDENT);
}
