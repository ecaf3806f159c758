/* One value of a meter of A&D: bytes to one record. */
#ifndef AANDD_DECODE_H
#define AANDD_DECODE_H

#include <meterhost/driver.h>

#include "record.h"

/* The most bytes of one of these that are read; whatever follows has no meaning. */
#define AANDD_VALUE_MAX 64u

/* Appends one record, or says why there is none: MH_E_PROTOCOL (shorter than its flags say), MH_E_NO_VALUE (a filler, a failed
 * measurement, no measurement), MH_E_UNSUPPORTED (another characteristic), MH_E_FULL (the sink is as it was). no_clock: the
 * times that the meter sends mean nothing (MH_PARAM_NO_CLOCK). */
int32_t aandd_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, mh_sink *sink);

int32_t aandd_pressure(mh_bytes bytes, int no_clock, mh_sink *sink);
/* is_own: on the maker's characteristic, which has the fields of 2A9D and other steps. */
int32_t aandd_weight(mh_bytes bytes, int is_own, int no_clock, mh_sink *sink);

#endif
