/* From the list of services to the open lock, and who is handed which event. */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "state.h"

/* What one answer of the newest monitors needs, and what is asked for. */
#define MTU_SMALLEST 23
#define MTU_WANTED 128
#define ATT_HEADER 3

static const uint8_t service_keyed[16] = {0xec, 0xbe, 0x39, 0x80, 0xc9, 0xa2, 0x11, 0xe1,
                                          0xb1, 0xbd, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b};
static const uint8_t lock_uuid[16] = {0xb3, 0x05, 0xb6, 0x80, 0xae, 0xe7, 0x11, 0xe1,
                                      0xa7, 0x30, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b};
static const uint8_t to_meter_uuids[OMRON_CHANNELS][16] = {
    {0xdb, 0x5b, 0x55, 0xe0, 0xae, 0xe7, 0x11, 0xe1, 0x96, 0x5e, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
    {0xe0, 0xb8, 0xa0, 0x60, 0xae, 0xe7, 0x11, 0xe1, 0x92, 0xf4, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
    {0x0a, 0xe1, 0x2b, 0x00, 0xae, 0xe8, 0x11, 0xe1, 0xa1, 0x92, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
    {0x10, 0xe1, 0xba, 0x60, 0xae, 0xe8, 0x11, 0xe1, 0x89, 0xe5, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
};
static const uint8_t from_meter_uuids[OMRON_CHANNELS][16] = {
    {0x49, 0x12, 0x30, 0x40, 0xae, 0xe8, 0x11, 0xe1, 0xa7, 0x4d, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
    {0x4d, 0x0b, 0xf3, 0x20, 0xae, 0xe8, 0x11, 0xe1, 0xa0, 0xd9, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
    {0x51, 0x28, 0xce, 0x60, 0xae, 0xe8, 0x11, 0xe1, 0xb8, 0x4b, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
    {0x56, 0x0f, 0x14, 0x20, 0xae, 0xe8, 0x11, 0xe1, 0x81, 0x84, 0x00, 0x02, 0xa5, 0xd5, 0xc5, 0x1b},
};

static int same(const mh_uuid *found, const uint8_t *uuid) { return memcmp(found->b, uuid, 16) == 0; }

/* A characteristic of the layout's service that can do one of `properties`, or NULL. */
static const mh_characteristic *find(const mh_event *event, const uint8_t *service, const uint8_t *uuid,
                                     uint16_t properties) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *found = &event->characteristics[i];
    if (found->service_index < event->n_services && same(&event->services[found->service_index].uuid, service) &&
        same(&found->uuid, uuid) && (found->properties & properties) != 0)
      return found;
  }
  return NULL;
}

/* Whether the monitor has what the layout needs; its handles are in the session then. */
static int find_channels(mh_session *session, const mh_event *event, const omron_layout *layout) {
  mh_uuid newest = mh_uuid16(0xfe4a);
  const uint8_t *service = omron_has_channels(layout) ? service_keyed : newest.b;
  uint16_t writes = MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE, tells = MH_PROP_NOTIFY | MH_PROP_INDICATE;
  session->n_channels = omron_has_channels(layout) ? OMRON_CHANNELS : 1;
  session->channel_answers = 1;
  for (uint32_t i = 0; i < session->n_channels; i++) {
    const mh_characteristic *to = find(event, service, to_meter_uuids[i], writes);
    const mh_characteristic *from = find(event, service, from_meter_uuids[i], tells);
    if (to == NULL || from == NULL) return 0;
    session->to_meter[i] = to->handle;
    session->from_meter[i] = from->handle;
    /* The newest take commands without an answer, as their maker's program sends them. */
    int can_be_short = (to->properties & MH_PROP_WRITE_NO_RESPONSE) != 0;
    if ((to->properties & MH_PROP_WRITE) == 0 || (!omron_has_channels(layout) && can_be_short))
      session->channel_answers = 0;
  }
  const mh_characteristic *lock = find(event, service, lock_uuid, writes);
  int is_told = lock != NULL && (lock->properties & tells) != 0;
  session->lock = is_told ? lock->handle : 0;
  session->lock_answers = is_told && (lock->properties & MH_PROP_WRITE) != 0;
  return session->lock != 0 || layout->lock == OMRON_LOCK_TOKEN;
}

static void subscribe_next(mh_session *session) {
  session->phase = OMRON_SUBSCRIBING;
  uint32_t channels = session->n_channels, all = channels + (session->lock != 0 ? 1 : 0);
  if (session->n_subscribed >= all) {
    omron_open_lock(session);
    return;
  }
  /* The channels before the lock, as the maker's program does: the first one makes the monitor ask for encryption. */
  uint16_t handle = session->n_subscribed < channels ? session->from_meter[session->n_subscribed] : session->lock;
  omron_wait(session, 3 * OMRON_PATIENCE);
  omron_ask(session, (mh_action){.kind = MH_DO_SUBSCRIBE, .token = OMRON_TOKEN_SUBSCRIBE, .handle = handle});
}

/* The longest answer that is asked for is a record, or the clock, in one notification. */
static int is_wide_enough(const mh_session *session) {
  return session->mtu >= ATT_HEADER + OMRON_FRAME_EXTRA + OMRON_RECORD_MAX;
}

static void prepare(mh_session *session) {
  session->n_subscribed = 0;
  if (session->n_channels > 1 || is_wide_enough(session)) {
    subscribe_next(session);
    return;
  }
  session->phase = OMRON_SIZING;
  omron_wait(session, OMRON_PATIENCE);
  omron_ask(session, (mh_action){.kind = MH_DO_MTU, .token = OMRON_TOKEN_SIZE, .arg = MTU_WANTED});
}

static void start(mh_session *session, const mh_event *event) {
  if (session->phase != OMRON_IDLE) return;
  const omron_layout *layout = session->layout;
  if (layout != NULL && !find_channels(session, event, layout)) {
    layout = omron_layout_of(layout->other_service);
    if (layout != NULL && !find_channels(session, event, layout)) layout = NULL;
  }
  if (layout == NULL) {
    omron_fail(session, MH_FAIL_UNSUPPORTED_METER, 0,
               "The monitor does not offer its memory as this model does. Check which model it is.");
    return;
  }
  session->layout = layout;
  if (session->purpose == MH_PURPOSE_PAIR && session->security < MH_SECURITY_ENCRYPTED) {
    /* No timer: a person may have to agree, and the host watches over that. */
    session->phase = OMRON_PAIRING;
    omron_ask(session, (mh_action){.kind = MH_DO_PAIR, .flags = MH_PAIR_BOND});
  } else {
    prepare(session);
  }
}

static void sized(mh_session *session, const mh_event *event) {
  if (event->mtu > session->mtu) session->mtu = event->mtu;
  if (session->phase != OMRON_SIZING || event->token != OMRON_TOKEN_SIZE) return;
  if (is_wide_enough(session))
    subscribe_next(session);
  else
    omron_fail(session, MH_FAIL_COMMUNICATION, session->mtu,
               "The link carries packets that are too short for this monitor. Use another Bluetooth adapter.");
}

/* Insufficient Authentication and Insufficient Encryption (Core Specification, Vol 3 Part F 3.4.1.1). */
static int wants_pairing(int32_t status) { return status == 0x05 || status == 0x0f; }

static void subscribed(mh_session *session, const mh_event *event) {
  if (session->phase != OMRON_SUBSCRIBING || event->token != OMRON_TOKEN_SUBSCRIBE) return;
  if (wants_pairing(event->status)) {
    omron_fail(session, MH_FAIL_NOT_PAIRED, event->status, "The monitor answers paired hosts only. Pair it first.");
  } else if (event->status != 0) {
    omron_fail(session, MH_FAIL_COMMUNICATION, event->status, "The monitor refuses to send readings. Read it again.");
  } else {
    session->n_subscribed++;
    subscribe_next(session);
  }
}

/* The time is written once and never again: a second write would carry a time that has gone by. */
static void clock_was_not_taken(mh_session *session) {
  omron_log(session, MH_LOG_WARNING, "the monitor did not take the time; set it with its buttons");
  omron_end_memory(session);
}

static void wrote(mh_session *session, const mh_event *event) {
  if (event->status == 0 || session->phase < OMRON_KEY_MODE || session->phase >= OMRON_ENDED) return;
  if (session->phase == OMRON_ENDING)
    omron_conclude(session);
  else if (session->phase == OMRON_SETTING)
    clock_was_not_taken(session);
  else if (session->phase == OMRON_TOKEN && !wants_pairing(event->status))
    omron_open_memory(session);
  else if (wants_pairing(event->status))
    omron_fail(session, MH_FAIL_NOT_PAIRED, event->status, "The monitor answers paired hosts only. Pair it first.");
  else
    omron_fail(session, MH_FAIL_COMMUNICATION, event->status, "The monitor refuses a command. Read it again.");
}

static void received(mh_session *session, const mh_event *event) {
  if (session->phase >= OMRON_KEY_MODE && session->phase <= OMRON_TOKEN && event->handle == session->lock) {
    omron_lock_answered(session, event->value);
    return;
  }
  if (session->phase < OMRON_STARTING || session->phase >= OMRON_ENDED) return;
  omron_frame frame;
  for (uint32_t i = 0; i < session->n_channels; i++) {
    if (event->handle != session->from_meter[i]) continue;
    int32_t status = session->n_channels > 1 ? omron_take_piece(&session->pieces, i, event->value, &frame)
                                             : omron_read_frame(event->value, &frame);
    if (status == MH_E_PROTOCOL)
      session->status = MH_E_PROTOCOL;
    else if (status == (session->n_channels > 1 ? 1 : MH_OK))
      omron_memory_answered(session, &frame, event);
    return;
  }
}

static void fell_silent(mh_session *session) {
  if (session->phase < OMRON_SIZING || session->phase >= OMRON_ENDED) return;
  int is_lock = session->phase >= OMRON_KEY_MODE && session->phase <= OMRON_TOKEN;
  if (session->phase == OMRON_ENDING) {
    /* Everything is read: it has switched itself off. */
    omron_conclude(session);
    return;
  }
  if (session->phase == OMRON_SETTING) {
    clock_was_not_taken(session);
    return;
  }
  if (session->phase >= OMRON_KEY_MODE && ++session->silences <= OMRON_SILENCES) {
    if (is_lock && omron_lock_again(session)) return;
    if (!is_lock && session->attempts < OMRON_ATTEMPTS) {
      omron_ask_again(session);
      return;
    }
  }
  omron_fail(session, is_lock && session->purpose == MH_PURPOSE_PAIR ? MH_FAIL_PAIRING : MH_FAIL_TIMEOUT, 0,
             is_lock ? "The monitor does not answer. Hold its Bluetooth button until -P- blinks, and pair it again."
                     : "The monitor fell silent. Keep it close by, press its Bluetooth button and read it again.");
}

static void disconnected(mh_session *session, const mh_event *event) {
  if (session->phase == OMRON_ENDING || session->phase == OMRON_SETTING)
    omron_conclude(session);
  else
    omron_fail(session, MH_FAIL_COMMUNICATION, event->status,
               "The monitor went away before it had sent everything. Press its Bluetooth button and read it again.");
}

/* Handles may mean something else now: everything starts again with the next list of services. */
static void forget_services(mh_session *session) {
  if (session->phase == OMRON_IDLE) return;
  omron_ask(session, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = OMRON_TOKEN_TIMER});
  omron_forget_pieces(&session->pieces);
  session->phase = OMRON_IDLE;
  session->damaged = 0;
}

int32_t omron_open(const mh_host *host, const mh_open *opening, mh_session **out) {
  if (host == NULL || opening == NULL || out == NULL || !MH_HAS(opening, params)) return MH_E_ARG;
  if (opening->purpose != MH_PURPOSE_READ && opening->purpose != MH_PURPOSE_PASSIVE &&
      opening->purpose != MH_PURPOSE_PAIR)
    return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
  session->purpose = opening->purpose;
  session->security = opening->security;
  session->mtu = MTU_SMALLEST;
  session->utc_offset_us = (int64_t)opening->utc_offset_s * 1000000;
  session->trusts_host_clock = opening->clock_trust == MH_CLOCK_SYNCHRONISED;
  session->layout = omron_layout_in(opening->params, opening->n_params);
  for (uint32_t i = 0; opening->params != NULL && i < opening->n_params; i++)
    if (opening->params[i].name == MH_PARAM_SET_CLOCK && opening->params[i].type == MH_PARAM_TYPE_INTEGER)
      session->sets_clock = opening->params[i].i != 0;
  *out = session;
  return MH_OK;
}

static void handle(mh_session *session, const mh_event *event) {
  switch (event->kind) {
    case MH_EV_SERVICES: start(session, event); break;
    case MH_EV_ENCRYPTED:
      if (session->phase == OMRON_PAIRING && event->status >= (int32_t)MH_SECURITY_ENCRYPTED) prepare(session);
      break;
    case MH_EV_CONNECTED:
    case MH_EV_MTU: sized(session, event); break;
    case MH_EV_SUBSCRIBED: subscribed(session, event); break;
    case MH_EV_INDICATION:
    case MH_EV_NOTIFICATION: received(session, event); break;
    case MH_EV_WROTE: wrote(session, event); break;
    case MH_EV_TIMER:
      if (event->token == OMRON_TOKEN_TIMER) fell_silent(session);
      break;
    case MH_EV_CANCEL: omron_finish(session); break;
    case MH_EV_DISCONNECTED: disconnected(session, event); break;
    case MH_EV_SERVICE_CHANGED: forget_services(session); break;
    case MH_EV_READ:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: break;
    default: session->status = MH_E_UNSUPPORTED; break;
  }
}

int32_t omron_event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (session == NULL || event == NULL || sink == NULL || !MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx))
    return MH_E_ARG;
  int is_pending = omron_is_pending(session);
  if (event->kind == MH_EV_CONTINUE) return is_pending ? omron_drain(session, sink) : MH_OK;
  /* A new fact before the last one's output is taken would mix two units. */
  if (is_pending) return MH_E_ARG;
  session->status = MH_OK;
  if (session->phase != OMRON_ENDED) handle(session, event);
  return omron_drain(session, sink);
}

void omron_close(mh_session *session) { free(session); }
