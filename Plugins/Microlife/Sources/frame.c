#include "frame.h"

#include "civil.h"

static uint8_t sum(const uint8_t *p, uint64_t n) {
  uint8_t total = 0;
  for (uint64_t i = 0; i < n; i++) total = (uint8_t)(total + p[i]);
  return total;
}

uint64_t microlife_frame_length(mh_bytes bytes) {
  if (bytes.n == 0) return 0;
  if (bytes.p[0] != 'M') return MICROLIFE_FRAME_MAX + 1u;
  if (bytes.n < 4) return 0;
  uint64_t length = (uint64_t)bytes.p[2] << 8 | bytes.p[3];
  /* Command and sum at least. */
  return length < 2 || length + 4 > MICROLIFE_FRAME_MAX ? MICROLIFE_FRAME_MAX + 1u : length + 4;
}

int microlife_is_frame(mh_bytes bytes) {
  return bytes.p != NULL && bytes.n > MICROLIFE_HEAD && microlife_frame_length(bytes) == bytes.n &&
         sum(bytes.p, bytes.n - 1) == bytes.p[bytes.n - 1];
}

static uint8_t finish(uint8_t command, uint8_t n_payload, uint8_t *out) {
  out[0] = 'M';
  out[1] = 0xff;
  out[2] = 0;
  out[3] = (uint8_t)(n_payload + 2);
  out[4] = command;
  out[5 + n_payload] = sum(out, (uint64_t)n_payload + 5);
  return (uint8_t)(n_payload + 6);
}

uint8_t microlife_ask(uint8_t command, uint8_t *out) { return finish(command, 0, out); }

uint8_t microlife_ask_history(uint8_t user, uint8_t *out) {
  for (int i = 5; i < 11; i++) out[i] = 0;
  out[11] = user;
  return finish(MICROLIFE_HISTORY, 7, out);
}

uint8_t microlife_tell_time(uint8_t command, int64_t civil_us, uint8_t *out) {
  microlife_civil civil;
  if (!microlife_to_civil(civil_us, &civil)) return 0;
  out[5] = (uint8_t)(civil.year - 2000);
  out[6] = (uint8_t)civil.month;
  out[7] = (uint8_t)civil.day;
  out[8] = (uint8_t)civil.hour;
  out[9] = (uint8_t)civil.minute;
  out[10] = (uint8_t)civil.second;
  return finish(command, 6, out);
}
