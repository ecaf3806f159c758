/* Jumper: a notification is a packet. 81, pulse, saturation, tenths of a percent of perfusion; 80 is the curve. */
#include "model.h"

#define VALUES 0x81u
#define VALUES_LENGTH 4u

int fo_jumper_measure(const uint8_t *p, uint32_t n, int is_end) {
  (void)is_end;
  if (p[0] == VALUES && n < VALUES_LENGTH) return FO_SKIP;
  return n <= FO_PACKET_MAX ? (int)n : FO_SKIP;
}

enum fo_meaning fo_jumper_read(const uint8_t *p, uint32_t n, fo_value *value) {
  (void)n;
  if (p[0] != VALUES) return FO_OTHER;
  *value = (fo_value){.saturation = p[2], .pulse = p[1], .amplitude = p[3] <= 200 ? p[3] : 0};
  return FO_VALUE;
}
