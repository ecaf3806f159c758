#include "state.h"

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

void eufy_put_log(mh_session *session, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, MH_LOG_WARNING, text(line));
}

void eufy_ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

void eufy_timer(mh_session *session, uint64_t token, uint64_t nanoseconds) {
  eufy_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

void eufy_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  session->phase = PHASE_ENDED;
  eufy_ask(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

static void finish(mh_session *session) {
  if (session->has_result) {
    session->phase = PHASE_ENDED;
    eufy_ask(session, (mh_action){.kind = MH_DO_FINISH});
  } else {
    eufy_fail(session, MH_FAIL_NO_READING, 0,
              "The scale sent no weight that stood still. Step on it barefoot and stand still until the number stops "
              "moving.");
  }
}

int32_t eufy_drain(mh_session *session, mh_sink *sink) {
  while (session->next_outgoing < session->n_outgoing) {
    if (eu_reading_emit(&session->outgoing[session->next_outgoing], sink) == MH_E_FULL) return MH_E_FULL;
    session->next_outgoing++;
  }
  session->next_outgoing = session->n_outgoing = 0;
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

static void emit(mh_session *session, const eu_reading *reading) {
  if (session->n_outgoing < RECORDS) session->outgoing[session->n_outgoing++] = *reading;
}

/* A reading and the memory of it are one unit (rule R25). */
static void deliver(mh_session *session, const eu_reading *reading) {
  emit(session, reading);
  if (reading->is_settling) return;
  session->has_result = 1;
  if (!reading->is_stored) session->has_delivered = 1;
}

static void put_out(mh_session *session, const eu_outcome *outcome, int is_over) {
  int has_delivered = outcome->has_waited || (outcome->has_now && !outcome->now.is_settling && !outcome->now.is_stored);
  if (has_delivered || outcome->has_moved) {
    int32_t status = eu_weighing_store(&session->weighing, session->host, session->peer);
    if (status != MH_OK) {
      session->status = status;
      return;
    }
  }
  if (outcome->has_waited) deliver(session, &outcome->waited);
  if (outcome->has_now) deliver(session, &outcome->now);
  if (outcome->is_repeat) session->has_result = 1;
  if (is_over) return;
  if (outcome->waits && !session->waits) eufy_timer(session, TOKEN_MORE, MORE_WAIT);
  if (!outcome->waits && session->waits) eufy_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_MORE});
  session->waits = outcome->waits;
}

/* Reading is done with the first weight that nothing more is waited for. */
static void conclude(mh_session *session) {
  int is_done = session->has_delivered && !session->waits && (session->is_connected || session->purpose == MH_PURPOSE_READ);
  if (is_done && session->phase != PHASE_ENDED && session->status == MH_OK) finish(session);
}

void eufy_take(mh_session *session, const eu_reading *reading, const mh_event *event) {
  eu_weighing_load(&session->weighing, session->host, session->peer);
  eu_outcome outcome = eu_weighing_take(&session->weighing, reading, event->unix_us);
  put_out(session, &outcome, 0);
  conclude(session);
}

void eufy_end(mh_session *session, const mh_event *event) {
  eu_outcome outcome = eu_weighing_end(&session->weighing, event->unix_us);
  put_out(session, &outcome, 1);
  session->waits = 0;
  if (session->phase != PHASE_ENDED && session->status == MH_OK) finish(session);
}

void eufy_stop_waiting(mh_session *session, const mh_event *event) {
  eu_outcome outcome = eu_weighing_end(&session->weighing, event->unix_us);
  session->waits = 0;
  put_out(session, &outcome, 1);
  conclude(session);
}
