/* What a session asks of the host, and what it hands over. */
#include "state.h"

mh_str wellue_text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

void wellue_log(mh_session *session, int32_t level, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, level, wellue_text(line));
}

void wellue_ask(mh_session *session, mh_action action) {
  if (session->n_queue < WELLUE_QUEUE) session->queue[session->n_queue++] = action;
}

void wellue_timer(mh_session *session, uint64_t token, uint64_t nanoseconds) {
  wellue_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

void wellue_end(mh_session *session, mh_action action) {
  session->phase = WELLUE_ENDED;
  session->is_due = 0;
  wellue_ask(session, action);
}

void wellue_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  wellue_end(session,
             (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = wellue_text(why)});
}

static int32_t put(mh_session *session, uint8_t owed, mh_sink *sink) {
  if (owed == WELLUE_OWED_BATTERY) return wellue_battery_put(session->sample.battery, sink);
  return wellue_sample_put(&session->sample, owed == WELLUE_OWED_PROGRESS, sink);
}

int32_t wellue_drain(mh_session *session, mh_sink *sink) {
  static const uint8_t order[] = {WELLUE_OWED_PROGRESS, WELLUE_OWED_RESULT, WELLUE_OWED_BATTERY};
  for (uint32_t i = 0; i < sizeof order; i++) {
    if ((session->owed & order[i]) == 0) continue;
    if (put(session, order[i], sink) == MH_E_FULL) return MH_E_FULL;
    session->owed &= (uint8_t)~order[i];
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}
