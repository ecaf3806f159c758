#include "frame.h"

#define START 0x0du
/* Start, version, length, kind and checksum. */
#define LEAST 5u
#define LIVE 0x01u
#define FINISHED 0x02u
#define LIVE_LENGTH 11u
/* Up to version 1D without the fat, from 1E on with it. */
#define FINISHED_LENGTH 18u
#define FAT_LENGTH 20u
#define FAT_VERSION 0x1eu

#define X_LENGTH 16u
#define X_SWINGS 0x01u
#define X_STANDS 0x02u
#define X_DONE 0x03u

/* 2014: no scale whose clock was set is older; one that was never set counts seconds from its start. */
#define EARLIEST 1388534400u
/* 0.01 kg: less is nobody, more no scale of theirs weighs. */
#define LEAST_WEIGHT 200u
#define GREATEST_WEIGHT 30000u
/* Beyond this the scale could not measure it. */
#define RESISTANCE_END 3000u
/* 0.01 %: what the maker's programs take for a body's fat. */
#define LEAST_FAT 500u
#define GREATEST_FAT 7500u

static uint16_t two(const uint8_t *p) { return (uint16_t)((uint16_t)p[0] << 8 | (uint16_t)p[1]); }
static uint32_t four(const uint8_t *p) { return (uint32_t)two(p) << 16 | two(p + 2); }

static uint8_t exclusive_or(const uint8_t *p, uint64_t n) {
  uint8_t sum = 0;
  for (uint64_t i = 0; i < n; i++) sum ^= p[i];
  return sum;
}

static int32_t weigh(const yunmai_frame *frame) {
  return frame->weight < LEAST_WEIGHT || frame->weight > GREATEST_WEIGHT ? MH_E_NO_VALUE : MH_OK;
}

static uint16_t resistance(uint16_t raw) { return raw < RESISTANCE_END ? raw : 0; }

static int32_t finished(mh_bytes data, yunmai_frame *frame) {
  const uint8_t *p = data.p;
  int has_fat = p[1] >= FAT_VERSION;
  if (data.n != (has_fat ? FAT_LENGTH : FINISHED_LENGTH) || p[4] > 1) return MH_E_PROTOCOL;
  frame->is_history = p[4];
  uint32_t time = four(p + 5);
  frame->time = time < EARLIEST ? 0 : time;
  frame->user = four(p + 9);
  frame->weight = two(p + 13);
  frame->resistance = resistance(two(p + 15));
  uint16_t fat = has_fat ? two(p + 17) : 0;
  /* Of somebody whom the scale does not know it has neither age nor height. */
  if (frame->user != 0 && fat >= LEAST_FAT && fat <= GREATEST_FAT) frame->fat = fat;
  frame->state = frame->resistance != 0 ? YUNMAI_DONE : YUNMAI_STANDS;
  frame->n_ident = has_fat ? YUNMAI_IDENT : YUNMAI_IDENT - 2;
  for (uint8_t i = 0; i < frame->n_ident; i++) frame->ident[i] = p[5 + i];
  return weigh(frame);
}

int32_t yunmai_notification(mh_bytes data, yunmai_frame *frame) {
  *frame = (yunmai_frame){0};
  if (data.p == NULL || data.n < LEAST || data.p[0] != START || data.p[2] != data.n ||
      exclusive_or(data.p + 1, data.n - 2) != data.p[data.n - 1])
    return MH_E_PROTOCOL;
  if (data.p[3] == FINISHED) return finished(data, frame);
  /* Answers about users, the clock and the like. */
  if (data.p[3] != LIVE) return MH_E_NO_VALUE;
  if (data.n != LIVE_LENGTH) return MH_E_PROTOCOL;
  frame->weight = two(data.p + 8);
  return weigh(frame);
}

static int is_x(mh_bytes data) {
  return data.n == X_LENGTH && data.p[6] == 0x0b && data.p[7] == 0x74 && data.p[8] == 0x17;
}

int32_t yunmai_advertised(mh_bytes data, yunmai_frame *frame) {
  *frame = (yunmai_frame){0};
  if (data.p == NULL || !is_x(data) || exclusive_or(data.p + 9, 6) != data.p[15]) return MH_E_PROTOCOL;
  frame->is_advertised = 1;
  frame->counter = data.p[9];
  frame->weight = two(data.p + 11);
  switch (data.p[10]) {
    case X_SWINGS: frame->state = YUNMAI_SWINGS; break;
    case X_STANDS: frame->state = YUNMAI_STANDS; break;
    case X_DONE:
      frame->state = YUNMAI_DONE;
      frame->resistance = resistance(two(data.p + 13));
      break;
    default: return MH_E_NO_VALUE;
  }
  return weigh(frame);
}

int yunmai_find(mh_bytes advertisement, mh_bytes *data) {
  if (advertisement.p == NULL) return 0;
  for (uint64_t at = 0; at < advertisement.n;) {
    uint64_t length = advertisement.p[at];
    const uint8_t *structure = advertisement.p + at + 1;
    if (length == 0 || length > advertisement.n - at - 1) return 0;
    mh_bytes all = {structure + 1, length - 1};
    if (structure[0] == MH_AD_MANUFACTURER_DATA && is_x(all)) {
      *data = all;
      return 1;
    }
    at += 1 + length;
  }
  return 0;
}

int32_t yunmai_emit(const yunmai_frame *frame, mh_sink *sink) {
  mh_value values[3] = {{.metric = MH_METRIC_BODY_WEIGHT,
                         .unit = MH_UNIT_KILOGRAM,
                         .exp10 = -2,
                         .value = frame->weight / 100.0,
                         .raw = frame->weight}};
  uint16_t n_values = 1;
  if (frame->resistance != 0)
    values[n_values++] = (mh_value){.metric = MH_METRIC_BODY_IMPEDANCE,
                                    .unit = MH_UNIT_OHM,
                                    .value = frame->resistance,
                                    .raw = frame->resistance};
  if (frame->fat != 0)
    values[n_values++] = (mh_value){.metric = MH_METRIC_BODY_FAT,
                                    .unit = MH_UNIT_PERCENT,
                                    .exp10 = -2,
                                    .value = frame->fat / 100.0,
                                    .raw = frame->fat};
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (frame->state == YUNMAI_SWINGS) {
    record.flags = MH_REC_PROVISIONAL;
    return mh_sink_record(sink, &record, values, n_values, NULL, 0);
  }
  if (frame->user != 0 && frame->user <= UINT16_MAX) {
    record.flags = MH_REC_USER;
    record.device_user = (uint16_t)frame->user;
  } else if (frame->is_history) {
    /* Whose it is does not fit into a slot's number: a person has to say. */
    record.flags = MH_REC_HELD;
  }
  if (frame->time == 0) {
    /* Out of the memory without a time: neither when nor how often it was sent is known. */
    if (frame->is_history) record.flags |= MH_REC_HELD;
    return mh_sink_record(sink, &record, values, n_values, NULL, 0);
  }
  record.time_kind = MH_TIME_UTC;
  record.t_us = record.end_us = (int64_t)frame->time * 1000000;
  record.ident_class = MH_IDENT_STORED;
  return mh_sink_record(sink, &record, values, n_values, frame->ident, frame->n_ident);
}
