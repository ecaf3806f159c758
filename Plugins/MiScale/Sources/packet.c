#include "packet.h"

/* Bits of the control bytes. The Mi Scale has one; the Mi Body Composition Scale has its unit in the first and its state
 * in the second. */
#define POUND 0x01u
#define JIN 0x10u
/* What lies on the scale is a thing and no person: of the Mi Scale's byte, and of the unit byte of the other. */
#define OBJECT 0x40u
#define BODY_OBJECT 0x04u
#define STABLE 0x20u
#define REMOVED 0x80u
#define HAS_IMPEDANCE 0x02u
/* Of the second control byte. */
#define BODY_JIN 0x40u

#define WEIGHT_LENGTH 10u
#define COMPOSITION_LENGTH 13u
/* The scale sends 0 without a contact and values above this when it could not measure. */
#define IMPEDANCE_MAX 3000u
/* A clock that was never set counts from here. */
#define EARLIEST_YEAR 1970
/* 2000-01-01T00:00: a date from here on was set by somebody. */
#define SET_US INT64_C(946684800000000)

static uint16_t read_u16(const uint8_t *p) { return (uint16_t)((uint16_t)p[0] | (uint16_t)p[1] << 8); }

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

/* Year, month, day, hour, minute, second as microseconds since 1970; 0 when the fields name no moment. */
int mi_packet_time(const uint8_t *p, int64_t *t_us) {
  int year = read_u16(p), month = p[2], day = p[3];
  if (year < EARLIEST_YEAR || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
      p[4] > 23 || p[5] > 59 || p[6] > 59)
    return 0;
  /* Years that begin in March put the leap day last (H. Hinnant, chrono-compatible date algorithms). */
  int march_year = year - (month <= 2), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  int64_t days = (int64_t)era * 146097 + day_of_era - 719468;
  *t_us = (((days * 24 + p[4]) * 60 + p[5]) * 60 + p[6]) * 1000000;
  return 1;
}

int mi_packet_is_set(int64_t t_us) { return t_us >= SET_US; }

int32_t mi_packet_grams(uint16_t raw_weight, int is_pound) {
  /* 0.01 lb are 4.5359237 g. */
  return is_pound ? (int32_t)((int64_t)raw_weight * 45359237 / 10000000) : (int32_t)raw_weight * 5;
}

int32_t mi_packet_read(uint16_t service, mh_bytes data, mi_packet *packet) {
  mi_packet read = {.has_body = service == MI_SCALE_COMPOSITION};
  if (!read.has_body && service != MI_SCALE_WEIGHT) return MH_E_UNSUPPORTED;
  if (data.p == NULL || data.n < (read.has_body ? COMPOSITION_LENGTH : WEIGHT_LENGTH)) return MH_E_PROTOCOL;
  const uint8_t *p = data.p;
  uint8_t unit = p[0], state = read.has_body ? p[1] : p[0];
  const uint8_t *date = read.has_body ? p + 2 : p + 3;
  const uint8_t *weight = read.has_body ? p + 11 : p + 1;
  int is_jin = (unit & JIN) != 0 || (read.has_body && (state & BODY_JIN) != 0);
  if ((unit & POUND) != 0 && is_jin) return MH_E_PROTOCOL;
  if ((unit & (read.has_body ? BODY_OBJECT : OBJECT)) != 0) return MH_E_NO_VALUE;
  read.raw_weight = read_u16(weight);
  /* Nothing lies there, or what lies there has no number. */
  if (read.raw_weight == 0 || read.raw_weight == UINT16_MAX) return MH_E_NO_VALUE;
  read.is_pound = (unit & POUND) != 0;
  read.is_stable = (state & STABLE) != 0;
  read.is_removed = (state & REMOVED) != 0;
  /* Who has stepped off before the number stood still was not weighed. */
  if (read.is_removed && !read.is_stable) return MH_E_NO_VALUE;
  read.has_clock = (uint8_t)mi_packet_time(date, &read.t_us);
  read.has_time = (uint8_t)mi_packet_is_set(read.t_us);
  if (read.has_body && (state & HAS_IMPEDANCE) != 0) {
    uint16_t impedance = read_u16(p + 9);
    if (impedance < IMPEDANCE_MAX) read.impedance = impedance;
  }
  for (int i = 0; i < 7; i++) read.ident[i] = date[i];
  read.ident[7] = weight[0];
  read.ident[8] = weight[1];
  *packet = read;
  return MH_OK;
}

/* Steps of 0.01 lb, of 0.005 kg, or of 0.01 jin: a jin is half a kilogram, so that is 0.005 kg again. */
static mh_value weight_value(const mi_packet *packet) {
  mh_value value = {.metric = MH_METRIC_BODY_WEIGHT};
  if (packet->is_pound) {
    value.unit = MH_UNIT_POUND;
    value.exp10 = -2;
    value.raw = packet->raw_weight;
    value.value = packet->raw_weight / 100.0;
  } else {
    value.unit = MH_UNIT_KILOGRAM;
    value.exp10 = -3;
    value.raw = (int64_t)packet->raw_weight * 5;
    value.value = (double)value.raw / 1000.0;
  }
  return value;
}

int32_t mi_packet_emit(const mi_packet *packet, mh_sink *sink) {
  mh_value values[2] = {weight_value(packet)};
  uint16_t n_values = 1;
  if (packet->impedance != 0)
    values[n_values++] = (mh_value){.metric = MH_METRIC_BODY_IMPEDANCE,
                                    .unit = MH_UNIT_OHM,
                                    .value = packet->impedance,
                                    .raw = packet->impedance};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (!packet->is_stable) {
    record.flags = MH_REC_PROVISIONAL;
    return mh_sink_record(sink, &record, values, n_values, NULL, 0);
  }
  /* Without a clock the advertisement's arrival is the time: it is sent while the person stands there, or for minutes behind that,
   * and then a person has to say whether it is right. */
  if (!packet->has_time) {
    if (packet->is_removed) record.flags = MH_REC_HELD;
    return mh_sink_record(sink, &record, values, n_values, NULL, 0);
  }
  record.time_kind = MH_TIME_CIVIL;
  record.t_us = record.end_us = packet->t_us;
  record.ident_class = MH_IDENT_STORED;
  return mh_sink_record(sink, &record, values, n_values, packet->ident, MI_SCALE_IDENT);
}
