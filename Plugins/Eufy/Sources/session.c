#include "session.h"

#include <stdlib.h>

#include "state.h"

/* The layout that the registry gives, or that of the entries that came first. */
static int layout_of(const mh_open *opening) {
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == EUFY_PARAM_LAYOUT && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      return (int)opening->params[i].i;
  return EUFY_LAYOUT_FRAME;
}

static uint16_t find(const mh_event *event, uint16_t id, uint16_t service, uint16_t properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (mh_uuid_short(&found->uuid) != id || (found->properties & properties) == 0 ||
        found->service_index >= event->n_services)
      continue;
    if (service == 0 || mh_uuid_short(&event->services[found->service_index].uuid) == service) return found->handle;
  }
  return 0;
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  session->is_connected = 1;
  session->notify_handle = find(event, EUFY_NOTIFY, EUFY_SERVICE, MH_PROP_NOTIFY | MH_PROP_INDICATE);
  session->write_handle = find(event, EUFY_WRITE, EUFY_SERVICE, MH_PROP_WRITE);
  session->has_response = session->write_handle != 0;
  if (!session->has_response)
    session->write_handle = find(event, EUFY_WRITE, EUFY_SERVICE, MH_PROP_WRITE_NO_RESPONSE);
  if (session->notify_handle == 0 || session->write_handle == 0) {
    eufy_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
              "This is no scale that is known here. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  eufy_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_SUBSCRIBE, .handle = session->notify_handle});
}

static void put_command(mh_session *session, const uint8_t *command, uint8_t n) {
  mh_bytes value = {command, n};
  eufy_ask(session, (mh_action){.kind = session->has_response ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE,
                                  .token = TOKEN_ANSWER,
                                  .handle = session->write_handle,
                                  .value = value});
}

static void ask_for_memory(mh_session *session) {
  static const uint8_t command[2] = {0xf2, 0x00};
  session->phase = PHASE_MEMORY;
  put_command(session, command, sizeof command);
  eufy_timer(session, TOKEN_ANSWER, ANSWER_WAIT);
}

static void listen_on(mh_session *session) {
  session->phase = PHASE_LISTENING;
  eufy_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_ANSWER});
  eufy_ask(session, (mh_action){.kind = MH_DO_READY});
  eufy_timer(session, TOKEN_SILENCE, session->has_result ? AFTER_MEMORY_WAIT : STEP_ON_WAIT);
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0) {
    eufy_fail(session, MH_FAIL_COMMUNICATION, event->status,
              "The scale refused to send readings. Step on it and read it again.");
    return;
  }
  eufy_timer(session, TOKEN_LIMIT, SESSION_MAX);
  int64_t civil_seconds = event->unix_us / 1000000 + session->utc_offset_s;
  if (session->sets_clock && event->unix_us > 0 && civil_seconds > 0) {
    session->phase = PHASE_CLOCK;
    eu_clock_command(session->clock_command, civil_seconds);
    put_command(session, session->clock_command, EUFY_CLOCK_LENGTH);
    eufy_timer(session, TOKEN_ANSWER, ANSWER_WAIT);
  } else {
    ask_for_memory(session);
  }
}

static int is_told(const mh_session *session) {
  return session->phase == PHASE_CLOCK || session->phase == PHASE_MEMORY || session->phase == PHASE_LISTENING;
}

static void received(mh_session *session, const mh_event *event) {
  if (!is_told(session) || event->handle == 0 || event->handle != session->notify_handle) return;
  if (eu_is_clock_set(event->value)) {
    if (session->phase == PHASE_CLOCK) ask_for_memory(session);
    return;
  }
  if (eu_is_memory_end(event->value)) {
    if (session->phase == PHASE_MEMORY) listen_on(session);
    return;
  }
  eu_reading reading;
  int32_t status = eu_frame_read(event->value, &reading);
  if (status == MH_E_PROTOCOL) {
    eufy_put_log(session, "a frame was refused: its length, checksum or range is wrong");
    session->status = MH_E_PROTOCOL;
  }
  if (session->phase == PHASE_MEMORY) eufy_timer(session, TOKEN_ANSWER, ANSWER_WAIT);
  if (status == MH_OK) eufy_take(session, &reading, event);
}

static void advertised(mh_session *session, const mh_event *event) {
  mh_bytes data = {NULL, 0};
  if (session->is_connected || !eu_called_find(event->value, &data)) return;
  if (session->phase == PHASE_IDLE) {
    session->phase = PHASE_LISTENING;
    eufy_ask(session, (mh_action){.kind = MH_DO_READY});
    /* A scale that never falls silent ends no read by that. */
    if (session->purpose == MH_PURPOSE_READ) eufy_timer(session, TOKEN_LIMIT, SESSION_MAX);
  }
  eu_reading reading;
  int32_t status = eu_called_read(session->layout, data, &reading);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status == MH_OK) eufy_take(session, &reading, event);
  if (session->phase != PHASE_ENDED) eufy_timer(session, TOKEN_SILENCE, NOTHING_NEW_AFTER);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_SILENCE || event->token == TOKEN_LIMIT) {
    eufy_end(session, event);
  } else if (event->token == TOKEN_MORE && session->waits) {
    eufy_stop_waiting(session, event);
  } else if (event->token == TOKEN_ANSWER && session->phase == PHASE_CLOCK) {
    eufy_put_log(session, "the scale does not say that its clock is set");
    ask_for_memory(session);
  } else if (event->token == TOKEN_ANSWER && session->phase == PHASE_MEMORY) {
    eufy_put_log(session, "the scale does not say that its memory is at its end");
    listen_on(session);
  }
}

static void disconnected(mh_session *session, const mh_event *event) {
  int never_began = session->is_connected && !is_told(session);
  if (never_began)
    eufy_fail(session, MH_FAIL_COMMUNICATION, 0,
              "The scale went away before it could be read. Step on it and read it again.");
  else
    eufy_end(session, event);
}

/* Handles may mean something else now: start again at the next list of services. */
static void forgeu_services(mh_session *session) {
  if (!session->is_connected) return;
  session->phase = PHASE_IDLE;
  session->notify_handle = session->write_handle = 0;
}

int32_t eufy_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  session->utc_offset_s = opening->utc_offset_s;
  session->layout = layout_of(opening);
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_SET_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      session->sets_clock = opening->params[i].i != 0 && opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  *out = session;
  return MH_OK;
}

int32_t eufy_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->n_outgoing != 0 || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? eufy_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forgeu_services(session); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_ADVERTISEMENT: advertised(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_CANCEL: eufy_end(session, event); break;
    case MH_EV_DISCONNECTED: disconnected(session, event); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_WROTE:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return eufy_drain(session, sink);
}

void eufy_close(mh_session *session) { free(session); }
