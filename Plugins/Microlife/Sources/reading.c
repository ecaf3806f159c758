#include "reading.h"

#include "civil.h"
#include "frame.h"

#define STATUS_CUFF 0x02u
#define STATUS_IRREGULAR 0x04u

/* Bytes in front of the memory: those of the frame, seven about it, three single measurements. */
static uint32_t memory_offset(uint8_t stride) { return MICROLIFE_HEAD + 7u + 3u * stride; }

int32_t microlife_memory_of(mh_bytes frame, microlife_memory *memory) {
  if (!microlife_is_frame(frame) || frame.p[4] != MICROLIFE_HISTORY) return MH_E_PROTOCOL;
  memory->generation = frame.p[1];
  if (memory->generation != MICROLIFE_GENERATION_3 && memory->generation != MICROLIFE_GENERATION_4) return MH_E_PROTOCOL;
  memory->stride = memory->generation == MICROLIFE_GENERATION_4 ? 10 : 7;
  uint32_t offset = memory_offset(memory->stride);
  memory->count = frame.p[7];
  if (frame.n != (uint64_t)offset + (uint64_t)memory->count * memory->stride + 1) return MH_E_PROTOCOL;
  memory->first = frame.p + offset;
  memory->user = frame.p[8];
  memory->has_current = 0;
  for (uint32_t i = MICROLIFE_HEAD + 7; i < offset; i++) memory->has_current |= frame.p[i] != 0;
  return MH_OK;
}

/* Year, month, day, hour, minute in bytes; cuff fits (7), irregular (6), atrial fibrillation (5). */
static int read_generation_4(const uint8_t *p, microlife_reading *reading, microlife_civil *civil) {
  *civil = (microlife_civil){2000 + p[3], p[4], p[5], p[6], p[7], 0};
  reading->marks = p[8];
  reading->status = (uint8_t)((p[8] & 0x80u ? 0 : STATUS_CUFF) | (p[8] & 0x60u ? STATUS_IRREGULAR : 0));
  for (int i = 0; i < 8; i++) reading->ident[reading->n_ident++] = p[i];
  return p[3] != 0;
}

/* Two bits of the month above the day, two above the hour; irregular (6) above the year. */
static int read_generation_3(const uint8_t *p, microlife_reading *reading, microlife_civil *civil) {
  *civil = (microlife_civil){2000 + (p[6] & 0x3f), (p[4] >> 6 & 3) << 2 | p[3] >> 6, p[3] & 0x3f, p[4] & 0x3f, p[5], 0};
  reading->marks = p[6] & 0xc0u;
  reading->status = p[6] & 0x40u ? STATUS_IRREGULAR : 0;
  for (int i = 0; i < 6; i++) reading->ident[reading->n_ident++] = p[i];
  reading->ident[reading->n_ident++] = p[6] & 0x3fu;
  return (p[6] & 0x3f) != 0;
}

int microlife_reading_at(const microlife_memory *memory, uint32_t index, int no_clock, microlife_reading *reading) {
  const uint8_t *p = memory->first + (uint64_t)index * memory->stride;
  /* A pressure that is not above zero, or not above the other one, cannot be. */
  if (p[1] == 0 || p[0] <= p[1]) return 0;
  *reading = (microlife_reading){.systolic = p[0], .diastolic = p[1], .pulse = p[2], .user = memory->user};
  reading->ident[reading->n_ident++] = memory->generation;
  reading->ident[reading->n_ident++] = memory->user;
  microlife_civil civil;
  int has_year = memory->generation == MICROLIFE_GENERATION_4 ? read_generation_4(p, reading, &civil)
                                                              : read_generation_3(p, reading, &civil);
  reading->has_time = !no_clock && has_year && microlife_from_civil(civil, &reading->t_us);
  return 1;
}

void microlife_untimed_bytes(const microlife_reading *reading, uint8_t *out) {
  out[0] = reading->systolic;
  out[1] = reading->diastolic;
  out[2] = reading->pulse;
  out[3] = reading->marks;
}

static mh_value number(uint16_t metric, uint16_t unit, uint8_t raw, uint8_t qualifier) {
  mh_value value = {.metric = metric, .unit = unit, .qualifier = qualifier, .value = raw, .raw = raw};
  return value;
}

int32_t microlife_put(const microlife_reading *reading, mh_sink *sink) {
  uint8_t doubt = reading->status & STATUS_CUFF ? MH_QUAL_QUESTIONABLE : MH_QUAL_EXACT;
  mh_value values[4];
  uint16_t n = 0;
  values[n++] = number(MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, reading->systolic, doubt);
  values[n++] = number(MH_METRIC_DIASTOLIC, MH_UNIT_MMHG, reading->diastolic, doubt);
  /* 0 and 255 are bytes without a value, and nobody's pulse is below 10. */
  if (reading->pulse >= 10 && reading->pulse != 255)
    values[n++] = number(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, reading->pulse, doubt);
  values[n++] = number(MH_METRIC_BLOOD_PRESSURE_STATUS, MH_UNIT_NONE, reading->status, MH_QUAL_EXACT);

  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  /* 3 is the guest. */
  if (reading->user == 1 || reading->user == 2) {
    record.flags |= MH_REC_USER;
    record.device_user = reading->user;
  }
  if (!reading->has_time) {
    record.flags |= MH_REC_CLOCK_SUSPECT;
    return mh_sink_record(sink, &record, values, n, NULL, 0);
  }
  record.time_kind = MH_TIME_CIVIL;
  record.t_us = record.end_us = reading->t_us;
  record.ident_class = MH_IDENT_STORED;
  return mh_sink_record(sink, &record, values, n, reading->ident, reading->n_ident);
}
