/* What a session knows, and how it puts records and actions out. */
#ifndef ETEKCITY_STATE_H
#define ETEKCITY_STATE_H

#include "frames.h"
#include "weighing.h"

#define SECOND UINT64_C(1000000000)
/* Impedance and heart rate are measured behind the weight; who wears shoes never gets them. */
#define MORE_WAIT (15 * SECOND)
/* Somebody is on the way to the scale, or stands there already; the host waits a minute. */
#define STEP_ON_WAIT (50 * SECOND)
/* A scale that calls out nothing new has nobody on it. */
#define NOTHING_NEW_AFTER (60 * SECOND)
/* Some ESF-37 begin by themselves, some wait for the word. */
#define BEGIN_AFTER (3 * SECOND)
/* No weighing takes longer, whatever a scale goes on sending. */
#define SESSION_MAX (300 * SECOND)
#define WANTED_MTU 185u
#define QUEUE 12
#define RECORDS 4

enum token { TOKEN_SUBSCRIBE = 1, TOKEN_MORE = 2, TOKEN_SILENCE = 3, TOKEN_LIMIT = 4, TOKEN_BEGIN = 5, TOKEN_WRITE = 6 };
enum phase { PHASE_IDLE, PHASE_SUBSCRIBING, PHASE_LISTENING, PHASE_ENDED };

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  int32_t status;
  uint32_t purpose;
  et_weighing weighing;
  et_assembly assembly;
  /* Records that are on their way to the sink. */
  et_reading outgoing[RECORDS];
  uint32_t n_outgoing;
  uint32_t next_outgoing;
  uint16_t notify_handle;
  uint16_t write_handle;
  /* ETEKCITY_A5_NOTIFY or ETEKCITY_ESF37_NOTIFY. */
  uint16_t characteristic;
  uint8_t phase;
  /* Commands are written with a response where the scale knows no other way. */
  uint8_t has_response;
  uint8_t sets_clock;
  uint8_t is_connected;
  uint8_t has_delivered;
  /* Something was delivered, or the last reading was heard again. */
  uint8_t has_result;
  uint8_t waits;
  uint8_t has_heard;
  uint8_t time_command[ETEKCITY_COMMAND_MAX];
  uint8_t begin_command[ETEKCITY_COMMAND_MAX];
  /* Of an ESF-24: the unit that its display gets, and which of its questions were answered. */
  uint8_t display_unit;
  uint8_t has_unit;
  uint8_t has_time;
};

void etekcity_put_log(mh_session *session, const char *line);
void etekcity_ask(mh_session *session, mh_action action);
void etekcity_timer(mh_session *session, uint64_t token, uint64_t nanoseconds);
void etekcity_fail(mh_session *session, int32_t code, int32_t subcode, const char *why);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t etekcity_drain(mh_session *session, mh_sink *sink);
/* Takes a frame: what comes of it goes out, and the session ends when nothing more is waited for. */
void etekcity_take(mh_session *session, const et_reading *reading, const mh_event *event);
/* The wait for more of a weight is over. */
void etekcity_stop_waiting(mh_session *session, const mh_event *event);
/* The session ends, and a weight that waits goes without the rest. */
void etekcity_end(mh_session *session, const mh_event *event);

#endif
