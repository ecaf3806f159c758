/* Nonin's oximetry measurement ("data format 19"): ten bytes a second, the high byte of a number first. */
#ifndef NONIN_PACKET_H
#define NONIN_PACKET_H

#include <meterhost/driver.h>

/* By which number `decode` knows the characteristics. */
#define NONIN_MEASUREMENT 0x8001u
#define NONIN_CONTROL_POINT 0x8002u

typedef struct nonin_packet {
  uint8_t saturation;
  uint16_t pulse;
  /* Hundredths of a percent; 0: none. */
  uint16_t amplitude;
  /* The meter's own verdict: the measurement is good enough to be kept (SmartPoint). */
  uint8_t is_verified;
} nonin_packet;

/* MH_OK; MH_E_NO_VALUE: no finger, searching, a weak signal, a number that stands for "missing"; MH_E_PROTOCOL: not what
 * the format allows. */
int32_t nonin_parse(mh_bytes bytes, nonin_packet *packet);

/* Appends one live record, as progress unless the meter has verified it; MH_E_FULL with the sink unchanged. */
int32_t nonin_emit(const nonin_packet *packet, mh_sink *sink);

#endif
