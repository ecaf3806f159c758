/* Civil times: microseconds since 1970-01-01T00:00 and the fields of a display. */
#ifndef YONKER_CIVIL_H
#define YONKER_CIVIL_H

#include <stdint.h>

typedef struct yonker_civil {
  int year, month, day, hour, minute, second;
} yonker_civil;

/* 0: the fields name no moment. */
int yonker_from_civil(yonker_civil civil, int64_t *t_us);

#endif
