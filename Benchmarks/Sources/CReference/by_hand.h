#ifndef BY_HAND_H
#define BY_HAND_H

#include <meterhost/driver.h>

/* The contract's decode for Glucose Measurement (2A18) without anything between the bytes and the arrays. */
int32_t decode_by_hand(mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink, uint64_t *n_done);

#endif
