/* What the scale says of its own: the weight while it settles (58), and the measurement when it is done (59). */
#include <string.h>

#include "state.h"

/* To step on. */
#define PATIENCE 60u
/* From a stable weight to the measurement a real scale took 12 s. */
#define COMPOSING 30u
/* Another person may follow. */
#define AFTERWARDS 5u
#define LIMIT UINT64_C(150000000000)

void beurer_start_measuring(mh_session *session) {
  session->phase = BEURER_MEASURING;
  beurer_ask(session, (mh_action){.kind = MH_DO_READY});
  beurer_ask(session, (mh_action){.kind = MH_DO_TIMER, .token = BEURER_TOKEN_LIMIT, .arg = LIMIT});
  beurer_wait(session, session->is_weighing ? COMPOSING : PATIENCE);
}

void beurer_over(mh_session *session) {
  if (session->is_weighing) {
    beurer_fail(session, MH_FAIL_NO_READING, 0,
                "The weighing did not come to its end. Stand still with bare feet until the scale has shown all values.");
  } else if (session->has_unreadable) {
    beurer_fail(session, MH_FAIL_METER_ERROR, 0,
                "The scale keeps a measurement that cannot be one. The others were read.");
  } else if (session->n_readings == 0) {
    beurer_fail(session, MH_FAIL_NO_READING, 0, "Nobody was weighed. Step on the scale with bare feet and read again.");
  } else {
    beurer_end(session, (mh_action){.kind = MH_DO_FINISH});
  }
}

void beurer_weighed(mh_session *session, mh_bytes frame) {
  beurer_reading reading;
  int32_t status = beurer_read_weighing(frame, &reading);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status != MH_OK) return;
  session->is_weighing = 1;
  beurer_owe(session, &reading);
  if (session->phase == BEURER_MEASURING) beurer_wait(session, COMPOSING);
}

static uint16_t place_of(const mh_session *session, const uint8_t *name) {
  for (uint8_t i = 0; i < session->n_users; i++)
    if (memcmp(session->users[i], name, BEURER_NAME) == 0) return (uint16_t)(i + 1);
  return BEURER_NOBODY;
}

static void complete(mh_session *session, const uint8_t *second) {
  uint8_t whole[BEURER_WHOLE];
  memcpy(whole, session->live.half, BEURER_PART);
  memcpy(whole + BEURER_PART, second, BEURER_PART);
  session->live = (beurer_row){0};
  session->is_weighing = 0;
  if (session->phase == BEURER_MEASURING) beurer_wait(session, AFTERWARDS);
  beurer_reading reading;
  int32_t status = beurer_read_whole(whole, &reading);
  if (status == MH_E_PROTOCOL) {
    session->status = MH_E_PROTOCOL;
    session->has_unreadable = 1;
  }
  if (status != MH_OK) return;
  if (session->is_listed) {
    reading.user = place_of(session, session->live_name);
    beurer_deliver(session, &reading);
  } else {
    session->early = reading;
    memcpy(session->early_name, session->live_name, BEURER_NAME);
    session->has_early = 1;
  }
}

void beurer_listed(mh_session *session) {
  session->is_listed = 1;
  if (!session->has_early) return;
  session->has_early = 0;
  session->early.user = place_of(session, session->early_name);
  beurer_deliver(session, &session->early);
}

/* Three frames: whose it is, and two halves. */
void beurer_measured(mh_session *session, mh_bytes frame) {
  beurer_row *row = &session->live;
  uint8_t number = frame.p[3];
  if (number == 1 && frame.p[2] == 3 && frame.n >= 13) {
    *row = (beurer_row){.count = 3, .arrived = 1};
    memcpy(session->live_name, frame.p + 5, BEURER_NAME);
    session->is_weighing = 1;
    if (session->phase == BEURER_MEASURING) beurer_wait(session, COMPOSING);
  } else if (row->count != 3 || frame.p[2] != 3 || frame.n < 4 + BEURER_PART || number > row->arrived + 1) {
    *row = (beurer_row){0};
    session->status = MH_E_PROTOCOL;
  } else if (number == 2 && row->arrived == 1) {
    row->arrived = 2;
    memcpy(row->half, frame.p + 4, BEURER_PART);
  } else if (number == 3) {
    complete(session, frame.p + 4);
  }
}
