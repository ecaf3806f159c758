/* A whole frame (FFF1): the newest reading of its memory. A value may have one record only, so that the smallest sink takes it;
 * a session hands over the whole memory. */
#ifndef MICROLIFE_DECODE_H
#define MICROLIFE_DECODE_H

#include <meterhost/driver.h>

#define MICROLIFE_ANSWER 0xfff1u

/* MH_E_NO_VALUE: a frame without a reading. MH_E_PROTOCOL: no frame, or one whose parts do not add up. MH_E_FULL: the sink is as it
 * was. */
int32_t microlife_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, mh_sink *sink);

#endif
