/* What a session asks of the host: queued while an event is handled, handed over at its end. */
#include <string.h>

#include "state.h"

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
  return str;
}

static int is_of_timer(const mh_action *action) {
  return action->kind == MH_DO_TIMER || action->kind == MH_DO_CANCEL_TIMER;
}

/* What is asked of a timer last is what holds: one action a timer, however many frames an event has. */
void mibeacon_ask(mh_session *session, mh_action action) {
  for (uint32_t i = 0; i < session->n_queue && is_of_timer(&action); i++) {
    mh_action *queued = &session->queue[i];
    if (!is_of_timer(queued) || queued->token != action.token) continue;
    *queued = action;
    return;
  }
  if (session->n_queue < MIBEACON_QUEUE) session->queue[session->n_queue++] = action;
}

void mibeacon_timer(mh_session *session, uint64_t token, uint64_t nanoseconds) {
  mibeacon_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

void mibeacon_fail(mh_session *session, int32_t code, const char *why) {
  session->has_ended = 1;
  mibeacon_ask(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .text = text(why)});
}

void mibeacon_finish(mh_session *session) {
  if (session->has_result) {
    session->has_ended = 1;
    mibeacon_ask(session, (mh_action){.kind = MH_DO_FINISH});
  } else if (session->n_unopened != 0 && !session->has_opened) {
    mibeacon_fail(session, MH_FAIL_KEY_WRONG,
                  "The bind key does not open what the scale sends: it is another scale's, or the scale was added to "
                  "Xiaomi's program again and has a new one. Fetch it again, and enter it with `meterhost key set`.");
  } else if (session->key == MIBEACON_KEY_ASKED) {
    mibeacon_fail(session, MH_FAIL_KEY_MISSING,
                  "The scale's bind key was not entered. Read again, or enter it with `meterhost key set`.");
  } else {
    mibeacon_fail(session, MH_FAIL_NO_READING,
                  "The scale sent no weight. Close Xiaomi's program, step on the scale barefoot, and stand still until "
                  "it has shown everything.");
  }
}

int32_t mibeacon_drain(mh_session *session, mh_sink *sink) {
  while (session->next_outgoing < session->n_outgoing) {
    if (mibeacon_measure_emit(&session->outgoing[session->next_outgoing], sink) == MH_E_FULL) return MH_E_FULL;
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
