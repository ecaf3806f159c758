#include "frames.h"

/* Four bytes that begin every frame, command, length; the sum of command, length and payload ends it. */
#define HEADER 6u

#define COMMAND_WEIGHT 0xd0u
#define COMMAND_STORED 0xd4u
#define COMMAND_TIME 0xc6u
#define COMMAND_BEGIN 0xc0u

#define WEIGHT_LENGTH 8u
#define STORED_LENGTH 13u
/* 2015-01-01 and 2100-01-01: the scale did not exist before, and counts with 32 bits. */
#define EARLIEST UINT32_C(1420070400)
#define LATEST UINT32_C(4102444800)
#define POUND_HUNDREDTHS_MAX 60000u

static const uint8_t magic[4] = {0xfe, 0xef, 0xc0, 0xa3};

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static uint32_t u32(const uint8_t *p) { return (uint32_t)u16(p) << 16 | u16(p + 2); }

static uint8_t sum(const uint8_t *p, uint64_t n) {
  uint8_t all = 0;
  for (uint64_t i = 0; i < n; i++) all = (uint8_t)(all + p[i]);
  return all;
}

/* Weight in 0.01 kg and in 0.01 lb, whether it stands, a byte, and a body fat that is the scale's own reckoning for a
 * person whom nobody here knows: it is not read. */
static int32_t read_weight(const uint8_t *p, et_reading *reading) {
  if (p[4] > 1) return MH_E_PROTOCOL;
  uint32_t grams = u16(p) * UINT32_C(10), pound = u16(p + 2);
  /* Both are of one weight: 100 lb are 45.36 kg. A sum of eight bits lets too much through. */
  int64_t difference = (int64_t)grams * 1000 - (int64_t)pound * 4536;
  if (difference > 120000 || difference < -120000 || grams > ETEKCITY_GRAMS_MAX) return MH_E_PROTOCOL;
  if (grams == 0 && p[4] == 1) return MH_E_NO_VALUE;
  *reading = (et_reading){.weight = grams, .is_settling = p[4] == 0, .is_complete = 1};
  return MH_OK;
}

/* Number in its batch, five zeros, 2, weight in 0.01 lb, seconds since 1970. */
static int32_t read_stored(const uint8_t *p, et_reading *reading) {
  for (int i = 1; i < 6; i++)
    if (p[i] != 0) return MH_E_NO_VALUE;
  uint32_t time = u32(p + 9);
  uint16_t pound = u16(p + 7);
  if (p[6] != 2 || pound == 0 || pound > POUND_HUNDREDTHS_MAX || time < EARLIEST || time >= LATEST) return MH_E_NO_VALUE;
  *reading = (et_reading){.weight = pound, .time = time, .is_stored = 1, .is_complete = 1};
  return MH_OK;
}

int32_t et_esf37_read(mh_bytes frame, et_reading *reading) {
  if (frame.p == NULL || frame.n < HEADER + 1u) return MH_E_PROTOCOL;
  const uint8_t *p = frame.p;
  for (int i = 0; i < 4; i++)
    if (p[i] != magic[i]) return MH_E_PROTOCOL;
  if (p[5] != frame.n - HEADER - 1u || sum(p + 4, frame.n - 5u) != p[frame.n - 1]) return MH_E_PROTOCOL;
  if (p[4] == COMMAND_WEIGHT) return p[5] == WEIGHT_LENGTH ? read_weight(p + HEADER, reading) : MH_E_PROTOCOL;
  if (p[4] == COMMAND_STORED) return p[5] == STORED_LENGTH ? read_stored(p + HEADER, reading) : MH_E_PROTOCOL;
  return MH_E_NO_VALUE;
}

static uint8_t put(uint8_t *command, uint8_t name, const uint8_t *payload, uint8_t n) {
  for (int i = 0; i < 4; i++) command[i] = magic[i];
  command[4] = name;
  command[5] = n;
  for (uint8_t i = 0; i < n; i++) command[HEADER + i] = payload[i];
  command[HEADER + n] = sum(command + 4, n + 2u);
  return (uint8_t)(HEADER + n + 1u);
}

uint8_t et_esf37_time(uint8_t *command, uint32_t unix_seconds) {
  uint8_t payload[4] = {(uint8_t)(unix_seconds >> 24), (uint8_t)(unix_seconds >> 16), (uint8_t)(unix_seconds >> 8),
                        (uint8_t)unix_seconds};
  return put(command, COMMAND_TIME, payload, 4);
}

uint8_t et_esf37_begin(uint8_t *command) {
  static const uint8_t payload[1] = {2};
  return put(command, COMMAND_BEGIN, payload, 1);
}
