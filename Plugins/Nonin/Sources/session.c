#include "session.h"

#include <stdlib.h>

#include "packet.h"

#define SECOND UINT64_C(1000000000)
/* A measurement takes half a minute at most, but the person starts within this time. */
#define NO_READING_AFTER (120 * SECOND)
/* Room for what one event asks for. */
#define QUEUE 4

enum phase { PHASE_IDLE, PHASE_PAIRING, PHASE_SUBSCRIBING, PHASE_MEASURING, PHASE_ENDED };
enum token { TOKEN_MEASUREMENT = 1, TOKEN_PATIENCE = 2, TOKEN_COMPLETE = 3 };

/* The name Nonin uses: 46A970E0-0D5F-11E2-8B5E-0002A5D5C51B and those below it. */
static const mh_uuid service_id = {
    {0x46, 0xa9, 0x70, 0xe0, 0x0d, 0x5f, 0x11, 0xe2, 0x8b, 0x5e, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b}};
static const mh_uuid measurement_id = {
    {0x0a, 0xad, 0x7e, 0xa0, 0x0d, 0x60, 0x11, 0xe2, 0x8e, 0x3c, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b}};
static const mh_uuid control_point_id = {
    {0x14, 0x47, 0xaf, 0x80, 0x0d, 0x60, 0x11, 0xe2, 0x88, 0xb6, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b}};
/* "Measurement complete": the meter shows that its values were taken. */
static const uint8_t complete[] = {0x62, 0x4e, 0x4d, 0x49};

struct mh_session {
  const mh_host *host;
  mh_action queue[QUEUE];
  uint32_t n_queue;
  uint32_t next;
  uint32_t purpose;
  int32_t status;
  nonin_packet packet;
  uint16_t measurement_handle;
  /* 0: the meter is told nothing. */
  uint16_t control_point_handle;
  uint8_t phase;
  uint8_t is_encrypted;
  uint8_t completes;
  /* The record of the packet is still to be handed over. */
  uint8_t owes_record;
};

static mh_str text(const char *p) {
  mh_str str = {p, __builtin_strlen(p)};
  return str;
}

static void ask(mh_session *session, mh_action action) {
  if (session->n_queue < QUEUE) session->queue[session->n_queue++] = action;
}

static void cancel_patience(mh_session *session) {
  if (session->phase == PHASE_MEASURING) ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_PATIENCE});
}

static void finish(mh_session *session) {
  cancel_patience(session);
  session->phase = PHASE_ENDED;
  ask(session, (mh_action){.kind = MH_DO_FINISH});
}

static void fail(mh_session *session, int32_t code, int32_t subcode, const char *why) {
  session->phase = PHASE_ENDED;
  ask(session, (mh_action){.kind = MH_DO_FAIL, .code = code, .arg = (uint32_t)subcode, .text = text(why)});
}

/* Hands the event's output over; after MH_E_FULL the rest goes with MH_EV_CONTINUE (rule R13). */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->owes_record) {
    if (nonin_emit(&session->packet, sink) == MH_E_FULL) return MH_E_FULL;
    session->owes_record = 0;
  }
  while (session->next < session->n_queue) {
    int32_t status = mh_sink_act(sink, session->queue[session->next]);
    if (status != MH_OK) return status;
    session->next++;
  }
  session->next = session->n_queue = 0;
  return session->status;
}

static int is_same(const mh_uuid *a, const mh_uuid *b) { return __builtin_memcmp(a->b, b->b, sizeof a->b) == 0; }

/* The handle of a characteristic of the Nonin oximetry service with one of the properties, or 0. */
static uint16_t find(const mh_event *event, const mh_uuid *id, uint16_t properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (is_same(&found->uuid, id) && found->service_index < event->n_services &&
        is_same(&event->services[found->service_index].uuid, &service_id) && (found->properties & properties) != 0)
      return found->handle;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  if (session->purpose == MH_PURPOSE_PAIR) {
    session->phase = PHASE_PAIRING;
    if (session->is_encrypted)
      finish(session);
    else
      ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
    return;
  }
  session->measurement_handle = find(event, &measurement_id, MH_PROP_NOTIFY | MH_PROP_INDICATE);
  session->control_point_handle = session->completes ? find(event, &control_point_id, MH_PROP_WRITE) : 0;
  if (session->measurement_handle == 0) {
    fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
         "The meter has no Nonin oximetry measurement. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  ask(session,
      (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_MEASUREMENT, .handle = session->measurement_handle});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING || event->token != TOKEN_MEASUREMENT) return;
  if (event->status != 0) {
    fail(session, MH_FAIL_COMMUNICATION, event->status,
         "The oximeter refused to send its values. Pair it again and retry.");
    return;
  }
  session->phase = PHASE_MEASURING;
  ask(session, (mh_action){.kind = MH_DO_READY});
  /* Never restarted: a meter whose finger does not lie right streams for ever. */
  ask(session, (mh_action){.kind = MH_DO_TIMER, .token = TOKEN_PATIENCE, .arg = NO_READING_AFTER});
}

static void received(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_MEASURING || event->handle != session->measurement_handle) return;
  int32_t status = nonin_parse(event->value, &session->packet);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status != MH_OK) return;
  session->owes_record = 1;
  if (!session->packet.is_verified) return;
  /* Behind the commit of the record (rule R25); what the meter answers changes nothing. */
  if (session->control_point_handle != 0)
    ask(session, (mh_action){.kind = MH_DO_WRITE,
                             .token = TOKEN_COMPLETE,
                             .handle = session->control_point_handle,
                             .value = {complete, sizeof complete}});
  finish(session);
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED) finish(session);
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  cancel_patience(session);
  session->phase = PHASE_IDLE;
  session->measurement_handle = session->control_point_handle = 0;
}

int32_t nonin_open(const mh_host *host, const mh_open *opening, mh_session **out) {
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
    if (opening->params[i].name == NONIN_PARAM_COMPLETES && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      session->completes = opening->params[i].i != 0;
  *out = session;
  return MH_OK;
}

int32_t nonin_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->owes_record || session->next < session->n_queue;
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
      if (event->token == TOKEN_PATIENCE && session->phase == PHASE_MEASURING)
        fail(session, MH_FAIL_NO_READING, 0,
             "The oximeter sent no reading that it calls good. Push the finger in up to the stop, hold still and read again.");
      break;
    case MH_EV_CANCEL: finish(session); break;
    case MH_EV_DISCONNECTED:
      fail(session, MH_FAIL_COMMUNICATION, 0,
           "The oximeter went away before its measurement was good. Leave the finger in until it has been read.");
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

void nonin_close(mh_session *session) { free(session); }
