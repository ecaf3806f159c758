/* What a session holds, and what its parts do for each other. */
#ifndef QN_STATE_H
#define QN_STATE_H

#include "frame.h"
#include "last.h"

/* Room for what one event asks for. */
#define QN_QUEUE 8u

enum qn_phase { QN_IDLE, QN_SUBSCRIBING, QN_MEASURING, QN_ENDED };

enum qn_token { QN_TOKEN_NOTIFY = 1, QN_TOKEN_INDICATE, QN_TOKEN_WRITE, QN_TOKEN_REST, QN_TOKEN_SILENCE };

/* A characteristic that commands are written to. */
typedef struct qn_outlet {
  uint16_t handle;
  uint8_t has_answer;
} qn_outlet;

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[QN_QUEUE];
  qn_command commands[QN_QUEUE];
  uint32_t n_queue, next;
  int32_t status;
  uint32_t purpose;
  /* A record that found no room, or waits for its round. */
  qn_reading outgoing;
  uint8_t has_outgoing;
  qn_last last;
  /* Since when the scale's clock is ours. */
  uint32_t clock;
  /* A weight that stands and waits for its impedance. */
  qn_reading pending;
  uint16_t notify, indicate;
  qn_outlet commands_to, times_to;
  uint8_t phase, subscriptions_left;
  uint8_t vendor, unit;
  uint8_t is_in_tenths, has_info, has_user;
  uint8_t has_shown, has_started, has_profile, has_asked;
  uint8_t has_pending;
  /* Stored weighings: how many the scale has said, and how many have come. */
  uint8_t stored_count, stored_arrived;
  uint8_t is_clock_trusted;
  /* A weighing was delivered, or a stored one was known: the session has not been for nothing. */
  uint8_t has_result, has_weighed;
  /* Of a scale that is only listened to. */
  uint8_t is_listening, has_left;
};

/* output.c */
void qn_ask(mh_session *session, mh_action action);
void qn_timer(mh_session *session, uint64_t token, uint64_t nanoseconds);
void qn_write(mh_session *session, qn_outlet outlet, qn_command command);
void qn_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
void qn_finish(mh_session *session);
/* Puts a record out in this event; one an event. */
void qn_put(mh_session *session, const qn_reading *reading);
/* A weighing as it is measured, and the memory of it: one unit (rule R25). */
void qn_deliver(mh_session *session, const qn_reading *reading, const mh_event *event);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t qn_drain(mh_session *session, mh_sink *sink);

/* connect.c */
void qn_connected(mh_session *session, const mh_event *event);
void qn_subscribed(mh_session *session, const mh_event *event);
void qn_received(mh_session *session, const mh_event *event);
void qn_ran_out(mh_session *session, const mh_event *event);
void qn_cancelled(mh_session *session, const mh_event *event);
void qn_disconnected(mh_session *session, const mh_event *event);
void qn_services_changed(mh_session *session, const mh_event *event);

/* listen.c */
void qn_advertised(mh_session *session, const mh_event *event);

#endif
