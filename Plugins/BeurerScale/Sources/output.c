/* What a session asks of the host: queued while an event is handled, handed over at its end. */
#include <string.h>

#include "state.h"

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
  return str;
}

void beurer_ask(mh_session *session, mh_action action) {
  if (session->n_queue < BEURER_QUEUE) session->queue[session->n_queue++] = action;
}

void beurer_end(mh_session *session, mh_action action) {
  if (session->phase == BEURER_ENDED) return;
  session->phase = BEURER_ENDED;
  beurer_ask(session, action);
}

void beurer_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  beurer_end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

void beurer_log(mh_session *session, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, MH_LOG_WARNING, text(line));
}

void beurer_wait(mh_session *session, uint64_t seconds) {
  beurer_ask(session, (mh_action){.kind = MH_DO_TIMER,
                                  .token = BEURER_TOKEN_SILENCE,
                                  .arg = seconds * UINT64_C(1000000000)});
}

/* The bytes stay in the session until the host has taken the action. */
void beurer_write(mh_session *session, uint8_t low, const uint8_t *bytes, uint32_t n, uint64_t token) {
  if (session->n_queue >= BEURER_QUEUE || n + 1 > sizeof session->bytes[0]) return;
  uint8_t *frame = session->bytes[session->n_queue];
  frame[0] = session->kind | low;
  memcpy(frame + 1, bytes, n);
  mh_bytes value = {frame, n + 1};
  beurer_ask(session, (mh_action){.kind = session->may_acknowledge_writes ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE,
                                  .token = session->may_acknowledge_writes ? token : 0,
                                  .handle = session->handle,
                                  .value = value});
}

void beurer_owe(mh_session *session, const beurer_reading *reading) {
  if (session->n_owed < sizeof session->owed / sizeof session->owed[0]) session->owed[session->n_owed++] = *reading;
}

int32_t beurer_drain(mh_session *session, mh_sink *sink) {
  while (session->next_owed < session->n_owed) {
    if (beurer_put(&session->owed[session->next_owed], sink) == MH_E_FULL) return MH_E_FULL;
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
