#include "session.h"

#include <stdlib.h>

#include "last.h"

#define SECOND UINT64_C(1000000000)
/* Enough to step on, stand still and be measured. */
#define NO_READING_AFTER (120 * SECOND)
/* A scale that nobody stands on goes on advertising. */
#define AT_MOST (180 * SECOND)
/* The resistance follows the weight; who wears shoes never gets one. */
#define RESISTANCE_WAIT (8 * SECOND)
/* Room for what one event asks for. */
#define QUEUE 6
/* A weight that waited, and the one that ends its wait. */
#define RECORDS 2

enum phase { PHASE_IDLE, PHASE_SUBSCRIBING, PHASE_LISTENING, PHASE_ENDED };
enum token { TOKEN_RESISTANCE = 1, TOKEN_PATIENCE = 2, TOKEN_MEASUREMENT = 3 };

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  int32_t status;
  uint32_t purpose;
  yunmai_last last;
  /* A weight that waits for its resistance. */
  yunmai_frame pending;
  /* Records that are on their way to the sink. */
  yunmai_frame outgoing[RECORDS];
  uint32_t n_outgoing;
  uint32_t next_outgoing;
  uint16_t handle;
  uint8_t phase;
  uint8_t has_pending;
  uint8_t has_moved;
  uint8_t has_loaded;
  uint8_t has_delivered;
  /* A weighing was delivered, or the last one was said again: the session has not been for nothing. */
  uint8_t has_result;
};

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

static void ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

static void end(mh_session *session, mh_action action) {
  session->phase = PHASE_ENDED;
  ask(session, action);
}

static void fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  end(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

static void finish(mh_session *session) {
  if (session->has_result)
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    fail(session, MH_FAIL_NO_READING, 0,
         "The scale sent no weight that stood. Step on it barefoot and stand still until the number stays.");
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  while (session->next_outgoing < session->n_outgoing) {
    if (yunmai_emit(&session->outgoing[session->next_outgoing], sink) == MH_E_FULL) return MH_E_FULL;
    session->next_outgoing++;
  }
  session->next_outgoing = session->n_outgoing = 0;
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

static void emit(mh_session *session, const yunmai_frame *frame) {
  if (session->n_outgoing < RECORDS) session->outgoing[session->n_outgoing++] = *frame;
}

static void load(mh_session *session) {
  if (!session->has_loaded) session->last = yunmai_last_load(session->host, session->peer);
  session->has_loaded = 1;
}

/* The weighing and the memory of it are one unit (rule R25). */
static void deliver(mh_session *session, const yunmai_frame *frame, const mh_event *event) {
  session->last = yunmai_last_of(frame, event->unix_us);
  session->status = yunmai_last_store(session->host, session->peer, &session->last);
  if (session->status != MH_OK) return;
  session->has_result = session->has_delivered = 1;
  session->has_moved = 0;
  emit(session, frame);
}

static void deliver_pending(mh_session *session, const mh_event *event) {
  if (!session->has_pending) return;
  session->has_pending = 0;
  if (event->kind == MH_EV_NOTIFICATION || event->kind == MH_EV_INDICATION || event->kind == MH_EV_ADVERTISEMENT)
    ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_RESISTANCE});
  deliver(session, &session->pending, event);
}

/* Reading is done with the first weighing; listening goes on: somebody else may step on. */
static void conclude(mh_session *session) {
  if (session->purpose == MH_PURPOSE_READ && session->has_delivered && !session->has_pending &&
      session->status == MH_OK && session->phase != PHASE_ENDED)
    finish(session);
}

static int is_near(const yunmai_frame *one, const yunmai_frame *other) {
  yunmai_last last = yunmai_last_of(one, 0);
  return yunmai_last_weighs(&last, other, 0);
}

static void stands(mh_session *session, const yunmai_frame *frame, const mh_event *event) {
  if (session->has_pending && !is_near(&session->pending, frame)) {
    /* Somebody else stands there: who waits was weighed all the same. */
    deliver_pending(session, event);
    if (session->status != MH_OK) return;
  }
  if (!session->has_pending && yunmai_last_is(&session->last, frame, event->unix_us, session->has_moved)) {
    session->has_result = 1;
    return;
  }
  if (frame->state == YUNMAI_STANDS) {
    /* The first of them says when the weight stood. */
    if (session->has_pending) return;
    session->pending = *frame;
    session->has_pending = 1;
    ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_RESISTANCE, .arg = RESISTANCE_WAIT});
    return;
  }
  session->pending = *frame;
  if (session->has_pending)
    deliver_pending(session, event);
  else
    deliver(session, frame, event);
}

static void swings(mh_session *session, const yunmai_frame *frame, const mh_event *event) {
  if (yunmai_last_is_far(&session->last, frame)) session->has_moved = 1;
  if (session->has_pending) return;
  if (!session->has_moved && yunmai_last_weighs(&session->last, frame, event->unix_us))
    session->has_result = 1;
  else
    emit(session, frame);
}

static void received(mh_session *session, const yunmai_frame *frame, int32_t status, const mh_event *event) {
  if (status == MH_E_PROTOCOL) {
    session->status = MH_E_PROTOCOL;
  } else if (status == MH_E_NO_VALUE) {
    /* Scales say 0 while somebody stands on them, too: it is no sign that they stepped off. */
    return;
  } else if (frame->is_history) {
    session->has_result = 1;
    emit(session, frame);
  } else if (frame->state == YUNMAI_SWINGS) {
    swings(session, frame, event);
  } else {
    stands(session, frame, event);
  }
  conclude(session);
}

static void advertised(mh_session *session, const mh_event *event) {
  mh_bytes data = {NULL, 0};
  if ((session->phase != PHASE_IDLE && session->phase != PHASE_LISTENING) || session->handle != 0 ||
      !yunmai_find(event->value, &data))
    return;
  yunmai_frame frame;
  int32_t status = yunmai_advertised(data, &frame);
  if (status != MH_E_PROTOCOL && session->phase == PHASE_IDLE) {
    session->phase = PHASE_LISTENING;
    load(session);
    ask(session, (mh_action){.kind = MH_DO_READY});
    ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_PATIENCE, .arg = AT_MOST});
  }
  received(session, &frame, status, event);
}

/* The handle of the measurement, or 0. */
static uint16_t find(const mh_event *event) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) == YUNMAI_MEASUREMENT && found->service_index < event->n_services &&
        mh_uuid_short(&event->services[found->service_index].uuid) == 0xffe0u &&
        (found->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) != 0)
      return found->handle;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  session->handle = find(event);
  if (session->handle == 0) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "This is no scale that sends its weights as Yunmai's do. Check that the right meter is chosen.");
    return;
  }
  load(session);
  session->phase = PHASE_SUBSCRIBING;
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_MEASUREMENT, .handle = session->handle});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status,
         "The scale refused to send its weights. Close its app on phones nearby and read again.");
    return;
  }
  session->phase = PHASE_LISTENING;
  ask(session, (mh_action){.kind = MH_DO_READY});
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_PATIENCE, .arg = NO_READING_AFTER});
}

static void notified(mh_session *session, const mh_event *event) {
  if ((session->phase != PHASE_SUBSCRIBING && session->phase != PHASE_LISTENING) || event->handle == 0 ||
      event->handle != session->handle)
    return;
  yunmai_frame frame;
  int32_t status = yunmai_notification(event->value, &frame);
  received(session, &frame, status, event);
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session, const mh_event *event) {
  deliver_pending(session, event);
  session->phase = PHASE_IDLE;
  session->handle = 0;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_PATIENCE});
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_RESISTANCE});
  conclude(session);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_RESISTANCE) {
    deliver_pending(session, event);
    conclude(session);
  } else if (event->token == TOKEN_PATIENCE) {
    deliver_pending(session, event);
    if (session->status == MH_OK) finish(session);
  }
}

/* The end comes while a weight waits for its resistance: it goes without. */
static void stop(mh_session *session, const mh_event *event) {
  deliver_pending(session, event);
  if (session->status == MH_OK) finish(session);
}

int32_t yunmai_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  *out = session;
  return MH_OK;
}

int32_t yunmai_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->n_outgoing != 0 || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: notified(session, event); break;
    case MH_EV_ADVERTISEMENT: advertised(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_CANCEL:
    case MH_EV_DISCONNECTED: stop(session, event); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_WROTE:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return drain(session, sink);
}

void yunmai_close(mh_session *session) { free(session); }
