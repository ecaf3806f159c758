/* What a session holds, and what its parts do for each other. */
#ifndef MIBEACON_STATE_H
#define MIBEACON_STATE_H

#include "frame.h"
#include "last.h"
#include "measure.h"

/* Room for what one event asks for. */
#define MIBEACON_QUEUE 8u
/* Frames that come while a person types the key: they are not heard again. */
#define MIBEACON_KEPT 6u
/* A weighing that waited, and those that the event's frames bring. */
#define MIBEACON_RECORDS (1u + MIBEACON_KEPT)

enum mibeacon_token { MIBEACON_TOKEN_REST = 1, MIBEACON_TOKEN_SILENCE, MIBEACON_TOKEN_KEY };

enum mibeacon_key { MIBEACON_KEY_UNKNOWN, MIBEACON_KEY_ASKED, MIBEACON_KEY_THERE };

typedef struct mibeacon_kept {
  uint8_t bytes[MIBEACON_DATA_MAX];
  uint32_t n;
} mibeacon_kept;

struct mh_session {
  const mh_host *host;
  const mh_crypto *crypto;
  uint64_t peer;
  uint32_t purpose;
  int32_t status;
  uint8_t address[MIBEACON_ADDRESS];
  mh_action queue[MIBEACON_QUEUE];
  uint32_t n_queue, next;
  /* Records that are on their way to the sink. */
  mibeacon_measure outgoing[MIBEACON_RECORDS];
  uint32_t n_outgoing, next_outgoing;
  mibeacon_last last;
  /* A weighing of which more may come. */
  mibeacon_measure pending;
  /* The second impedance of a weighing whose weight has not been heard yet. */
  mibeacon_measure early;
  mibeacon_kept kept[MIBEACON_KEPT];
  uint32_t n_kept;
  /* Sealed frames that the key did not open. */
  uint32_t n_unopened;
  uint8_t key;
  uint8_t has_pending, has_early;
  uint8_t has_opened;
  uint8_t has_ended, is_listening;
  uint8_t has_delivered;
  /* A measurement was delivered, or the last one was heard again: the session has not been for nothing. */
  uint8_t has_result;
};

/* output.c */
void mibeacon_ask(mh_session *session, mh_action action);
void mibeacon_timer(mh_session *session, uint64_t token, uint64_t nanoseconds);
void mibeacon_fail(mh_session *session, int32_t code, const char *why);
/* Success, or why there is none. */
void mibeacon_finish(mh_session *session);
/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
int32_t mibeacon_drain(mh_session *session, mh_sink *sink);

/* weighing.c */
void mibeacon_received(mh_session *session, const mibeacon_measure *measure, const mh_event *event);
/* The weighing that waits goes as it is. */
void mibeacon_deliver_pending(mh_session *session, const mh_event *event);
/* A read is done with the first weighing, unless somebody else's waits; listening goes on. */
void mibeacon_conclude(mh_session *session);

#endif
