#include "talk.h"

#include "reading.h"

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

void microlife_log(mh_session *session, int32_t level, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, level, text(line));
}

void microlife_act(mh_session *session, mh_action action) {
  if (session->n_queue < MICROLIFE_QUEUE) session->queue[session->n_queue++] = action;
}

void microlife_end(mh_session *session, mh_action action) {
  session->phase = PHASE_ENDED;
  microlife_act(session, action);
}

void microlife_fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  microlife_end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

void microlife_silence_after(mh_session *session, uint64_t nanoseconds) {
  microlife_act(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_SILENCE, .arg = nanoseconds});
}

static mh_record fact(void) {
  mh_record record = {.kind = MH_KIND_DEVICE_INFO,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return record;
}

/* Battery and firmware, record and text together or neither. */
static int32_t put_version(mh_session *session, mh_sink *sink) {
  if (sink->n_texts >= sink->cap_texts || sink->cap_arena - sink->n_arena < sizeof session->firmware) return MH_E_FULL;
  mh_record record = fact();
  mh_value battery = {.metric = MH_METRIC_BATTERY_VOLTAGE,
                      .unit = MH_UNIT_VOLT,
                      .exp10 = -1,
                      .value = session->battery / 10.0,
                      .raw = session->battery};
  if (mh_sink_record(sink, &record, &battery, 1, NULL, 0) != MH_OK) return MH_E_FULL;
  return mh_sink_text(sink, MH_METRIC_FIRMWARE_VERSION, (mh_str){session->firmware, sizeof session->firmware});
}

static int32_t put_offset(mh_session *session, mh_sink *sink) {
  mh_record record = fact();
  mh_value offset = {.metric = MH_METRIC_CLOCK_OFFSET,
                     .unit = MH_UNIT_SECOND,
                     .value = (double)session->offset_s,
                     .raw = session->offset_s};
  return mh_sink_record(sink, &record, &offset, 1, NULL, 0);
}

/* Readings of the memory from the next place on. Those without a time that an earlier session has handed over are left out. */
static int32_t put_memory(mh_session *session, mh_sink *sink) {
  microlife_memory memory;
  if (microlife_memory_of((mh_bytes){session->frame, session->n_frame}, &memory) != MH_OK) return MH_OK;
  for (; session->next_reading < memory.count; session->next_reading++) {
    microlife_reading reading;
    if (!microlife_reading_at(&memory, session->next_reading, session->no_clock, &reading)) continue;
    int is_known = !reading.has_time && session->n_untimed < session->known_untimed;
    if (!is_known && microlife_put(&reading, sink) != MH_OK) return MH_E_FULL;
    if (!reading.has_time) session->n_untimed++;
  }
  return MH_OK;
}

int32_t microlife_drain(mh_session *session, mh_sink *sink) {
  if (session->has_version) {
    if (put_version(session, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_version = 0;
  }
  if (session->has_offset) {
    if (put_offset(session, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_offset = 0;
  }
  if (session->has_memory) {
    if (put_memory(session, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_memory = 0;
    session->n_frame = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

int microlife_is_pending(const mh_session *session) {
  return session->has_version || session->has_offset || session->has_memory || session->next < session->n_queue;
}
