#include "broadcast.h"

#define LENGTH_MIN 19u
#define AT_STATE 15
#define AT_WEIGHT 17
/* Two ways of saying that the number stands. */
#define STANDS 0x20u
#define STANDS_WITHOUT_ELECTRODES 0x15u

int32_t qn_broadcast_read(mh_bytes data, qn_reading *reading) {
  if (data.p == NULL || data.n < 2 || data.p[0] != 0xaa || data.p[1] != 0xbb) return MH_E_UNSUPPORTED;
  if (data.n < LENGTH_MIN) return MH_E_PROTOCOL;
  uint8_t state = data.p[AT_STATE];
  qn_reading read = {.weight = (uint16_t)((uint16_t)data.p[AT_WEIGHT] | (uint16_t)data.p[AT_WEIGHT + 1] << 8),
                     .user = QN_NOBODY};
  read.is_settling = (state & STANDS) == 0 && state != STANDS_WITHOUT_ELECTRODES;
  if (!qn_weight_is_possible(read.weight, 0)) return MH_E_NO_VALUE;
  *reading = read;
  return MH_OK;
}
