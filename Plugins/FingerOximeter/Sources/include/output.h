/* What an event puts out, handed over in as many rounds as the sink needs. */
#ifndef FINGER_OXIMETER_OUTPUT_H
#define FINGER_OXIMETER_OUTPUT_H

#include "value.h"

/* Room for what one event asks for. */
#define FO_QUEUE 8u

/* The record of the event that is still to be handed over. */
enum fo_owed { FO_OWES_NOTHING, FO_OWES_PROGRESS, FO_OWES_RESULT };

typedef struct fo_output {
  mh_action queue[FO_QUEUE];
  uint32_t n_queue;
  uint32_t next;
  fo_value value;
  uint8_t owed;
  int32_t status;
} fo_output;

void fo_ask(fo_output *output, mh_action action);
void fo_timer(fo_output *output, uint64_t token, uint64_t nanoseconds);
void fo_finish(fo_output *output);
void fo_fail(fo_output *output, int32_t code, int32_t subcode, const char *why);
int fo_is_pending(const fo_output *output);

/* Hands over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t fo_drain(fo_output *output, mh_sink *sink);

#endif
