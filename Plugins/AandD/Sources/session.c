#include "session.h"

#include <stdlib.h>

#include "number.h"
#include "talk.h"

/* A meter sends its memory at once and goes away by itself soon after. */
#define IDLE_AFTER_READING (5 * AANDD_SECOND)
/* It connects because it has something to tell. */
#define NO_READING_AFTER (60 * AANDD_SECOND)
#define NO_ANSWER_AFTER (10 * AANDD_SECOND)

static const mh_uuid own_weight_service = {
    {0x23, 0x43, 0x41, 0x00, 0x1f, 0xe4, 0x1e, 0xff, 0x80, 0xcb, 0x00, 0xff, 0x78, 0x29, 0x7d, 0x8b}};
static const mh_uuid own_weight = {
    {0x23, 0x43, 0x41, 0x01, 0x1f, 0xe4, 0x1e, 0xff, 0x80, 0xcb, 0x00, 0xff, 0x78, 0x29, 0x7d, 0x8b}};

static int is_same(const mh_uuid *a, const mh_uuid *b) {
  for (int i = 0; i < 16; i++)
    if (a->b[i] != b->b[i]) return 0;
  return 1;
}

/* Which value a characteristic carries, or 0; a meter that has the profile's and the maker's is read by the profile's. */
static uint16_t code_of(const mh_characteristic *found, const mh_service *service) {
  uint16_t id = mh_uuid_short(&found->uuid), parent = mh_uuid_short(&service->uuid);
  if ((found->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) == 0) return 0;
  if (id == AANDD_PRESSURE && parent == 0x1810) return AANDD_PRESSURE;
  if (id == AANDD_WEIGHT && parent == 0x181d) return AANDD_WEIGHT;
  return is_same(&found->uuid, &own_weight) && is_same(&service->uuid, &own_weight_service) ? AANDD_OWN_WEIGHT : 0;
}

static void find(mh_session *session, const mh_event *event) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (found->service_index >= event->n_services) continue;
    const mh_service *service = &event->services[found->service_index];
    uint16_t code = code_of(found, service), parent = mh_uuid_short(&service->uuid);
    if (code != 0 && (session->value_handle == 0 || code != AANDD_OWN_WEIGHT)) {
      session->value_handle = found->handle;
      session->value_code = code;
    }
    if (mh_uuid_short(&found->uuid) == 0x2a08 && (found->properties & MH_PROP_WRITE) != 0 &&
        (parent == 0x1810 || parent == 0x181d || is_same(&service->uuid, &own_weight_service)))
      session->clock_handle = found->handle;
  }
}

static void subscribe(mh_session *session) {
  session->phase = PHASE_SUBSCRIBING;
  aandd_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = TOKEN_SUBSCRIBE, .handle = session->value_handle});
  aandd_silence_after(session, NO_ANSWER_AFTER);
}

/* The clock comes first: a meter that was given the time sends at once. */
static void begin(mh_session *session) {
  if (!session->sets_clock || session->clock_handle == 0) {
    subscribe(session);
    return;
  }
  session->phase = PHASE_CLOCK;
  aandd_ask(session, (mh_action){.kind = MH_DO_READ, .token = TOKEN_CLOCK, .handle = session->clock_handle});
  aandd_silence_after(session, NO_ANSWER_AFTER);
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_IDLE) return;
  if (session->purpose == MH_PURPOSE_PAIR) {
    session->phase = PHASE_PAIRING;
    if (session->is_encrypted)
      aandd_end(session, (mh_action){.kind = MH_DO_FINISH});
    else
      aandd_ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
    return;
  }
  find(session, event);
  if (session->value_handle == 0) {
    if (aandd_framed_start(session, event)) return;
    aandd_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
               "The meter has neither a blood pressure nor a weight to tell. Check that the right meter is chosen.");
    return;
  }
  begin(session);
}

static void read_clock(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_CLOCK || event->token != TOKEN_CLOCK) return;
  int64_t civil = event->unix_us + (int64_t)session->utc_offset_s * 1000000, meter = 0;
  if (event->status == 0 && event->value.n >= AANDD_TIME_LENGTH && aandd_time(event->value.p, &meter)) {
    session->offset_s = (meter - civil) / 1000000;
    session->has_offset = 1;
  }
  uint8_t bytes[AANDD_TIME_LENGTH];
  if (!aandd_time_bytes(civil, bytes)) {
    subscribe(session);
    return;
  }
  aandd_write(session, MH_DO_WRITE, TOKEN_SET, session->clock_handle, bytes, AANDD_TIME_LENGTH);
  aandd_silence_after(session, NO_ANSWER_AFTER);
}

static void wrote(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_CLOCK || event->token != TOKEN_SET) return;
  if (event->status != 0) aandd_log(session, MH_LOG_WARNING, "the meter refuses to have its clock set");
  subscribe(session);
}

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != PHASE_SUBSCRIBING || event->token != TOKEN_SUBSCRIBE) return;
  if (session->is_framed) {
    aandd_framed_subscribed(session, event);
    return;
  }
  if (event->status != 0) {
    int is_stranger = event->status == 0x05 || event->status == 0x0f;
    aandd_fail(session, is_stranger ? MH_FAIL_NOT_PAIRED : MH_FAIL_COMMUNICATION, event->status,
               "The meter refused to send readings. Pair it again in its pairing mode, then measure.");
    return;
  }
  session->phase = PHASE_LISTENING;
  aandd_ask(session, (mh_action){.kind = MH_DO_READY});
  aandd_silence_after(session, session->has_reading ? IDLE_AFTER_READING : NO_READING_AFTER);
}

static void received(mh_session *session, const mh_event *event, mh_sink *sink) {
  if ((session->phase != PHASE_SUBSCRIBING && session->phase != PHASE_LISTENING) || event->handle == 0) return;
  if (session->is_framed) {
    aandd_framed_received(session, event, sink);
    return;
  }
  if (event->handle != session->value_handle) return;
  int32_t status = aandd_deliver(session, session->value_code, event->value, sink);
  if (status == MH_E_PROTOCOL) {
    aandd_log(session, MH_LOG_WARNING, "a packet was refused: it is shorter than its flags say");
    session->status = MH_E_PROTOCOL;
    return;
  }
  if (status == MH_E_NO_VALUE)
    aandd_log(session, MH_LOG_WARNING, "no reading: a failed measurement, or no number");
  else
    session->has_reading = 1;
  if (session->phase == PHASE_LISTENING)
    aandd_silence_after(session, session->has_reading ? IDLE_AFTER_READING : NO_READING_AFTER);
}

static void fell_silent(mh_session *session) {
  if (session->phase == PHASE_CLOCK) {
    aandd_fail(session, MH_FAIL_TIMEOUT, 0, "The meter did not answer about its clock. Measure and read again.");
  } else if (session->is_framed && session->command != COMMAND_RECORD) {
    aandd_fail(session, MH_FAIL_TIMEOUT, 0, "The scale does not answer. Step on it and read again.");
  } else if (session->is_framed && session->has_reading) {
    /* More was announced, and did not come. */
    aandd_fail(session, MH_FAIL_TIMEOUT, 0, "The scale stopped in the middle of its memory. Step on it and read again.");
  } else if (session->has_reading) {
    aandd_end(session, (mh_action){.kind = MH_DO_FINISH});
  } else {
    aandd_fail(session, MH_FAIL_NO_READING, 0,
               "The meter sent no reading. Measure while it is near and read again; if it never sends one, let its clock be set "
               "with the read.");
  }
}

static void disconnected(mh_session *session) {
  if (session->has_reading && !session->is_framed)
    aandd_end(session, (mh_action){.kind = MH_DO_FINISH});
  else
    aandd_fail(session, MH_FAIL_COMMUNICATION, 0, "The meter went away before it had told everything. Measure and read again.");
}

static void encrypted(mh_session *session, const mh_event *event) {
  if (session->phase == PHASE_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED)
    aandd_end(session, (mh_action){.kind = MH_DO_FINISH});
}

/* Handles may mean something else now: start again at the next list of services. */
static void forget_services(mh_session *session) {
  session->phase = PHASE_IDLE;
  session->value_handle = session->clock_handle = 0;
  session->is_framed = 0;
  session->command = COMMAND_NONE;
  aandd_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = TOKEN_SILENCE});
}

int32_t aandd_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->purpose = opening->purpose;
  session->is_encrypted = opening->security >= MH_SECURITY_ENCRYPTED;
  session->utc_offset_s = opening->utc_offset_s == MH_OFFSET_UNKNOWN ? 0 : opening->utc_offset_s;
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++) {
    const mh_param *param = &opening->params[i];
    if (param->type != MH_PARAM_TYPE_INTEGER) continue;
    if (param->name == MH_PARAM_NO_CLOCK) session->no_clock = param->i != 0;
    if (param->name == MH_PARAM_SET_CLOCK)
      session->sets_clock = param->i != 0 && opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  }
  *out = session;
  return MH_OK;
}

int32_t aandd_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  if (event->kind == MH_EV_CONTINUE) return aandd_is_pending(session) ? aandd_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (aandd_is_pending(session)) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase == PHASE_ENDED) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_ENCRYPTED: encrypted(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_READ: read_clock(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: received(session, event, sink); break;
    case MH_EV_TIMER:
      if (event->token == TOKEN_SILENCE) fell_silent(session);
      break;
    case MH_EV_CANCEL: aandd_end(session, (mh_action){.kind = MH_DO_FINISH}); break;
    case MH_EV_DISCONNECTED: disconnected(session); break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: break;
    default: return MH_E_UNSUPPORTED;
  }
  return aandd_drain(session, sink);
}

void aandd_close(mh_session *session) { free(session); }
