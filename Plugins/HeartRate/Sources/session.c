#include "session.h"

#include <stdlib.h>

#include "decode.h"

#define SECOND UINT64_C(1000000000)
/* A rate counts once the sensor has had contact and reported values for so long; straps need some beats to be right. */
#define SETTLED_AFTER (10 * SECOND)
/* A longer gap between two values starts that time again: the sensor notifies about once a second. */
#define GAP_MAX (5 * SECOND)
/* Enough to put a strap on and moisten it. */
#define NO_READING_AFTER (120 * SECOND)
/* Room for what one event asks for. */
#define QUEUE 4

enum phase { PHASE_IDLE, PHASE_PAIRING, PHASE_SUBSCRIBING, PHASE_LISTENING, PHASE_ENDED };
enum token { TOKEN_MEASUREMENT = 1, TOKEN_PATIENCE = 2 };
/* Records of the packet that are still to be handed over, in this order. */
enum owed { OWED_PROVISIONAL = 1, OWED_RESULT = 2 };

struct mh_session {
  const mh_host *host;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  /* The event clock at the first and the last value of an unbroken run of them. */
  uint64_t run_start;
  uint64_t run_end;
  uint16_t handle;
  uint16_t n_packet;
  uint8_t phase;
  uint8_t is_encrypted;
  uint8_t has_run;
  uint8_t owed;
  /* The packet that the owed records are decoded from; the event's bytes are gone when the host comes back. */
  uint8_t packet[HEART_RATE_PACKET_MAX];
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

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  mh_bytes packet = {session->packet, session->n_packet};
  if (session->owed & OWED_PROVISIONAL) {
    if (heart_rate_decode(packet, 1, sink) == MH_E_FULL) return MH_E_FULL;
    session->owed &= (uint8_t)~OWED_PROVISIONAL;
  }
  if (session->owed & OWED_RESULT) {
    if (heart_rate_decode(packet, 0, sink) == MH_E_FULL) return MH_E_FULL;
    session->owed = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

/* The handle of the Heart Rate Measurement, or 0. */
static uint16_t find(const mh_event *event) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) == HEART_RATE_MEASUREMENT && found->service_index < event->n_services &&
        mh_uuid_short(&event->services[found->service_index].uuid) == 0x180du &&
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
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "The sensor has no Heart Rate Measurement. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_MEASUREMENT, .handle = session->handle});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status,
         "The sensor refused to send its values. Another device may hold it; end that connection and read again.");
    return;
  }
  session->phase = PHASE_LISTENING;
  ask(session, (mh_action){.kind = MH_DO_READY});
  /* Never restarted: a strap that lies on a table streams for ever. */
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_PATIENCE, .arg = NO_READING_AFTER});
}

/* Whether the run of values that ends with this event is long enough. */
static int is_settled(mh_session *session, uint64_t now) {
  if (!session->has_run || now < session->run_end || now - session->run_end > GAP_MAX) session->run_start = now;
  session->has_run = 1;
  session->run_end = now;
  return now - session->run_start >= SETTLED_AFTER;
}

static void received(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING && session->phase != PHASE_LISTENING) return;
  if (event->handle == 0 || event->handle != session->handle) return;
  int32_t status = heart_rate_check(event->value);
  if (status == MH_E_PROTOCOL) {
    put_log(session, MH_LOG_WARNING, "a packet was refused: it is shorter than its flags say, or too long");
    session->status = MH_E_PROTOCOL;
    return;
  }
  if (status != MH_OK) {
    /* What has no contact has not settled. */
    session->has_run = 0;
    return;
  }
  session->n_packet = (uint16_t)event->value.n;
  for (uint16_t i = 0; i < session->n_packet; i++) session->packet[i] = event->value.p[i];
  session->owed = OWED_PROVISIONAL;
  if (!is_settled(session, event->mono_ns)) return;
  session->owed |= OWED_RESULT;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_PATIENCE});
  end(session, (mh_action){.kind = MH_DO_FINISH});
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED)
    end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = PHASE_IDLE;
  session->handle = 0;
  session->has_run = 0;
  ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_PATIENCE});
}

int32_t heart_rate_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  *out = session;
  return MH_OK;
}

int32_t heart_rate_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->owed != 0 || session->next < session->n_queue;
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
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_TIMER:
      if (event->token == TOKEN_PATIENCE)
        fail(session, MH_FAIL_NO_READING, 0,
             "No heart rate settled. Wear the sensor, moisten its electrodes and read again.");
      break;
    case MH_EV_CANCEL: end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED:
      fail(session, MH_FAIL_COMMUNICATION, 0, "The sensor went away before its heart rate settled. Read it again.");
      break;
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

void heart_rate_close(mh_session *session) { free(session); }
