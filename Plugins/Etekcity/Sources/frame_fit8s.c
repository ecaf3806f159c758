#include "frames.h"

/* One byte, address (6), model (2), a byte, weight in grams (3), impedance (2), stands still, unit, three bytes. */
#define LENGTH 20u

static uint32_t u24(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16; }

int32_t et_fit8s_read(mh_bytes data, et_reading *reading) {
  /* Other things of this company advertise less: air purifiers, plugs. */
  if (data.p == NULL || data.n != LENGTH || data.p[0] != 1) return MH_E_PROTOCOL;
  const uint8_t *p = data.p;
  if (p[15] > 1 || p[16] > 2) return MH_E_PROTOCOL;
  et_reading read = {.weight = u24(p + 10), .is_settling = p[15] == 0};
  if (read.weight > ETEKCITY_GRAMS_MAX) return MH_E_PROTOCOL;
  if (read.weight == 0 && !read.is_settling) return MH_E_NO_VALUE;
  uint16_t impedance = (uint16_t)(p[13] | p[14] << 8);
  if (!read.is_settling && impedance < ETEKCITY_OHM_MAX) read.impedance = impedance;
  read.is_complete = read.impedance != 0;
  *reading = read;
  return MH_OK;
}
