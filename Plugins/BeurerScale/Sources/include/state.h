/* What a session with a scale holds, and what its parts do for each other. */
#ifndef BEURER_STATE_H
#define BEURER_STATE_H

#include <meterhost/driver.h>

#include "frame.h"

#define BEURER_QUEUE 12u
#define BEURER_USERS_MAX 16u
#define BEURER_UNOWNED_MAX 32u

enum beurer_phase {
  BEURER_IDLE,
  BEURER_PAIRING,
  BEURER_SUBSCRIBING,
  BEURER_GREETING,
  BEURER_SETTING_CLOCK,
  BEURER_ASKING_STATUS,
  BEURER_ASKING_USERS,
  BEURER_ASKING_SAVED,
  BEURER_ASKING_UNKNOWN,
  BEURER_MEASURING,
  BEURER_ENDED
};

enum beurer_token {
  BEURER_TOKEN_VALUE = 1,
  BEURER_TOKEN_WRITE,
  BEURER_TOKEN_CLOCK,
  /* Nothing has come for too long. */
  BEURER_TOKEN_SILENCE,
  /* The whole wait for a weighing, never started again: a thing on the scale reports its weight for ever. */
  BEURER_TOKEN_LIMIT
};

/* The frames of a list or a measurement: how many there are to be, and how many came. */
typedef struct beurer_row {
  uint8_t count;
  uint8_t arrived;
  /* The last frame, as much of it as a repetition would have the same. */
  uint8_t half[BEURER_PART];
} beurer_row;

struct mh_session {
  const mh_host *host;
  mh_action queue[BEURER_QUEUE];
  uint8_t bytes[BEURER_QUEUE][12];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  uint64_t peer;
  int32_t status;
  /* Records that are still to be handed over. */
  beurer_reading owed[4];
  uint32_t n_owed;
  uint32_t next_owed;
  /* What was weighed before the users were known. */
  beurer_reading early;
  uint32_t n_readings;
  uint32_t n_unowned;
  uint8_t unowned[BEURER_UNOWNED_MAX][BEURER_HEAD];
  uint16_t handle;
  uint8_t may_acknowledge_writes;
  uint8_t has_early;
  uint8_t phase;
  uint8_t is_encrypted;
  uint8_t has_tried_pairing;
  uint8_t sets_clock;
  /* E0 or F0, and whether the other one was tried. */
  uint8_t kind;
  uint8_t has_tried_other;
  /* The scale has a stored measurement that no scale can have measured. */
  uint8_t has_unreadable;
  /* Somebody stands on the scale, and the measurement has not come. */
  uint8_t is_weighing;
  uint8_t is_listed;
  uint8_t users[BEURER_USERS_MAX][BEURER_NAME];
  uint8_t n_users;
  uint8_t asked_user;
  /* The answer to a question has come, and the frames that follow it are awaited. */
  uint8_t is_answered;
  beurer_row list;
  beurer_row live;
  /* The names of whom the live and the early measurement are of. */
  uint8_t live_name[BEURER_NAME];
  uint8_t early_name[BEURER_NAME];
};

/* output.c */
void beurer_ask(mh_session *session, mh_action action);
void beurer_end(mh_session *session, mh_action action);
void beurer_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
void beurer_log(mh_session *session, const char *line);
void beurer_wait(mh_session *session, uint64_t seconds);
/* Writes one frame: its first byte's low half, and what follows. */
void beurer_write(mh_session *session, uint8_t low, const uint8_t *bytes, uint32_t n, uint64_t token);
void beurer_owe(mh_session *session, const beurer_reading *reading);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t beurer_drain(mh_session *session, mh_sink *sink);

/* unowned.c */
void beurer_recall(mh_session *session);
/* A reading goes out, in two records where its weight was delivered before without an owner. */
void beurer_deliver(mh_session *session, const beurer_reading *reading);

/* steps.c */
void beurer_greet(mh_session *session);
void beurer_clock_set(mh_session *session);
void beurer_frame(mh_session *session, mh_bytes frame, const mh_event *event);
void beurer_silence(mh_session *session);

/* measuring.c */
void beurer_weighed(mh_session *session, mh_bytes frame);
void beurer_measured(mh_session *session, mh_bytes frame);
/* The list of users is whole: what was weighed before has an owner now. */
void beurer_listed(mh_session *session);
void beurer_start_measuring(mh_session *session);
void beurer_over(mh_session *session);

#endif
