#include "frames.h"

/* Start, flags, sequence, length (2), checksum, version, operation (2), zero; then what the operation says. */
#define HEADER 10u
#define LENGTH_FROM 6u

#define OP_WEIGHT 0xa161u
#define OP_PLAIN_LIVE 0x4121u
#define OP_PLAIN_RESULT 0x413cu
/* Key exchange and its confirmation, and the readings behind them. */
#define OP_KEY_EXCHANGE 0x4201u
#define OP_KEY_VERIFY 0x4202u
#define OP_SEALED_LIVE 0x4421u
#define OP_SEALED_RESULT 0x443au
#define OP_SEALED_RESULT_C651 0x4422u

#define WEIGHT_LENGTH 12u
#define LIVE_LENGTH 9u
#define RESULT_LENGTH 35u
#define RESULT_WEIGHT 22u

#define HEART_RATE_MIN 30u
#define HEART_RATE_MAX 240u

static uint32_t u24(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16; }
static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

/* All bytes of a frame add up to FF. */
static int adds_up(mh_bytes frame) {
  uint8_t sum = 0;
  for (uint64_t i = 0; i < frame.n; i++) sum = (uint8_t)(sum + frame.p[i]);
  return sum == 0xff;
}

static int32_t finish(et_reading read, et_reading *reading) {
  if (read.weight > ETEKCITY_GRAMS_MAX) return MH_E_PROTOCOL;
  if (read.weight == 0 && !read.is_settling) return MH_E_NO_VALUE;
  if (read.impedance >= ETEKCITY_OHM_MAX) read.impedance = 0;
  *reading = read;
  return MH_OK;
}

/* Weight in grams (3), impedance (2), the scale's clock (4), stands still, impedance is told, unit of the display. */
static int32_t read_weight(const uint8_t *p, uint64_t n, et_reading *reading) {
  if (n != WEIGHT_LENGTH || p[9] > 1 || p[10] > 1 || p[11] > 2) return MH_E_PROTOCOL;
  et_reading read = {.weight = u24(p), .is_settling = p[9] == 0};
  if (!read.is_settling && p[10] == 1) read.impedance = u16(p + 3);
  read.is_complete = read.impedance != 0;
  return finish(read, reading);
}

static int32_t read_live(const uint8_t *p, uint64_t n, et_reading *reading) {
  if (n < LIVE_LENGTH) return MH_E_PROTOCOL;
  return finish((et_reading){.weight = u24(p), .is_settling = 1}, reading);
}

/* Serial number (8), name (12), two bytes, weight (3), impedance (2), clock (4), two bytes, unit, heart rate. */
static int32_t read_result(const uint8_t *p, uint64_t n, et_reading *reading) {
  if (n != RESULT_LENGTH || p[33] > 2) return MH_E_PROTOCOL;
  et_reading read = {.weight = u24(p + RESULT_WEIGHT), .impedance = u16(p + RESULT_WEIGHT + 3)};
  uint8_t rate = p[34];
  if (rate >= HEART_RATE_MIN && rate <= HEART_RATE_MAX) read.heart_rate = rate;
  read.is_complete = read.impedance != 0 && read.heart_rate != 0;
  return finish(read, reading);
}

int32_t et_a5_read(mh_bytes frame, et_reading *reading) {
  if (frame.p == NULL || frame.n < HEADER || frame.n > ETEKCITY_FRAME_MAX) return MH_E_PROTOCOL;
  const uint8_t *p = frame.p;
  if (p[0] != 0xa5 || u16(p + 3) != frame.n - LENGTH_FROM || !adds_up(frame)) return MH_E_PROTOCOL;
  if (p[6] != 1 || p[9] != 0) return MH_E_NO_VALUE;
  const uint8_t *rest = p + HEADER;
  uint64_t n = frame.n - HEADER;
  switch (u16(p + 7)) {
    case OP_WEIGHT: return read_weight(rest, n, reading);
    case OP_PLAIN_LIVE: return read_live(rest, n, reading);
    case OP_PLAIN_RESULT: return read_result(rest, n, reading);
    case OP_KEY_EXCHANGE:
    case OP_KEY_VERIFY:
    case OP_SEALED_LIVE:
    case OP_SEALED_RESULT:
    case OP_SEALED_RESULT_C651: return ET_ENCRYPTED;
    default: return MH_E_NO_VALUE;
  }
}

/* How long the frame is that begins here; 0 when nothing begins here, or something that is too long. */
static uint64_t length_of(const uint8_t *p, uint64_t n) {
  if (n == 0 || p[0] != 0xa5) return 0;
  /* Enough bytes to tell come with the first fragment of any real scale. */
  if (n < 5) return 0;
  uint64_t length = (uint64_t)u16(p + 3) + LENGTH_FROM;
  return length < HEADER || length > ETEKCITY_FRAME_MAX ? 0 : length;
}

static int32_t begin(et_assembly *assembly, mh_bytes value, mh_bytes *frame) {
  assembly->n = 0;
  uint64_t length = length_of(value.p, value.p == NULL ? 0 : value.n);
  if (length == 0 || value.n > length) return MH_E_PROTOCOL;
  if (value.n == length) {
    *frame = value;
    return MH_OK;
  }
  for (uint64_t i = 0; i < value.n; i++) assembly->bytes[i] = value.p[i];
  assembly->n = (uint8_t)value.n;
  return MH_END;
}

int32_t et_assembly_take(et_assembly *assembly, mh_bytes value, mh_bytes *frame) {
  /* A whole frame is no fragment: what was begun before it has lost its end. */
  int is_whole = value.p != NULL && length_of(value.p, value.n) == value.n && adds_up(value);
  if (assembly->n == 0 || is_whole) return begin(assembly, value, frame);
  uint64_t length = length_of(assembly->bytes, assembly->n);
  /* A fragment may begin with any byte; one that does not fit begins anew. */
  if (value.p == NULL || value.n == 0 || value.n > length - assembly->n) return begin(assembly, value, frame);
  for (uint64_t i = 0; i < value.n; i++) assembly->bytes[assembly->n + i] = value.p[i];
  uint64_t n = assembly->n + value.n;
  if (n < length) {
    assembly->n = (uint8_t)n;
    return MH_END;
  }
  assembly->n = 0;
  mh_bytes whole = {assembly->bytes, n};
  if (!adds_up(whole)) return begin(assembly, value, frame);
  *frame = whole;
  return MH_OK;
}
