/* What an oximeter says at one moment, and the record that is made of it. */
#ifndef FINGER_OXIMETER_VALUE_H
#define FINGER_OXIMETER_VALUE_H

#include <meterhost/driver.h>

typedef struct fo_value {
  uint16_t saturation;
  uint16_t pulse;
  /* Tenths of a percent; 0: the meter gave none. */
  uint16_t amplitude;
} fo_value;

/* Appends one live record, or returns MH_E_FULL with the sink unchanged. */
int32_t fo_value_emit(const fo_value *value, int is_provisional, mh_sink *sink);

#endif
