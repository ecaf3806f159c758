#include "decode.h"

#include "civil.h"

#define PROGRESS 0x80u
#define RESULT 0x81u
/* A day, and what time zones may add. */
#define DAY_AND_ZONES (INT64_C(26) * 3600 * 1000000)

/* Year, month, day, hour, minute; all zero when the clock was never set. */
static const uint8_t *date_of(const uint8_t *p) { return p + 6; }

static int time_of(const uint8_t *p, int64_t *t_us) {
  const uint8_t *date = date_of(p);
  yonker_civil civil = {2000 + date[0], date[1], date[2], date[3], date[4], 0};
  return date[0] != 0 && yonker_from_civil(civil, t_us);
}

/* Clocks of these cuffs are known for being wrong, and programs disagree on the order of the date: what agrees with a clock beside
 * it is right. */
static int is_believable(int64_t t_us, int64_t now_civil_us) {
  return now_civil_us != YONKER_NO_TIME && t_us <= now_civil_us + DAY_AND_ZONES && t_us >= now_civil_us - DAY_AND_ZONES;
}

/* Bytes whose meaning nobody knows, and which are zero in every packet that is public. */
static int has_unknown(const uint8_t *p) {
  static const uint8_t places[] = {4, 5, 11, 12, 13, 14};
  for (uint32_t i = 0; i < sizeof places; i++)
    if (p[places[i]] != 0) return 1;
  return 0;
}

static mh_value number(uint16_t metric, uint16_t unit, uint8_t raw) {
  mh_value value = {.metric = metric, .unit = unit, .value = raw, .raw = raw};
  return value;
}

static int32_t put(const uint8_t *p, int no_clock, int64_t now_civil_us, mh_sink *sink) {
  mh_value values[3];
  uint16_t n = 0;
  values[n++] = number(MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, p[1]);
  values[n++] = number(MH_METRIC_DIASTOLIC, MH_UNIT_MMHG, p[2]);
  /* 0 and 255 are bytes without a value, and nobody's pulse is below 10. */
  if (p[3] >= 10 && p[3] != 255) values[n++] = number(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, p[3]);

  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  if (has_unknown(p)) record.flags |= MH_REC_HELD;
  if (no_clock) return mh_sink_record(sink, &record, values, n, NULL, 0);
  if (!time_of(p, &record.t_us)) {
    record.t_us = 0;
    record.flags |= MH_REC_CLOCK_SUSPECT;
    return mh_sink_record(sink, &record, values, n, NULL, 0);
  }
  if (!is_believable(record.t_us, now_civil_us)) record.flags |= MH_REC_CLOCK_SUSPECT;
  record.time_kind = MH_TIME_CIVIL;
  record.end_us = record.t_us;
  record.ident_class = MH_IDENT_STORED;
  const uint8_t *date = date_of(p);
  uint8_t ident[8] = {p[1], p[2], p[3], date[0], date[1], date[2], date[3], date[4]};
  return mh_sink_record(sink, &record, values, n, ident, sizeof ident);
}

int32_t yonker_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, int64_t now_civil_us, mh_sink *sink) {
  if (characteristic != YONKER_PACKET) return MH_E_UNSUPPORTED;
  if (bytes.p == NULL || bytes.n == 0) return MH_E_PROTOCOL;
  if (bytes.p[0] == PROGRESS && bytes.n >= 3) return MH_E_NO_VALUE;
  /* An oximeter of the same make begins with the same byte and is shorter. */
  if (bytes.p[0] != RESULT || bytes.n != YONKER_RESULT_LENGTH) return MH_E_PROTOCOL;
  if (bytes.p[2] == 0 || bytes.p[1] <= bytes.p[2]) return MH_E_NO_VALUE;
  return put(bytes.p, no_clock, now_civil_us, sink);
}
