/* What one frame of a scale says, whichever protocol it came in, and the record that is made of it. */
#ifndef ETEKCITY_READING_H
#define ETEKCITY_READING_H

#include <meterhost/driver.h>

/* Seconds, and the weight as it was sent. */
#define ETEKCITY_IDENT 8u

typedef struct et_reading {
  /* In grams, whatever the display shows; of a stored reading of an ESF-37 in hundredths of a pound. */
  uint32_t weight;
  /* Ohm, and beats a minute; 0: not measured. */
  uint16_t impedance;
  uint8_t heart_rate;
  /* The number still moves. */
  uint8_t is_settling;
  /* Nothing more comes for this weighing. */
  uint8_t is_complete;
  /* Of the scale's memory: `time` is when. */
  uint8_t is_stored;
  /* A stored weight is in grams after all. */
  uint8_t is_kilogram;
  /* Seconds since 1970 of a stored reading. */
  uint32_t time;
} et_reading;

/* More than any of these scales carries, and what no body has. */
#define ETEKCITY_GRAMS_MAX 300000u
#define ETEKCITY_OHM_MAX 3000u

/* Appends the record; MH_E_FULL leaves the sink as it was. */
int32_t et_reading_emit(const et_reading *reading, mh_sink *sink);

#endif
