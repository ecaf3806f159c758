/* What a session remembers, and how it asks the host for things. */
#ifndef WELLUE_STATE_H
#define WELLUE_STATE_H

#include "frame.h"
#include "protocol.h"
#include "sample.h"
#include "steady.h"

/* Room for what one event asks for. */
#define WELLUE_QUEUE 8u
/* The longest request, the greeting. */
#define WELLUE_REQUEST_MAX (WELLUE_HELLO_LENGTH + WELLUE_OVERHEAD)

enum wellue_phase {
  WELLUE_IDLE,
  WELLUE_PAIRING,
  WELLUE_SUBSCRIBING,
  WELLUE_LISTENING,
  WELLUE_ENDED,
};

/* What the oximeter is asked for, in this order; the first generation begins with the last. */
enum wellue_step { WELLUE_GREETING, WELLUE_QUIETING, WELLUE_ASKING };

enum wellue_token { WELLUE_TOKEN_ANSWERS = 1, WELLUE_TOKEN_REQUEST, WELLUE_TOKEN_PATIENCE, WELLUE_TOKEN_TICK };

/* Records that are still to be handed over, in this order. */
enum wellue_owed { WELLUE_OWED_PROGRESS = 1, WELLUE_OWED_RESULT = 2, WELLUE_OWED_BATTERY = 4 };

/* What the last answer was like: why there is no reading, if there is none in the end. */
enum wellue_seen { WELLUE_SEEN_NOTHING, WELLUE_SEEN_NO_VALUE, WELLUE_SEEN_MOVEMENT, WELLUE_SEEN_VALUE };

struct mh_session {
  const mh_host *host;
  const wellue_protocol *protocol;
  mh_action queue[WELLUE_QUEUE];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  wellue_stream stream;
  wellue_steady steady;
  wellue_sample sample;
  uint16_t answers;
  uint16_t asks;
  uint16_t mtu;
  uint8_t request[WELLUE_REQUEST_MAX];
  uint8_t phase;
  uint8_t step;
  /* The next request has to go out at the end of this event. */
  uint8_t is_due;
  uint8_t writes_with_answer;
  /* A write that the oximeter has not confirmed. */
  uint8_t is_writing;
  /* Ticks since the request that is still without an answer. */
  uint8_t waited;
  uint8_t is_waiting;
  /* The question is the one for values with their waveform. */
  uint8_t asks_wave;
  uint8_t seen;
  uint8_t owed;
  uint8_t is_encrypted;
};

mh_str wellue_text(const char *p);
void wellue_log(mh_session *session, int32_t level, const char *line);
/* Asks for an action when the records of this event have been handed over. */
void wellue_ask(mh_session *session, mh_action action);
void wellue_timer(mh_session *session, uint64_t token, uint64_t nanoseconds);
void wellue_end(mh_session *session, mh_action action);
void wellue_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t wellue_drain(mh_session *session, mh_sink *sink);

/* The dialogue (dialogue.c): begins it, takes a notification, a second that has passed, and sends what is due. */
void wellue_begin(mh_session *session);
void wellue_received(mh_session *session, mh_bytes value, uint64_t now);
void wellue_ticked(mh_session *session);
void wellue_send_due(mh_session *session, int64_t unix_us);

#endif
