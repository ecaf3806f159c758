#include "session.h"

#include <stdlib.h>

#include "measurement.h"

#define SECOND UINT64_C(1000000000)
/* The scale says that it is awake as soon as it is listened to. */
#define AWAKE_AFTER (15 * SECOND)
#define ANSWER_AFTER (5 * SECOND)
/* Enough to step on, stand still and be measured. */
#define NO_READING_AFTER (90 * SECOND)
/* So often it is asked to let us in, and so often it is told about a person. */
#define TRIES 3
#define PERSONS 8
/* Room for what one event asks for, and for the frames among it. */
#define QUEUE 6
#define FRAMES 3
/* 0.1 kg. The scale asks without end for the facts of a person without a weight. */
#define SOME_WEIGHT 700u

enum phase { PHASE_IDLE, PHASE_SUBSCRIBING, PHASE_WAKING, PHASE_AUTHORISING, PHASE_ASKING, PHASE_BINDING, PHASE_LISTENING, PHASE_ENDED };
enum token { TOKEN_NOTIFY = 1, TOKEN_ANSWER = 2, TOKEN_PATIENCE = 3, TOKEN_WRITE = 4, TOKEN_BIND = 5 };

struct mh_session {
  const mh_host *host;
  mh_action queue[QUEUE];
  uint8_t frames[FRAMES][HUAWEI_FRAME_MAX];
  uint32_t n_queue;
  uint32_t n_frames;
  uint32_t next;
  int32_t status;
  uint32_t purpose;
  int32_t utc_offset_s;
  huawei_link link;
  huawei_measurement outgoing;
  uint16_t notify;
  uint16_t write;
  uint16_t write_kind;
  uint8_t phase;
  uint8_t tries;
  uint8_t persons;
  uint8_t has_bound;
  uint8_t sets_clock;
  uint8_t has_outgoing;
  uint8_t has_result;
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
         "The scale measured nothing. Step on it barefoot and stand still until it has measured all.");
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->has_outgoing) {
    if (huawei_measurement_emit(&session->outgoing, sink) == MH_E_FULL) return MH_E_FULL;
    session->has_outgoing = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = session->n_frames = 0;
  return session->status;
}

static void write_frame(mh_session *session, uint8_t n) {
  uint8_t *frame = session->frames[session->n_frames++];
  ask(session,
      (mh_action){.kind = session->write_kind, .token = TOKEN_WRITE, .handle = session->write, .value = {frame, n}});
}

static void command(mh_session *session, enum huawei_command command, const uint8_t *payload, uint8_t n) {
  if (session->n_frames == FRAMES) return;
  write_frame(session, huawei_command_of(&session->link, command, payload, n, session->frames[session->n_frames]));
}

static void tell_person(mh_session *session) {
  if (session->n_frames == FRAMES || session->persons == PERSONS) return;
  session->persons++;
  write_frame(session, huawei_person_of(&session->link, SOME_WEIGHT, session->frames[session->n_frames]));
}

static void authorise(mh_session *session) {
  session->phase = PHASE_AUTHORISING;
  session->tries++;
  command(session, HUAWEI_AUTHORISE, session->link.token, HUAWEI_TOKEN);
  timer(session, TOKEN_ANSWER, ANSWER_AFTER);
}

static void listen(mh_session *session, const mh_event *event) {
  session->phase = PHASE_LISTENING;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_ANSWER});
  if (session->sets_clock) {
    uint8_t clock[HUAWEI_CLOCK];
    huawei_clock_of(event->unix_us / 1000000 + session->utc_offset_s, clock);
    command(session, HUAWEI_SET_CLOCK, clock, sizeof clock);
  }
  tell_person(session);
  ask(session, (mh_action){.kind = MH_DO_READY});
  timer(session, TOKEN_PATIENCE, NO_READING_AFTER);
}

/* Somebody else may be bound to the scale, and it knows only one. */
static void ask_to_bind(mh_session *session) {
  session->phase = PHASE_ASKING;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_ANSWER});
  ask(session, (mh_action){.kind = MH_DO_ASK_USER,
                           .token = TOKEN_BIND,
                           .code = MH_ASK_CHOICE,
                           .arg = 1,
                           .arg2 = 1,
                           .text = text("The scale does not know this gateway. It can be bound to one device only: "
                                        "bound here, it no longer sends its readings to the app.\n"
                                        "Bind it to this gateway\nLeave it as it is")});
}

static void answered(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_ASKING || event->token != TOKEN_BIND) return;
  if (event->status == 0 && event->value.p != NULL && event->value.n == 1 && event->value.p[0] == 1) {
    session->phase = PHASE_BINDING;
    session->has_bound = 1;
    command(session, HUAWEI_BIND, session->link.token, HUAWEI_TOKEN);
    timer(session, TOKEN_ANSWER, NO_READING_AFTER);
    return;
  }
  fail(session, event->status == (int32_t)MH_E_UNSUPPORTED ? MH_FAIL_NOT_PAIRED : MH_FAIL_REFUSED, 0,
       "The scale is not bound to this gateway. Read it yourself once and agree to bind it.");
}

static void authorised(mh_session *session, mh_bytes frame, const mh_event *event) {
  if (session->phase != PHASE_AUTHORISING) return;
  if (huawei_byte(&session->link, frame, 0) == 1) {
    listen(session, event);
  } else if (session->tries < TRIES) {
    authorise(session);
  } else if (session->has_bound) {
    fail(session, MH_FAIL_NOT_PAIRED, 0, "The scale was bound to this gateway and does not let it in. Try again.");
  } else {
    ask_to_bind(session);
  }
}

static void bound(mh_session *session) {
  if (session->phase != PHASE_BINDING) return;
  session->tries = 0;
  authorise(session);
}

static void measured(mh_session *session, mh_bytes frame) {
  if (session->phase != PHASE_LISTENING) return;
  int32_t status = huawei_measurement_read(&session->link, frame, &session->outgoing);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status != MH_OK) return;
  session->has_outgoing = session->has_result = 1;
  if (session->outgoing.is_stored) return;
  /* Behind the record: it is on disk before the scale hears that it came (rule R25). */
  const uint8_t nothing = 0;
  command(session, HUAWEI_ACKNOWLEDGE, &nothing, 1);
  if (session->purpose == MH_PURPOSE_READ) finish(session);
}

static void notified(mh_session *session, const mh_event *event) {
  mh_bytes frame = event->value;
  if (event->handle == 0 || event->handle != session->notify) return;
  if (frame.p == NULL || frame.n < HUAWEI_HEAD) {
    session->status = MH_E_PROTOCOL;
    return;
  }
  switch (frame.p[2]) {
    case HUAWEI_AWAKE:
      if (session->phase == PHASE_WAKING || session->phase == PHASE_SUBSCRIBING) authorise(session);
      break;
    case HUAWEI_AUTHORISED: authorised(session, frame, event); break;
    case HUAWEI_BOUND: bound(session); break;
    case HUAWEI_WANTS_PERSON:
      if (session->phase == PHASE_LISTENING) tell_person(session);
      break;
    case HUAWEI_MEASURED:
    case HUAWEI_STORED: measured(session, frame); break;
    case HUAWEI_OVERLOAD:
      if (session->phase == PHASE_LISTENING)
        fail(session, MH_FAIL_METER_ERROR, HUAWEI_OVERLOAD, "The scale says that the weight is too much for it.");
      break;
    case HUAWEI_ASLEEP:
      if (session->phase == PHASE_LISTENING) finish(session);
      break;
    default: break;
  }
}

static void find(mh_session *session, const mh_event *event) {
  session->notify = session->write = 0;
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (found->service_index >= event->n_services ||
        mh_uuid_short(&event->services[found->service_index].uuid) != HUAWEI_SERVICE)
      continue;
    uint16_t id = mh_uuid_short(&found->uuid);
    if (id == HUAWEI_NOTIFY && (found->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) != 0)
      session->notify = found->handle;
    if (id == HUAWEI_WRITE && (found->properties & (MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE)) != 0) {
      session->write = found->handle;
      session->write_kind = found->properties & MH_PROP_WRITE ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE;
    }
  }
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  find(session, event);
  if (session->notify == 0 || session->write == 0) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "This is no Huawei or Honor scale of the kind AH100, CH100 or CH100S. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_NOTIFY, .handle = session->notify});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (event->token != TOKEN_NOTIFY || session->phase == PHASE_IDLE) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status,
         "The scale refused to send anything. Close its app on phones nearby and read again.");
    return;
  }
  if (session->phase != PHASE_SUBSCRIBING) return;
  session->phase = PHASE_WAKING;
  timer(session, TOKEN_ANSWER, AWAKE_AFTER);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_PATIENCE) {
    finish(session);
  } else if (event->token == TOKEN_ANSWER) {
    if (session->phase == PHASE_AUTHORISING && session->tries < TRIES)
      authorise(session);
    else
      fail(session, MH_FAIL_TIMEOUT, session->phase, "The scale did not answer. Step on it to wake it and read again.");
  }
}

static void wrote(mh_session *session, const mh_event *event) {
  if (event->status != 0)
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale refused a command. Step on it and read again.");
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = PHASE_IDLE;
  session->notify = session->write = 0;
  session->tries = 0;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_ANSWER});
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_PATIENCE});
}

int32_t huawei_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->utc_offset_s = opening->utc_offset_s;
  huawei_link_of(opening, &session->link);
  for (uint32_t i = 0; i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_SET_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER &&
        opening->clock_trust == MH_CLOCK_SYNCHRONISED)
      session->sets_clock = opening->params[i].i != 0;
  *out = session;
  return MH_OK;
}

int32_t huawei_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->has_outgoing || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: notified(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_USER_INPUT: answered(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_CANCEL:
    case MH_EV_DISCONNECTED: finish(session); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_ADVERTISEMENT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return drain(session, sink);
}

void huawei_close(mh_session *session) { free(session); }
