/* The questions of a session, in their order: hello, the clock, the state, who uses the scale, what it keeps of each
 * of them and of nobody known. Nothing else is written to the scale, and what it keeps stays there. */
#include <string.h>

#include "state.h"

#define ANSWER 5u
/* What a scale may leave unanswered. */
#define PATIENCE 3u

static void command(mh_session *session, uint8_t code, const uint8_t *name, enum beurer_phase phase) {
  uint8_t bytes[1 + BEURER_NAME] = {code};
  if (name != NULL) memcpy(bytes + 1, name, BEURER_NAME);
  session->phase = (uint8_t)phase;
  session->is_answered = 0;
  session->list = (beurer_row){0};
  beurer_wait(session, ANSWER);
  beurer_write(session, BEURER_COMMAND, bytes, name == NULL ? 1 : sizeof bytes, BEURER_TOKEN_WRITE);
}

void beurer_greet(mh_session *session) {
  static const uint8_t hello[] = {0x01};
  session->phase = BEURER_GREETING;
  beurer_wait(session, PATIENCE);
  beurer_write(session, BEURER_HELLO, hello, sizeof hello, BEURER_TOKEN_WRITE);
}

static void ask_status(mh_session *session) {
  static const uint8_t nobody[BEURER_NAME];
  command(session, BEURER_STATUS, nobody, BEURER_ASKING_STATUS);
}

/* The clock cannot be read, and the scale answers nothing to a new time but that it was written. */
static void set_clock(mh_session *session, int64_t unix_us) {
  uint32_t now = (uint32_t)(unix_us / 1000000);
  uint8_t bytes[] = {(uint8_t)(now >> 24), (uint8_t)(now >> 16), (uint8_t)(now >> 8), (uint8_t)now};
  session->phase = BEURER_SETTING_CLOCK;
  beurer_wait(session, ANSWER);
  beurer_write(session, BEURER_CLOCK, bytes, sizeof bytes, BEURER_TOKEN_CLOCK);
  if (!session->may_acknowledge_writes) ask_status(session);
}

void beurer_clock_set(mh_session *session) {
  if (session->phase == BEURER_SETTING_CLOCK) ask_status(session);
}

static void greeted(mh_session *session, const mh_event *event) {
  if (session->phase != BEURER_GREETING) return;
  if (session->sets_clock && event->unix_us > 0)
    set_clock(session, event->unix_us);
  else
    ask_status(session);
}

static void ask_unknown(mh_session *session) { command(session, BEURER_UNKNOWN_ALL, NULL, BEURER_ASKING_UNKNOWN); }

static void ask_saved(mh_session *session) {
  if (session->asked_user < session->n_users)
    command(session, BEURER_SAVED_OF, session->users[session->asked_user], BEURER_ASKING_SAVED);
  else
    ask_unknown(session);
}

static void users_known(mh_session *session) {
  beurer_listed(session);
  session->asked_user = 0;
  ask_saved(session);
}

static void broken(mh_session *session) {
  session->status = MH_E_PROTOCOL;
  beurer_fail(session, MH_FAIL_COMMUNICATION, 0, "The scale's memory came damaged. What came before is kept; read again.");
}

static void answered_saved(mh_session *session, mh_bytes frame) {
  session->is_answered = 1;
  session->list.count = frame.p[3];
  /* Two frames a measurement. */
  if (frame.p[3] % 2 != 0) {
    broken(session);
  } else if (frame.p[3] == 0) {
    session->asked_user++;
    ask_saved(session);
  } else {
    beurer_wait(session, ANSWER);
  }
}

static void answered_users(mh_session *session, mh_bytes frame) {
  if (frame.n < 5 || frame.p[4] > BEURER_USERS_MAX) {
    broken(session);
    return;
  }
  session->list.count = frame.p[4];
  session->is_answered = 1;
  if (frame.p[4] == 0)
    users_known(session);
  else
    beurer_wait(session, ANSWER);
}

/* A second answer to the same question is a repetition. */
static void answered(mh_session *session, mh_bytes frame) {
  if (frame.n < 4 || session->is_answered) return;
  uint8_t to = frame.p[2];
  if (session->phase == BEURER_ASKING_STATUS && to == BEURER_STATUS) {
    command(session, BEURER_USERS, NULL, BEURER_ASKING_USERS);
  } else if (session->phase == BEURER_ASKING_USERS && to == BEURER_USERS) {
    answered_users(session, frame);
  } else if (session->phase == BEURER_ASKING_SAVED && to == BEURER_SAVED_OF) {
    answered_saved(session, frame);
  } else if (session->phase == BEURER_ASKING_UNKNOWN && to == BEURER_UNKNOWN_ALL) {
    /* Another state than 0: there are none. */
    session->is_answered = 1;
    if (frame.p[3] != 0)
      beurer_start_measuring(session);
    else
      beurer_wait(session, ANSWER);
  }
}

/* Whether the frame is the next one of the list; a repetition is passed over, a gap ends the session. */
static int is_next(mh_session *session, mh_bytes frame, uint64_t length) {
  beurer_row *row = &session->list;
  if (row->count == 0) row->count = frame.p[2];
  int is_repeated = frame.p[2] == row->count && frame.p[3] != 0 && frame.p[3] == row->arrived;
  if (is_repeated) return 0;
  if (frame.n < length || frame.p[2] != row->count || frame.p[3] != row->arrived + 1 || frame.p[3] > row->count) {
    broken(session);
    return 0;
  }
  row->arrived++;
  beurer_wait(session, ANSWER);
  return 1;
}

static void take_user(mh_session *session, mh_bytes frame) {
  if (session->phase != BEURER_ASKING_USERS || !is_next(session, frame, 12)) return;
  if (session->n_users >= BEURER_USERS_MAX) {
    broken(session);
    return;
  }
  memcpy(session->users[session->n_users++], frame.p + 4, BEURER_NAME);
  if (session->list.arrived == session->list.count) users_known(session);
}

static void put_stored(mh_session *session, int32_t status, const beurer_reading *reading) {
  if (status == MH_E_PROTOCOL) {
    /* One that cannot be read does not hide the others. */
    session->status = MH_E_PROTOCOL;
    session->has_unreadable = 1;
  }
  if (status != MH_OK) return;
  beurer_deliver(session, reading);
}

static void take_saved(mh_session *session, mh_bytes frame) {
  if (session->phase != BEURER_ASKING_SAVED || !is_next(session, frame, 4 + BEURER_PART)) return;
  if (session->list.count % 2 != 0) {
    broken(session);
    return;
  }
  if (session->list.arrived % 2 == 1) {
    memcpy(session->list.half, frame.p + 4, BEURER_PART);
  } else {
    uint8_t whole[BEURER_WHOLE];
    memcpy(whole, session->list.half, BEURER_PART);
    memcpy(whole + BEURER_PART, frame.p + 4, BEURER_PART);
    beurer_reading reading;
    int32_t status = beurer_read_whole(whole, &reading);
    reading.user = (uint16_t)(session->asked_user + 1);
    put_stored(session, status, &reading);
  }
  if (session->list.arrived < session->list.count) return;
  session->asked_user++;
  ask_saved(session);
}

static void take_unknown(mh_session *session, mh_bytes frame) {
  if (session->phase != BEURER_ASKING_UNKNOWN || !is_next(session, frame, 13)) return;
  beurer_reading reading;
  int32_t status = beurer_read_unknown(frame, &reading);
  put_stored(session, status, &reading);
  if (session->list.arrived == session->list.count) beurer_start_measuring(session);
}

/* The record, the word that it was taken, and the next question are one unit: it is on disk before the scale hears. */
static void acknowledge(mh_session *session, mh_bytes frame) {
  uint8_t bytes[] = {BEURER_TAKEN, frame.p[1], frame.p[2], frame.p[3]};
  beurer_write(session, BEURER_COMMAND, bytes, sizeof bytes, BEURER_TOKEN_WRITE);
}

static void take(mh_session *session, mh_bytes frame) {
  void (*taker)(mh_session *, mh_bytes) = NULL;
  switch (frame.p[1]) {
    case BEURER_ANSWER: answered(session, frame); return;
    case BEURER_USER: taker = take_user; break;
    case BEURER_SAVED: taker = take_saved; break;
    case BEURER_UNKNOWN: taker = take_unknown; break;
    case BEURER_WEIGHING: taker = beurer_weighed; break;
    case BEURER_MEASURED: taker = beurer_measured; break;
    default: return;
  }
  if (frame.n < 4) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  acknowledge(session, frame);
  taker(session, frame);
}

void beurer_frame(mh_session *session, mh_bytes frame, const mh_event *event) {
  if (!beurer_is_frame(frame)) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  uint8_t kind = frame.p[0] & 0xf0u, is_hello = (frame.p[0] & 0x0fu) == BEURER_HELLO;
  if (kind != session->kind) {
    /* The scale says of itself of which kind it is. Once it has answered, it cannot become another. */
    if (session->phase != BEURER_GREETING) return;
    session->kind = kind;
    session->has_tried_other = 1;
    if (!is_hello) {
      beurer_greet(session);
      return;
    }
  }
  if (is_hello)
    greeted(session, event);
  else
    take(session, frame);
}

void beurer_silence(mh_session *session) {
  if (session->phase == BEURER_GREETING && !session->has_tried_other) {
    session->has_tried_other = 1;
    session->kind = session->kind == 0xe0u ? 0xf0u : 0xe0u;
    beurer_greet(session);
  } else if (session->phase == BEURER_ASKING_STATUS) {
    command(session, BEURER_USERS, NULL, BEURER_ASKING_USERS);
  } else if (session->phase == BEURER_ASKING_UNKNOWN && !session->is_answered) {
    beurer_log(session, "the scale does not tell measurements of nobody known");
    beurer_start_measuring(session);
  } else if (session->phase == BEURER_MEASURING) {
    beurer_over(session);
  } else {
    beurer_fail(session, MH_FAIL_TIMEOUT, 0, "The scale fell silent. Step on it again and keep it close by.");
  }
}
