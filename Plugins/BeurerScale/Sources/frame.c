#include "frame.h"

#include <string.h>

/* Steps of 50 g: 300 kg is far above what the scales bear (180 kg), and below any filler. */
#define WEIGHT_MAX 6000u
#define TENTHS_MAX 1000u
#define BMI_MAX 1500u
#define ABSENT 0xffffu
/* The scales were made from 2013 on: a clock that shows less was never set. */
#define EARLIEST UINT32_C(1325376000)
/* A scale sets the highest bit of the time in what it has just measured, and not in the copy that it keeps. */
#define TIME_MASK UINT32_C(0x7fffffff)

/* The first byte of an identity: which measured values it stands for. */
enum form { FORM_WEIGHT = 1, FORM_BOTH = 2, FORM_BODY = 3 };

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static uint32_t u32(const uint8_t *p) { return (uint32_t)u16(p) << 16 | u16(p + 2); }

int beurer_is_frame(mh_bytes bytes) {
  if (bytes.p == NULL || bytes.n < 3) return 0;
  uint8_t high = bytes.p[0] & 0xf0u, low = bytes.p[0] & 0x0fu;
  return (high == 0xe0u || high == 0xf0u) && (low == BEURER_HELLO || low == BEURER_COMMAND);
}

/* 0 and FFFF in an optional field: not measured. */
static uint16_t optional(uint16_t raw) { return raw == ABSENT ? 0 : raw; }

static int32_t check_weight(uint16_t raw) {
  if (raw == 0 || raw == ABSENT) return MH_E_NO_VALUE;
  return raw > WEIGHT_MAX ? MH_E_PROTOCOL : MH_OK;
}

/* Time, weight and impedance, which every measurement has. */
static int32_t read_head(const uint8_t *bytes, beurer_reading *out) {
  memset(out, 0, sizeof *out);
  out->user = BEURER_NOBODY;
  out->time = u32(bytes) & TIME_MASK;
  out->weight = u16(bytes + 4);
  out->impedance = optional(u16(bytes + 6));
  memcpy(out->bytes, bytes, BEURER_HEAD);
  out->bytes[0] &= 0x7fu;
  if (out->time < EARLIEST) out->flags |= MH_REC_CLOCK_SUSPECT;
  return check_weight(out->weight);
}

int32_t beurer_read_whole(const uint8_t *bytes, beurer_reading *out) {
  int32_t status = read_head(bytes, out);
  if (status != MH_OK) return status;
  memcpy(out->bytes + BEURER_HEAD, bytes + BEURER_HEAD, BEURER_WHOLE - BEURER_HEAD);
  out->fat = optional(u16(bytes + 8));
  out->water = optional(u16(bytes + 10));
  out->muscle = optional(u16(bytes + 12));
  out->bone = optional(u16(bytes + 14));
  out->bmi = optional(u16(bytes + 20));
  int is_possible = out->fat <= TENTHS_MAX && out->water <= TENTHS_MAX && out->muscle <= TENTHS_MAX &&
                    out->bone < out->weight && out->bmi <= BMI_MAX;
  return is_possible ? MH_OK : MH_E_PROTOCOL;
}

int32_t beurer_read_weighing(mh_bytes frame, beurer_reading *out) {
  if (frame.n < 5) return MH_E_PROTOCOL;
  memset(out, 0, sizeof *out);
  out->user = BEURER_NOBODY;
  out->weight = u16(frame.p + 3);
  out->flags = MH_REC_PROVISIONAL;
  return check_weight(out->weight);
}

int32_t beurer_read_unknown(mh_bytes frame, beurer_reading *out) {
  if (frame.n < 13) return MH_E_PROTOCOL;
  int32_t status = read_head(frame.p + 5, out);
  /* The scale itself could not say whose it is: a person does. */
  out->flags |= MH_REC_HELD;
  return status;
}

static uint16_t add(mh_value *values, uint16_t n, uint16_t metric, uint16_t unit, int64_t raw, int8_t exp10) {
  double value = (double)raw;
  for (int8_t i = exp10; i < 0; i++) value /= 10;
  values[n] = (mh_value){.metric = metric, .unit = unit, .exp10 = exp10, .value = value, .raw = raw};
  return (uint16_t)(n + 1);
}

int beurer_has_composition(const beurer_reading *reading) {
  return reading->fat != 0 || reading->water != 0 || reading->muscle != 0 || reading->bone != 0;
}

static uint16_t add_composition(mh_value *values, uint16_t n, const beurer_reading *reading) {
  if (reading->bmi != 0) n = add(values, n, MH_METRIC_BMI, MH_UNIT_KG_PER_M2, reading->bmi, -1);
  if (reading->fat != 0) n = add(values, n, MH_METRIC_BODY_FAT, MH_UNIT_PERCENT, reading->fat, -1);
  if (reading->muscle != 0) n = add(values, n, MH_METRIC_BODY_MUSCLE_PERCENT, MH_UNIT_PERCENT, reading->muscle, -1);
  if (reading->bone != 0) n = add(values, n, MH_METRIC_BODY_BONE_MASS, MH_UNIT_KILOGRAM, reading->bone * 5, -2);
  if (reading->water != 0) n = add(values, n, BEURER_METRIC_WATER, MH_UNIT_PERCENT, reading->water, -1);
  return n;
}

static uint16_t add_weight(mh_value *values, const beurer_reading *reading) {
  uint16_t n = add(values, 0, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, reading->weight * 5, -2);
  if (reading->impedance != 0) n = add(values, n, MH_METRIC_BODY_IMPEDANCE, MH_UNIT_OHM, reading->impedance, 0);
  return n;
}

int32_t beurer_put(const beurer_reading *reading, mh_sink *sink) {
  mh_value values[8];
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .flags = reading->flags,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (reading->flags & MH_REC_PROVISIONAL)
    return mh_sink_record(sink, &record, values, add_weight(values, reading), NULL, 0);
  int has_body = reading->share != BEURER_WEIGHT_ALONE && beurer_has_composition(reading);
  uint8_t identity[1 + BEURER_WHOLE] = {FORM_WEIGHT};
  memcpy(identity + 1, reading->bytes, BEURER_WHOLE);
  uint16_t n = reading->share == BEURER_BODY_ALONE ? 0 : add_weight(values, reading);
  if (has_body) {
    identity[0] = n == 0 ? FORM_BODY : FORM_BOTH;
    n = add_composition(values, n, reading);
  }
  if (reading->user != BEURER_NOBODY) {
    record.flags |= MH_REC_USER;
    record.device_user = reading->user;
  }
  record.time_kind = MH_TIME_UTC;
  record.t_us = record.end_us = (int64_t)reading->time * 1000000;
  record.ident_class = MH_IDENT_STORED;
  return mh_sink_record(sink, &record, values, n, identity, has_body ? sizeof identity : 1 + BEURER_HEAD);
}

/* Frames of one measurement, one behind the other: 59 has a frame with the user's name in front. */
static int32_t read_frames(mh_bytes bytes, beurer_reading *out) {
  uint8_t whole[BEURER_WHOLE], command = bytes.p[1];
  uint64_t place = 0;
  if (command == BEURER_MEASURED && bytes.n >= 4 && bytes.p[3] == 1) place = 13;
  if (bytes.n == place || bytes.n == place + 4 + BEURER_PART) return MH_E_NO_VALUE;
  if (bytes.n != place + 2 * (4 + BEURER_PART)) return MH_E_PROTOCOL;
  const uint8_t *first = bytes.p + place, *second = first + 4 + BEURER_PART;
  int is_pair = first[0] == bytes.p[0] && memcmp(first, second, 3) == 0 && first[1] == command &&
                first[3] + 1 == second[3] && second[3] <= second[2];
  if (!is_pair) return MH_E_PROTOCOL;
  memcpy(whole, first + 4, BEURER_PART);
  memcpy(whole + BEURER_PART, second + 4, BEURER_PART);
  return beurer_read_whole(whole, out);
}

int32_t beurer_read_value(mh_bytes bytes, beurer_reading *out) {
  if (!beurer_is_frame(bytes)) return MH_E_PROTOCOL;
  if ((bytes.p[0] & 0x0fu) == BEURER_HELLO) return MH_E_NO_VALUE;
  switch (bytes.p[1]) {
    case BEURER_WEIGHING: return beurer_read_weighing(bytes, out);
    case BEURER_UNKNOWN: return beurer_read_unknown(bytes, out);
    case BEURER_SAVED:
    case BEURER_ASSIGNED:
    case BEURER_MEASURED: return read_frames(bytes, out);
    case BEURER_USER:
    case BEURER_ANSWER: return MH_E_NO_VALUE;
    default: return MH_E_PROTOCOL;
  }
}
