/* What a scale advertises that is never connected to: manufacturer data of FFFF that begins with AABB. */
#ifndef QN_BROADCAST_H
#define QN_BROADCAST_H

#include "reading.h"

#define QN_COMPANY 0xffffu

/* Reads manufacturer data behind the company's id. MH_OK; MH_E_UNSUPPORTED (another maker's); MH_E_NO_VALUE (nothing on
 * the scale); MH_E_PROTOCOL (shorter than it has to be). */
int32_t qn_broadcast_read(mh_bytes data, qn_reading *reading);

#endif
