#include "by_hand.h"

#include <string.h>

/* Glucose Measurement (GATT Specification Supplement 3.107), flags. */
#define HAS_OFFSET 0x01
#define HAS_CONCENTRATION 0x02
#define IS_MOLE_PER_LITRE 0x04
#define HAS_STATUS 0x08

static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

static inline uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static int days_in_month(uint32_t month, uint32_t year) {
  static const uint8_t days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Seconds of civil time since 1970-01-01T00:00 of a Date Time field, or INT64_MIN when the clock is not set. */
static int64_t civil_seconds(const uint8_t *p) {
  uint32_t year = u16(p), month = p[2], day = p[3], hour = p[4], minute = p[5], second = p[6];
  if (year < 1582 || year > 9999 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 ||
      (int)day > days_in_month(month, year))
    return INT64_MIN;
  uint32_t y = year - (month <= 2), era = y / 400, of_era = y - era * 400;
  uint32_t of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  uint32_t days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return ((int64_t)(era * 146097 + days) - 719468) * 86400 + hour * 3600 + minute * 60 + second;
}

static uint8_t qualifier(uint16_t status) {
  if (status & 0x079e) return MH_QUAL_QUESTIONABLE;
  switch (status & 0x60) {
    case 0: return MH_QUAL_EXACT;
    case 0x20: return MH_QUAL_ABOVE;
    case 0x40: return MH_QUAL_BELOW;
    default: return MH_QUAL_QUESTIONABLE;
  }
}

static inline void put(mh_value *value, uint32_t metric, int64_t code) {
  *value = (mh_value){.metric = (uint16_t)metric, .unit = 1, .value = (double)code, .raw = code};
}

/* MH_QUAL_ABOVE or MH_QUAL_BELOW where the mantissa is +INF (2046), -INF (-2046), NaN or NRes and nothing denies it; else
 * MH_QUAL_EXACT. */
static uint8_t beyond(int32_t mantissa, uint8_t of_status) {
  int side = of_status == MH_QUAL_ABOVE || of_status == MH_QUAL_BELOW;
  switch (mantissa) {
    case 2046: return of_status == MH_QUAL_EXACT || of_status == MH_QUAL_ABOVE ? MH_QUAL_ABOVE : MH_QUAL_EXACT;
    case -2046: return of_status == MH_QUAL_EXACT || of_status == MH_QUAL_BELOW ? MH_QUAL_BELOW : MH_QUAL_EXACT;
    case 2047:
    case -2048: return side ? of_status : MH_QUAL_EXACT;
    default: return MH_QUAL_EXACT;
  }
}

/* What surely holds of a meter that shows "HI" or "LO" and no number. */
static mh_value bound(uint8_t side, int is_mole) {
  mh_value value = {.raw = is_mole ? (side == MH_QUAL_ABOVE ? 222 : 22) : (side == MH_QUAL_ABOVE ? 400 : 40)};
  value.exp10 = is_mole ? -1 : 0;
  value.value = is_mole ? (double)value.raw / 10 : (double)value.raw;
  return value;
}

/* One value. MH_E_FULL leaves the sink as it was. */
static inline int32_t decode_one(const uint8_t *p, uint32_t n, mh_sink *sink) {
  if (n < 1) return MH_E_PROTOCOL;
  uint8_t flags = p[0];
  uint32_t at = 10;
  uint32_t needed = at + (flags & HAS_OFFSET ? 2 : 0) + (flags & HAS_CONCENTRATION ? 3 : 0) + (flags & HAS_STATUS ? 2 : 0);
  if (n < needed) return MH_E_PROTOCOL;
  int16_t offset = 0;
  if (flags & HAS_OFFSET) {
    offset = (int16_t)u16(p + at);
    at += 2;
  }
  if (!(flags & HAS_CONCENTRATION)) return MH_E_NO_VALUE;
  uint16_t concentration = u16(p + at);
  uint8_t type = p[at + 2] & 0x0f, location = p[at + 2] >> 4;
  at += 3;
  uint16_t status = flags & HAS_STATUS ? u16(p + at) : 0;
  int32_t mantissa = (int16_t)(concentration << 4) >> 4;
  int32_t exponent = (int16_t)concentration >> 12;
  uint8_t of_status = qualifier(status), side = beyond(mantissa, of_status);
  if (side == MH_QUAL_EXACT && (mantissa < 0 || mantissa >= 2046)) return MH_E_NO_VALUE;
  int is_mole = (flags & IS_MOLE_PER_LITRE) != 0, is_control = type == 10 || location == 4;
  int32_t power = exponent + (is_mole ? 3 : 5);
  double number = power < 0 ? mantissa / powers[-power] : mantissa * powers[power];
  /* Multi-meters send a ketone like this, and no meter shows a glucose as low. */
  if (flags == (HAS_OFFSET | HAS_CONCENTRATION) && offset == 0 && type == 1 && location == 1 && side == MH_QUAL_EXACT &&
      number < 20)
    return MH_E_NO_VALUE;

  uint64_t values = flags & HAS_STATUS ? 4 : 3;
  if (sink->n_records >= sink->cap_records || sink->cap_values - sink->n_values < values ||
      sink->cap_arena - sink->n_arena < 12)
    return MH_E_FULL;
  mh_value *value = sink->values + sink->n_values;
  value[0] = side != MH_QUAL_EXACT
                 ? bound(side, is_mole)
                 : (mh_value){.exp10 = (int8_t)power, .value = number, .raw = mantissa};
  value[0].metric = is_control ? MH_METRIC_CONTROL_SOLUTION_GLUCOSE : MH_METRIC_BLOOD_GLUCOSE;
  value[0].unit = is_mole ? MH_UNIT_MMOL_PER_L : MH_UNIT_MG_PER_DL;
  value[0].qualifier = side != MH_QUAL_EXACT ? side : of_status;
  put(value + 1, MH_METRIC_SAMPLE_TYPE, type);
  put(value + 2, MH_METRIC_SAMPLE_LOCATION, location);
  if (flags & HAS_STATUS) put(value + 3, MH_METRIC_SENSOR_STATUS, status);

  uint8_t *identity = sink->arena + sink->n_arena;
  memcpy(identity, p + 1, 9);
  identity[9] = (uint8_t)concentration;
  identity[10] = (uint8_t)(concentration >> 8);
  identity[11] = (uint8_t)is_mole;

  int64_t seconds = offset == INT16_MAX || offset == INT16_MIN ? INT64_MIN : civil_seconds(p + 3);
  int has_time = seconds != INT64_MIN;
  int64_t time = has_time ? seconds * 1000000 + (int64_t)offset * 60000000 : 0;
  sink->records[sink->n_records] = (mh_record){
      .kind = MH_KIND_MEASUREMENT,
      .flags = (is_control ? MH_REC_CONTROL : 0) | (!has_time || status & 0x0800 ? MH_REC_CLOCK_SUSPECT : 0),
      .n_values = (uint16_t)values,
      .time_kind = has_time ? MH_TIME_CIVIL : MH_TIME_NONE,
      .t_us = time,
      .end_us = time,
      .device_seq = u16(p + 1),
      .utc_offset_s = MH_OFFSET_UNKNOWN,
      .first_value = (uint32_t)sink->n_values,
      .first_text = (uint32_t)sink->n_texts,
      .ident_off = (uint32_t)sink->n_arena,
      .ident_len = 12,
      .ident_class = MH_IDENT_STORED,
  };
  sink->n_values += values;
  sink->n_arena += 12;
  sink->n_records += 1;
  return MH_OK;
}

int32_t decode_by_hand(mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink, uint64_t *n_done) {
  for (uint64_t i = 0; i < n; i++) {
    mh_slice *slice = slices + i;
    uint64_t before = sink->n_records;
    int32_t status = slice->characteristic != 0x2a18 ? MH_E_UNSUPPORTED
                     : (uint64_t)slice->off + slice->len > arena.n
                         ? MH_E_ARG
                         : decode_one(arena.p + slice->off, slice->len, sink);
    if (status == MH_E_FULL) {
      *n_done = i;
      return MH_E_FULL;
    }
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
  }
  *n_done = n;
  return MH_OK;
}
