/* What a session knows, and how it puts records and actions out. */
#ifndef EUFY_STATE_H
#define EUFY_STATE_H

#include "frames.h"
#include "weighing.h"

#define SECOND UINT64_C(1000000000)
/* Impedance and heart rate are measured behind the weight; who wears shoes never gets them. */
#define MORE_WAIT (30 * SECOND)
/* Somebody is on the way to the scale, or stands there already; the host waits a minute. */
#define STEP_ON_WAIT (50 * SECOND)
/* What woke the scale is on it, or was there only to have its memory read. */
#define AFTER_MEMORY_WAIT (20 * SECOND)
/* A scale that calls out nothing new has nobody on it. */
#define NOTHING_NEW_AFTER (60 * SECOND)
/* A scale answers at once, or not at all. */
#define ANSWER_WAIT (5 * SECOND)
/* No weighing takes longer, whatever a scale goes on sending. */
#define SESSION_MAX (300 * SECOND)
#define QUEUE 12
#define RECORDS 4

enum token { TOKEN_SUBSCRIBE = 1, TOKEN_MORE = 2, TOKEN_SILENCE = 3, TOKEN_LIMIT = 4, TOKEN_ANSWER = 5 };
enum phase { PHASE_IDLE, PHASE_SUBSCRIBING, PHASE_CLOCK, PHASE_MEMORY, PHASE_LISTENING, PHASE_ENDED };

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  int32_t status;
  uint32_t purpose;
  eu_weighing weighing;
  /* Records that are on their way to the sink. */
  eu_reading outgoing[RECORDS];
  uint32_t n_outgoing;
  uint32_t next_outgoing;
  uint16_t notify_handle;
  uint16_t write_handle;
  uint8_t phase;
  /* Commands are written with a response where the scale knows that. */
  uint8_t has_response;
  uint8_t sets_clock;
  uint8_t is_connected;
  uint8_t has_delivered;
  /* Something was delivered, or the last reading was heard again. */
  uint8_t has_result;
  uint8_t waits;
  uint8_t clock_command[EUFY_CLOCK_LENGTH];
  int32_t utc_offset_s;
  /* EUFY_LAYOUT_*. */
  int layout;
};

void eufy_put_log(mh_session *session, const char *line);
void eufy_ask(mh_session *session, mh_action action);
void eufy_timer(mh_session *session, uint64_t token, uint64_t nanoseconds);
void eufy_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t eufy_drain(mh_session *session, mh_sink *sink);
/* Takes a frame: what comes of it goes out, and the session ends when nothing more is waited for. */
void eufy_take(mh_session *session, const eu_reading *reading, const mh_event *event);
/* The wait for more of a weight is over. */
void eufy_stop_waiting(mh_session *session, const mh_event *event);
/* The session ends, and a weight that waits goes without the rest. */
void eufy_end(mh_session *session, const mh_event *event);

#endif
