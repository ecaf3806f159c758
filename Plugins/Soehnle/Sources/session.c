/* One session with a scale: the memories of all of its users are asked for, and what comes names its user. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "frame.h"

#define SECOND UINT64_C(1000000000)
/* The scale does not say that it is through: silence after the last question does. */
#define SILENCE 3u
#define ANSWER 10u
#define LIMIT 180u
#define QUEUE 6

enum phase { PHASE_IDLE, PHASE_PAIRING, PHASE_SUBSCRIBING, PHASE_SETTING_CLOCK, PHASE_READING, PHASE_ENDED };
enum token { TOKEN_VALUES = 1, TOKEN_CLOCK, TOKEN_COMMAND, TOKEN_SILENCE, TOKEN_LIMIT };

struct mh_session {
  const mh_host *host;
  mh_action queue[QUEUE];
  uint8_t command[2];
  uint8_t clock[SOEHNLE_TIME_LENGTH];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  int32_t utc_offset_s;
  uint32_t n_readings;
  soehnle_reading owed;
  uint16_t values_handle, command_handle, clock_handle;
  uint8_t is_owed;
  uint8_t phase;
  uint8_t user;
  /* Everything was asked for. */
  uint8_t is_waiting;
  uint8_t sets_clock;
  uint8_t is_encrypted;
  uint8_t has_tried_pairing;
  uint8_t has_unreadable;
};

static mh_str text(const char *p) {
  mh_str str = {p, strlen(p)};
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

static void wait_for(mh_session *session, uint64_t token, uint64_t seconds) {
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = token, .arg = seconds * SECOND});
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->is_owed) {
    if (soehnle_put(&session->owed, sink) == MH_E_FULL) return MH_E_FULL;
    session->is_owed = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

static void find(mh_session *session, const mh_event *event) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (found->service_index >= event->n_services) continue;
    const mh_uuid *service = &event->services[found->service_index].uuid;
    int can_write = (found->properties & MH_PROP_WRITE) != 0;
    if (mh_uuid_short(service) == 0x1805u && mh_uuid_short(&found->uuid) == 0x2a2bu && can_write)
      session->clock_handle = found->handle;
    if (!soehnle_is_uuid(service, 0)) continue;
    if (soehnle_is_uuid(&found->uuid, SOEHNLE_VALUES) &&
        (found->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) != 0)
      session->values_handle = found->handle;
    if (soehnle_is_uuid(&found->uuid, SOEHNLE_COMMAND) && can_write) session->command_handle = found->handle;
  }
}

static void pair(mh_session *session) {
  session->phase = PHASE_PAIRING;
  session->has_tried_pairing = 1;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
  ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
}

static void subscribe(mh_session *session) {
  session->phase = PHASE_SUBSCRIBING;
  wait_for(session, TOKEN_SILENCE, 10);
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_VALUES, .handle = session->values_handle});
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  find(session, event);
  if (session->values_handle == 0 || session->command_handle == 0)
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is not a scale of this kind. Check which one is chosen.");
  else if (session->purpose != MH_PURPOSE_PAIR)
    subscribe(session);
  else if (session->is_encrypted)
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    pair(session);
}

static void finish_well(mh_session *session) {
  if (session->has_unreadable)
    fail(session, MH_FAIL_METER_ERROR, 0, "The scale keeps a weighing that cannot be one. The others were read.");
  else if (session->n_readings == 0)
    fail(session, MH_FAIL_NO_READING, 0,
         "The scale keeps no weighing of its users. Step on it, choose your user, and read again.");
  else
    end(session, (mh_action){.kind = MH_DO_FINISH});
}

static void ask_for(mh_session *session, uint8_t user) {
  session->phase = PHASE_READING;
  session->user = user;
  session->command[0] = SOEHNLE_HISTORY;
  session->command[1] = user;
  mh_bytes value = {session->command, sizeof session->command};
  if (user == 1) wait_for(session, TOKEN_LIMIT, LIMIT);
  wait_for(session, TOKEN_SILENCE, ANSWER);
  ask(session,
      (mh_action){.kind = MH_DO_WRITE, .token = TOKEN_COMMAND, .handle = session->command_handle, .value = value});
}

static void asked(mh_session *session) {
  if (session->user < SOEHNLE_USERS) {
    ask_for(session, (uint8_t)(session->user + 1));
    return;
  }
  session->is_waiting = 1;
  wait_for(session, TOKEN_SILENCE, SILENCE);
}

static void set_clock(mh_session *session, int64_t unix_us) {
  soehnle_put_time(unix_us / 1000000 + session->utc_offset_s, session->clock);
  mh_bytes value = {session->clock, sizeof session->clock};
  session->phase = PHASE_SETTING_CLOCK;
  wait_for(session, TOKEN_SILENCE, 10);
  ask(session, (mh_action){.kind = MH_DO_WRITE, .token = TOKEN_CLOCK, .handle = session->clock_handle, .value = value});
}

/* Insufficient Authentication and Insufficient Encryption (Core Specification, Vol 3 Part F 3.4.1.1). */
static int wants_pairing(int32_t status) { return status == 0x05 || status == 0x0f; }

static void refused(mh_session *session, int32_t status) {
  if (wants_pairing(status) && !session->has_tried_pairing && !session->is_encrypted)
    pair(session);
  else if (wants_pairing(status))
    fail(session, MH_FAIL_NOT_PAIRED, status, "The scale answers paired hosts only. Pair it first.");
  else
    fail(session, MH_FAIL_COMMUNICATION, status,
         "The scale refuses. Another device may hold it; end that connection and read again.");
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0)
    refused(session, event->status);
  else if (session->sets_clock && session->clock_handle != 0 && event->unix_us > 0)
    set_clock(session, event->unix_us);
  else
    ask_for(session, 1);
}

static void wrote(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_SETTING_CLOCK && event->token == TOKEN_CLOCK) {
    if (event->status != 0 && session->host->log != NULL)
      session->host->log(session->host->ctx, MH_LOG_WARNING, text("the scale refuses the time"));
    ask_for(session, 1);
  } else if (session->phase == PHASE_READING && event->token == TOKEN_COMMAND && !session->is_waiting) {
    if (event->status != 0)
      refused(session, event->status);
    else
      asked(session);
  }
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_PAIRING || event->status < (int32_t)MH_SECURITY_ENCRYPTED) return;
  session->is_encrypted = 1;
  if (session->purpose == MH_PURPOSE_PAIR)
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    subscribe(session);
}

static void received(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_READING || event->handle != session->values_handle) return;
  int32_t status = soehnle_read(event->value, &session->owed);
  if (status == MH_E_PROTOCOL) {
    session->status = MH_E_PROTOCOL;
    session->has_unreadable = 1;
  }
  if (status == MH_OK) {
    session->is_owed = 1;
    session->n_readings++;
  }
  if (session->is_waiting) wait_for(session, TOKEN_SILENCE, SILENCE);
}

static void timed_out(mh_session *session, uint64_t token) {
  if (token == TOKEN_SILENCE && session->is_waiting)
    finish_well(session);
  else if (token == TOKEN_SILENCE || token == TOKEN_LIMIT)
    fail(session, MH_FAIL_TIMEOUT, 0, "The scale does not come to an end. Wake it up and keep it close by.");
}

int32_t soehnle_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->utc_offset_s = opening->utc_offset_s;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  for (uint32_t i = 0; i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->name == MH_PARAM_SET_CLOCK && param->type == MH_PARAM_TYPE_INTEGER)
      session->sets_clock = param->i != 0 && opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  }
  *out = session;
  return MH_OK;
}

static void handle(mh_session *session, const mh_event *event) {
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED:
      if (session->phase != PHASE_IDLE)
        fail(session, MH_FAIL_COMMUNICATION, 0, "The scale has changed its services. Read it again.");
      break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_TIMER: timed_out(session, event->token); break;
    case MH_EV_CANCEL: end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED:
      fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale went away. Read it again: it keeps what it has weighed.");
      break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_USER_INPUT:
    case MH_EV_ADVERTISEMENT: break;
    default: session->status = MH_E_UNSUPPORTED; break;
  }
}

int32_t soehnle_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->is_owed || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase != PHASE_ENDED) handle(session, event);
  return drain(session, sink);
}

void soehnle_close(mh_session *session) { free(session); }
