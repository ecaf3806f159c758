/* The session's state, and how it asks the host for something. */
#ifndef MICROLIFE_TALK_H
#define MICROLIFE_TALK_H

#include <meterhost/driver.h>

#include "frame.h"

#define MICROLIFE_SECOND UINT64_C(1000000000)
/* Room for what one event asks for. */
#define MICROLIFE_QUEUE 8

enum microlife_phase {
  PHASE_IDLE, PHASE_PAIRING, PHASE_SUBSCRIBING, PHASE_VERSION, PHASE_CLOCK, PHASE_SETTING, PHASE_HISTORY, PHASE_ENDED
};
enum microlife_token { TOKEN_SUBSCRIBE = 1, TOKEN_SILENCE = 2, TOKEN_WRITE = 3 };

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[MICROLIFE_QUEUE];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  int32_t utc_offset_s;
  /* What of the memory in `frame` is still to be handed over: the next place, its readings without a time so far, and how many
   * of those are known. */
  uint32_t next_reading;
  uint32_t n_untimed;
  uint32_t known_untimed;
  int64_t offset_s;
  uint64_t n_frame;
  uint16_t answer_handle;
  uint16_t command_handle;
  uint8_t command[MICROLIFE_COMMAND_MAX];
  uint8_t n_command;
  uint8_t writes_with_response;
  uint8_t phase;
  uint8_t tries;
  uint8_t no_clock;
  uint8_t sets_clock;
  /* The question for the memory carries the time. */
  uint8_t tells_time;
  uint8_t user_slot;
  uint8_t is_encrypted;
  uint8_t has_memory;
  uint8_t has_offset;
  uint8_t has_version;
  uint8_t battery;
  char firmware[3];
  /* The answer as it comes in, in pieces. */
  uint8_t frame[MICROLIFE_FRAME_MAX];
};

void microlife_log(mh_session *session, int32_t level, const char *line);
void microlife_act(mh_session *session, mh_action action);
void microlife_end(mh_session *session, mh_action action);
void microlife_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
void microlife_silence_after(mh_session *session, uint64_t nanoseconds);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t microlife_drain(mh_session *session, mh_sink *sink);
int microlife_is_pending(const mh_session *session);

#endif
