/* The live values in an answer, and the records that they become. Pure. */
#ifndef WELLUE_SAMPLE_H
#define WELLUE_SAMPLE_H

#include "frame.h"
#include "protocol.h"

typedef struct wellue_sample {
  uint16_t pulse;
  uint8_t saturation;
  /* Tenths of a percent, 0: not told. */
  uint8_t index;
  /* Percent, 0: not told. */
  uint8_t battery;
  uint8_t is_moving;
} wellue_sample;

/* Whether a frame is an answer to the question, carried out: not one that was pushed, refused, or is another's. */
int wellue_is_answer(const wellue_protocol *protocol, const wellue_frame *frame);

/* What a frame says of the moment: MH_OK; MH_E_NO_VALUE when it is no answer with live values, was refused, or the sensor is off
 * the finger, still searching, or shows a filler; MH_E_PROTOCOL when it is shorter than such an answer has to be. */
int32_t wellue_sample_read(const wellue_protocol *protocol, const wellue_frame *frame, wellue_sample *out);

/* Puts the sample into the sink as one live record, or returns MH_E_FULL with the sink unchanged. */
int32_t wellue_sample_put(const wellue_sample *sample, int is_provisional, mh_sink *sink);

/* Puts the charge of the battery into the sink as a fact about the meter, or returns MH_E_FULL. */
int32_t wellue_battery_put(uint8_t percent, mh_sink *sink);

#endif
