/* BerryMed's BCI protocol: packets of 5 bytes, of 7 by some models, of which only the first has bit 7 set. No checksum:
 * a packet counts when the next one begins where it ends. */
#include "model.h"

#define LENGTH 5u
/* Behind the five: battery and breaths a minute. */
#define LONG_LENGTH 7u
/* Berry protocol: FF AA and 18 bytes more, which BCI would take for values. */
#define FOREIGN_LENGTH 20u

#define NO_SIGNAL 0x10u
#define PROBE_OUT 0x20u
#define NO_FINGER 0x10u
#define SEARCHING 0x20u
/* Bit 7 of the pulse. */
#define PULSE_HIGH 0x40u

static int is_first(uint8_t byte) { return (byte & 0x80u) != 0; }

static int is_foreign(const uint8_t *p, uint32_t n) { return n >= 2 && p[0] == 0xff && p[1] == 0xaa; }

int fo_bci_measure(const uint8_t *p, uint32_t n, int is_end) {
  if (!is_first(p[0])) return FO_SKIP;
  if (is_foreign(p, n)) return n >= FOREIGN_LENGTH ? (int)FOREIGN_LENGTH : is_end ? (int)n : 0;
  uint32_t length = 1;
  while (length < n && length <= LONG_LENGTH && !is_first(p[length])) length++;
  if (length == n && length <= LONG_LENGTH && !is_end) return 0;
  return length == LENGTH || length == LONG_LENGTH ? (int)length : FO_SKIP;
}

enum fo_meaning fo_bci_read(const uint8_t *p, uint32_t n, fo_value *value) {
  if (is_foreign(p, n)) return FO_STRANGE;
  if ((p[0] & (NO_SIGNAL | PROBE_OUT)) != 0 || (p[2] & (NO_FINGER | SEARCHING)) != 0) return FO_NOTHING;
  *value = (fo_value){.saturation = p[4], .pulse = (uint16_t)(p[3] | (p[2] & PULSE_HIGH) << 1)};
  return FO_VALUE;
}
