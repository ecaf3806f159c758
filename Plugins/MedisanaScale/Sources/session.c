#include "session.h"

#include <stdlib.h>

#include "state.h"

/* The registry's word for a scale that counts seconds from 1970 and not from 2010: which time it is told. */
#define PARAM_COUNTS_FROM_1970 0x8000u

static const uint16_t ids[] = {MEDISANA_BODY, MEDISANA_WEIGHT, MEDISANA_PERSON};

static void find(mh_session *session, const mh_event *event) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    uint16_t id = mh_uuid_short(&found->uuid);
    if (found->service_index >= event->n_services ||
        mh_uuid_short(&event->services[found->service_index].uuid) != MEDISANA_SERVICE)
      continue;
    if (id == MEDISANA_COMMAND && (found->properties & MH_PROP_WRITE) != 0) session->command_handle = found->handle;
    for (uint32_t k = 0; k < 3; k++)
      if (id == ids[k] && (found->properties & (MH_PROP_INDICATE | MH_PROP_NOTIFY)) != 0)
        session->handles[k] = found->handle;
  }
}

static void subscribe(mh_session *session, uint64_t token) {
  session->phase = MEDISANA_SUBSCRIBING;
  medisana_wait(session, MEDISANA_TOKEN_SILENCE, 10);
  medisana_ask(session,
               (mh_action){.kind = MH_DO_SUBSCRIBE, .token = token, .handle = session->handles[token - 1]});
}

static void pair(mh_session *session) {
  session->phase = MEDISANA_PAIRING;
  session->has_tried_pairing = 1;
  medisana_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = MEDISANA_TOKEN_SILENCE});
  medisana_ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != MEDISANA_IDLE) return;
  find(session, event);
  if (session->handles[0] == 0 || session->handles[1] == 0 || session->command_handle == 0) {
    medisana_fail(session, MH_FAIL_UNSUPPORTED_METER, 0, "This is not a scale of this kind. Check which one is chosen.");
  } else if (session->purpose != MH_PURPOSE_PAIR) {
    subscribe(session, MEDISANA_TOKEN_BODY);
  } else if (session->is_encrypted) {
    medisana_end(session, (mh_action){.kind = MH_DO_FINISH});
  } else {
    pair(session);
  }
}

/* Insufficient Authentication and Insufficient Encryption (Core Specification, Vol 3 Part F 3.4.1.1). */
static int wants_pairing(int32_t status) { return status == 0x05 || status == 0x0f; }

static void refused(mh_session *session, int32_t status) {
  if (wants_pairing(status))
    medisana_fail(session, MH_FAIL_NOT_PAIRED, status, "The scale answers paired hosts only. Pair it first.");
  else
    medisana_fail(session, MH_FAIL_COMMUNICATION, status,
                  "The scale refuses. Another device may hold it; end that connection and read again.");
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != MEDISANA_SUBSCRIBING || event->token < MEDISANA_TOKEN_BODY) return;
  /* Nothing of the person's own data is needed: done without where it is refused. */
  if (event->status != 0 && event->token != MEDISANA_TOKEN_PERSON) {
    if (wants_pairing(event->status) && !session->has_tried_pairing && !session->is_encrypted)
      pair(session);
    else
      refused(session, event->status);
    return;
  }
  if (event->token == MEDISANA_TOKEN_BODY)
    subscribe(session, MEDISANA_TOKEN_WEIGHT);
  else if (event->token == MEDISANA_TOKEN_WEIGHT && session->handles[MEDISANA_TOKEN_PERSON - 1] != 0)
    subscribe(session, MEDISANA_TOKEN_PERSON);
  else
    medisana_start_reading(session, event);
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase != MEDISANA_PAIRING || event->status < (int32_t)MH_SECURITY_ENCRYPTED) return;
  session->is_encrypted = 1;
  if (session->purpose == MH_PURPOSE_PAIR)
    medisana_end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    subscribe(session, MEDISANA_TOKEN_BODY);
}

static void timed_out(mh_session *session, uint64_t token) {
  if (token == MEDISANA_TOKEN_SILENCE && session->phase == MEDISANA_READING)
    medisana_over(session);
  else if (token == MEDISANA_TOKEN_SILENCE || token == MEDISANA_TOKEN_LIMIT)
    medisana_fail(session, MH_FAIL_TIMEOUT, 0, "The scale does not come to an end. Step on it again and keep it close by.");
}

int32_t medisana_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  for (uint32_t i = 0; i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->type == MH_PARAM_TYPE_INTEGER && param->name == PARAM_COUNTS_FROM_1970)
      session->counts_from_1970 = param->i != 0;
  }
  *out = session;
  return MH_OK;
}

static void handle(mh_session *session, const mh_event *event) {
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED:
      if (session->phase != MEDISANA_IDLE)
        medisana_fail(session, MH_FAIL_COMMUNICATION, 0, "The scale has changed its services. Read it again.");
      break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: medisana_received(session, event); break;
    case MH_EV_WROTE:
      if (event->status != 0) refused(session, event->status);
      break;
    case MH_EV_TIMER: timed_out(session, event->token); break;
    case MH_EV_CANCEL: medisana_end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED: medisana_gone(session, event); break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_USER_INPUT:
    case MH_EV_ADVERTISEMENT: break;
    default: session->status = MH_E_UNSUPPORTED; break;
  }
}

int32_t medisana_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->next_owed < session->n_owed || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? medisana_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase != MEDISANA_ENDED) handle(session, event);
  return medisana_drain(session, sink);
}

void medisana_close(mh_session *session) { free(session); }
