/* One record of a ring: systolic, diastolic, pulse, time and flags in 14 or 16 bytes. */
#ifndef OMRON_RECORD_H
#define OMRON_RECORD_H

#include "layout.h"

/* MH_OK and a record in the sink; MH_E_NO_VALUE: an empty slot, or no blood pressure; MH_E_PROTOCOL: its sum is wrong;
 * MH_E_FULL: the sink as it was. `user` counts from 0; pass OMRON_USERS_MAX when it is not known. `flags` are added. */
int32_t omron_put_record(const omron_layout *layout, const uint8_t *bytes, uint32_t user, uint32_t flags, mh_sink *sink);

/* Microseconds of civil time since 1970-01-01T00:00 into *out; 0 when there is no such moment. */
int omron_civil_time(uint32_t year, uint32_t month, uint32_t day, uint32_t hour, uint32_t minute, uint32_t second,
                     int64_t *out);
/* Exchanges the bytes of every 16-bit word of a monitor that sends them with the high byte first. */
void omron_words(const omron_layout *layout, const uint8_t *bytes, uint32_t n, uint8_t *out);
/* Whether the block's last word holds the sum of everything before it. */
int omron_sum_fits(const uint8_t *words, uint32_t n);

#endif
