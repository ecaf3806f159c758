/* What a session asks of the host: queued while an event is handled, handed over at its end, readings first. */
#include <string.h>

#include "record.h"
#include "state.h"

mh_str omron_text(const char *text) {
  mh_str str = {text, strlen(text)};
  return str;
}

void omron_log(mh_session *session, int32_t level, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, level, omron_text(line));
}

void omron_ask(mh_session *session, mh_action action) {
  if (session->n_queue < OMRON_QUEUE) session->queue[session->n_queue++] = action;
}

void omron_wait(mh_session *session, uint64_t nanoseconds) {
  omron_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = OMRON_TOKEN_TIMER, .arg = nanoseconds});
}

/* The bytes stay in the session until the host has taken the action. */
void omron_write(mh_session *session, uint16_t handle, int answers, const uint8_t *bytes, uint32_t n) {
  if (session->n_queue >= OMRON_QUEUE || n > OMRON_WRITE_MAX) return;
  memcpy(session->bytes[session->n_queue], bytes, n);
  mh_bytes value = {session->bytes[session->n_queue], n};
  omron_ask(session, (mh_action){.kind = answers ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE,
                                 .token = answers ? OMRON_TOKEN_WRITE : 0,
                                 .handle = handle,
                                 .value = value});
}

static void end(mh_session *session, mh_action action) {
  session->phase = OMRON_ENDED;
  omron_ask(session, action);
}

void omron_finish(mh_session *session) { end(session, (mh_action){.kind = MH_DO_FINISH}); }

void omron_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = omron_text(why)});
}

int omron_is_pending(const mh_session *session) {
  return session->tells_clock || session->next_record < session->n_records || session->next < session->n_queue;
}

static int32_t drain_clock(mh_session *session, mh_sink *sink) {
  if (!session->tells_clock) return MH_OK;
  mh_record record = {.kind = MH_KIND_DEVICE_INFO, .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  mh_value offset = {.metric = MH_METRIC_CLOCK_OFFSET, .unit = MH_UNIT_SECOND,
                     .value = (double)session->clock_offset_s, .raw = session->clock_offset_s};
  if (mh_sink_record(sink, &record, &offset, 1, NULL, 0) != MH_OK) return MH_E_FULL;
  session->tells_clock = 0;
  return MH_OK;
}

static int32_t drain_records(mh_session *session, mh_sink *sink) {
  const omron_layout *layout = session->layout;
  for (; session->next_record < session->n_records; session->next_record++) {
    const uint8_t *bytes = session->block + (uint32_t)session->next_record * layout->record_size;
    int32_t status = omron_put_record(layout, bytes, session->records_user, session->record_flags, sink);
    if (status == MH_E_FULL) return MH_E_FULL;
    if (status == MH_E_PROTOCOL && session->records_slot + session->next_record < layout->sure_slots)
      session->damaged++;
  }
  session->next_record = session->n_records = 0;
  return MH_OK;
}

int32_t omron_drain(mh_session *session, mh_sink *sink) {
  if (drain_clock(session, sink) == MH_E_FULL || drain_records(session, sink) == MH_E_FULL) return MH_E_FULL;
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}
