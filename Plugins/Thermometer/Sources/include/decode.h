/* Temperature Measurement (2A1C) and Intermediate Temperature (2A1E): bytes to one record. */
#ifndef THERMOMETER_DECODE_H
#define THERMOMETER_DECODE_H

#include <meterhost/driver.h>

#define THERMOMETER_RESULT 0x2a1cu
#define THERMOMETER_PROVISIONAL 0x2a1eu

/* Appends one record, or says why there is none: MH_E_PROTOCOL (shorter than its flags say), MH_E_NO_VALUE (NaN, NRes,
 * an impossible exponent, an infinite one that is still settling), MH_E_UNSUPPORTED (another characteristic), MH_E_FULL (the sink is as it was).
 * no_clock: the times that the meter sends mean nothing (MH_PARAM_NO_CLOCK). */
int32_t thermometer_decode(uint16_t characteristic, mh_bytes bytes, int no_clock, mh_sink *sink);

/* Bytes of a Date Time (GATT Specification Supplement 3.70). */
#define THERMOMETER_TIME_LENGTH 7u

/* A Date Time as microseconds of civil time since 1970-01-01T00:00; 0 when a zero year, month or day says that the clock is
 * not set, or the fields name no moment. */
int thermometer_time(const uint8_t *p, int64_t *t_us);

#endif
