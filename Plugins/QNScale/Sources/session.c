#include "session.h"

#include <stdlib.h>

#include "functions.h"
#include "state.h"

#define KILOGRAM 1u

int32_t qn_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  session->is_clock_trusted = opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  int64_t unit = qn_parameter(opening, QN_PARAM_UNIT, KILOGRAM);
  session->unit = unit > 0 && unit <= UINT8_MAX ? (uint8_t)unit : KILOGRAM;
  *out = session;
  return MH_OK;
}

static void wrote(mh_session *session, const mh_event *event) {
  if (event->status != 0)
    qn_fail(session, MH_FAIL_COMMUNICATION, event->status, "The scale refuses a command. Read it again.");
}

int32_t qn_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->has_outgoing || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? qn_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == QN_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: qn_connected(session, event); break;
    case MH_EV_SERVICE_CHANGED: qn_services_changed(session, event); break;
    case MH_EV_SUBSCRIBED: qn_subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: qn_received(session, event); break;
    case MH_EV_ADVERTISEMENT: qn_advertised(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_TIMER: qn_ran_out(session, event); break;
    case MH_EV_CANCEL: qn_cancelled(session, event); break;
    case MH_EV_DISCONNECTED: qn_disconnected(session, event); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return qn_drain(session, sink);
}

void qn_close(mh_session *session) { free(session); }
