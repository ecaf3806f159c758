#include "decode.h"

#define FLAG_FAHRENHEIT 0x01u
#define FLAG_TIME 0x02u
#define FLAG_SITE 0x04u

/* Bytes with a place to read from; `ok` falls when they end too early, and every later read gives 0. */
typedef struct reader {
  mh_bytes bytes;
  uint64_t at;
  int ok;
} reader;

static const uint8_t *take(reader *from, uint64_t n) {
  static const uint8_t nothing[8] = {0};
  if (!from->ok || from->bytes.p == NULL || from->bytes.n - from->at < n) {
    from->ok = 0;
    return nothing;
  }
  const uint8_t *p = from->bytes.p + from->at;
  from->at += n;
  return p;
}

/* FLOAT (IEEE 11073-20601): 24-bit mantissa, 8-bit exponent. */
typedef struct medical_float {
  int32_t mantissa;
  int8_t exponent;
} medical_float;

static medical_float read_float(const uint8_t *p) {
  uint32_t bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
  medical_float number = {bits & 0x800000u ? (int32_t)bits - 0x1000000 : (int32_t)bits, (int8_t)p[3]};
  return number;
}

/* +INF, NaN, NRes, reserved and -INF are neighbours from 7FFFFE to 800002, with whatever exponent. Powers of ten beyond
 * 10^22 are no exact doubles, and no temperature either. */
static int is_number(medical_float number) {
  uint32_t bits = (uint32_t)number.mantissa & 0xffffffu;
  return (bits < 0x7ffffeu || bits > 0x800002u) && number.exponent >= -22 && number.exponent <= 22;
}

/* What a thermometer calls "Hi" and "Lo" has no number (+INF and -INF of the FLOAT): what is surely true of it instead, below
 * which no thermometer's scale for people ends, or above which none begins. The host knows these numbers for what they are. */
static int is_beyond_scale(medical_float number, int is_fahrenheit, mh_value *value) {
  uint32_t bits = (uint32_t)number.mantissa & 0xffffffu;
  if (bits != 0x7ffffeu && bits != 0x800002u) return 0;
  int is_above = bits == 0x7ffffeu;
  value->qualifier = is_above ? MH_QUAL_ABOVE : MH_QUAL_BELOW;
  value->exp10 = -1;
  value->raw = is_fahrenheit ? (is_above ? 1067 : 950) : (is_above ? 415 : 350);
  value->value = (double)value->raw / 10;
  return 1;
}

/* Exact operands and one operation: the nearest double. */
static double nearest_double(medical_float number) {
  double power = 1;
  for (int n = number.exponent < 0 ? -number.exponent : number.exponent; n > 0; n--) power *= 10;
  return number.exponent < 0 ? number.mantissa / power : number.mantissa * power;
}

static int days_in_month(int year, int month) {
  static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && leap);
}

int thermometer_time(const uint8_t *p, int64_t *t_us) {
  int year = p[0] | p[1] << 8, month = p[2], day = p[3];
  if (year < 1582 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) ||
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

int32_t thermometer_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, mh_sink *sink) {
  if (characteristic != THERMOMETER_RESULT && characteristic != THERMOMETER_PROVISIONAL) return MH_E_UNSUPPORTED;
  reader from = {bytes, 0, 1};
  uint8_t flags = *take(&from, 1);
  const uint8_t *number_bytes = take(&from, 4);
  const uint8_t *time_bytes = flags & FLAG_TIME ? take(&from, 7) : NULL;
  const uint8_t *site = flags & FLAG_SITE ? take(&from, 1) : NULL;
  if (!from.ok) return MH_E_PROTOCOL;
  medical_float number = read_float(number_bytes);

  int is_fahrenheit = (flags & FLAG_FAHRENHEIT) != 0;
  mh_value values[2] = {{.metric = MH_METRIC_BODY_TEMPERATURE, .unit = is_fahrenheit ? MH_UNIT_FAHRENHEIT : MH_UNIT_CELSIUS}};
  if (is_number(number)) {
    values[0].exp10 = number.exponent;
    values[0].value = nearest_double(number);
    values[0].raw = number.mantissa;
  } else if (characteristic != THERMOMETER_RESULT || !is_beyond_scale(number, is_fahrenheit, &values[0])) {
    /* What is still settling is below the scale at first. */
    return MH_E_NO_VALUE;
  }
  uint16_t n_values = 1;
  if (site != NULL && *site != 0)
    values[n_values++] = (mh_value){
        .metric = MH_METRIC_TEMPERATURE_SITE, .unit = MH_UNIT_NONE, .value = *site, .raw = *site};

  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (characteristic == THERMOMETER_PROVISIONAL) record.flags |= MH_REC_PROVISIONAL;
  uint8_t ident[11];
  uint16_t ident_len = 0;
  if (time_bytes != NULL && !no_clock) {
    if (thermometer_time(time_bytes, &record.t_us)) {
      record.time_kind = MH_TIME_CIVIL;
      record.end_us = record.t_us;
      record.ident_class = MH_IDENT_STORED;
      for (int i = 0; i < 7; i++) ident[ident_len++] = time_bytes[i];
      for (int i = 0; i < 4; i++) ident[ident_len++] = number_bytes[i];
    } else {
      record.flags |= MH_REC_CLOCK_SUSPECT;
    }
  }
  return mh_sink_record(sink, &record, values, n_values, ident, ident_len);
}
