/* Viatom's VTM 20F: FE, the length of the packet, a type; the last byte is two more than the sum of the others. */
#include "model.h"

#define VALUES 0x55u
#define VALUES_LENGTH 10u
#define CURVE_LENGTH 8u
#define SUM_MORE 2u

int fo_viatom_measure(const uint8_t *p, uint32_t n, int is_end) {
  if (p[0] != 0xfe || (n >= 2 && p[1] != VALUES_LENGTH && p[1] != CURVE_LENGTH)) return FO_SKIP;
  if (n < 2 || n < p[1]) return is_end ? FO_SKIP : 0;
  uint32_t length = p[1], sum = SUM_MORE;
  for (uint32_t i = 0; i + 1 < length; i++) sum += p[i];
  return (sum & 0xffu) == p[length - 1] ? (int)length : FO_SKIP;
}

enum fo_meaning fo_viatom_read(const uint8_t *p, uint32_t n, fo_value *value) {
  if (p[2] != VALUES || n != VALUES_LENGTH) return FO_OTHER;
  /* Not 0 without a finger; it is also the high byte of a pulse that nobody has. */
  if (p[3] != 0) return FO_NOTHING;
  *value = (fo_value){.saturation = p[5], .pulse = p[4]};
  return FO_VALUE;
}
