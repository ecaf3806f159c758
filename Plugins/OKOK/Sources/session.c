#include "session.h"

#include <stdlib.h>

#include "last.h"
#include "swan.h"

#define SECOND UINT64_C(1000000000)
/* A scale that says nothing of a weight for so long has nobody on it. */
#define NOTHING_NEW_AFTER (60 * SECOND)
/* Scales that nobody uses go on advertising with another counter each time. */
#define AT_MOST (180 * SECOND)
/* Where the scale never says that its number stands: it has stood when nothing else was heard for so long. */
#define REST (3 * SECOND)
/* Room for what one event asks for. */
#define QUEUE 6
#define COMMANDS 3
/* Thirty years, 170 cm, a man: it wants to know whose fat to compute, and nothing of that is read. */
#define SEX 1u
#define AGE 30u
#define HEIGHT 170u

enum token { TOKEN_REST = 1, TOKEN_SILENCE = 2, TOKEN_END = 3, TOKEN_NOTIFY = 4, TOKEN_WRITE = 5 };

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  mh_action queue[QUEUE];
  uint8_t commands[COMMANDS][SWAN_COMMAND];
  uint32_t n_commands;
  uint32_t n_queue;
  uint32_t next;
  int32_t status;
  uint32_t purpose;
  okok_last last;
  /* A number that has to rest. */
  okok_frame resting;
  /* The record that is on its way to the sink. */
  okok_frame outgoing;
  /* Of a connection; 0 in the air. */
  uint16_t notify;
  uint16_t write;
  uint16_t write_kind;
  uint8_t has_outgoing;
  uint8_t has_resting;
  uint8_t has_moved;
  uint8_t has_ended;
  uint8_t is_listening;
  uint8_t has_loaded;
  uint8_t has_delivered;
  /* A weighing was delivered, or the last one was heard again: the session has not been for nothing. */
  uint8_t has_result;
  /* Frames came in a unit that is not known. */
  uint8_t was_strange;
};

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

static void ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

static void timer(mh_session *session, uint64_t token, uint64_t nanoseconds) {
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

static void finish(mh_session *session) {
  session->has_ended = 1;
  if (session->has_result) {
    ask(session, (mh_action){.kind = MH_DO_FINISH});
    return;
  }
  ask(session, (mh_action){.kind = MH_DO_FAIL,
                           .code = MH_FAIL_NO_READING,
                           .text = text(session->was_strange
                                            ? "The scale shows a unit whose digits are not known. Switch it to kg and "
                                              "step on it again."
                                            : "The scale sent no weight that stood. Step on it and stand still until "
                                              "the number stays.")});
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->has_outgoing) {
    if (okok_frame_emit(&session->outgoing, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_outgoing = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = session->n_commands = 0;
  return session->status;
}

static void emit(mh_session *session, const okok_frame *frame) {
  session->outgoing = *frame;
  session->has_outgoing = 1;
}

/* The weighing and the memory of it are one unit (rule R25). */
static void deliver(mh_session *session, const okok_frame *frame, const mh_event *event) {
  session->last = (okok_last){.unix_us = event->unix_us, .frame = *frame, .is_known = 1};
  session->status = okok_last_store(session->host, session->peer, &session->last);
  if (session->status != MH_OK) return;
  session->has_result = session->has_delivered = 1;
  session->has_moved = 0;
  emit(session, frame);
}

/* A SWAN scale sends its result, with other digits, seconds behind the number that stood. */
static int is_result_of_last(const mh_session *session, const okok_frame *frame, const mh_event *event) {
  return frame->dialect == SWAN_DIALECT && frame->is_doubtful &&
         okok_last_weighs(&session->last, frame, event->unix_us);
}

static void stands(mh_session *session, const okok_frame *frame, const mh_event *event) {
  if (!okok_last_is(&session->last, frame, event->unix_us, session->has_moved) &&
      !is_result_of_last(session, frame, event)) {
    deliver(session, frame, event);
    if (session->status == MH_OK && session->purpose == MH_PURPOSE_READ) finish(session);
    return;
  }
  /* The same person still; the clock that tells them from the next one goes on. */
  session->has_result = 1;
}

static void stop_resting(mh_session *session) {
  if (session->has_resting) ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_REST});
  session->has_resting = 0;
}

static void swings(mh_session *session, const okok_frame *frame, const mh_event *event) {
  if (okok_last_is_far(&session->last, frame)) session->has_moved = 1;
  /* Who steps off is heard with the number that stood, no longer as final. */
  if (!session->has_moved && okok_last_weighs(&session->last, frame, event->unix_us))
    session->has_result = 1;
  else
    emit(session, frame);
}

static void received(mh_session *session, const okok_frame *frame, const mh_event *event) {
  if (frame->is_final) {
    stands(session, frame, event);
  } else if (!frame->needs_rest) {
    swings(session, frame, event);
  } else if (!session->has_resting || session->resting.raw != frame->raw) {
    session->resting = *frame;
    session->has_resting = 1;
    timer(session, TOKEN_REST, REST);
    swings(session, frame, event);
  }
}

static void nothing(mh_session *session, const okok_frame *frame) {
  if (frame->reason == OKOK_STRANGE) {
    session->was_strange = 1;
    return;
  }
  session->has_moved = 1;
  stop_resting(session);
}

static void load(mh_session *session) {
  if (!session->has_loaded) session->last = okok_last_load(session->host, session->peer);
  session->has_loaded = 1;
}

static void advertised(mh_session *session, const mh_event *event) {
  load(session);
  uint16_t company = 0;
  mh_bytes data = {NULL, 0};
  if (!okok_frame_find(event->value, &company, &data)) return;
  okok_frame frame;
  int32_t status = okok_frame_read(company, data, &frame);
  if (status == MH_E_PROTOCOL) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  int is_first = !session->is_listening;
  if (is_first) {
    session->is_listening = 1;
    ask(session, (mh_action){.kind = MH_DO_READY});
  }
  if (status == MH_OK)
    received(session, &frame, event);
  else
    nothing(session, &frame);
  if (session->has_ended || session->status != MH_OK) return;
  if (is_first) timer(session, TOKEN_END, AT_MOST);
  if (is_first || status == MH_OK) timer(session, TOKEN_SILENCE, NOTHING_NEW_AFTER);
}

static void find(mh_session *session, const mh_event *event) {
  session->notify = session->write = 0;
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (found->service_index >= event->n_services ||
        mh_uuid_short(&event->services[found->service_index].uuid) != SWAN_SERVICE)
      continue;
    uint16_t id = mh_uuid_short(&found->uuid);
    if (id == SWAN_NOTIFY && (found->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) != 0)
      session->notify = found->handle;
    if (id == SWAN_WRITE && (found->properties & (MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE)) != 0) {
      session->write = found->handle;
      session->write_kind = found->properties & MH_PROP_WRITE ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE;
    }
  }
}

static void fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  session->has_ended = 1;
  ask(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

static void connected(mh_session *session, const mh_event *event) {
  if (session->notify != 0) return;
  load(session);
  find(session, event);
  if (session->notify == 0 || session->write == 0)
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is no SWAN scale. Check that the right meter is chosen.");
  else
    ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_NOTIFY, .handle = session->notify});
}

static void write_command(mh_session *session) {
  mh_bytes value = {session->commands[session->n_commands++], SWAN_COMMAND};
  ask(session, (mh_action){.kind = session->write_kind, .token = TOKEN_WRITE, .handle = session->write, .value = value});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->notify == 0 || session->is_listening || event->token != TOKEN_NOTIFY) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status,
         "The scale refused to send its weights. Close its app on phones nearby and read again.");
    return;
  }
  session->is_listening = 1;
  swan_put(SWAN_BEGIN, 0, 0, 0, session->commands[0]);
  write_command(session);
  swan_put(SWAN_PREPARE, 0, 0, 0, session->commands[1]);
  write_command(session);
  swan_put(SWAN_PERSON, SEX, AGE, HEIGHT, session->commands[2]);
  write_command(session);
  ask(session, (mh_action){.kind = MH_DO_READY});
  timer(session, TOKEN_END, AT_MOST);
}

static void notified(mh_session *session, const mh_event *event) {
  if (event->handle == 0 || event->handle != session->notify) return;
  okok_frame frame;
  int32_t status = swan_read(event->value, &frame);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status == MH_OK) received(session, &frame, event);
  if (status == MH_E_NO_VALUE && frame.reason == OKOK_EMPTY) session->has_moved = 1;
}

static void wrote(mh_session *session, const mh_event *event) {
  if (event->status != 0)
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale refused a command. Step on it and read again.");
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->notify = session->write = 0;
  session->is_listening = 0;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_END});
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_SILENCE || event->token == TOKEN_END) {
    finish(session);
  } else if (event->token == TOKEN_REST && session->has_resting) {
    session->has_resting = 0;
    session->resting.is_final = 1;
    stands(session, &session->resting, event);
  }
}

int32_t okok_open(const mh_host *host, const mh_open *opening, mh_session **out) {
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

int32_t okok_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->has_outgoing || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->has_ended) return MH_OK;
  switch (event->kind) {
    case MH_EV_ADVERTISEMENT:
      if (session->notify == 0) advertised(session, event);
      break;
    case MH_EV_SERVICES: connected(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: notified(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_CANCEL:
    case MH_EV_DISCONNECTED: finish(session); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return drain(session, sink);
}

void okok_close(mh_session *session) { free(session); }
