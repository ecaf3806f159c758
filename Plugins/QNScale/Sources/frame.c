#include "frame.h"

#include <string.h>

#define LENGTH_BASIC 11u
#define LENGTH_EXTENDED 14u
/* As the one before with a byte more, and resistances in a unit that is not known. */
#define LENGTH_WIDE 15u
#define LENGTH_STORED 19u
#define INFO_MIN 11u
#define INFO_IS_HUNDREDTHS 0x01u

/* States of the basic frame. */
#define BASIC_MOVING 0x00u
#define BASIC_STANDING 0x11u
#define BASIC_FINAL 0x01u

static uint16_t read_u16(const uint8_t *p) { return (uint16_t)((uint16_t)p[0] << 8 | (uint16_t)p[1]); }

static uint32_t read_u32(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint8_t sum(const uint8_t *p, uint64_t n) {
  uint8_t total = 0;
  for (uint64_t i = 0; i < n; i++) total = (uint8_t)(total + p[i]);
  return total;
}

int qn_frame_is_whole(mh_bytes bytes) {
  if (bytes.p == NULL || bytes.n < 4 || sum(bytes.p, bytes.n - 1) != bytes.p[bytes.n - 1]) return 0;
  /* Scales that ask for nobody's profile count one byte too few in that question. */
  return bytes.p[1] == bytes.n || (bytes.p[0] == QN_OP_PROFILE && bytes.p[1] + 1u == bytes.n);
}

int32_t qn_read_info(mh_bytes frame, uint8_t *is_in_tenths) {
  if (frame.n <= INFO_MIN) return MH_E_PROTOCOL;
  *is_in_tenths = (frame.p[10] & INFO_IS_HUNDREDTHS) == 0;
  return MH_OK;
}

static int32_t read_basic(const uint8_t *p, qn_reading *reading, qn_state *state) {
  reading->weight = read_u16(p + 3);
  switch (p[5]) {
    case BASIC_MOVING: *state = QN_MOVING; return MH_OK;
    case BASIC_STANDING: *state = QN_STANDING; return MH_OK;
    case BASIC_FINAL:
      *state = QN_FINAL;
      reading->impedance = read_u16(p + 6);
      return MH_OK;
    default: return MH_E_PROTOCOL;
  }
}

static int32_t read_extended(const uint8_t *p, int is_wide, qn_reading *reading, qn_state *state) {
  if (p[4] > 2) return MH_E_PROTOCOL;
  *state = p[4] == 0 ? QN_MOVING : p[4] == 1 ? QN_STANDING : QN_FINAL;
  reading->weight = read_u16(p + 5);
  if (*state == QN_FINAL && !is_wide) reading->impedance = read_u16(p + 7);
  return MH_OK;
}

int32_t qn_read_weight(mh_bytes frame, int is_in_tenths, qn_reading *reading, qn_state *state) {
  qn_reading read = {.user = QN_NOBODY, .is_in_tenths = is_in_tenths != 0};
  int32_t status = MH_E_PROTOCOL;
  if (frame.n == LENGTH_BASIC)
    status = read_basic(frame.p, &read, state);
  else if (frame.n == LENGTH_EXTENDED || frame.n == LENGTH_WIDE)
    status = read_extended(frame.p, frame.n == LENGTH_WIDE, &read, state);
  if (status != MH_OK) return status;
  if (!qn_weight_is_possible(read.weight, is_in_tenths)) return MH_E_NO_VALUE;
  read.is_settling = *state == QN_MOVING;
  *reading = read;
  return MH_OK;
}

int32_t qn_read_stored(mh_bytes frame, int is_in_tenths, int has_user, qn_reading *reading, uint8_t *count) {
  if (frame.n != LENGTH_STORED) return MH_E_PROTOCOL;
  const uint8_t *p = frame.p;
  *count = p[3];
  if (p[3] == 0) return MH_E_NO_VALUE;
  if (p[4] == 0 || p[4] > p[3]) return MH_E_PROTOCOL;
  /* The shorter kind ends with three zeros: the longer one's fields stand one byte further on. */
  if (!has_user && (p[15] | p[16] | p[17]) != 0) return MH_E_PROTOCOL;
  const uint8_t *fields = p + (has_user ? 6 : 5);
  qn_reading read = {.time = read_u32(fields),
                     .weight = read_u16(fields + 4),
                     .impedance = read_u16(fields + 6),
                     .user = has_user ? p[5] : QN_NOBODY,
                     .is_in_tenths = is_in_tenths != 0,
                     .is_stored = 1};
  if (!qn_weight_is_possible(read.weight, is_in_tenths)) return MH_E_NO_VALUE;
  *reading = read;
  return MH_OK;
}

static qn_command command(const uint8_t *bytes, uint8_t n) {
  qn_command made = {.n = (uint8_t)(n + 1)};
  memcpy(made.bytes, bytes, n);
  made.bytes[1] = made.n;
  made.bytes[n] = sum(made.bytes, n);
  return made;
}

qn_command qn_show_unit(uint8_t vendor, uint8_t unit) {
  const uint8_t bytes[] = {0x13, 0, vendor, unit, 0x10, 0, 0, 0};
  return command(bytes, sizeof bytes);
}

qn_command qn_start(uint8_t vendor, uint32_t seconds) {
  const uint8_t bytes[] = {0x20,
                           0,
                           vendor,
                           (uint8_t)seconds,
                           (uint8_t)(seconds >> 8),
                           (uint8_t)(seconds >> 16),
                           (uint8_t)(seconds >> 24)};
  return command(bytes, sizeof bytes);
}

qn_command qn_guest(void) {
  static const uint8_t bytes[] = {0xa0, 0, 0x02, 0xfe, 0xff, 0xee, 0, 0, 0, 0, 0, 0x02};
  return command(bytes, sizeof bytes);
}

qn_command qn_ask_stored(uint8_t vendor, int has_user) {
  const uint8_t bytes[] = {0x22, 0, vendor, 0x00, 0x01};
  return command(bytes, has_user ? sizeof bytes : 3);
}

qn_command qn_thank(uint8_t vendor) {
  const uint8_t bytes[] = {0x1f, 0, vendor, 0x10};
  return command(bytes, sizeof bytes);
}
