#include "session.h"

#include <stdlib.h>

#include "state.h"

/* The registry's word for the kind of scale: 0 E, 1 F. The other one is tried when the scale does not answer. */
#define PARAM_STARTS_WITH_F 0x8000u

static int can_carry(const mh_characteristic *found) {
  return (found->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) != 0 &&
         (found->properties & (MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE)) != 0;
}

static void find(mh_session *session, const mh_event *event) {
  for (uint32_t i = 0; i < event->n_characteristics && session->handle == 0; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) != BEURER_VALUE || found->service_index >= event->n_services ||
        mh_uuid_short(&event->services[found->service_index].uuid) != BEURER_SERVICE || !can_carry(found))
      continue;
    session->handle = found->handle;
    session->may_acknowledge_writes = (found->properties & MH_PROP_WRITE) != 0;
  }
}

static void pair(mh_session *session) {
  session->phase = BEURER_PAIRING;
  session->has_tried_pairing = 1;
  beurer_ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
}

static void subscribe(mh_session *session) {
  session->phase = BEURER_SUBSCRIBING;
  beurer_wait(session, 10);
  beurer_ask(session,
             (mh_action){.kind = MH_DO_SUBSCRIBE, .token = BEURER_TOKEN_VALUE, .handle = session->handle});
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != BEURER_IDLE) return;
  find(session, event);
  if (session->handle == 0) {
    beurer_fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is not a scale of this kind. Check which one is chosen.");
  } else if (session->purpose != MH_PURPOSE_PAIR) {
    beurer_recall(session);
    subscribe(session);
  } else if (session->is_encrypted) {
    beurer_end(session, (mh_action){.kind = MH_DO_FINISH});
  } else {
    pair(session);
  }
}

/* Insufficient Authentication and Insufficient Encryption (Core Specification, Vol 3 Part F 3.4.1.1). */
static int wants_pairing(int32_t status) { return status == 0x05 || status == 0x0f; }

static void refused(mh_session *session, int32_t status) {
  if (wants_pairing(status))
    beurer_fail(session, MH_FAIL_NOT_PAIRED, status, "The scale answers paired hosts only. Pair it first.");
  else
    beurer_fail(session, MH_FAIL_COMMUNICATION, status,
                "The scale refuses. Another device may hold it; end that connection and read again.");
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != BEURER_SUBSCRIBING) return;
  if (event->status == 0)
    beurer_greet(session);
  else if (wants_pairing(event->status) && !session->has_tried_pairing && !session->is_encrypted)
    pair(session);
  else
    refused(session, event->status);
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase != BEURER_PAIRING || event->status < (int32_t)MH_SECURITY_ENCRYPTED) return;
  session->is_encrypted = 1;
  if (session->purpose == MH_PURPOSE_PAIR)
    beurer_end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    subscribe(session);
}

static void wrote(mh_session *session, const mh_event *event) {
  if (event->status != 0)
    refused(session, event->status);
  else if (event->token == BEURER_TOKEN_CLOCK)
    beurer_clock_set(session);
}

static void gone(mh_session *session, int32_t status) {
  /* What was weighed and has not come is in the scale's memory. */
  if (session->phase == BEURER_MEASURING && !session->is_weighing)
    beurer_over(session);
  else
    beurer_fail(session, MH_FAIL_COMMUNICATION, status, "The scale went away. Read it again: it keeps what it has weighed.");
}

static void received(mh_session *session, const mh_event *event) {
  if (event->handle != session->handle || session->phase < BEURER_SUBSCRIBING) return;
  if (session->phase == BEURER_SUBSCRIBING) return;
  beurer_frame(session, event->value, event);
}

int32_t beurer_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->peer = opening->peer;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  session->kind = 0xe0u;
  for (uint32_t i = 0; i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->type != MH_PARAM_TYPE_INTEGER) continue;
    if (param->name == PARAM_STARTS_WITH_F && param->i != 0) session->kind = 0xf0u;
    if (param->name == MH_PARAM_SET_CLOCK)
      session->sets_clock = param->i != 0 && opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  }
  *out = session;
  return MH_OK;
}

static void handle(mh_session *session, const mh_event *event) {
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED:
      if (session->phase != BEURER_IDLE)
        beurer_fail(session, MH_FAIL_COMMUNICATION, 0, "The scale has changed its services. Read it again.");
      break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_TIMER:
      if (event->token == BEURER_TOKEN_SILENCE) beurer_silence(session);
      if (event->token == BEURER_TOKEN_LIMIT) beurer_over(session);
      break;
    case MH_EV_CANCEL: beurer_end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED: gone(session, event->status); break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_USER_INPUT:
    case MH_EV_ADVERTISEMENT: break;
    default: session->status = MH_E_UNSUPPORTED; break;
  }
}

int32_t beurer_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->next_owed < session->n_owed || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? beurer_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase != BEURER_ENDED) handle(session, event);
  return beurer_drain(session, sink);
}

void beurer_close(mh_session *session) { free(session); }
