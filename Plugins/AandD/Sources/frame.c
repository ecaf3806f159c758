#include "frame.h"

#include "decode.h"
#include "number.h"

/* The only fragment that was seen: the first of one. */
#define WHOLE 0x10u
/* Fixed part of a record: readings behind it, its place, flags, weight. */
#define RECORD_MIN 8u
#define FLAG_UNIT 0x0003u
#define FLAG_USER 0x0004u
#define FLAG_UTC 0x0008u
#define FLAG_ZONE 0x0010u
#define FLAG_CIVIL 0x0020u
#define FLAG_IMPEDANCE 0x4000u
/* Body mass index to body water: 2 bytes each. The scale leaves them to the maker's program. */
#define FLAG_FIRST_PAIR 0x0040u
/* 2010-01-01T00:00Z: no such scale is older. */
#define UTC_MIN 1262304000u

static uint16_t word(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

int32_t aandd_frame(mh_bytes bytes, uint16_t *command, mh_bytes *payload) {
  if (bytes.p == NULL || bytes.n < 4 || bytes.p[0] != WHOLE || (uint64_t)bytes.p[1] + 2 != bytes.n) return MH_E_PROTOCOL;
  *command = word(bytes.p + 2);
  payload->p = bytes.p + 4;
  payload->n = bytes.n - 4;
  return MH_OK;
}

uint16_t aandd_remaining(mh_bytes payload) { return payload.n < 2 ? 0 : word(payload.p); }

int aandd_is_foreign_unit(mh_bytes payload) {
  return payload.n >= RECORD_MIN && (word(payload.p + 4) & FLAG_UNIT) != 0;
}

/* What stands behind the fixed part, in the order of the flags. */
typedef struct tail {
  const uint8_t *user;
  const uint8_t *utc;
  const uint8_t *impedance;
} tail;

static int read_tail(mh_bytes payload, uint16_t flags, tail *out) {
  aandd_reader from = {payload, RECORD_MIN, 1};
  out->user = flags & FLAG_USER ? aandd_take(&from, 1) : NULL;
  out->utc = flags & FLAG_UTC ? aandd_take(&from, 4) : NULL;
  if (flags & FLAG_ZONE) aandd_take(&from, 1);
  if (flags & FLAG_CIVIL) aandd_take(&from, 7);
  for (uint32_t bit = FLAG_FIRST_PAIR; bit < FLAG_IMPEDANCE; bit <<= 1)
    if (flags & bit) aandd_take(&from, 2);
  out->impedance = flags & FLAG_IMPEDANCE ? aandd_take(&from, 2) : NULL;
  return from.ok;
}

static void put_utc(mh_record *record, const uint8_t *utc, uint8_t *ident, uint16_t *ident_len) {
  uint32_t seconds = (uint32_t)word(utc) << 16 | word(utc + 2);
  if (seconds < UTC_MIN) {
    record->flags |= MH_REC_CLOCK_SUSPECT;
    return;
  }
  record->time_kind = MH_TIME_UTC;
  record->t_us = record->end_us = (int64_t)seconds * 1000000;
  record->ident_class = MH_IDENT_STORED;
  for (int i = 0; i < 4; i++) ident[(*ident_len)++] = utc[i];
}

static int32_t decode_record(mh_bytes payload, int no_clock, mh_sink *sink) {
  if (payload.n < RECORD_MIN) return MH_E_PROTOCOL;
  uint16_t flags = word(payload.p + 4), raw = word(payload.p + 6);
  tail tail;
  if (!read_tail(payload, flags, &tail)) return MH_E_PROTOCOL;
  if (raw == 0 || raw == 0xffff || (flags & FLAG_UNIT) != 0) return MH_E_NO_VALUE;

  aandd_decimal weight = {raw, -2, 1};
  mh_value values[2] = {aandd_value(MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, weight)};
  uint16_t n = 1, ohm = tail.impedance == NULL ? 0 : word(tail.impedance);
  if (ohm != 0 && ohm != 0xffff)
    values[n++] = aandd_value(MH_METRIC_BODY_IMPEDANCE, MH_UNIT_OHM, (aandd_decimal){ohm, 0, 1});

  mh_record record = aandd_record();
  if (tail.user != NULL && *tail.user != 0 && *tail.user != 0xff) {
    record.flags |= MH_REC_USER;
    record.device_user = *tail.user;
  }
  uint8_t ident[16] = {AANDD_FRAME >> 8, payload.p[6], payload.p[7], (uint8_t)(ohm >> 8), (uint8_t)(ohm & 0xff)};
  uint16_t ident_len = 5;
  if (tail.utc != NULL && !no_clock) put_utc(&record, tail.utc, ident, &ident_len);
  return mh_sink_record(sink, &record, values, n, ident, record.ident_class == MH_IDENT_STORED ? ident_len : 0);
}

int32_t aandd_frame_decode(mh_bytes bytes, int no_clock, mh_sink *sink) {
  uint16_t command = 0;
  mh_bytes payload = {NULL, 0};
  if (aandd_frame(bytes, &command, &payload) != MH_OK) return MH_E_PROTOCOL;
  return command == AANDD_RECORD ? decode_record(payload, no_clock, sink) : MH_E_NO_VALUE;
}

static uint8_t begin(uint8_t *out, uint16_t command, uint8_t n_payload) {
  out[0] = WHOLE;
  out[1] = (uint8_t)(n_payload + 2);
  out[2] = (uint8_t)(command >> 8);
  out[3] = (uint8_t)(command & 0xff);
  return (uint8_t)(n_payload + 4);
}

/* Payload of a login: 01 or 00, a code of four bytes, two more, the battery. The answers to both forms are those of the two
 * captures: code and bytes come back, then that the scale is known, then 02 or 01. */
uint8_t aandd_login_response(mh_bytes login, uint8_t *out) {
  const uint8_t *p = login.p;
  uint8_t n = begin(out, AANDD_LOGIN_RESPONSE, 9);
  out[4] = 1;
  for (uint64_t i = 0; i < 6; i++) out[5 + i] = i < login.n ? p[i] : 0;
  out[11] = 1;
  out[12] = login.n > 0 && p[0] == 1 ? 2 : 1;
  return n;
}

uint8_t aandd_set_time(int64_t unix_us, int32_t utc_offset_s, uint8_t *out) {
  uint32_t seconds = (uint32_t)(unix_us / 1000000);
  uint8_t n = begin(out, AANDD_SET_TIME, 6);
  out[4] = 3;
  for (int i = 0; i < 4; i++) out[5 + i] = (uint8_t)(seconds >> (24 - 8 * i));
  out[9] = (uint8_t)(int8_t)(utc_offset_s / 3600);
  return n;
}

uint8_t aandd_ask_record(uint8_t *out) {
  uint8_t n = begin(out, AANDD_ASK_RECORD, 2);
  out[4] = 0;
  out[5] = 1;
  return n;
}
