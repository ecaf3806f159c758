#include "swan.h"

#define START 0xacu
#define SHORT_VERSION 0x02u
#define LONG_VERSION 0x03u
#define SHORT_LENGTH 8u
#define LONG_LENGTH 20u

/* Byte 6 of a short one. */
#define SWINGING 0xceu
#define FINAL 0xcau
#define COMMAND 0xccu
/* Byte 2 of a long one. */
#define RESULT 0xffu

/* Over the five bytes behind the head. */
static uint8_t sum(const uint8_t *p) {
  unsigned total = 0;
  for (int i = 2; i < 7; i++) total += p[i];
  return (uint8_t)total;
}

/* Hundredths of a kilogram. Impedance and states are of the same length. */
static int32_t read_short(const uint8_t *p, okok_frame *frame) {
  if (p[0] != START || p[1] != SHORT_VERSION || sum(p) != p[7]) return MH_E_PROTOCOL;
  if ((p[6] != SWINGING && p[6] != FINAL) || p[4] != 0 || p[5] != 0) return MH_E_NO_VALUE;
  frame->is_final = p[6] == FINAL;
  frame->raw = (int32_t)((uint32_t)p[2] << 8 | (uint32_t)p[3]);
  frame->exp10 = -2;
  return okok_frame_weigh(frame);
}

/* Tenths of a kilogram behind a date. It has no checksum, and nobody published one beside its display. */
static int32_t read_long(const uint8_t *p, okok_frame *frame) {
  if (p[0] != START || (p[1] != SHORT_VERSION && p[1] != LONG_VERSION) || p[2] != RESULT) return MH_E_NO_VALUE;
  frame->is_final = frame->is_doubtful = 1;
  frame->raw = (int32_t)((uint32_t)p[12] << 8 | (uint32_t)p[13]);
  frame->exp10 = -1;
  int32_t status = okok_frame_weigh(frame);
  /* It says what was, not that nobody stands there now. */
  frame->reason = 0;
  return status;
}

int32_t swan_read(mh_bytes data, okok_frame *frame) {
  *frame = (okok_frame){.dialect = SWAN_DIALECT};
  if (data.p == NULL) return MH_E_PROTOCOL;
  if (data.n == SHORT_LENGTH) return read_short(data.p, frame);
  return data.n == LONG_LENGTH ? read_long(data.p, frame) : MH_E_PROTOCOL;
}

void swan_put(enum swan_command command, uint8_t first, uint8_t second, uint8_t third, uint8_t *out) {
  out[0] = START;
  out[1] = SHORT_VERSION;
  out[2] = (uint8_t)command;
  out[3] = first;
  out[4] = second;
  out[5] = third;
  out[6] = COMMAND;
  out[7] = sum(out);
}
