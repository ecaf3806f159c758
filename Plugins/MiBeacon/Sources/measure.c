#include "measure.h"

#define OBJECT_S400 0x6e16u
#define OBJECT_WEIGHT 0x4e16u
#define VALUE 9u
/* 2020-01-01: no scale of these was made before, so a clock behind it was not set. */
#define SET_FROM 1577836800u
/* Of the S400's packed word. */
#define WEIGHT_BITS 0x7ffu
#define HEART_RATE_SHIFT 11
#define HEART_RATE_BITS 0x7fu
#define HEART_RATE_MISSING 0x7fu
#define HEART_RATE_FROM 50u
#define IMPEDANCE_SHIFT 18
/* Larger weights than any of these scales bears, in hundredths of a kilogram: no number that a display shows. */
#define WEIGHT_MAX 30000u

static uint32_t read_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* User, packed word, time. */
static int32_t read_s400(const uint8_t *p, mibeacon_measure *measure) {
  uint32_t packed = read_u32(p + 1);
  uint32_t heart_rate = packed >> HEART_RATE_SHIFT & HEART_RATE_BITS;
  uint16_t impedance = (uint16_t)(packed >> IMPEDANCE_SHIFT);
  measure->user = p[0];
  measure->time = read_u32(p + 5);
  if (packed == 0) {
    measure->is_left = 1;
    return MH_OK;
  }
  measure->weight = packed & WEIGHT_BITS;
  if (measure->weight == 0) {
    /* The frame that ends a weighing with bare feet has an impedance and nothing else. */
    measure->second_impedance = impedance;
    return impedance != 0 && heart_rate == 0 ? MH_OK : MH_E_NO_VALUE;
  }
  measure->may_grow = 1;
  measure->impedance = impedance;
  if (heart_rate != 0 && heart_rate != HEART_RATE_MISSING)
    measure->heart_rate = (uint8_t)(heart_rate + HEART_RATE_FROM);
  return MH_OK;
}

/* User, weight, time. A weight of 0 is sent before the number stands. */
static int32_t read_s200(const uint8_t *p, mibeacon_measure *measure) {
  measure->user = p[0];
  measure->weight = read_u32(p + 1);
  measure->time = read_u32(p + 5);
  return measure->weight != 0 && measure->weight <= WEIGHT_MAX ? MH_OK : MH_E_NO_VALUE;
}

/* Of this one only the weight at the end is known, and not whether it has settled: the last one of a weighing counts. */
static int32_t read_s800(const uint8_t *p, mibeacon_measure *measure) {
  measure->may_grow = 1;
  measure->weight = (uint32_t)p[7] | (uint32_t)p[8] << 8;
  return measure->weight != 0 && measure->weight <= WEIGHT_MAX ? MH_OK : MH_E_NO_VALUE;
}

static int32_t read_value(const uint8_t *value, uint32_t n, mibeacon_measure *measure) {
  if (n != VALUE) return MH_E_PROTOCOL;
  switch (measure->kind) {
    case MIBEACON_S400: return read_s400(value, measure);
    case MIBEACON_S200: return read_s200(value, measure);
    case MIBEACON_S800: return read_s800(value, measure);
    default: return MH_E_UNSUPPORTED;
  }
}

int32_t mibeacon_measure_read(mibeacon_kind kind, mh_bytes objects, uint32_t counter, mibeacon_measure *measure) {
  if (objects.p == NULL && objects.n != 0) return MH_E_PROTOCOL;
  uint16_t wanted = kind == MIBEACON_S400 ? OBJECT_S400 : OBJECT_WEIGHT;
  uint64_t at = 0;
  int32_t status = MH_E_NO_VALUE;
  mibeacon_measure read = {.kind = kind, .counter = counter};
  while (at < objects.n) {
    if (objects.n - at < 3) return MH_E_PROTOCOL;
    const uint8_t *p = objects.p + at;
    uint32_t n = p[2];
    if (objects.n - at - 3 < n) return MH_E_PROTOCOL;
    /* Two measurements in one frame are none: which one counts is not known. */
    if ((uint16_t)(p[0] | p[1] << 8) == wanted) {
      if (status != MH_E_NO_VALUE) return MH_E_PROTOCOL;
      status = read_value(p + 3, n, &read);
      if (status != MH_OK) return status;
    }
    at += 3 + n;
  }
  if (status == MH_OK) *measure = read;
  return status;
}

int mibeacon_measure_has_time(const mibeacon_measure *measure) { return measure->time >= SET_FROM; }

int mibeacon_measure_is_same(const mibeacon_measure *one, const mibeacon_measure *other) {
  return one->kind == other->kind && one->time == other->time;
}

void mibeacon_measure_join(mibeacon_measure *measure, const mibeacon_measure *other) {
  if (measure->user == 0) measure->user = other->user;
  if (measure->impedance == 0) measure->impedance = other->impedance;
  if (measure->heart_rate == 0) measure->heart_rate = other->heart_rate;
  if (measure->second_impedance == 0) measure->second_impedance = other->second_impedance;
}

static mh_value quantity(uint16_t metric, uint16_t unit, int8_t exp10, uint32_t raw) {
  static const double scales[] = {1, 10, 100};
  return (mh_value){.metric = metric, .unit = unit, .exp10 = exp10, .value = raw / scales[-exp10], .raw = raw};
}

static mh_value weight_of(const mibeacon_measure *measure) {
  int8_t exp10 = measure->kind == MIBEACON_S400 ? -1 : -2;
  return quantity(MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, exp10, measure->weight);
}

int32_t mibeacon_measure_emit(const mibeacon_measure *measure, mh_sink *sink) {
  mh_value values[4] = {weight_of(measure)};
  uint16_t n = 1;
  if (measure->impedance != 0)
    values[n++] = quantity(MH_METRIC_BODY_IMPEDANCE, MH_UNIT_OHM, -1, measure->impedance);
  if (measure->heart_rate != 0)
    values[n++] = quantity(MH_METRIC_HEART_RATE, MH_UNIT_PER_MINUTE, 0, measure->heart_rate);
  if (measure->second_impedance != 0)
    values[n++] = quantity(MIBEACON_SECOND_IMPEDANCE, MH_UNIT_OHM, -1, measure->second_impedance);
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  /* Users of the scale count from 1; nobody of them is 0. */
  if (measure->user != 0) {
    record.flags |= MH_REC_USER;
    record.device_user = measure->user;
  }
  if (!mibeacon_measure_has_time(measure)) {
    if (measure->is_doubtful) record.flags |= MH_REC_HELD;
    return mh_sink_record(sink, &record, values, n, NULL, 0);
  }
  record.time_kind = MH_TIME_UTC;
  record.t_us = record.end_us = (int64_t)measure->time * 1000000;
  record.ident_class = MH_IDENT_STORED;
  const uint8_t ident[MIBEACON_IDENT] = {
      (uint8_t)measure->time,         (uint8_t)(measure->time >> 8),  (uint8_t)(measure->time >> 16),
      (uint8_t)(measure->time >> 24), (uint8_t)measure->weight, (uint8_t)(measure->weight >> 8),
      (uint8_t)(measure->weight >> 16)};
  return mh_sink_record(sink, &record, values, n, ident, MIBEACON_IDENT);
}
