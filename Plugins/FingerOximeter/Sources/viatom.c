/* Packets of Viatom's VTM 20F and of Yuwell's BO-YX: FE, the length of the packet, a type, and at the end a sum of all others. */
#include "model.h"

#define VALUES 0x55u
#define CURVE 0x56u
#define VALUES_LENGTH 10u
#define CURVE_LENGTH 8u
#define CURVE_IS_OFF 0x02u

static int measure(const uint8_t *p, uint32_t n, int is_end, uint32_t sum) {
  if (p[0] != 0xfe || (n >= 2 && p[1] != VALUES_LENGTH && p[1] != CURVE_LENGTH)) return FO_SKIP;
  if (n < 2 || n < p[1]) return is_end ? FO_SKIP : 0;
  uint32_t length = p[1];
  for (uint32_t i = 0; i + 1 < length; i++) sum += p[i];
  return (sum & 0xffu) == p[length - 1] ? (int)length : FO_SKIP;
}

/* Two more than the sum, in every packet that was seen of it. */
int fo_viatom_measure(const uint8_t *p, uint32_t n, int is_end) { return measure(p, n, is_end, 2); }

int fo_yuwell_measure(const uint8_t *p, uint32_t n, int is_end) { return measure(p, n, is_end, 0); }

enum fo_meaning fo_viatom_read(const uint8_t *p, uint32_t n, fo_value *value) {
  if (p[2] == CURVE && n == CURVE_LENGTH) return (p[4] & CURVE_IS_OFF) != 0 ? FO_NOTHING : FO_OTHER;
  if (p[2] != VALUES || n != VALUES_LENGTH) return FO_OTHER;
  /* Not 0 without a finger; it is also the high byte of a pulse that nobody has. */
  if (p[3] != 0) return FO_NOTHING;
  *value = (fo_value){.saturation = p[5], .pulse = p[4]};
  return FO_VALUE;
}
