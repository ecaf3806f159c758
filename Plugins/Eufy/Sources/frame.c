#include "frames.h"

#include "moment.h"

/* CF, impedance in 0.1 Ohm (2), weight in 10 g (2), three bytes that only the maker's program reads, unit, state,
 * exclusive or. */
#define LENGTH 11u
/* The same with year (high byte first), month, day, hour, minute, second behind it. */
#define STORED_LENGTH (LENGTH + EUFY_TIME)

#define STATE_STANDS 0u
#define STATE_MOVES 1u
#define STATE_TOO_HEAVY 2u

static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

static int agrees(const uint8_t *p) {
  uint8_t all = 0;
  for (unsigned i = 0; i < LENGTH - 1u; i++) all ^= p[i];
  return all == p[LENGTH - 1u];
}

int32_t eu_frame_read(mh_bytes frame, eu_reading *reading) {
  if (frame.p == NULL || (frame.n != LENGTH && frame.n != STORED_LENGTH)) return MH_E_PROTOCOL;
  const uint8_t *p = frame.p;
  if (p[0] != 0xcf || !agrees(p) || p[9] > STATE_TOO_HEAVY) return MH_E_PROTOCOL;
  if (p[9] == STATE_TOO_HEAVY) return MH_E_NO_VALUE;
  eu_reading read = {.weight = u16(p + 3), .is_settling = p[9] == STATE_MOVES, .is_stored = frame.n == STORED_LENGTH};
  if (read.weight > EUFY_WEIGHT_MAX) return MH_E_PROTOCOL;
  if (read.weight == 0 && !read.is_settling) return MH_E_NO_VALUE;
  uint16_t impedance = u16(p + 1);
  if (!read.is_settling && impedance < EUFY_IMPEDANCE_MAX) read.impedance = impedance;
  read.is_complete = read.impedance != 0;
  if (read.is_stored) {
    /* What moved was kept for nobody. */
    if (read.is_settling) return MH_E_NO_VALUE;
    read.has_time = (uint8_t)eu_moment_read(p + LENGTH, &read.t_us);
    for (unsigned i = 0; i < EUFY_TIME; i++) read.ident[i] = p[LENGTH + i];
    for (unsigned i = 0; i < 4; i++) read.ident[EUFY_TIME + i] = p[1 + i];
  }
  *reading = read;
  return MH_OK;
}

int eu_is_clock_set(mh_bytes value) { return value.p != NULL && value.n == 2 && value.p[0] == 0xf1 && value.p[1] == 0; }

int eu_is_memory_end(mh_bytes value) { return value.p != NULL && value.n == 2 && value.p[0] == 0xf2 && value.p[1] == 0; }

void eu_clock_command(uint8_t *command, int64_t civil_seconds) {
  command[0] = 0xf1;
  eu_moment_write(civil_seconds, command + 1);
}
