#include "session.h"

#include <stdlib.h>

#include "decode.h"

#define SECOND UINT64_C(1000000000)
/* A meter that has sent its memory is silent; one that is still sending pauses for less. */
#define IDLE_AFTER_READING (3 * SECOND)
/* Measuring under the arm takes minutes, but the person starts within this time. */
#define NO_READING_AFTER (120 * SECOND)
/* Room for what one event asks for. */
#define QUEUE 8
/* All fields of a measurement: flags, FLOAT, time, site. Whatever follows is not read. */
#define MEASUREMENT_MAX 13

enum phase { PHASE_IDLE, PHASE_PAIRING, PHASE_SUBSCRIBING, PHASE_MEASURING, PHASE_ENDED };
enum token { TOKEN_RESULT = 1, TOKEN_PROVISIONAL = 2, TOKEN_SILENCE = 3 };

struct mh_session {
  const mh_host *host;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  /* A measurement that found no room: decoded again when there is some. */
  uint8_t waiting[MEASUREMENT_MAX];
  uint8_t n_waiting;
  uint16_t result_handle;
  uint16_t provisional_handle;
  uint16_t waiting_characteristic;
  uint8_t phase;
  uint8_t subscriptions_left;
  uint8_t no_clock;
  uint8_t is_encrypted;
  uint8_t has_reading;
};

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

static void put_log(mh_session *session, int32_t level, const char *line) {
  if (session->host->log != NULL) session->host->log(session->host->ctx, level, text(line));
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

static void silence_after(mh_session *session, uint64_t nanoseconds) {
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_SILENCE, .arg = nanoseconds});
}

static mh_bytes waiting_bytes(const mh_session *session) {
  mh_bytes bytes = {session->waiting, session->n_waiting};
  return bytes;
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->n_waiting != 0) {
    if (thermometer_decode(session->waiting_characteristic, waiting_bytes(session), session->no_clock, sink) ==
        MH_E_FULL)
      return MH_E_FULL;
    session->n_waiting = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

/* The handle of a characteristic of the Health Thermometer service that can be subscribed to, or 0. */
static uint16_t find(const mh_event *event, uint16_t id) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) == id && found->service_index < event->n_services &&
        mh_uuid_short(&event->services[found->service_index].uuid) == 0x1809u &&
        (found->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) != 0)
      return found->handle;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  if (session->purpose == MH_PURPOSE_PAIR) {
    session->phase = PHASE_PAIRING;
    if (session->is_encrypted)
      end(session, (mh_action){.kind = MH_DO_FINISH});
    else
      ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
    return;
  }
  session->result_handle = find(event, THERMOMETER_RESULT);
  session->provisional_handle = find(event, THERMOMETER_PROVISIONAL);
  if (session->result_handle == 0) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "The meter has no Temperature Measurement. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  session->subscriptions_left = 1;
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_RESULT, .handle = session->result_handle});
  if (session->provisional_handle != 0) {
    session->subscriptions_left++;
    ask(session,
        (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_PROVISIONAL, .handle = session->provisional_handle});
  }
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0) {
    if (event->token != TOKEN_PROVISIONAL) {
      fail(session, MH_FAIL_COMMUNICATION, event->status,
           "The thermometer refused to send readings. Pair it again and retry.");
      return;
    }
    put_log(session, MH_LOG_WARNING, "the meter refuses provisional temperatures; going on without");
  }
  if (--session->subscriptions_left != 0) return;
  session->phase = PHASE_MEASURING;
  ask(session, (mh_action){.kind = MH_DO_READY});
  /* A meter may send its memory as soon as the first subscription is in place. */
  silence_after(session, session->has_reading ? IDLE_AFTER_READING : NO_READING_AFTER);
}

/* Keeps a measurement whose record found no room; the event's bytes are gone when the host comes back. */
static void keep(mh_session *session, uint16_t characteristic, mh_bytes bytes) {
  session->waiting_characteristic = characteristic;
  session->n_waiting = (uint8_t)(bytes.n < MEASUREMENT_MAX ? bytes.n : MEASUREMENT_MAX);
  for (uint8_t i = 0; i < session->n_waiting; i++) session->waiting[i] = bytes.p[i];
}

static void received(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session->phase != PHASE_SUBSCRIBING && session->phase != PHASE_MEASURING) return;
  int is_result = event->handle == session->result_handle;
  if (event->handle == 0 || (!is_result && event->handle != session->provisional_handle)) return;
  uint16_t characteristic = is_result ? THERMOMETER_RESULT : THERMOMETER_PROVISIONAL;
  int32_t status = thermometer_decode(characteristic, event->value, session->no_clock, sink);
  if (status == MH_E_FULL) keep(session, characteristic, event->value);
  if (status == MH_E_PROTOCOL) {
    put_log(session, MH_LOG_WARNING, "a packet was refused: it is shorter than its flags say");
    session->status = MH_E_PROTOCOL;
    return;
  }
  if (status == MH_E_NO_VALUE)
    put_log(session, MH_LOG_WARNING, "no reading: no number, or one beyond any scale");
  else if (is_result)
    session->has_reading = 1;
  if (session->phase == PHASE_MEASURING)
    silence_after(session, session->has_reading ? IDLE_AFTER_READING : NO_READING_AFTER);
}

static void fell_silent(mh_session *session) {
  if (session->has_reading)
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    fail(session, MH_FAIL_NO_READING, 0, "The thermometer sent no reading. Measure while it is near and read again.");
}

static void disconnected(mh_session *session) {
  if (session->has_reading)
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    fail(session, MH_FAIL_COMMUNICATION, 0, "The thermometer went away before it sent a reading. Read it again.");
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED)
    end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = PHASE_IDLE;
  session->result_handle = session->provisional_handle = 0;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
}

int32_t thermometer_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_NO_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      session->no_clock = opening->params[i].i != 0;
  *out = session;
  return MH_OK;
}

int32_t thermometer_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->n_waiting != 0 || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event, sink); break;
    case MH_EV_TIMER:
      if (event->token == TOKEN_SILENCE) fell_silent(session);
      break;
    case MH_EV_CANCEL: end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED: disconnected(session); break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_WROTE:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return drain(session, sink);
}

void thermometer_close(mh_session *session) { free(session); }
