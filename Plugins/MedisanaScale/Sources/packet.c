#include "packet.h"

#include <string.h>

/* 300 kg: far above what the scales bear. */
#define WEIGHT_MAX 30000u
#define TENTHS_MAX 1000u
/* 2012: the scales were made from then on, and a clock that shows less was never set. */
#define EARLIEST UINT32_C(1325376000)
/* A weight with its time and its person: in kilograms, or in another unit by bits 5 and 6. */
#define FLAGS_WEIGHT 0x1du
#define FLAGS_UNIT 0x60u
#define FLAGS_BODY 0x6fu

enum form { FORM_WEIGHT = 1, FORM_BOTH = 2, FORM_BODY = 3 };

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static uint32_t u32(const uint8_t *p) { return (uint32_t)u16(p) | (uint32_t)u16(p + 2) << 16; }

/* Scales count from 1970 or from 2010, and what they say tells which: no weighing in 1970's count is older than 2010, and
 * none in the other is younger than 2050. */
static uint32_t moment(uint32_t raw) { return raw >= MEDISANA_EPOCH ? raw : raw + MEDISANA_EPOCH; }

int32_t medisana_read_weight(mh_bytes packet, medisana_reading *out) {
  memset(out, 0, sizeof *out);
  if (packet.p == NULL || packet.n < MEDISANA_WEIGHT_LENGTH) return MH_E_PROTOCOL;
  if ((packet.p[0] & ~FLAGS_UNIT) != FLAGS_WEIGHT) return MH_E_PROTOCOL;
  if ((packet.p[0] & FLAGS_UNIT) != 0) return MH_E_UNSUPPORTED;
  /* A number of three bytes and a power of ten, which is -2. */
  if (packet.p[3] != 0 || packet.p[4] != 0xfeu) return MH_E_PROTOCOL;
  out->has_weight = 1;
  out->weight = u16(packet.p + 1);
  out->time = moment(u32(packet.p + 5));
  out->user = packet.p[13];
  memcpy(out->weight_bytes, packet.p + 1, sizeof out->weight_bytes);
  memcpy(out->time_bytes, packet.p + 5, sizeof out->time_bytes);
  if (out->weight == 0 || out->weight == 0xffffu) return MH_E_NO_VALUE;
  return out->weight > WEIGHT_MAX ? MH_E_PROTOCOL : MH_OK;
}

/* Twelve bits, and a power of ten that is always -1; the special numbers are no value. */
static int read_tenths(const uint8_t *p, uint16_t *out) {
  uint16_t raw = u16(p), number = raw & 0x0fffu;
  *out = 0;
  if (number == 0 || (number >= 0x7feu && number <= 0x802u)) return 1;
  if (raw >> 12 != 0xfu || number > TENTHS_MAX) return 0;
  *out = number;
  return 1;
}

int32_t medisana_read_body(mh_bytes packet, medisana_reading *out) {
  memset(out, 0, sizeof *out);
  if (packet.p == NULL || packet.n < MEDISANA_BODY_LENGTH || packet.p[0] != FLAGS_BODY) return MH_E_PROTOCOL;
  out->has_body = 1;
  out->time = moment(u32(packet.p + 1));
  out->user = packet.p[5];
  memcpy(out->time_bytes, packet.p + 1, sizeof out->time_bytes);
  memcpy(out->body_bytes, packet.p + 6, sizeof out->body_bytes);
  int is_read = read_tenths(packet.p + 8, &out->fat) && read_tenths(packet.p + 10, &out->water) &&
                read_tenths(packet.p + 12, &out->muscle) && read_tenths(packet.p + 14, &out->bone);
  if (!is_read) return MH_E_PROTOCOL;
  int is_empty = out->fat == 0 && out->water == 0 && out->muscle == 0 && out->bone == 0;
  return is_empty ? MH_E_NO_VALUE : MH_OK;
}

int medisana_belong_together(const medisana_reading *weight, const medisana_reading *body) {
  return memcmp(weight->time_bytes, body->time_bytes, sizeof weight->time_bytes) == 0 && weight->user == body->user;
}

int32_t medisana_join(medisana_reading *weight, const medisana_reading *body) {
  /* Hundredths and tenths of a kilogram. */
  if ((uint32_t)body->bone * 10 >= weight->weight) return MH_E_PROTOCOL;
  weight->has_body = 1;
  weight->fat = body->fat;
  weight->water = body->water;
  weight->muscle = body->muscle;
  weight->bone = body->bone;
  memcpy(weight->body_bytes, body->body_bytes, sizeof weight->body_bytes);
  return MH_OK;
}

static uint16_t add(mh_value *values, uint16_t n, uint16_t metric, uint16_t unit, uint16_t raw, int8_t exp10) {
  if (raw == 0) return n;
  double value = exp10 == -2 ? raw / 100.0 : raw / 10.0;
  values[n] = (mh_value){.metric = metric, .unit = unit, .exp10 = exp10, .value = value, .raw = raw};
  return (uint16_t)(n + 1);
}

static uint16_t identify(const medisana_reading *reading, uint8_t *identity) {
  uint16_t n = 5;
  identity[0] = reading->has_body ? (reading->has_weight ? FORM_BOTH : FORM_BODY) : FORM_WEIGHT;
  memcpy(identity + 1, reading->time_bytes, sizeof reading->time_bytes);
  if (reading->has_weight) {
    memcpy(identity + n, reading->weight_bytes, sizeof reading->weight_bytes);
    n += sizeof reading->weight_bytes;
  }
  if (reading->has_body) {
    memcpy(identity + n, reading->body_bytes, sizeof reading->body_bytes);
    n += sizeof reading->body_bytes;
  }
  return n;
}

int32_t medisana_put(const medisana_reading *reading, mh_sink *sink) {
  mh_value values[5];
  uint8_t identity[19];
  uint16_t n = add(values, 0, MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, reading->weight, -2);
  n = add(values, n, MH_METRIC_BODY_FAT, MH_UNIT_PERCENT, reading->fat, -1);
  n = add(values, n, MH_METRIC_BODY_MUSCLE_PERCENT, MH_UNIT_PERCENT, reading->muscle, -1);
  n = add(values, n, MH_METRIC_BODY_BONE_MASS, MH_UNIT_KILOGRAM, reading->bone, -1);
  n = add(values, n, MEDISANA_METRIC_WATER, MH_UNIT_PERCENT, reading->water, -1);
  int64_t t_us = (int64_t)reading->time * 1000000;
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .time_kind = MH_TIME_UTC,
                      .t_us = t_us,
                      .end_us = t_us,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_STORED};
  if (reading->time < EARLIEST) record.flags |= MH_REC_CLOCK_SUSPECT;
  /* A composition without its weight: a person has to say what it is of. */
  if (!reading->has_weight) record.flags |= MH_REC_HELD;
  if (reading->user != 0 && reading->user != 0xffu) {
    record.flags |= MH_REC_USER;
    record.device_user = reading->user;
  }
  uint16_t n_identity = identify(reading, identity);
  return mh_sink_record(sink, &record, values, n, identity, n_identity);
}
