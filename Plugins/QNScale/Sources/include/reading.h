/* One weighing, whichever frame it came in, and the record that it becomes. */
#ifndef QN_READING_H
#define QN_READING_H

#include <meterhost/driver.h>

typedef struct qn_reading {
  /* The scale's clock when it was stored, seconds since 2000; 0: it comes as it is measured. */
  uint32_t time;
  /* In steps of 0.01 kg, or of 0.1 kg. */
  uint16_t weight;
  /* Ohm, 0: none. */
  uint16_t impedance;
  /* The scale's slot of the person, QN_NOBODY: none. */
  uint8_t user;
  uint8_t is_in_tenths;
  /* The number still moves. */
  uint8_t is_settling;
  uint8_t is_stored;
  /* Somebody else may have set the clock that it was stored under. */
  uint8_t is_clock_suspect;
} qn_reading;

#define QN_NOBODY 0xf0u
/* Seconds from 1970 to 2000, where the scale's clock begins. */
#define QN_EPOCH INT64_C(946684800)

/* Whether a number can be a weight at all. */
int qn_weight_is_possible(uint16_t weight, int is_in_tenths);

/* Whether a stored weighing's clock had been set by anybody. */
int qn_reading_has_time(const qn_reading *reading);

/* Appends it as one record. MH_OK or MH_E_FULL with the sink as it was. */
int32_t qn_reading_emit(const qn_reading *reading, mh_sink *sink);

#endif
