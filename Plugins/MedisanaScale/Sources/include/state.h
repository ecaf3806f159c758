/* What a session with a scale holds, and what its parts do for each other. */
#ifndef MEDISANA_STATE_H
#define MEDISANA_STATE_H

#include <meterhost/driver.h>

#include "packet.h"

#define MEDISANA_QUEUE 8u

enum medisana_phase {
  MEDISANA_IDLE,
  MEDISANA_PAIRING,
  MEDISANA_SUBSCRIBING,
  MEDISANA_READING,
  MEDISANA_ENDED
};

enum medisana_token {
  MEDISANA_TOKEN_BODY = 1,
  MEDISANA_TOKEN_WEIGHT,
  MEDISANA_TOKEN_PERSON,
  MEDISANA_TOKEN_COMMAND,
  MEDISANA_TOKEN_SILENCE,
  /* Never started again: a stream without an end is none of a scale. */
  MEDISANA_TOKEN_LIMIT
};

struct mh_session {
  const mh_host *host;
  mh_action queue[MEDISANA_QUEUE];
  uint8_t command[5];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  /* Records that are still to be handed over. */
  medisana_reading owed[3];
  uint32_t n_owed;
  uint32_t next_owed;
  uint32_t n_readings;
  /* The halves that wait for their other half. */
  medisana_reading weight;
  medisana_reading body;
  /* The last whole weighing: a packet of it that comes again is no half of another. */
  medisana_reading last;
  uint8_t has_weight;
  uint8_t has_body;
  uint8_t phase;
  uint8_t is_encrypted;
  uint8_t has_tried_pairing;
  uint8_t counts_from_1970;
  uint8_t has_unreadable;
  uint8_t has_other_unit;
  /* The event clock at the last packet. */
  uint64_t heard;
  uint16_t handles[3];
  uint16_t command_handle;
};

/* output.c */
void medisana_ask(mh_session *session, mh_action action);
void medisana_end(mh_session *session, mh_action action);
void medisana_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
void medisana_wait(mh_session *session, uint64_t token, uint64_t seconds);
void medisana_owe(mh_session *session, const medisana_reading *reading);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t medisana_drain(mh_session *session, mh_sink *sink);

/* reading.c */
void medisana_start_reading(mh_session *session, const mh_event *event);
void medisana_received(mh_session *session, const mh_event *event);
/* Nothing more comes. */
void medisana_over(mh_session *session);
void medisana_gone(mh_session *session, const mh_event *event);

#endif
