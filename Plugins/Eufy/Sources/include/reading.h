/* What a scale says in one frame or advertisement, and the record that is made of it. */
#ifndef EUFY_READING_H
#define EUFY_READING_H

#include <meterhost/driver.h>

/* Date and time, weight and impedance as they were sent. */
#define EUFY_TIME 7u
#define EUFY_IDENT (EUFY_TIME + 4u)

typedef struct eu_reading {
  /* In steps of 10 g, whatever the display shows. */
  uint32_t weight;
  /* In tenths of an Ohm, and beats a minute; 0: not measured. */
  uint16_t impedance;
  uint8_t heart_rate;
  /* The number still moves. */
  uint8_t is_settling;
  /* Nothing more comes for this weighing. */
  uint8_t is_complete;
  /* Of the scale's memory: `ident` has its date and its numbers, `t_us` the civil time if the date names a moment. */
  uint8_t is_stored;
  uint8_t has_time;
  uint8_t ident[EUFY_IDENT];
  int64_t t_us;
} eu_reading;

/* More than any of these scales carries (10 g), and what no body has (0.1 Ohm). */
#define EUFY_WEIGHT_MAX 30000u
#define EUFY_IMPEDANCE_MAX 30000u

/* Appends the record; MH_E_FULL leaves the sink as it was. */
int32_t eu_reading_emit(const eu_reading *reading, mh_sink *sink);

#endif
