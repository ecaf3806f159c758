/* A scale that Lifesense makes and A&D sells (UC-450BLE). It says who it is once everything is subscribed, wants its own code
 * back, and then gives one reading for each question, which is taken for given when it was acknowledged. */
#include "frame.h"
#include "talk.h"

enum pipe { PIPE_INDICATED, PIPE_DATA, PIPE_ACK_OUT, PIPE_COMMAND, PIPE_ACK_IN };

/* The person still stands on the scale when it is asked. */
#define NO_READING_AFTER (45 * AANDD_SECOND)
#define NO_ANSWER_AFTER (10 * AANDD_SECOND)
/* The scale keeps 200 readings. */
#define ASK_MAX 400u

static const uint8_t acknowledgement[AANDD_ACK_LENGTH] = {0, 1, 1};

static int is_usable(const mh_characteristic *found, uint32_t pipe) {
  uint16_t listens = MH_PROP_NOTIFY | MH_PROP_INDICATE, takes = MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE;
  return (found->properties & (pipe == PIPE_ACK_OUT || pipe == PIPE_COMMAND ? takes : listens)) != 0;
}

int aandd_framed_start(mh_session *session, const mh_event *event) {
  static const uint16_t ids[5] = {0xa620, AANDD_FRAME, 0xa622, 0xa624, 0xa625};
  static const uint32_t order[3] = {PIPE_ACK_IN, PIPE_DATA, PIPE_INDICATED};
  for (uint32_t pipe = 0; pipe < 5; pipe++) session->pipe[pipe] = 0;
  for (uint32_t i = 0; i < event->n_characteristics; i++)
    for (uint32_t pipe = 0; pipe < 5; pipe++)
      if (mh_uuid_short(&event->characteristics[i].uuid) == ids[pipe] && is_usable(&event->characteristics[i], pipe))
        session->pipe[pipe] = event->characteristics[i].handle;
  for (uint32_t pipe = 0; pipe < 5; pipe++)
    if (session->pipe[pipe] == 0) return 0;
  session->is_framed = 1;
  session->phase = PHASE_SUBSCRIBING;
  session->n_subscriptions = 3;
  /* The scale speaks as soon as the last of them is written. */
  for (uint32_t i = 0; i < 3; i++)
    aandd_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_SUBSCRIBE, .handle = session->pipe[order[i]]});
  aandd_silence_after(session, NO_ANSWER_AFTER);
  return 1;
}

void aandd_framed_subscribed(mh_session *session, const mh_event *event) {
  if (event->status != 0) {
    aandd_fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale refused to send readings. Step off and on, and read again.");
    return;
  }
  if (--session->n_subscriptions != 0 || session->command != COMMAND_NONE) return;
  session->phase = PHASE_LISTENING;
  aandd_ask(session, (mh_action){.kind = MH_DO_READY});
  aandd_silence_after(session, NO_ANSWER_AFTER);
}

/* One command at a time: the scale falls silent when it gets two. */
static void command(mh_session *session, uint8_t what, const uint8_t *frame, uint8_t n) {
  session->command = what;
  session->is_acknowledged = 0;
  aandd_write(session, MH_DO_WRITE_NO_RESPONSE, TOKEN_COMMAND, session->pipe[PIPE_COMMAND], frame, n);
  aandd_silence_after(session, what == COMMAND_RECORD ? NO_READING_AFTER : NO_ANSWER_AFTER);
}

static void ask_record(mh_session *session) {
  uint8_t frame[AANDD_FRAME_MAX];
  session->n_asked++;
  command(session, COMMAND_RECORD, frame, aandd_ask_record(frame));
}

static void acknowledge(mh_session *session) {
  aandd_write(session, MH_DO_WRITE_NO_RESPONSE, TOKEN_COMMAND, session->pipe[PIPE_ACK_OUT], acknowledgement,
              AANDD_ACK_LENGTH);
}

static void logged_in(mh_session *session, const mh_event *event) {
  uint8_t frame[AANDD_FRAME_MAX];
  if (session->sets_clock && session->command == COMMAND_LOGIN)
    command(session, COMMAND_TIME, frame, aandd_set_time(event->unix_us, session->utc_offset_s, frame));
  else
    ask_record(session);
}

static void acknowledged(mh_session *session, const mh_event *event) {
  if (session->is_acknowledged) return;
  session->is_acknowledged = 1;
  if (session->command == COMMAND_LOGIN) logged_in(session, event);
}

static void received_record(mh_session *session, const mh_event *event, mh_bytes payload, mh_sink *sink) {
  if (session->command != COMMAND_RECORD) return;
  if (aandd_is_foreign_unit(payload)) {
    aandd_fail(session, MH_FAIL_METER_ERROR, payload.p[5],
               "The scale shows another unit than kilograms, and what it sends then is not known. Set it to kg and read again.");
    return;
  }
  int32_t status = aandd_deliver(session, AANDD_FRAME, event->value, sink);
  if (status == MH_E_PROTOCOL) {
    /* Not acknowledged: it stays in the scale. */
    session->status = MH_E_PROTOCOL;
    aandd_fail(session, MH_FAIL_METER_ERROR, 0, "The scale sent a reading that cannot be read. Readings before it are kept; read again.");
    return;
  }
  if (status == MH_OK) session->has_reading = 1;
  acknowledge(session);
  if (aandd_remaining(payload) != 0 && session->n_asked < ASK_MAX)
    ask_record(session);
  else if (session->has_reading)
    aandd_end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    aandd_fail(session, MH_FAIL_NO_READING, 0, "The scale had no weight to tell. Step on it and stand still.");
}

void aandd_framed_received(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (event->handle == session->pipe[PIPE_ACK_IN]) {
    acknowledged(session, event);
    return;
  }
  if (event->handle != session->pipe[PIPE_DATA]) return;
  uint16_t what = 0;
  mh_bytes payload = {NULL, 0};
  if (aandd_frame(event->value, &what, &payload) != MH_OK) {
    aandd_log(session, MH_LOG_WARNING, "a frame was refused: its length is another, or it is not whole");
    session->status = MH_E_PROTOCOL;
    return;
  }
  uint8_t frame[AANDD_FRAME_MAX];
  switch (what) {
    case AANDD_LOGIN_REQUEST:
      acknowledge(session);
      if (session->command != COMMAND_NONE) return;
      session->phase = PHASE_LISTENING;
      command(session, COMMAND_LOGIN, frame, aandd_login_response(payload, frame));
      return;
    case AANDD_SETUP_REQUEST:
      aandd_fail(session, MH_FAIL_METER_ERROR, 0,
                 "The scale was never set up. Set it up once with the program of its maker, then read it here.");
      return;
    case AANDD_SETTING_RESPONSE:
      acknowledge(session);
      if (session->command == COMMAND_TIME) ask_record(session);
      return;
    case AANDD_RECORD: received_record(session, event, payload, sink); return;
    default: acknowledge(session);
  }
}
