/* What the two kinds of session share: the state, and how they ask the host for something. */
#ifndef AANDD_TALK_H
#define AANDD_TALK_H

#include <meterhost/driver.h>

#include "decode.h"

#define AANDD_SECOND UINT64_C(1000000000)
/* Room for what one event asks for. */
#define AANDD_QUEUE 8
/* Writes of one event, and the bytes of each. */
#define AANDD_WRITES 2
#define AANDD_WRITE_MAX 16

enum aandd_phase { PHASE_IDLE, PHASE_PAIRING, PHASE_CLOCK, PHASE_SUBSCRIBING, PHASE_LISTENING, PHASE_ENDED };
enum aandd_token { TOKEN_SUBSCRIBE = 1, TOKEN_SILENCE = 2, TOKEN_CLOCK = 3, TOKEN_SET = 4, TOKEN_COMMAND = 5 };
/* What a scale of Lifesense's making was asked last, and whether it has acknowledged that. */
enum aandd_command { COMMAND_NONE, COMMAND_LOGIN, COMMAND_TIME, COMMAND_RECORD };

struct mh_session {
  const mh_host *host;
  mh_action queue[AANDD_QUEUE];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  int32_t utc_offset_s;
  /* A value that is decoded when its event's output is handed over, again and again while there is no room. */
  uint8_t packet[AANDD_VALUE_MAX];
  uint8_t writes[AANDD_WRITES][AANDD_WRITE_MAX];
  int64_t offset_s;
  uint16_t n_packet;
  uint16_t packet_code;
  uint16_t value_handle;
  uint16_t value_code;
  uint16_t clock_handle;
  /* A620, A621, A622, A624, A625 of a scale of Lifesense's making. */
  uint16_t pipe[5];
  uint16_t n_subscriptions;
  uint8_t n_writes;
  uint8_t phase;
  uint8_t no_clock;
  uint8_t sets_clock;
  uint8_t is_encrypted;
  uint8_t has_offset;
  uint8_t has_reading;
  uint8_t is_framed;
  uint8_t command;
  uint8_t is_acknowledged;
  /* Records that were asked for: a scale that never comes to an end is left. */
  uint16_t n_asked;
};

void aandd_log(mh_session *session, int32_t level, const char *line);
void aandd_ask(mh_session *session, mh_action action);
/* A copy of the bytes is kept until the host has taken them. */
void aandd_write(mh_session *session, uint32_t kind, uint64_t token, uint16_t handle, const uint8_t *bytes, uint8_t n);
void aandd_end(mh_session *session, mh_action action);
void aandd_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
void aandd_silence_after(mh_session *session, uint64_t nanoseconds);
/* Decodes a value into the event's output. The status is that of the decoding; MH_OK for a record that still waits for room. */
int32_t aandd_deliver(mh_session *session, uint16_t code, mh_bytes bytes, mh_sink *sink);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t aandd_drain(mh_session *session, mh_sink *sink);
int aandd_is_pending(const mh_session *session);

/* The part of a scale of Lifesense's making. 1: the services are those of one, and it was asked to speak. */
int aandd_framed_start(mh_session *session, const mh_event *event);
void aandd_framed_subscribed(mh_session *session, const mh_event *event);
void aandd_framed_received(mh_session *session, const mh_event *event, mh_sink *sink);

#endif
