#include "talk.h"

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

void aandd_log(mh_session *session, int32_t level, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, level, text(line));
}

void aandd_ask(mh_session *session, mh_action action) {
  if (session->n_queue < AANDD_QUEUE) session->queue[session->n_queue++] = action;
}

void aandd_write(mh_session *session, uint32_t kind, uint64_t token, uint16_t handle, const uint8_t *bytes, uint8_t n) {
  if (session->n_writes >= AANDD_WRITES || n > AANDD_WRITE_MAX) return;
  uint8_t *kept = session->writes[session->n_writes++];
  for (uint8_t i = 0; i < n; i++) kept[i] = bytes[i];
  aandd_ask(session, (mh_action){.kind = kind, .token = token, .handle = handle, .value = {kept, n}});
}

void aandd_end(mh_session *session, mh_action action) {
  session->phase = PHASE_ENDED;
  aandd_ask(session, action);
}

void aandd_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  aandd_end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

void aandd_silence_after(mh_session *session, uint64_t nanoseconds) {
  aandd_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_SILENCE, .arg = nanoseconds});
}

int32_t aandd_deliver(mh_session *session, uint16_t code, mh_bytes bytes, mh_sink *sink) {
  int32_t status = aandd_decode(code, bytes, session->no_clock, sink);
  if (status != MH_E_FULL) return status;
  /* The event's bytes are gone when the host comes back. */
  session->packet_code = code;
  session->n_packet = (uint16_t)(bytes.n < AANDD_VALUE_MAX ? bytes.n : AANDD_VALUE_MAX);
  for (uint16_t i = 0; i < session->n_packet; i++) session->packet[i] = bytes.p[i];
  return MH_OK;
}

/* How far the meter's clock was from the host's, as a fact about the meter. */
static int32_t put_offset(mh_session *session, mh_sink *sink) {
  mh_record record = {.kind = MH_KIND_DEVICE_INFO,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  mh_value offset = {.metric = MH_METRIC_CLOCK_OFFSET,
                     .unit = MH_UNIT_SECOND,
                     .value = (double)session->offset_s,
                     .raw = session->offset_s};
  return mh_sink_record(sink, &record, &offset, 1, NULL, 0);
}

int32_t aandd_drain(mh_session *session, mh_sink *sink) {
  if (session->has_offset) {
    if (put_offset(session, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_offset = 0;
  }
  if (session->n_packet != 0) {
    mh_bytes packet = {session->packet, session->n_packet};
    if (aandd_decode(session->packet_code, packet, session->no_clock, sink) == MH_E_FULL) return MH_E_FULL;
    session->n_packet = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  session->n_writes = 0;
  return session->status;
}

int aandd_is_pending(const mh_session *session) {
  return session->has_offset || session->n_packet != 0 || session->next < session->n_queue;
}
