#include "session.h"

#include <stdlib.h>

#include "state.h"

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

static void find_write(mh_session *session, const mh_event *event, uint16_t id, uint16_t service) {
  session->write_handle = find(event, id, service, MH_PROP_WRITE_NO_RESPONSE);
  session->has_response = session->write_handle == 0;
  if (session->has_response) session->write_handle = find(event, id, service, MH_PROP_WRITE);
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  session->is_connected = 1;
  session->characteristic = ETEKCITY_A5_NOTIFY;
  session->notify_handle = find(event, ETEKCITY_A5_NOTIFY, ETEKCITY_A5_SERVICE, MH_PROP_NOTIFY | MH_PROP_INDICATE);
  find_write(session, event, ETEKCITY_A5_WRITE, ETEKCITY_A5_SERVICE);
  if (session->notify_handle == 0) {
    session->characteristic = ETEKCITY_ESF37_NOTIFY;
    session->notify_handle = find(event, ETEKCITY_ESF37_NOTIFY, 0, MH_PROP_NOTIFY | MH_PROP_INDICATE);
    find_write(session, event, ETEKCITY_ESF37_WRITE, 0);
  }
  if (session->notify_handle == 0 || (session->characteristic == ETEKCITY_ESF37_NOTIFY && session->write_handle == 0)) {
    etekcity_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
                  "This is no scale that is known here. Check that the right meter is chosen.");
    return;
  }
  session->phase = PHASE_SUBSCRIBING;
  /* A frame is longer than the 20 bytes that a notification holds otherwise; a scale that refuses sends fragments. */
  etekcity_ask(session, (mh_action){.kind = MH_DO_MTU, .arg = WANTED_MTU});
  etekcity_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_SUBSCRIBE, .handle = session->notify_handle});
}

static void put_command(mh_session *session, const uint8_t *command, uint8_t n) {
  mh_bytes value = {command, n};
  if (session->write_handle != 0)
    etekcity_ask(session, (mh_action){.kind = session->has_response ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE,
                                      .token = TOKEN_WRITE,
                                      .handle = session->write_handle,
                                      .value = value});
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING) return;
  if (event->status != 0) {
    etekcity_fail(session, MH_FAIL_COMMUNICATION, event->status,
                  "The scale refused to send readings. Step on it and read it again.");
    return;
  }
  session->phase = PHASE_LISTENING;
  if (session->characteristic == ETEKCITY_ESF37_NOTIFY) {
    if (session->sets_clock && event->unix_us > 0)
      put_command(session, session->time_command, et_esf37_time(session->time_command, (uint32_t)(event->unix_us / 1000000)));
    etekcity_timer(session, TOKEN_BEGIN, BEGIN_AFTER);
  }
  etekcity_ask(session, (mh_action){.kind = MH_DO_READY});
  etekcity_timer(session, TOKEN_SILENCE, STEP_ON_WAIT);
  etekcity_timer(session, TOKEN_LIMIT, SESSION_MAX);
}

/* What an ESF-24 waits for changes its display and sets its clock: only for those who wished that. */
static void answer_esf24(mh_session *session, const mh_event *event) {
  if (!session->sets_clock || event->unix_us <= 0) {
    etekcity_end(session, event);
    session->n_queue = 0;
    etekcity_fail(session, MH_FAIL_NO_READING, 0,
                  "This scale measures only for those who set its clock. Read it with its clock being set.");
  } else if (et_esf24_wants_unit(event->value)) {
    session->has_unit = 1;
    put_command(session, session->begin_command, et_esf24_unit(session->begin_command, session->display_unit));
  } else {
    session->has_time = 1;
    uint32_t now = (uint32_t)(event->unix_us / 1000000);
    put_command(session, session->time_command, et_esf24_time(session->time_command, now));
  }
}

/* An ESF-24 sends nothing before its questions are answered, and says its last weight again until it is thanked. */
static int32_t receive_esf24(mh_session *session, const mh_event *event, et_reading *reading) {
  int asks_unit = et_esf24_wants_unit(event->value), asks_time = et_esf24_wants_time(event->value);
  if ((asks_unit && !session->has_unit) || (asks_time && !session->has_time)) {
    answer_esf24(session, event);
    return MH_END;
  }
  int32_t status = et_esf24_read(event->value, reading);
  if (status == MH_OK && !reading->is_settling && !reading->is_stored)
    put_command(session, session->begin_command, et_esf24_thanks(session->begin_command));
  return status;
}

static int32_t read_one(mh_session *session, const mh_event *event, et_reading *reading) {
  if (session->characteristic == ETEKCITY_ESF37_NOTIFY) {
    int32_t status = et_esf37_read(event->value, reading);
    if (status != MH_E_PROTOCOL) session->has_heard = 1;
    return status;
  }
  if (session->assembly.n == 0 && et_esf24_begins(event->value)) return receive_esf24(session, event, reading);
  mh_bytes frame = {NULL, 0};
  int32_t status = et_assembly_take(&session->assembly, event->value, &frame);
  return status == MH_OK ? et_a5_read(frame, reading) : status;
}

static void received(mh_session *session, const mh_event *event) {
  int is_listening = session->phase == PHASE_LISTENING || session->phase == PHASE_SUBSCRIBING;
  if (!is_listening || event->handle == 0 || event->handle != session->notify_handle) return;
  et_reading reading;
  int32_t status = read_one(session, event, &reading);
  if (status == MH_OK) {
    etekcity_take(session, &reading, event);
  } else if (status == ET_ENCRYPTED) {
    etekcity_end(session, event);
    session->n_queue = 0;
    etekcity_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
                  "This scale encrypts its readings, which is not supported. Weights can be entered by hand.");
  } else if (status == MH_E_PROTOCOL) {
    etekcity_put_log(session, "a frame was refused: its length, checksum or range is wrong");
    session->status = MH_E_PROTOCOL;
  }
}

static void advertised(mh_session *session, const mh_event *event) {
  mh_bytes data = {NULL, 0};
  if (session->is_connected || !mh_ad_find(event->value, MH_AD_MANUFACTURER_DATA, ETEKCITY_COMPANY, &data)) return;
  if (session->phase == PHASE_IDLE) {
    session->phase = PHASE_LISTENING;
    etekcity_ask(session, (mh_action){.kind = MH_DO_READY});
    /* A scale that never falls silent ends no read by that. */
    if (session->purpose == MH_PURPOSE_READ) etekcity_timer(session, TOKEN_LIMIT, SESSION_MAX);
  }
  et_reading reading;
  int32_t status = et_fit8s_read(data, &reading);
  if (status == MH_E_PROTOCOL) session->status = MH_E_PROTOCOL;
  if (status == MH_OK) etekcity_take(session, &reading, event);
  if (session->phase != PHASE_ENDED) etekcity_timer(session, TOKEN_SILENCE, NOTHING_NEW_AFTER);
}

static void ran_out(mh_session *session, const mh_event *event) {
  if (event->token == TOKEN_SILENCE || event->token == TOKEN_LIMIT) {
    etekcity_end(session, event);
  } else if (event->token == TOKEN_MORE && session->waits) {
    etekcity_stop_waiting(session, event);
  } else if (event->token == TOKEN_BEGIN && session->phase == PHASE_LISTENING && !session->has_heard) {
    put_command(session, session->begin_command, et_esf37_begin(session->begin_command));
  }
}

static void disconnected(mh_session *session, const mh_event *event) {
  int never_began = session->is_connected && session->phase != PHASE_LISTENING;
  if (never_began)
    etekcity_fail(session, MH_FAIL_COMMUNICATION, 0,
                  "The scale went away before it could be read. Step on it and read it again.");
  else
    etekcity_end(session, event);
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  if (!session->is_connected) return;
  session->phase = PHASE_IDLE;
  session->notify_handle = session->write_handle = 0;
  session->assembly.n = 0;
}

int32_t etekcity_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  session->display_unit = ETEKCITY_UNIT_KILOGRAM;
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->type != MH_PARAM_TYPE_INTEGER) continue;
    if (param->name == MH_PARAM_SET_CLOCK)
      session->sets_clock = param->i != 0 && opening->clock_trust == MH_CLOCK_SYNCHRONISED;
    if (param->name == ETEKCITY_PARAM_DISPLAY_UNIT && (param->i == 2 || param->i == 8))
      session->display_unit = (uint8_t)param->i;
  }
  *out = session;
  return MH_OK;
}

int32_t etekcity_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = session->n_outgoing != 0 || session->next < session->n_queue;
  if (event->kind == MH_EV_CONTINUE) return is_pending ? etekcity_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event); break;
    case MH_EV_ADVERTISEMENT: advertised(session, event); break;
    case MH_EV_TIMER: ran_out(session, event); break;
    case MH_EV_CANCEL: etekcity_end(session, event); break;
    case MH_EV_DISCONNECTED: disconnected(session, event); break;
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_WROTE:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return etekcity_drain(session, sink);
}

void etekcity_close(mh_session *session) { free(session); }
