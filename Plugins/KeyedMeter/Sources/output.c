/* What a session asks of the host: queued while an event is handled, handed over at its end. */
#include <string.h>

#include "state.h"

#define SILENCE UINT64_C(10000000000)

mh_str keyed_text(const char *text) {
  mh_str str = {text, strlen(text)};
  return str;
}

void keyed_ask(mh_session *session, mh_action action) {
  if (session->n_queue < KEYED_QUEUE) session->queue[session->n_queue++] = action;
}

void keyed_end(mh_session *session, mh_action action) {
  session->phase = KEYED_ENDED;
  keyed_ask(session, action);
}

void keyed_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  keyed_end(session,
            (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = keyed_text(why)});
}

/* Started again with each request and each reading: the limit is for one answer, not for the whole exchange. */
void keyed_listen(mh_session *session) {
  keyed_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = KEYED_TOKEN_SILENCE, .arg = SILENCE});
}

/* The bytes stay in the session until the host has taken the action. */
void keyed_command(mh_session *session, const uint8_t *bytes, uint32_t n) {
  if (session->n_queue + 1 >= KEYED_QUEUE || n > sizeof session->bytes[0]) return;
  keyed_listen(session);
  memcpy(session->bytes[session->n_queue], bytes, n);
  mh_bytes value = {session->bytes[session->n_queue], n};
  keyed_ask(session, (mh_action){.kind = MH_DO_WRITE,
                                 .token = KEYED_TOKEN_COMMAND,
                                 .handle = session->control,
                                 .value = value});
}

int32_t keyed_drain(mh_session *session, mh_sink *sink) {
  if (session->is_waiting) {
    if (keyed_put_record(session->waiting, sink) == MH_E_FULL) return MH_E_FULL;
    session->is_waiting = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}
