/* Lepu and Viatom's PC-60 family: AA 55, a token, how many bytes follow, a type, and a CRC-8 over all of it. */
#include "model.h"

#define HEAD 4u
#define MEASURING 0x0fu
#define VALUES 0x01u
#define VALUES_LENGTH 12u
#define PROBE_OUT 0x02u
#define SEARCHING 0x04u
#define STATE 0x21u
#define STATE_LENGTH 10u
#define SPOT_CHECK 1u
#define SPOT_CHECK_RESULT 3u

/* CRC-8/MAXIM: polynomial 31 reflected, initial value 0. */
static uint8_t crc(const uint8_t *p, uint32_t n) {
  uint8_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    sum ^= p[i];
    for (int bit = 0; bit < 8; bit++) sum = (uint8_t)(sum & 1u ? sum >> 1 ^ 0x8c : sum >> 1);
  }
  return sum;
}

int fo_lepu_measure(const uint8_t *p, uint32_t n, int is_end) {
  if (p[0] != 0xaa || (n >= 2 && p[1] != 0x55)) return FO_SKIP;
  /* Type and checksum at least. */
  if (n >= HEAD && (p[3] < 2 || HEAD + p[3] > FO_PACKET_MAX)) return FO_SKIP;
  if (n < HEAD || n < HEAD + p[3]) return is_end ? FO_SKIP : 0;
  uint32_t length = HEAD + p[3];
  return crc(p, length - 1) == p[length - 1] ? (int)length : FO_SKIP;
}

enum fo_meaning fo_lepu_read(const uint8_t *p, uint32_t n, fo_value *value) {
  if (p[2] != MEASURING) return FO_OTHER;
  if (p[4] == VALUES && n == VALUES_LENGTH) {
    if ((p[9] & (PROBE_OUT | SEARCHING)) != 0) return FO_NOTHING;
    *value = (fo_value){.saturation = p[5], .pulse = (uint16_t)(p[6] | p[7] << 8), .amplitude = p[8]};
    return FO_VALUE;
  }
  /* A meter that is set to spot-checks counts down and then says what it found. */
  if (p[4] == STATE && n == STATE_LENGTH && p[5] == SPOT_CHECK && p[6] == SPOT_CHECK_RESULT) {
    *value = (fo_value){.saturation = p[7], .pulse = p[8]};
    return FO_RESULT;
  }
  return FO_OTHER;
}
