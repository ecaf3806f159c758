/* What a session asks of the host: queued while an event is handled, handed over at its end. */
#include <string.h>

#include "state.h"

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
  return str;
}

void qn_ask(mh_session *session, mh_action action) {
  if (session->n_queue < QN_QUEUE) session->queue[session->n_queue++] = action;
}

void qn_timer(mh_session *session, uint64_t token, uint64_t nanoseconds) {
  qn_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

/* The bytes stay in the session until the host has taken the action. */
void qn_write(mh_session *session, qn_outlet outlet, qn_command command) {
  if (session->n_queue == QN_QUEUE || outlet.handle == 0) return;
  qn_command *kept = &session->commands[session->n_queue];
  *kept = command;
  qn_ask(session, (mh_action){.kind = outlet.has_answer ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE,
                              .token = outlet.has_answer ? QN_TOKEN_WRITE : 0,
                              .handle = outlet.handle,
                              .value = {kept->bytes, kept->n}});
}

void qn_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  session->phase = QN_ENDED;
  qn_ask(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

void qn_finish(mh_session *session) {
  session->phase = QN_ENDED;
  qn_ask(session, (mh_action){.kind = MH_DO_FINISH});
}

void qn_put(mh_session *session, const qn_reading *reading) {
  session->outgoing = *reading;
  session->has_outgoing = 1;
}

void qn_deliver(mh_session *session, const qn_reading *reading, const mh_event *event) {
  session->last = (qn_last){
      .unix_us = event->unix_us, .weight = reading->weight, .impedance = reading->impedance, .is_known = 1};
  session->status = qn_last_store(session->host, session->peer, &session->last);
  if (session->status != MH_OK) return;
  session->has_result = session->has_weighed = 1;
  qn_put(session, reading);
}

int32_t qn_drain(mh_session *session, mh_sink *sink) {
  if (session->has_outgoing) {
    if (qn_reading_emit(&session->outgoing, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_outgoing = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}
