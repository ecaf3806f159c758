/* Requests and answers: the greeting of the second generation, then a question a second until the values have settled. */
#include "state.h"

#define SECOND UINT64_C(1000000000)
/* Enough to put the sensor on and let it find a pulse. Never restarted: an oximeter answers for ever. */
#define NO_READING_AFTER (120 * SECOND)
/* So many seconds without an answer: another device holds the oximeter, or it is not the one it was taken for. */
#define SILENT_AFTER 10u
/* Before that a meter of the first generation is asked for the same values with their waveform, as the maker's program asks some. */
#define OTHER_QUESTION_AFTER 4u
/* Bytes of a write without response while nothing is known of the MTU. */
#define SMALLEST_WRITE 20u

void wellue_begin(mh_session *session) {
  session->phase = WELLUE_LISTENING;
  session->step = session->protocol->is_greeted ? WELLUE_GREETING : WELLUE_ASKING;
  session->is_due = 1;
  wellue_ask(session, (mh_action){.kind = MH_DO_READY});
  wellue_timer(session, WELLUE_TOKEN_PATIENCE, NO_READING_AFTER);
  wellue_timer(session, WELLUE_TOKEN_TICK, SECOND);
}

/* The request of the step that has been reached; its length. */
static uint64_t build(mh_session *session, int64_t unix_us) {
  uint8_t lead = session->protocol->asking, hello[WELLUE_HELLO_LENGTH];
  const uint8_t none = 0;
  switch (session->step) {
    case WELLUE_GREETING:
      wellue_hello(unix_us > 0 ? (uint64_t)unix_us / 1000000u : 0, hello);
      return wellue_write(lead, WELLUE_HELLO, hello, WELLUE_HELLO_LENGTH, session->request);
    case WELLUE_QUIETING: return wellue_write(lead, WELLUE_QUIET, &none, 1, session->request);
    default: break;
  }
  if (session->asks_wave) return wellue_write(lead, session->protocol->live_with_wave, &none, 1, session->request);
  return wellue_write(lead, session->protocol->live, NULL, 0, session->request);
}

void wellue_send_due(mh_session *session, int64_t unix_us) {
  if (!session->is_due || session->phase != WELLUE_LISTENING || session->is_writing) return;
  session->is_due = 0;
  session->is_waiting = 1;
  /* What is left of an answer that never ended must not swallow the next one. */
  session->stream.n = 0;
  uint64_t length = build(session, unix_us);
  mh_action write = {.kind = MH_DO_WRITE, .token = WELLUE_TOKEN_REQUEST, .handle = session->asks};
  if (session->writes_with_answer) {
    session->is_writing = 1;
    write.value = (mh_bytes){session->request, length};
    wellue_ask(session, write);
    return;
  }
  uint64_t room = session->mtu >= SMALLEST_WRITE + 3 ? session->mtu - 3u : SMALLEST_WRITE;
  write = (mh_action){.kind = MH_DO_WRITE_NO_RESPONSE, .handle = session->asks};
  for (uint64_t at = 0; at < length; at += room) {
    write.value = (mh_bytes){session->request + at, length - at < room ? length - at : room};
    wellue_ask(session, write);
  }
}

void wellue_ticked(mh_session *session) {
  if (session->phase != WELLUE_LISTENING) return;
  wellue_timer(session, WELLUE_TOKEN_TICK, SECOND);
  if (session->step != WELLUE_ASKING) {
    /* The greeting goes unanswered by most rings, and the maker's program goes on as well. */
    session->step++;
    session->is_due = 1;
    return;
  }
  if (session->is_waiting && ++session->waited >= SILENT_AFTER) {
    wellue_fail(session, MH_FAIL_COMMUNICATION, 0,
                "The oximeter does not answer. Close the app on the phone that it is connected to, keep it close by and "
                "read it again.");
    return;
  }
  if (session->waited == OTHER_QUESTION_AFTER && session->protocol->live_with_wave != 0) session->asks_wave = 1;
  /* An answer may take longer than a second: asked again after two. */
  if (!session->is_waiting || session->waited % 2 == 0) session->is_due = 1;
}

static void took(mh_session *session, const wellue_sample *sample, uint64_t now) {
  session->sample = *sample;
  session->owed |= WELLUE_OWED_PROGRESS;
  session->seen = sample->is_moving ? WELLUE_SEEN_MOVEMENT : WELLUE_SEEN_VALUE;
  if (!wellue_steady_take(&session->steady, sample, now)) return;
  session->owed |= WELLUE_OWED_RESULT;
  if (sample->battery != 0) session->owed |= WELLUE_OWED_BATTERY;
  wellue_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = WELLUE_TOKEN_TICK});
  wellue_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = WELLUE_TOKEN_PATIENCE});
  wellue_end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* An answer to the greeting. True when it was one. */
static int is_greeting(mh_session *session, const wellue_frame *frame) {
  if (!session->protocol->names_command || (frame->code != WELLUE_HELLO && frame->code != WELLUE_QUIET)) return 0;
  if (frame->code == WELLUE_HELLO && wellue_is_key(frame->payload, frame->length)) {
    wellue_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
                "The oximeter sends its values encrypted, and there is no public description of a ring that does. It "
                "cannot be read.");
  } else if (session->step == (frame->code == WELLUE_HELLO ? WELLUE_GREETING : WELLUE_QUIETING)) {
    session->step++;
    session->is_due = 1;
  }
  return 1;
}

static void answered(mh_session *session, const wellue_frame *frame, uint64_t now) {
  if (is_greeting(session, frame) || session->step != WELLUE_ASKING) return;
  wellue_sample sample;
  int32_t status = wellue_sample_read(session->protocol, frame, &sample);
  if (status == MH_E_PROTOCOL) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  if (!wellue_is_answer(session->protocol, frame)) return;
  session->is_waiting = session->waited = 0;
  if (status == MH_OK) {
    took(session, &sample, now);
  } else {
    session->seen = WELLUE_SEEN_NO_VALUE;
    wellue_steady_take(&session->steady, NULL, now);
  }
}

void wellue_received(mh_session *session, mh_bytes value, uint64_t now) {
  uint8_t bytes[WELLUE_FRAME_MAX];
  wellue_frame frame;
  uint32_t n_noise = 0;
  if (wellue_append(&session->stream, value) != MH_OK) session->status = MH_E_PROTOCOL;
  while (session->phase == WELLUE_LISTENING &&
         wellue_next(&session->stream, session->protocol->answering, bytes, &frame, &n_noise))
    answered(session, &frame, now);
  if (n_noise != 0) session->status = MH_E_PROTOCOL;
  if (session->status == MH_E_PROTOCOL)
    wellue_log(session, MH_LOG_WARNING, "bytes were refused: no whole answer, or its checksum is wrong");
}
