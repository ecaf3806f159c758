#include "session.h"

#include <stdlib.h>

#include "decode.h"

#define SECOND UINT64_C(1000000000)
/* A cuff that tells its memory does so at once. */
#define IDLE_AFTER_READING (5 * SECOND)
/* Between two pressures of a running measurement passes less than a second; a person needs a while to begin. */
#define NO_READING_AFTER (180 * SECOND)
#define NO_ANSWER_AFTER (10 * SECOND)
#define QUEUE 4

enum phase { PHASE_IDLE, PHASE_PAIRING, PHASE_SUBSCRIBING, PHASE_LISTENING, PHASE_ENDED };
enum token { TOKEN_SUBSCRIBE = 1, TOKEN_SILENCE = 2 };

struct mh_session {
  const mh_host *host;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  int32_t utc_offset_s;
  /* The civil time at the last result. */
  int64_t now_civil_us;
  uint16_t handle;
  uint8_t phase;
  uint8_t no_clock;
  uint8_t knows_time;
  uint8_t is_encrypted;
  uint8_t has_reading;
  uint8_t is_waiting;
  /* The last result: what is said again is the same one, and one that found no room is decoded again. */
  uint8_t result[YONKER_RESULT_LENGTH];
};

static const mh_uuid cuff_service = {
    {0xcd, 0xea, 0xcd, 0x80, 0x52, 0x35, 0x4c, 0x07, 0x88, 0x46, 0x93, 0xa3, 0x7e, 0xe6, 0xb8, 0x6d}};
static const mh_uuid cuff_packet = {
    {0xcd, 0xea, 0xcd, 0x81, 0x52, 0x35, 0x4c, 0x07, 0x88, 0x46, 0x93, 0xa3, 0x7e, 0xe6, 0xb8, 0x6d}};

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

static int32_t decode(mh_session *session, mh_bytes bytes, mh_sink *sink) {
  return yonker_decode(YONKER_PACKET, bytes, session->no_clock, session->now_civil_us, sink);
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->is_waiting) {
    if (decode(session, (mh_bytes){session->result, YONKER_RESULT_LENGTH}, sink) == MH_E_FULL) return MH_E_FULL;
    session->is_waiting = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

static int is_same(const uint8_t *a, const uint8_t *b, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

static uint16_t find(const mh_event *event) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (is_same(found->uuid.b, cuff_packet.b, 16) && found->service_index < event->n_services &&
        is_same(event->services[found->service_index].uuid.b, cuff_service.b, 16) &&
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
  session->handle = find(event);
  if (session->handle == 0) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "The meter is no cuff of Yonker's make. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_SUBSCRIBE, .handle = session->handle});
  silence_after(session, NO_ANSWER_AFTER);
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING || event->token != TOKEN_SUBSCRIBE) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status, "The cuff refused to send readings. Switch it off and on, and read again.");
    return;
  }
  session->phase = PHASE_LISTENING;
  ask(session, (mh_action){.kind = MH_DO_READY});
  silence_after(session, session->has_reading ? IDLE_AFTER_READING : NO_READING_AFTER);
}

/* A result that is said again is not another one, whether it has a date or not. */
static int is_repeated(const mh_session *session, mh_bytes bytes) {
  return session->has_reading && bytes.n == YONKER_RESULT_LENGTH && is_same(bytes.p, session->result, YONKER_RESULT_LENGTH);
}

static void received(mh_session *session, const mh_event *event, mh_sink *sink) {
  if ((session->phase != PHASE_SUBSCRIBING && session->phase != PHASE_LISTENING) || event->handle == 0 ||
      event->handle != session->handle)
    return;
  session->now_civil_us = session->knows_time ? event->unix_us + (int64_t)session->utc_offset_s * 1000000 : YONKER_NO_TIME;
  int32_t status = is_repeated(session, event->value) ? MH_E_NO_VALUE : decode(session, event->value, sink);
  if (status == MH_E_PROTOCOL) {
    put_log(session, MH_LOG_WARNING, "a packet was refused: it has another kind or length");
    session->status = MH_E_PROTOCOL;
    return;
  }
  if (status == MH_OK || status == MH_E_FULL) {
    for (uint32_t i = 0; i < YONKER_RESULT_LENGTH; i++) session->result[i] = event->value.p[i];
    session->is_waiting = status == MH_E_FULL;
    session->has_reading = 1;
  }
  if (session->phase == PHASE_LISTENING)
    silence_after(session, session->has_reading ? IDLE_AFTER_READING : NO_READING_AFTER);
}

static void fell_silent(mh_session *session) {
  if (session->phase == PHASE_SUBSCRIBING)
    fail(session, MH_FAIL_TIMEOUT, 0, "The cuff does not answer. Switch it off and on, and read again.");
  else if (session->has_reading)
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    fail(session, MH_FAIL_NO_READING, 0, "The cuff sent no result. Measure while it is near, and leave it on until the result stands.");
}

static void disconnected(mh_session *session) {
  if (session->has_reading)
    end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    fail(session, MH_FAIL_COMMUNICATION, 0, "The cuff went away before it sent a result. Read it again.");
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED)
    end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = PHASE_IDLE;
  session->handle = 0;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
}

int32_t yonker_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  session->knows_time = opening->clock_trust == MH_CLOCK_SYNCHRONISED && opening->utc_offset_s != MH_OFFSET_UNKNOWN;
  session->utc_offset_s = session->knows_time ? opening->utc_offset_s : 0;
  session->now_civil_us = YONKER_NO_TIME;
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_NO_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      session->no_clock = opening->params[i].i != 0;
  *out = session;
  return MH_OK;
}

int32_t yonker_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->is_waiting || session->next < session->n_queue;
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

void yonker_close(mh_session *session) { free(session); }
