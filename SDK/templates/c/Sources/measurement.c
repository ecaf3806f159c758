#include "measurement.h"

#define HAS_OFFSET 0x01u
#define HAS_CONCENTRATION 0x02u
#define IS_MOL_PER_LITRE 0x04u
#define HAS_STATUS 0x08u
/* Sample type and location that mean "control solution" (Glucose Service 3.1.1.6). */
#define TYPE_CONTROL 10u
#define LOCATION_CONTROL 4u
/* Sensor, sample, strip, temperature or device fault: the meter doubts its own value. */
#define STATUS_DOUBTFUL 0x079eu
#define STATUS_ABOVE 0x0020u
#define STATUS_BELOW 0x0040u
#define STATUS_TIME_FAULT 0x0800u

#define SECOND INT64_C(1000000)
/* The years that Date Time can hold, as microseconds since 1970: 1582-01-01 to 9999-12-31. */
#define EARLIEST (-12244089600 * SECOND)
#define LATEST (253402300800 * SECOND - 1)

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

int32_t measurement_read(mh_bytes bytes, measurement *out) {
  const measurement nothing = {0};
  *out = nothing;
  if (bytes.n < 10) return MH_E_PROTOCOL;
  const uint8_t *p = bytes.p;
  uint64_t needed = 10 + (p[0] & HAS_OFFSET ? 2u : 0u) + (p[0] & HAS_CONCENTRATION ? 3u : 0u) +
                    (p[0] & HAS_STATUS ? 2u : 0u);
  if (bytes.n < needed) return MH_E_PROTOCOL;
  out->flags = p[0];
  out->sequence = u16(p + 1);
  for (int i = 0; i < 7; i++) out->base_time[i] = p[3 + i];
  p += 10;
  if (out->flags & HAS_OFFSET) {
    out->offset_minutes = (int16_t)u16(p);
    p += 2;
  }
  if (out->flags & HAS_CONCENTRATION) {
    out->concentration = u16(p);
    out->type_and_location = p[2];
    p += 3;
  }
  if (out->flags & HAS_STATUS) out->status = u16(p);
  return MH_OK;
}

/* Days since 1970-01-01, counted in years that begin in March so that the leap day comes last. */
static int64_t days_since_1970(int year, int month, int day) {
  int march_year = month <= 2 ? year - 1 : year, era = march_year / 400, year_of_era = march_year % 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  return (int64_t)era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static int days_in_month(int year, int month) {
  int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month == 2) return is_leap ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* The time on the meter's display, base time plus offset; 0 when its clock is not set or names no moment. */
static int display_time(const measurement *reading, int64_t *t_us) {
  const uint8_t *p = reading->base_time;
  int year = u16(p), month = p[2], day = p[3];
  if (year < 1582 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return 0;
  if (p[4] > 23 || p[5] > 59 || p[6] > 59) return 0;
  /* The profile's marks for an offset that does not fit (Glucose Service 3.1.1.4). */
  if (reading->offset_minutes == INT16_MAX || reading->offset_minutes == INT16_MIN) return 0;
  int64_t seconds = days_since_1970(year, month, day) * 86400 + p[4] * 3600 + p[5] * 60 + p[6];
  *t_us = (seconds + reading->offset_minutes * 60) * SECOND;
  return *t_us >= EARLIEST && *t_us <= LATEST;
}

/* SFLOAT (IEEE 11073-20601): 12-bit mantissa, 4-bit exponent. 0 for NaN, NRes, infinities and reserved, which are
 * neighbours, and for a negative concentration, which some meters send as a filler. */
static int read_sfloat(uint16_t bits, int *mantissa, int *exponent) {
  int digits = bits & 0x0fff;
  if (digits >= 0x07fe) return 0;
  *mantissa = digits;
  *exponent = bits >> 12 >= 8 ? (bits >> 12) - 16 : bits >> 12;
  return 1;
}

/* One operation on two exact numbers gives the nearest double. */
static double nearest_double(int mantissa, int exponent) {
  double power = 1;
  for (int n = exponent < 0 ? -exponent : exponent; n > 0; n--) power *= 10;
  return exponent < 0 ? mantissa / power : mantissa * power;
}

static uint8_t qualifier(uint16_t status) {
  if (status & STATUS_DOUBTFUL) return MH_QUAL_QUESTIONABLE;
  switch (status & (STATUS_ABOVE | STATUS_BELOW)) {
    case 0: return MH_QUAL_EXACT;
    case STATUS_ABOVE: return MH_QUAL_ABOVE;
    case STATUS_BELOW: return MH_QUAL_BELOW;
    default: return MH_QUAL_QUESTIONABLE;
  }
}

static mh_value code(uint16_t metric, int64_t number) {
  mh_value value = {.metric = metric, .unit = MH_UNIT_NONE, .value = (double)number, .raw = number};
  return value;
}

int32_t measurement_put(const measurement *reading, mh_sink *sink) {
  int mantissa = 0, exponent = 0;
  if ((reading->flags & HAS_CONCENTRATION) == 0 || !read_sfloat(reading->concentration, &mantissa, &exponent))
    return MH_E_NO_VALUE;
  uint8_t type = reading->type_and_location & 0x0f, location = reading->type_and_location >> 4;
  int is_molar = (reading->flags & IS_MOL_PER_LITRE) != 0;
  int is_control = type == TYPE_CONTROL || location == LOCATION_CONTROL;
  /* kg/L and mol/L become mg/dL and mmol/L by a power of ten: the meter's digits stay as they are. */
  exponent += is_molar ? 3 : 5;
  mh_value values[] = {{.metric = is_control ? MH_METRIC_CONTROL_SOLUTION_GLUCOSE : MH_METRIC_BLOOD_GLUCOSE,
                        .unit = is_molar ? MH_UNIT_MMOL_PER_L : MH_UNIT_MG_PER_DL,
                        .exp10 = (int8_t)exponent,
                        .qualifier = qualifier(reading->status),
                        .value = nearest_double(mantissa, exponent),
                        .raw = mantissa},
                       code(MH_METRIC_SAMPLE_TYPE, type),
                       code(MH_METRIC_SAMPLE_LOCATION, location)};
  int64_t t_us = 0;
  int has_time = display_time(reading, &t_us);
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .time_kind = has_time ? MH_TIME_CIVIL : MH_TIME_NONE,
                      .t_us = has_time ? t_us : 0,
                      .end_us = has_time ? t_us : 0,
                      .device_seq = reading->sequence,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_STORED};
  if (is_control) record.flags |= MH_REC_CONTROL;
  if (!has_time || (reading->status & STATUS_TIME_FAULT) != 0) record.flags |= MH_REC_CLOCK_SUSPECT;
  uint8_t identity[IDENTITY_SIZE];
  measurement_identity(reading, identity);
  return mh_sink_record(sink, &record, values, 3, identity, IDENTITY_SIZE);
}

void measurement_identity(const measurement *reading, uint8_t out[IDENTITY_SIZE]) {
  out[0] = (uint8_t)reading->sequence;
  out[1] = (uint8_t)(reading->sequence >> 8);
  for (int i = 0; i < 7; i++) out[2 + i] = reading->base_time[i];
  out[9] = (uint8_t)reading->concentration;
  out[10] = (uint8_t)(reading->concentration >> 8);
  out[11] = (reading->flags & IS_MOL_PER_LITRE) != 0;
}
