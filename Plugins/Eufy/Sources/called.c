#include "frames.h"

/* Address (6), a CF frame (11), battery, model (2). */
#define FRAME_LENGTH 20u
#define FRAME_AT 6u
#define FRAME_N 11u
/* Two bytes, address (6), CF frame (13): heart rate, its flags, weight in 10 g (2), four bytes, state, three bytes. */
#define PRO_LENGTH 21u
#define PRO_AT 8u
/* Battery, address (6), zero, clock (4), state, its second byte, weight in 10 g (2), a byte, heart rate, a byte, impedance in
 * 0.1 Ohm (2). */
#define STATE_LENGTH_MIN 20u
#define STATE_LENGTH_MAX 29u
#define P3_LENGTH 25u

#define STATE_HAS_WEIGHT 0x01u
#define STATE_STANDS 0x04u
#define STATE_HAS_IMPEDANCE 0x40u
#define STATE_HAS_HEART_RATE 0x80u

#define HEART_RATE_MIN 30u
#define HEART_RATE_MAX 240u

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static uint8_t heart_rate(uint8_t rate) { return rate >= HEART_RATE_MIN && rate <= HEART_RATE_MAX ? rate : 0; }

static int32_t finish(eu_reading read, eu_reading *reading) {
  if (read.weight > EUFY_WEIGHT_MAX) return MH_E_PROTOCOL;
  if (read.weight == 0 && !read.is_settling) return MH_E_NO_VALUE;
  *reading = read;
  return MH_OK;
}

static int32_t read_frame(mh_bytes data, eu_reading *reading) {
  if (data.n != FRAME_LENGTH) return MH_E_PROTOCOL;
  mh_bytes frame = {data.p + FRAME_AT, FRAME_N};
  return eu_frame_read(frame, reading);
}

/* What stands where the other scales have the impedance is the heart rate, when both of the highest bits behind it are set. */
static int32_t read_pro(mh_bytes data, eu_reading *reading) {
  if (data.n != PRO_LENGTH || data.p[PRO_AT] != 0xcf) return MH_E_PROTOCOL;
  const uint8_t *p = data.p + PRO_AT;
  if (p[9] > 1) return p[9] == 2 ? MH_E_NO_VALUE : MH_E_PROTOCOL;
  eu_reading read = {.weight = u16(p + 3), .is_settling = p[9] == 1};
  if (!read.is_settling && p[2] >> 6 == 3) read.heart_rate = heart_rate(p[1]);
  read.is_complete = read.heart_rate != 0;
  return finish(read, reading);
}

static int32_t read_state(mh_bytes data, eu_reading *reading) {
  if (data.n < STATE_LENGTH_MIN || data.n > STATE_LENGTH_MAX || data.p[7] != 0) return MH_E_PROTOCOL;
  const uint8_t *p = data.p;
  uint8_t state = p[12];
  if ((state & STATE_HAS_WEIGHT) == 0) return MH_E_NO_VALUE;
  eu_reading read = {.weight = u16(p + 14), .is_settling = (state & STATE_STANDS) == 0};
  if (!read.is_settling) {
    if (((state | p[13]) & STATE_HAS_HEART_RATE) != 0) read.heart_rate = heart_rate(p[17]);
    /* The sources have a bit for the C20, and say of the P3, which tells more, that the number is the last one with the
     * heart rate's bit. */
    uint8_t impedance_bit = data.n >= P3_LENGTH ? STATE_HAS_HEART_RATE : STATE_HAS_IMPEDANCE;
    int has_impedance = (state & impedance_bit) != 0 && data.n >= 21;
    if (has_impedance && u16(p + 19) < EUFY_IMPEDANCE_MAX) read.impedance = u16(p + 19);
    read.is_complete = read.heart_rate != 0 && read.impedance != 0;
  }
  return finish(read, reading);
}

int32_t eu_called_read(int layout, mh_bytes data, eu_reading *reading) {
  if (data.p == NULL) return MH_E_PROTOCOL;
  switch (layout) {
    case EUFY_LAYOUT_FRAME: return read_frame(data, reading);
    case EUFY_LAYOUT_PRO: return read_pro(data, reading);
    case EUFY_LAYOUT_STATE: return read_state(data, reading);
    default: return MH_E_UNSUPPORTED;
  }
}

int eu_called_find(mh_bytes advertisement, mh_bytes *data) {
  if (advertisement.p == NULL) return 0;
  uint64_t at = 0;
  while (at < advertisement.n) {
    uint64_t length = advertisement.p[at];
    if (length == 0 || length > advertisement.n - at - 1) return 0;
    if (advertisement.p[at + 1] == MH_AD_MANUFACTURER_DATA) {
      data->p = advertisement.p + at + 2;
      data->n = length - 1;
      return 1;
    }
    at += 1 + length;
  }
  return 0;
}
