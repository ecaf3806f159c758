#include "session.h"

#include <stdlib.h>

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

enum token { TOKEN_SUBSCRIBE = 1, TOKEN_MORE = 2, TOKEN_SILENCE = 3, TOKEN_LIMIT = 4, TOKEN_BEGIN = 5 };
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
  uint8_t sets_clock;
  uint8_t is_connected;
  uint8_t has_delivered;
  /* Something was delivered, or the last reading was heard again. */
  uint8_t has_result;
  uint8_t waits;
  uint8_t has_heard;
  uint8_t time_command[ETEKCITY_COMMAND_MAX];
  uint8_t begin_command[ETEKCITY_COMMAND_MAX];
};

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

static void put_log(mh_session *session, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, MH_LOG_WARNING, text(line));
}

static void ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

static void timer(mh_session *session, uint64_t token, uint64_t nanoseconds) {
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = nanoseconds});
}

static void fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  session->phase = PHASE_ENDED;
  ask(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

static void finish(mh_session *session) {
  if (session->has_result) {
    session->phase = PHASE_ENDED;
    ask(session, (mh_action){.kind = MH_DO_FINISH});
  } else {
    fail(session, MH_FAIL_NO_READING, 0,
         session->characteristic == ETEKCITY_ESF37_NOTIFY
             ? "The scale sent no weight that stood still. Step on it and stand still. If it never sends one, read it "
               "once with its clock being set."
             : "The scale sent no weight that stood still. Step on it barefoot and stand still until the number stops "
               "moving.");
  }
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  while (session->next_outgoing < session->n_outgoing) {
    if (et_reading_emit(&session->outgoing[session->next_outgoing], sink) == MH_E_FULL) return MH_E_FULL;
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

static void emit(mh_session *session, const et_reading *reading) {
  if (session->n_outgoing < RECORDS) session->outgoing[session->n_outgoing++] = *reading;
}

/* A reading and the memory of it are one unit (rule R25). */
static void deliver(mh_session *session, const et_reading *reading) {
  emit(session, reading);
  if (reading->is_settling) return;
  session->has_result = 1;
  if (!reading->is_stored) session->has_delivered = 1;
}

static void put_out(mh_session *session, const et_outcome *outcome, int is_over) {
  int has_delivered = outcome->has_waited || (outcome->has_now && !outcome->now.is_settling && !outcome->now.is_stored);
  if (has_delivered || outcome->has_moved) {
    int32_t status = et_weighing_store(&session->weighing, session->host, session->peer);
    if (status != MH_OK) {
      session->status = status;
      return;
    }
  }
  if (outcome->has_waited) deliver(session, &outcome->waited);
  if (outcome->has_now) deliver(session, &outcome->now);
  if (outcome->is_repeat) session->has_result = 1;
  if (is_over) return;
  if (outcome->waits && !session->waits) timer(session, TOKEN_MORE, MORE_WAIT);
  if (!outcome->waits && session->waits) ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_MORE});
  session->waits = outcome->waits;
}

/* Reading is done with the first weight that nothing more is waited for. */
static void conclude(mh_session *session) {
  int is_done = session->has_delivered && !session->waits && (session->is_connected || session->purpose == MH_PURPOSE_READ);
  if (is_done && session->phase != PHASE_ENDED && session->status == MH_OK) finish(session);
}

static void take(mh_session *session, const et_reading *reading, const mh_event *event) {
  et_weighing_load(&session->weighing, session->host, session->peer);
  et_outcome outcome = et_weighing_take(&session->weighing, reading, event->unix_us);
  put_out(session, &outcome, 0);
  conclude(session);
}

/* The end comes while a weight waits for more: it goes without. */
static void end(mh_session *session, const mh_event *event) {
  et_outcome outcome = et_weighing_end(&session->weighing, event->unix_us);
  put_out(session, &outcome, 1);
  session->waits = 0;
  if (session->phase != PHASE_ENDED && session->status == MH_OK) finish(session);
}

static uint16_t find(const mh_event *event, uint16_t id, uint16_t service, uint16_t properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) != id || (found->properties & properties) == 0 ||
        found->service_index >= event->n_services)
      continue;
    if (service == 0 || mh_uuid_short(&event->services[found->service_index].uuid) == service) return found->handle;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  session->is_connected = 1;
  session->characteristic = ETEKCITY_A5_NOTIFY;
  session->notify_handle = find(event, ETEKCITY_A5_NOTIFY, ETEKCITY_A5_SERVICE, MH_PROP_NOTIFY | MH_PROP_INDICATE);
  if (session->notify_handle == 0) {
    session->characteristic = ETEKCITY_ESF37_NOTIFY;
    session->notify_handle = find(event, ETEKCITY_ESF37_NOTIFY, 0, MH_PROP_NOTIFY | MH_PROP_INDICATE);
    session->write_handle = find(event, ETEKCITY_ESF37_WRITE, 0, MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE);
  }
  if (session->notify_handle == 0 || (session->characteristic == ETEKCITY_ESF37_NOTIFY && session->write_handle == 0)) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is no scale that is known here. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  /* A frame is longer than the 20 bytes that a notification holds otherwise; a scale that refuses sends fragments. */
  ask(session, (mh_action){.kind = MH_DO_MTU, .arg = WANTED_MTU});
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_SUBSCRIBE, .handle = session->notify_handle});
}

static void write(mh_session *session, const uint8_t *command, uint8_t n) {
  mh_bytes value = {command, n};
  ask(session,
      (mh_action){.kind = MH_DO_WRITE_NO_RESPONSE, .token = 0, .handle = session->write_handle, .value = value});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale refused to send readings. Step on it and read it again.");
    return;
  }
  session->phase = PHASE_LISTENING;
  if (session->characteristic == ETEKCITY_ESF37_NOTIFY) {
    if (session->sets_clock && event->unix_us > 0)
      write(session, session->time_command, et_esf37_time(session->time_command, (uint32_t)(event->unix_us / 1000000)));
    timer(session, TOKEN_BEGIN, BEGIN_AFTER);
  }
  ask(session, (mh_action){.kind = MH_DO_READY});
  timer(session, TOKEN_SILENCE, STEP_ON_WAIT);
  timer(session, TOKEN_LIMIT, SESSION_MAX);
}

static void refused(mh_session *session, const char *line) {
  put_log(session, line);
  session->status = MH_E_PROTOCOL;
}

static void received(mh_session *session, const mh_event *event) {
  int is_listening = session->phase == PHASE_LISTENING || session->phase == PHASE_SUBSCRIBING;
  if (!is_listening || event->handle == 0 || event->handle != session->notify_handle) return;
  et_reading reading;
  int32_t status;
  if (session->characteristic == ETEKCITY_A5_NOTIFY) {
    mh_bytes frame = {NULL, 0};
    status = et_assembly_take(&session->assembly, event->value, &frame);
    if (status == MH_END) return;
    if (status == MH_OK) status = et_a5_read(frame, &reading);
  } else {
    status = et_esf37_read(event->value, &reading);
    if (status != MH_E_PROTOCOL) session->has_heard = 1;
  }
  if (status == MH_OK) {
    take(session, &reading, event);
  } else if (status == ET_ENCRYPTED) {
    end(session, event);
    session->n_queue = 0;
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "This scale encrypts its readings, which is not supported. Weights can be entered by hand.");
  } else if (status == MH_E_PROTOCOL) {
    refused(session, "a frame was refused: its length, checksum or range is wrong");
  }
}

static void advertised(mh_session *session, const mh_event *event) {
  mh_bytes data = {NULL, 0};
  if (session->is_connected || !mh_ad_find(event->value, MH_AD_MANUFACTURER_DATA, ETEKCITY_COMPANY, &data)) return;
  if (session->phase == PHASE_IDLE) {
    session->phase = PHASE_LISTENING;
    ask(session, (mh_action){.kind = MH_DO_READY});
  }
  et_reading reading;
  int32_t status = et_fit8s_read(data, &reading);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status == MH_OK) take(session, &reading, event);
  if (session->phase != PHASE_ENDED) timer(session, TOKEN_SILENCE, NOTHING_NEW_AFTER);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_SILENCE || event->token == TOKEN_LIMIT) {
    end(session, event);
  } else if (event->token == TOKEN_MORE && session->waits) {
    et_outcome outcome = et_weighing_end(&session->weighing, event->unix_us);
    session->waits = 0;
    put_out(session, &outcome, 1);
    conclude(session);
  } else if (event->token == TOKEN_BEGIN && session->phase == PHASE_LISTENING && !session->has_heard) {
    write(session, session->begin_command, et_esf37_begin(session->begin_command));
  }
}

static void disconnected(mh_session *session, const mh_event *event) {
  int never_began = session->is_connected && session->phase != PHASE_LISTENING;
  if (never_began)
    fail(session, MH_FAIL_COMMUNICATION, 0, "The scale went away before it could be read. Step on it and read it again.");
  else
    end(session, event);
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  if (!session->is_connected) return;
  session->phase = PHASE_IDLE;
  session->notify_handle = session->write_handle = 0;
  session->assembly.n = 0;
}

int32_t etekcity_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_SET_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      session->sets_clock = opening->params[i].i != 0 && opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  *out = session;
  return MH_OK;
}

int32_t etekcity_event(mh_session *session, const mh_event *event, mh_sink *sink) {
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
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_ADVERTISEMENT: advertised(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_CANCEL: end(session, event); break;
    case MH_EV_DISCONNECTED: disconnected(session, event); break;
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

void etekcity_close(mh_session *session) { free(session); }
