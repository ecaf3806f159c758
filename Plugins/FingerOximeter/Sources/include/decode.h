/* Decoding without a session. */
#ifndef FINGER_OXIMETER_DECODE_H
#define FINGER_OXIMETER_DECODE_H

#include "model.h"

/* Appends what the first packet with values in a notification says, as progress: MH_E_NO_VALUE when there are only
 * others; MH_E_PROTOCOL when there is no whole packet, or one of another protocol;
 * MH_E_UNSUPPORTED for another characteristic; MH_E_FULL. */
int32_t fo_decode(uint16_t characteristic, int is_plain_sum, mh_bytes bytes, mh_sink *sink);

#endif
