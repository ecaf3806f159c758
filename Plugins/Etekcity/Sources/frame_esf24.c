#include "frames.h"

/* Command, length of the whole, the kind of scale, payload, sum of all before. */
#define KIND 0x15u
#define HEADER 3u

#define COMMAND_WEIGHT 0x10u
#define COMMAND_STORED 0x23u
#define COMMAND_WANTS_UNIT 0x12u
#define COMMAND_WANTS_TIME 0x14u

#define WEIGHT_LENGTH 11u
#define STORED_LENGTH 20u
#define WANTS_UNIT_LENGTH 15u
#define WANTS_TIME_LENGTH 11u

/* The scale counts from 2000-01-01T00:00 in its maker's zone, eight hours ahead of UTC. */
#define EPOCH UINT32_C(946656000)
/* Ten years on: a clock that was never set has not come so far. */
#define EARLIEST UINT32_C(315360000)

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static uint8_t sum(const uint8_t *p, uint64_t n) {
  uint8_t all = 0;
  for (uint64_t i = 0; i < n; i++) all = (uint8_t)(all + p[i]);
  return all;
}

static int is_framed(mh_bytes frame) {
  return frame.p != NULL && frame.n > HEADER && frame.p[1] == frame.n && frame.p[2] == KIND;
}

static uint16_t ohm(const uint8_t *p) { return u16(p) < ETEKCITY_OHM_MAX ? u16(p) : 0; }

/* Weight in 0.01 kg, stands still, impedance at 50 kHz and at 500 kHz. */
static int32_t read_weight(const uint8_t *p, et_reading *reading) {
  et_reading read = {.weight = u16(p) * UINT32_C(10), .is_settling = p[2] != 1};
  if (p[2] > 1 || read.weight > ETEKCITY_GRAMS_MAX) return MH_E_PROTOCOL;
  if (read.weight == 0 && !read.is_settling) return MH_E_NO_VALUE;
  if (!read.is_settling) read.impedance = ohm(p + 3);
  /* The scale says its last number when it has measured everything. */
  read.is_complete = 1;
  *reading = read;
  return MH_OK;
}

/* How many, which, seconds (low byte first), weight in 0.01 kg, both impedances, four zeros. */
static int32_t read_stored(const uint8_t *p, et_reading *reading) {
  if (p[0] == 0) return MH_E_NO_VALUE;
  uint32_t seconds = (uint32_t)p[2] | (uint32_t)p[3] << 8 | (uint32_t)p[4] << 16 | (uint32_t)p[5] << 24;
  et_reading read = {.weight = u16(p + 6) * UINT32_C(10),
                     .impedance = ohm(p + 8),
                     .is_kilogram = 1,
                     .is_stored = 1,
                     .is_complete = 1};
  if (p[1] == 0 || p[1] > p[0] || read.weight > ETEKCITY_GRAMS_MAX) return MH_E_PROTOCOL;
  if (read.weight == 0 || seconds < EARLIEST || seconds > UINT32_MAX - EPOCH) return MH_E_NO_VALUE;
  read.time = seconds + EPOCH;
  *reading = read;
  return MH_OK;
}

int32_t et_esf24_read(mh_bytes frame, et_reading *reading) {
  if (!is_framed(frame)) return MH_E_PROTOCOL;
  const uint8_t *p = frame.p;
  if (p[0] != COMMAND_WEIGHT && p[0] != COMMAND_STORED) return MH_E_NO_VALUE;
  if (frame.n != (p[0] == COMMAND_WEIGHT ? WEIGHT_LENGTH : STORED_LENGTH) || sum(p, frame.n - 1) != p[frame.n - 1])
    return MH_E_PROTOCOL;
  return p[0] == COMMAND_WEIGHT ? read_weight(p + HEADER, reading) : read_stored(p + HEADER, reading);
}

int et_esf24_begins(mh_bytes value) {
  return value.p != NULL && value.n > HEADER && value.p[0] != 0xa5 && value.p[2] == KIND;
}

int et_esf24_wants_unit(mh_bytes frame) {
  return is_framed(frame) && frame.p[0] == COMMAND_WANTS_UNIT && frame.n == WANTS_UNIT_LENGTH;
}

int et_esf24_wants_time(mh_bytes frame) {
  return is_framed(frame) && frame.p[0] == COMMAND_WANTS_TIME && frame.n == WANTS_TIME_LENGTH;
}

static uint8_t finish(uint8_t *command, uint8_t n) {
  command[1] = (uint8_t)(n + 1u);
  command[2] = KIND;
  command[n] = sum(command, n);
  return (uint8_t)(n + 1u);
}

uint8_t et_esf24_unit(uint8_t *command, uint8_t unit) {
  static const uint8_t rest[4] = {0x10, 0x28, 0x37, 0x00};
  command[0] = 0x13;
  command[3] = unit;
  for (int i = 0; i < 4; i++) command[4 + i] = rest[i];
  return finish(command, 8);
}

uint8_t et_esf24_time(uint8_t *command, uint32_t unix_seconds) {
  uint32_t seconds = unix_seconds - EPOCH;
  command[0] = 0x20;
  for (int i = 0; i < 4; i++) command[3 + i] = (uint8_t)(seconds >> (8 * i));
  return finish(command, 7);
}

uint8_t et_esf24_thanks(uint8_t *command) {
  command[0] = 0x1f;
  command[3] = 0x10;
  return finish(command, 4);
}
