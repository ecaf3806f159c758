/* Contec: the first byte of a packet is at least 80, all others are below, and the last is the sum of those before it,
 * 7 bits of it. */
#include "model.h"

#define LIVE 0xebu
#define LIVE_VALUES 0x01u
#define LIVE_LENGTH 8u
/* Bit 2 is always set, bit 1 is bit 7 of the pulse. */
#define LIVE_FLAGS 0x7cu
#define LIVE_FLAGS_SET 0x04u
#define PULSE_HIGH 0x02u
/* Firmware and protocol; later versions append texts. */
#define VERSION 0xf2u
#define VERSION_LENGTH 8u
/* From here on everything is encrypted. */
#define VERSION_LAST_PLAIN 13u
#define ENCRYPTED 0x84u

static uint8_t sum(const uint8_t *p, uint32_t n) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < n; i++) total += p[i];
  return (uint8_t)(total & 0x7fu);
}

/* The bytes from the first one up to the next that begins a packet, n when there is none. */
static uint32_t reach(const uint8_t *p, uint32_t n) {
  uint32_t length = 1;
  while (length < n && p[length] < 0x80) length++;
  return length;
}

int fo_contec_measure(const uint8_t *p, uint32_t n, int is_end) {
  if (p[0] < 0x80) return FO_SKIP;
  if (p[0] == ENCRYPTED) return 1;
  uint32_t wanted = p[0] == VERSION ? VERSION_LENGTH : p[0] == LIVE ? (n < 2 ? 2 : p[1] == LIVE_VALUES ? LIVE_LENGTH : 1) : 1;
  uint32_t length = reach(p, n < wanted ? n : wanted);
  if (length < wanted) return length == n && !is_end ? 0 : FO_SKIP;
  if (wanted == LIVE_LENGTH && p[0] == LIVE && sum(p, LIVE_LENGTH - 1) != p[LIVE_LENGTH - 1]) return FO_SKIP;
  return (int)wanted;
}

enum fo_meaning fo_contec_read(const uint8_t *p, uint32_t n, fo_value *value) {
  if (p[0] == ENCRYPTED) return FO_STRANGE;
  if (p[0] == VERSION && n == VERSION_LENGTH) return p[6] > VERSION_LAST_PLAIN ? FO_FOREIGN : FO_PLAIN;
  if (p[0] != LIVE || n != LIVE_LENGTH) return FO_OTHER;
  if ((p[2] & LIVE_FLAGS) != LIVE_FLAGS_SET) return FO_NOTHING;
  *value = (fo_value){.saturation = p[4], .pulse = (uint16_t)(p[3] | (p[2] & PULSE_HIGH) << 6)};
  return FO_VALUE;
}
