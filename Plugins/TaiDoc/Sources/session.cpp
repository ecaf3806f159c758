#include "session.h"

#include <stdlib.h>

#include "session_state.h"

namespace taidoc {

namespace {

/* The service and its one characteristic, which is written and notifies. */
constexpr mh_uuid service_uuid = {
    {0, 0, 0x15, 0x23, 0x12, 0x12, 0xef, 0xde, 0x15, 0x23, 0x78, 0x5f, 0xea, 0xbc, 0xd1, 0x23}};
constexpr mh_uuid characteristic_uuid = {
    {0, 0, 0x15, 0x24, 0x12, 0x12, 0xef, 0xde, 0x15, 0x23, 0x78, 0x5f, 0xea, 0xbc, 0xd1, 0x23}};


void start(mh_session &session, const mh_event &event) {
  if (session.phase != Phase::Idle) return;
  if (session.purpose == MH_PURPOSE_PAIR) {
    session.phase = Phase::Pairing;
    mh_action pair = action(MH_DO_PAIR);
    pair.flags = MH_PAIR_BOND;
    if (session.is_encrypted)
      finish(session);
    else
      session.output.ask(pair);
    return;
  }
  for (uint32_t i = 0; i < event.n_characteristics && session.handle == 0; i++) {
    const mh_characteristic &found = event.characteristics[i];
    if (found.service_index >= event.n_services) continue;
    bool fits = (found.properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) != 0 &&
                (found.properties & (MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE)) != 0;
    for (int b = 0; b < 16; b++)
      fits = fits && found.uuid.b[b] == characteristic_uuid.b[b] &&
             event.services[found.service_index].uuid.b[b] == service_uuid.b[b];
    if (!fits) continue;
    session.handle = found.handle;
    session.wants_response = (found.properties & MH_PROP_WRITE) != 0;
  }
  if (session.handle == 0)
    return fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
                "The meter does not speak TaiDoc's protocol. Check that the right meter is chosen.");
  session.phase = Phase::Subscribing;
  mh_action subscribe = action(MH_DO_SUBSCRIBE);
  subscribe.token = TokenSubscribe;
  subscribe.handle = session.handle;
  session.output.ask(subscribe);
}

void subscribed(mh_session &session, const mh_event &event) {
  if (session.phase != Phase::Subscribing) return;
  if (event.status != 0)
    return fail(session, MH_FAIL_COMMUNICATION, event.status,
                "The meter refused to send readings. Pair it again and retry.");
  session.phase = Phase::Asking;
  session.output.ask(action(MH_DO_READY));
  begin_exchange(session, event);
}

void wrote(mh_session &session, const mh_event &event) {
  if (session.phase != Phase::Asking || event.status == 0) return;
  if (session.step == Step::PowerOff) return finish(session);
  fail(session, MH_FAIL_COMMUNICATION, event.status, "The meter refused a command. Read it again.");
}

void disconnected(mh_session &session) {
  bool has_all = session.phase == Phase::Asking && (session.step == Step::SetClock || session.step == Step::PowerOff);
  session.phase = Phase::Ended;
  if (has_all) return finish(session);
  fail(session, MH_FAIL_COMMUNICATION, 0,
       "The meter went away before it had sent everything. Keep it near and read again.");
}

/* Handles may mean something else now: start again at the next list of services. */
void forget_services(mh_session &session) {
  mh_action cancel = action(MH_DO_CANCEL_TIMER);
  cancel.token = TokenAnswer;
  session.output.ask(cancel);
  session.output.forget();
  session.reader.reset();
  session.phase = Phase::Idle;
  session.handle = 0;
}

void handle(mh_session &session, const mh_event &event) {
  switch (event.kind) {
  case MH_EV_SERVICES: return start(session, event);
  case MH_EV_SERVICE_CHANGED: return forget_services(session);
  case MH_EV_ENCRYPTED:
    if (session.phase == Phase::Pairing && event.status >= static_cast<int32_t>(MH_SECURITY_ENCRYPTED)) finish(session);
    return;
  case MH_EV_SUBSCRIBED: return subscribed(session, event);
  case MH_EV_WROTE: return wrote(session, event);
  case MH_EV_NOTIFICATION:
  case MH_EV_INDICATION: return received(session, event);
  case MH_EV_TIMER:
    if (event.token == TokenAnswer) fell_silent(session, event);
    return;
  case MH_EV_CANCEL: return finish(session);
  case MH_EV_DISCONNECTED: return disconnected(session);
  case MH_EV_CONNECTED:
  case MH_EV_MTU:
  case MH_EV_READ:
  case MH_EV_ADVERTISEMENT:
  case MH_EV_USER_INPUT: return;
  default: session.status = MH_E_UNSUPPORTED;
  }
}

} // namespace

} // namespace taidoc

using namespace taidoc;

int32_t taidoc_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == nullptr || opening == nullptr || out == nullptr || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  Meter meter = meter_of(*opening);
  /* Without the kind the bytes could mean anything: the registry must name it. */
  if (meter.kind == MeterKind::Unknown) return MH_E_ARG;
  mh_session *session = static_cast<mh_session *>(calloc(1, sizeof(mh_session)));
  if (session == nullptr) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->meter = meter;
  session->output.prepare(meter);
  session->purpose = opening->purpose;
  session->utc_offset_us = static_cast<int64_t>(opening->utc_offset_s) * 1000000;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  session->trusts_host_clock = opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  for (uint32_t i = 0; opening->params != nullptr && i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_SET_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      session->sets_clock = opening->params[i].i != 0;
  *out = session;
  return MH_OK;
}

int32_t taidoc_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == nullptr || event == nullptr || sink == nullptr || !MH_HAS(event, n_characteristics) ||
      !MH_HAS(sink, ctx))
    return MH_E_ARG;
  bool is_pending = session->output.is_pending();
  if (event->kind != MH_EV_CONTINUE) {
    /* A new fact before the last one's output is taken would mix two units. */
    if (is_pending) return MH_E_ARG;
    session->status = MH_OK;
    if (session->phase != Phase::Ended) handle(*session, *event);
    /* A refused store: nothing of this unit may be committed. */
    if (session->status != MH_OK && session->status != MH_E_PROTOCOL) return session->status;
  } else if (!is_pending) {
    return MH_OK;
  }
  int32_t status = session->output.drain(sink);
  return status == MH_OK ? session->status : status;
}

void taidoc_close(mh_session *session) { free(session); }
