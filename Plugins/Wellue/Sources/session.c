#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "state.h"

#define SECOND UINT64_C(1000000000)
/* Subscribing takes a moment; a link that is dead by then stays so. */
#define SET_UP_AFTER (15 * SECOND)
/* What the maker's program asks for. The shortest answer with live values has a byte more than the smallest MTU leaves. */
#define WANTED_MTU 247u

/* The handle of a characteristic of a service with one of the properties, or 0; *properties is set. */
static uint16_t find(const mh_event *event, const mh_uuid *service, const mh_uuid *uuid, uint16_t wanted,
                     uint16_t *properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (memcmp(&found->uuid, uuid, sizeof *uuid) != 0 || found->service_index >= event->n_services ||
        memcmp(&event->services[found->service_index].uuid, service, sizeof *service) != 0 ||
        (found->properties & wanted) == 0)
      continue;
    *properties = found->properties;
    return found->handle;
  }
  return 0;
}

/* Sets the protocol that the oximeter has. */
static int choose(mh_session *session, const mh_event *event) {
  for (uint32_t i = 0; i < WELLUE_PROTOCOLS; i++) {
    const wellue_protocol *protocol = &wellue_protocols[i];
    uint16_t properties = 0;
    session->answers = find(event, &protocol->service, &protocol->answers, MH_PROP_NOTIFY | MH_PROP_INDICATE, &properties);
    session->asks =
        find(event, &protocol->service, &protocol->asks, MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE, &properties);
    if (session->answers == 0 || session->asks == 0) continue;
    session->writes_with_answer = (properties & MH_PROP_WRITE) != 0;
    session->protocol = protocol;
    return 1;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != WELLUE_IDLE) return;
  if (session->purpose == MH_PURPOSE_PAIR) {
    session->phase = WELLUE_PAIRING;
    if (session->is_encrypted)
      wellue_end(session, (mh_action){.kind = MH_DO_FINISH});
    else
      wellue_ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
    return;
  }
  if (!choose(session, event)) {
    wellue_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
                "The oximeter has none of the services that are known. Check that the right meter is chosen.");
    return;
  }
  session->phase = WELLUE_SUBSCRIBING;
  wellue_timer(session, WELLUE_TOKEN_PATIENCE, SET_UP_AFTER);
  wellue_ask(session, (mh_action){.kind = MH_DO_MTU, .arg = WANTED_MTU});
  wellue_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = WELLUE_TOKEN_ANSWERS, .handle = session->answers});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != WELLUE_SUBSCRIBING || event->token != WELLUE_TOKEN_ANSWERS) return;
  if (event->status != 0) {
    wellue_fail(session, MH_FAIL_COMMUNICATION, event->status,
                "The oximeter refused to send its values. Close the app on the phone that it is connected to and read "
                "it again.");
    return;
  }
  wellue_begin(session);
}

static void wrote(mh_session *session, const mh_event *event) {
  if (session->phase != WELLUE_LISTENING || event->token != WELLUE_TOKEN_REQUEST) return;
  session->is_writing = 0;
  if (event->status != 0)
    wellue_fail(session, MH_FAIL_COMMUNICATION, event->status,
                "The oximeter refused to be asked for its values. Take it off and put it on again, then read it again.");
}

static void out_of_patience(mh_session *session) {
  if (session->phase == WELLUE_SUBSCRIBING) {
    wellue_fail(session, MH_FAIL_TIMEOUT, 0, "The oximeter fell silent. Keep it close by and read it again.");
    return;
  }
  if (session->phase != WELLUE_LISTENING) return;
  const char *why = "The values did not settle. Warm the hand, hold it still and read again.";
  if (session->seen == WELLUE_SEEN_NOTHING || session->seen == WELLUE_SEEN_NO_VALUE)
    why = "The oximeter has found no pulse. Put it on so that the sensor lies on the skin, hold still and read again.";
  if (session->seen == WELLUE_SEEN_MOVEMENT)
    why = "The hand was moving, and values of a moving hand are not taken. Rest it on a table and read again.";
  wellue_fail(session, MH_FAIL_NO_READING, 0, why);
}

static void timer(mh_session *session, const mh_event *event) {
  if (event->token == WELLUE_TOKEN_PATIENCE) out_of_patience(session);
  if (event->token == WELLUE_TOKEN_TICK) wellue_ticked(session);
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == WELLUE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED)
    wellue_end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = WELLUE_IDLE;
  session->answers = session->asks = 0;
  session->is_due = session->is_writing = session->is_waiting = session->waited = session->asks_wave = 0;
  session->stream.n = 0;
  session->steady.has_run = 0;
  wellue_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = WELLUE_TOKEN_TICK});
  wellue_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = WELLUE_TOKEN_PATIENCE});
}

int32_t wellue_open(const mh_host *host, const mh_open *opening, mh_session **out) {
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

static int32_t handle(mh_session *session, const mh_event *event) {
  switch (event->kind) {
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
      if (event->mtu != 0) session->mtu = event->mtu;
      break;
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION:
      if (session->phase == WELLUE_LISTENING && event->handle == session->answers)
        wellue_received(session, event->value, event->mono_ns);
      break;
    case MH_EV_TIMER: timer(session, event); break;
    case MH_EV_CANCEL: wellue_end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED:
      wellue_fail(session, MH_FAIL_COMMUNICATION, 0,
                  "The oximeter went away before its values had settled. Keep it on and close by, and read it again.");
      break;
    case MH_EV_READ:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return MH_OK;
}

int32_t wellue_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->owed != 0 || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? wellue_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == WELLUE_ENDED) return MH_OK;
  if (handle(session, event) != MH_OK) return MH_E_UNSUPPORTED;
  wellue_send_due(session, event->unix_us);
  return wellue_drain(session, sink);
}

void wellue_close(mh_session *session) { free(session); }
