/* What a session asks of the host: queued while an event is handled, handed over at its end. */
#include <string.h>

#include "state.h"

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
  return str;
}

void medisana_ask(mh_session *session, mh_action action) {
  if (session->n_queue < MEDISANA_QUEUE) session->queue[session->n_queue++] = action;
}

void medisana_end(mh_session *session, mh_action action) {
  if (session->phase == MEDISANA_ENDED) return;
  session->phase = MEDISANA_ENDED;
  medisana_ask(session, action);
}

void medisana_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  medisana_end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

void medisana_wait(mh_session *session, uint64_t token, uint64_t seconds) {
  medisana_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = seconds * UINT64_C(1000000000)});
}

void medisana_owe(mh_session *session, const medisana_reading *reading) {
  if (session->n_owed < sizeof session->owed / sizeof session->owed[0]) session->owed[session->n_owed++] = *reading;
  session->n_readings++;
}

int32_t medisana_drain(mh_session *session, mh_sink *sink) {
  while (session->next_owed < session->n_owed) {
    if (medisana_put(&session->owed[session->next_owed], sink) == MH_E_FULL) return MH_E_FULL;
    session->next_owed++;
  }
  session->next_owed = session->n_owed = 0;
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}
