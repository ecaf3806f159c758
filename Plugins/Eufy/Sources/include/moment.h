/* The scale's dates: year (high byte first), month, day, hour, minute, second; seven bytes. */
#ifndef EUFY_MOMENT_H
#define EUFY_MOMENT_H

#include <stdint.h>

/* Microseconds of civil time since 1970-01-01T00:00; 0 when the bytes name no moment, or one before 2010: a clock that
 * was never set. */
int eu_moment_read(const uint8_t *p, int64_t *t_us);
/* The bytes of a moment from 1970 to 9999. */
void eu_moment_write(int64_t civil_seconds, uint8_t *p);

#endif
