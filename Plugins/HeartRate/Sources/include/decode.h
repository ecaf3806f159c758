/* Decoding of the Heart Rate Measurement (2A37). Pure. */
#ifndef HEART_RATE_DECODE_H
#define HEART_RATE_DECODE_H

#include <meterhost/driver.h>

/* Heart Rate Measurement: notified about once a second. */
#define HEART_RATE_MEASUREMENT 0x2a37u
/* An attribute value has at most so many bytes (Core Specification, Vol 3 Part F 3.2.9). */
#define HEART_RATE_PACKET_MAX 512u

/* Puts one record into the sink, flagged provisional or not. Returns MH_OK, MH_E_NO_VALUE, MH_E_PROTOCOL, or MH_E_FULL
 * with the sink unchanged. */
int32_t heart_rate_decode(mh_bytes bytes, int is_provisional, mh_sink *sink);

/* What heart_rate_decode would return in a sink with room. */
int32_t heart_rate_check(mh_bytes bytes);

#endif
