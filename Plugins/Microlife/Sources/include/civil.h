/* Civil times: microseconds since 1970-01-01T00:00 and the fields of a display. */
#ifndef MICROLIFE_CIVIL_H
#define MICROLIFE_CIVIL_H

#include <stdint.h>

typedef struct microlife_civil {
  int year, month, day, hour, minute, second;
} microlife_civil;

/* 0: the fields name no moment. */
int microlife_from_civil(microlife_civil civil, int64_t *t_us);
/* 0: before 2000 or after 2099, which the monitors' one byte for the year cannot say. */
int microlife_to_civil(int64_t t_us, microlife_civil *civil);

#endif
