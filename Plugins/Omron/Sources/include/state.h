/* What a session holds, and what its parts do for each other. */
#ifndef OMRON_STATE_H
#define OMRON_STATE_H

#include "clock.h"
#include "frame.h"
#include "layout.h"

#define OMRON_QUEUE 8u
#define OMRON_KEY_LENGTH 16u
#define OMRON_TOKEN_LENGTH 4u
/* The longest value that is written at once. */
#define OMRON_WRITE_MAX 32u

enum omron_phase {
  OMRON_IDLE,
  OMRON_PAIRING,
  OMRON_SIZING,
  OMRON_SUBSCRIBING,
  /* Of the lock: asking for the mode in which a key is taken, giving it one, showing it, and the handshake without one. */
  OMRON_KEY_MODE,
  OMRON_KEY_GIVING,
  OMRON_KEY_SHOWING,
  OMRON_TOKEN,
  /* Of the memory. */
  OMRON_STARTING,
  OMRON_CLOCK,
  OMRON_RINGS,
  OMRON_SETTING,
  OMRON_ENDING,
  OMRON_ENDED
};

enum omron_token { OMRON_TOKEN_TIMER = 1, OMRON_TOKEN_SIZE, OMRON_TOKEN_SUBSCRIBE, OMRON_TOKEN_WRITE };

struct mh_session {
  const mh_host *host;
  const omron_layout *layout;
  uint64_t peer;
  int64_t utc_offset_us;
  /* What this event asks of the host, and the bytes of its writes. */
  mh_action queue[OMRON_QUEUE];
  uint8_t bytes[OMRON_QUEUE][OMRON_WRITE_MAX];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  /* The monitor's characteristics; 0: not there. */
  uint16_t lock, to_meter[OMRON_CHANNELS], from_meter[OMRON_CHANNELS];
  uint8_t lock_answers, channel_answers;
  uint8_t n_channels, n_subscribed;
  uint8_t phase;
  uint8_t security;
  uint16_t mtu;
  /* How often the last question was asked, and how often the monitor was silent in all. */
  uint8_t attempts;
  uint8_t silences;
  /* A key is stored, and here. */
  uint8_t has_key;
  uint8_t key[OMRON_KEY_LENGTH];
  uint8_t token[OMRON_TOKEN_LENGTH];
  omron_pieces pieces;
  /* The last question of the memory protocol. */
  uint8_t question[OMRON_FRAME_MAX];
  uint32_t n_question;
  /* The ring and the slot that are asked for, how many slots at once, and whether one by one from here on. */
  uint8_t user, slot, n_slots;
  uint8_t is_one_by_one;
  /* Records that came and are not in a sink yet. */
  uint8_t block[OMRON_BLOCK_MAX];
  uint8_t n_records, next_record, records_user, records_slot;
  /* Slots that hold something damaged. */
  uint16_t damaged;
  uint32_t record_flags;
  /* The clock: its block as it was read, and how far it is ahead, to be told. */
  uint8_t clock[OMRON_CLOCK_MAX];
  uint8_t has_clock, tells_clock, trusts_host_clock, sets_clock;
  int64_t clock_offset_s;
};

/* output.c */
mh_str omron_text(const char *text);
void omron_log(mh_session *session, int32_t level, const char *line);
void omron_ask(mh_session *session, mh_action action);
void omron_wait(mh_session *session, uint64_t nanoseconds);
void omron_write(mh_session *session, uint16_t handle, int answers, const uint8_t *bytes, uint32_t n);
void omron_finish(mh_session *session);
void omron_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
int omron_is_pending(const mh_session *session);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t omron_drain(mh_session *session, mh_sink *sink);

/* lock.c */
void omron_open_lock(mh_session *session);
void omron_lock_answered(mh_session *session, mh_bytes answer);
/* Asks the lock again; 0 when it was asked often enough. */
int omron_lock_again(mh_session *session);

/* memory.c */
void omron_open_memory(mh_session *session);
void omron_memory_answered(mh_session *session, const omron_frame *frame, const mh_event *event);
void omron_ask_again(mh_session *session);
void omron_end_memory(mh_session *session);
/* Everything that was wanted has come; what is damaged is told. */
void omron_conclude(mh_session *session);

#define OMRON_SECOND UINT64_C(1000000000)
/* An answer takes tenths of a second; public programs wait between one and five. */
#define OMRON_PATIENCE (3 * OMRON_SECOND)
#define OMRON_ATTEMPTS 3u
#define OMRON_SILENCES 20u

#endif
