/* A packet of a cuff: bytes to one record. */
#ifndef YONKER_DECODE_H
#define YONKER_DECODE_H

#include <meterhost/driver.h>

/* CDEACD81-5235-4C07-8846-93A37EE6B86D. */
#define YONKER_PACKET 0x8000u
#define YONKER_RESULT_LENGTH 15u
/* The gateway's civil time when nobody knows it. */
#define YONKER_NO_TIME INT64_MIN

/* Appends one record, or says why there is none: MH_E_PROTOCOL (another length or kind), MH_E_NO_VALUE (pressure in the cuff while it
 * is measured, a failed measurement), MH_E_UNSUPPORTED (another characteristic), MH_E_FULL (the sink is as it was).
 * now_civil_us: what a clock beside the cuff shows; a cuff whose date is far from it is not believed. */
int32_t yonker_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, int64_t now_civil_us, mh_sink *sink);

#endif
