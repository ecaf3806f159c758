/* What a session of the keyed meter holds, and what its parts do for each other. */
#ifndef KEYED_STATE_H
#define KEYED_STATE_H

#include <meterhost/driver.h>

#include "protocol.h"

#define KEYED_QUEUE 8u

enum keyed_phase {
  KEYED_IDLE,
  KEYED_PAIRING,
  KEYED_READING_INFO,
  KEYED_ASKING,
  KEYED_SUBSCRIBING,
  KEYED_VERIFYING,
  KEYED_REPORTING,
  KEYED_ACKNOWLEDGING,
  KEYED_ENDED
};

enum keyed_token {
  KEYED_TOKEN_SILENCE = 1,
  KEYED_TOKEN_KEY,
  KEYED_TOKEN_INFO,
  KEYED_TOKEN_CONTROL,
  KEYED_TOKEN_DATA,
  KEYED_TOKEN_COMMAND
};

struct mh_session {
  const mh_host *host;
  const mh_crypto *crypto;
  uint64_t peer;
  /* What this event asks of the host, and the bytes of its writes. */
  mh_action queue[KEYED_QUEUE];
  uint8_t bytes[KEYED_QUEUE][16];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  keyed_info info;
  uint16_t control, data, information;
  uint8_t challenge[KEYED_CHALLENGE_LENGTH];
  /* The last reading that was on disk when this session began, and the last one that came; number 0 is none. */
  uint8_t start[KEYED_IDENTITY_LENGTH];
  uint8_t cursor[KEYED_IDENTITY_LENGTH];
  /* Different readings that came since the request for them. */
  uint32_t arrived;
  /* The reading at the cursor is another one than before: the meter's memory was cleared. */
  uint8_t is_other_memory;
  /* The reading at the cursor has come again, or there is no cursor. */
  uint8_t has_seen_cursor;
  /* A record that found no room. */
  uint8_t is_waiting;
  uint8_t waiting[KEYED_RECORD_LENGTH];
  uint8_t phase;
  uint8_t security;
};

/* output.c */
mh_str keyed_text(const char *text);
void keyed_ask(mh_session *session, mh_action action);
void keyed_end(mh_session *session, mh_action action);
void keyed_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
void keyed_listen(mh_session *session);
/* Writes to the control point. */
void keyed_command(mh_session *session, const uint8_t *bytes, uint32_t n);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t keyed_drain(mh_session *session, mh_sink *sink);

/* reading.c */
void keyed_start_report(mh_session *session);
void keyed_received(mh_session *session, mh_bytes packet, mh_sink *sink);
void keyed_reported(mh_session *session, mh_bytes answer);

#endif
