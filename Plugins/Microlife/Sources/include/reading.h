/* The memory that an answer to MICROLIFE_HISTORY holds, and its readings. */
#ifndef MICROLIFE_READING_H
#define MICROLIFE_READING_H

#include <meterhost/driver.h>

#define MICROLIFE_READINGS_MAX 255u
/* What tells readings without a time apart: systolic, diastolic, pulse, marks. */
#define MICROLIFE_UNTIMED_LENGTH 4u

/* One reading as the monitor's memory has it. */
typedef struct microlife_reading {
  int64_t t_us;
  uint8_t systolic;
  uint8_t diastolic;
  uint8_t pulse;
  /* Blood pressure status as the profile codes it: bit 1 cuff too loose, bit 2 irregular pulse. */
  uint8_t status;
  uint8_t has_time;
  uint8_t user;
  uint8_t n_ident;
  uint8_t ident[12];
  uint8_t marks;
} microlife_reading;

/* A memory inside a whole frame. */
typedef struct microlife_memory {
  const uint8_t *first;
  uint32_t count;
  uint8_t generation;
  uint8_t stride;
  uint8_t user;
  /* Single measurements of one that is not stored yet: the monitor is still in the mode in which it measures. */
  uint8_t has_current;
} microlife_memory;

/* MH_E_PROTOCOL: it is none, or its parts do not add up. */
int32_t microlife_memory_of(mh_bytes frame, microlife_memory *memory);
/* 0: the place is empty, or what stands there is no blood pressure. */
int microlife_reading_at(const microlife_memory *memory, uint32_t index, int no_clock, microlife_reading *reading);
void microlife_untimed_bytes(const microlife_reading *reading, uint8_t *out);
int32_t microlife_put(const microlife_reading *reading, mh_sink *sink);

#endif
