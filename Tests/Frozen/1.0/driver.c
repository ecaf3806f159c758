/* Sessions, events and actions; and what the bundle exports. */
#include "driver.h"

#include <stdlib.h>

MH_DRIVER_NOTE

static void keep(fact *fact, const void *p, uint64_t n) {
  uint64_t room = sizeof fact->text - 1u - fact->text_n;
  if (n > room) n = room;
  if (n > 0) memcpy(fact->text + fact->text_n, p, n);
  fact->text_n = (uint16_t)(fact->text_n + n);
  fact->text[fact->text_n++] = '|';
}

static int is_known(uint32_t purpose) {
  return purpose == MH_PURPOSE_READ || purpose == MH_PURPOSE_PAIR || purpose == MH_PURPOSE_PASSIVE ||
         purpose == MH_PURPOSE_CLOCK || purpose == MH_PURPOSE_TEST;
}

/* Keeps every field of the opening, to be told in the first unit. */
static int32_t open_session(const mh_host *host, const mh_open *o, mh_session **out) {
  if (!MH_HAS(o, params)) return MH_E_ARG;
  if (!is_known(o->purpose)) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (!session) return MH_E_MEMORY;
  session->host = host;
  session->peer = o->peer;
  session->handle = 1;
  int64_t given[18] = {o->peripheral_id, o->purpose, o->clock_trust, o->peer != 0, o->unix_us,
                       o->since_us == INT64_MIN, o->until_us == INT64_MAX, o->utc_offset_s, o->limit,
                       o->address[0], o->address[5], o->address_type, o->security, o->n_params};
  for (uint32_t i = 0; i < o->n_params; i++) {
    const mh_param *parameter = &o->params[i];
    if (parameter->type == MH_PARAM_TYPE_INTEGER) given[14] += parameter->i;
    if (parameter->type == MH_PARAM_TYPE_FLOAT) given[15] += (int64_t)(parameter->f * 4);
    if (parameter->type == MH_PARAM_TYPE_BYTES) given[16] += (int64_t)parameter->b.n;
    if (parameter->type == MH_PARAM_TYPE_TEXT) keep(&session->opening, parameter->b.p, parameter->b.n);
    given[17] += parameter->name;
  }
  session->opening.n = 18;
  memcpy(session->opening.numbers, given, sizeof given);
  keep(&session->opening, o->manufacturer.p, o->manufacturer.n);
  keep(&session->opening, o->model.p, o->model.n);
  keep(&session->opening, o->name.p, o->name.n);
  keep(&session->opening, o->advertised_name.p, o->advertised_name.n);
  keep(&session->opening, o->advertisement.p, o->advertisement.n);
  /* Joins the first event's unit. */
  int32_t status = host->kv_set(host->ctx, o->peer, words("meter/opened"), bytes("yes", 3));
  if (status != MH_OK) {
    free(session);
    return status;
  }
  *out = session;
  return MH_OK;
}

static void close_session(mh_session *session) { free(session); }

/* Puts out what the event has to tell; after MH_E_FULL it goes on with the same record (rule R13). A packet of a flood
 * has none, one or two notes, so that room for texts ends in the middle of a record. */
static int32_t put_out(mh_session *session, mh_sink *sink) {
  for (; session->next < session->n_facts; session->next++) {
    int32_t status = put_fact(&session->facts[session->next], sink);
    if (status != MH_OK) return status;
  }
  for (; session->left > 0; session->left--) {
    uint8_t number[2] = {(uint8_t)session->left, (uint8_t)(session->left >> 8)};
    /* Civil time, stored, 5.5. */
    uint8_t raw[PACKET] = {0, 0x14, number[0], number[1], 1, 0, 0, 0, 55, 0, 0xff, 0};
    int32_t status = put_packet(bytes(raw, PACKET), 0, 0, (unsigned)(session->left % 3), sink);
    if (status != MH_OK) return status;
  }
  session->next = session->n_facts = 0;
  return MH_OK;
}

static void tell(mh_session *session, const mh_event *event) {
  fact *told = &session->facts[session->n_facts++];
  *told = (fact){.numbers = {event->kind, (int64_t)event->token, event->status, event->handle, event->mtu,
                             (int64_t)event->value.n, event->value.n > 0 ? event->value.p[0] : 0},
                 .n = 7};
}

static int32_t act(mh_sink *sink, mh_action action) { return mh_sink_act(sink, action); }

static int32_t act_all(mh_sink *sink, const mh_action *actions, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    int32_t status = act(sink, actions[i]);
    if (status != MH_OK) return status;
  }
  return MH_OK;
}

/* What a host of this version does not know: nothing of it may come about, and the session goes on. */
static void ask_unknown(mh_sink *sink, fact *out) {
  out->numbers[out->n++] = act(sink, (mh_action){.kind = 999, .token = 5});
  out->numbers[out->n++] = act(sink, (mh_action){.kind = MH_DO_PAIR, .flags = 0x8000});
  out->numbers[out->n++] = act(sink, (mh_action){.kind = MH_DO_ASK_USER, .token = 5, .code = 999});
  out->numbers[out->n++] = act(sink, (mh_action){.kind = MH_DO_FAIL, .code = 999});
}

/* What a characteristic's properties allow. */
static mh_action first_use(const mh_characteristic *c, uint64_t token) {
  mh_action action = {.token = token, .handle = c->handle};
  if (c->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE)) action.kind = MH_DO_SUBSCRIBE;
  else if (c->properties & MH_PROP_READ) action.kind = MH_DO_READ;
  else action.kind = c->properties & MH_PROP_WRITE ? MH_DO_WRITE : MH_DO_WRITE_NO_RESPONSE;
  if (action.kind == MH_DO_WRITE || action.kind == MH_DO_WRITE_NO_RESPONSE) action.value = bytes("\1\2", 2);
  return action;
}

/* Subscribes, reads and writes as the properties allow, uses every service, and asks for what needs no question. */
static int32_t begin(mh_session *session, const mh_event *event, mh_sink *sink) {
  session->facts[0] = session->opening;
  memset(session->facts + 1, 0, (FACTS - 1) * sizeof *session->facts);
  session->n_facts = FACTS;
  use_host(session, &session->facts[1]);
  use_crypto(session, &session->facts[2]);
  ask_unknown(sink, &session->facts[3]);
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    const mh_characteristic *c = &event->characteristics[i];
    if (c->service_index >= event->n_services) return MH_E_ARG;
    const mh_service *service = &event->services[c->service_index];
    if (c->handle < service->first_handle || c->handle > service->last_handle) return MH_E_ARG;
    if (mh_uuid_short(&c->uuid) != CHARACTERISTIC + i) return MH_E_ARG;
    int32_t status = act(sink, first_use(c, 100u + i));
    if (status != MH_OK) return status;
    session->handle = c->handle;
  }
  const mh_action rest[] = {
      {.kind = MH_DO_MTU, .token = 1, .arg = 247},
      {.kind = MH_DO_PAIR, .token = 2, .flags = MH_PAIR_BOND | MH_PAIR_MITM},
      {.kind = MH_DO_TIMER, .token = 3, .arg = 5000000000},
      {.kind = MH_DO_READY},
      {.kind = MH_DO_PROGRESS, .arg = 1, .arg2 = 4},
  };
  int32_t status = act_all(sink, rest, 5);
  return status == MH_OK ? put_out(session, sink) : status;
}

/* Every kind of question; the first three answers stay with the host. */
static int32_t ask(const mh_event *event, mh_sink *sink) {
  const mh_action questions[] = {
      {.kind = MH_DO_CANCEL_TIMER, .token = event->token},
      {.kind = MH_DO_ASK_USER, .token = 9, .code = MH_ASK_PASSKEY, .flags = MH_ASK_SECRET, .arg = 6, .arg2 = 6,
       .text = words("The number on the meter?"), .value = bytes("meter/secret/pin", 16)},
      {.kind = MH_DO_ASK_USER, .token = 10, .code = MH_ASK_HEX_KEY, .flags = MH_ASK_SECRET, .arg = 32, .arg2 = 32,
       .text = words("The key in the box?"), .value = bytes("user/secret/pairing", 19)},
      {.kind = MH_DO_ASK_USER, .token = 11, .code = MH_ASK_QR, .arg = 1, .arg2 = MH_VALUE_MAX,
       .text = words("The code on the meter?"), .value = bytes("credential/open", 15)},
      {.kind = MH_DO_ASK_USER, .token = 12, .code = MH_ASK_CHOICE, .arg = 1, .arg2 = 1,
       .text = words("Whose meter is it?\nMine\nYours")},
  };
  return act_all(sink, questions, 5);
}

static int32_t reading(mh_session *session, const mh_event *event, mh_bytes value, mh_sink *sink) {
  if (value.n == 1) return -(int32_t)value.p[0];
  if (value.n == 2) {
    session->left = u16(value.p);
    return put_out(session, sink);
  }
  int32_t status = put_packet(value, event->unix_us, event->kind == MH_EV_INDICATION ? 7 : 0, 0, sink);
  if (status != MH_OK) return status;
  return session->host->kv_set(session->host->ctx, session->peer, words("user/cursor"), bytes(value.p + 2, 2));
}

/* What is not told yet would be lost: no other event comes in between. */
static int32_t told(mh_session *session, const mh_event *event, mh_sink *sink) {
  tell(session, event);
  return put_out(session, sink);
}

static int32_t handle(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (!MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx) || event->seq == 0) return MH_E_ARG;
  if (event->kind == MH_EV_CONTINUE) return put_out(session, sink);
  if (session->n_facts > 0 || session->left > 0) return MH_E_ARG;
  mh_bytes data;
  switch (event->kind) {
    case MH_EV_SERVICES: return begin(session, event, sink);
    case MH_EV_SERVICE_CHANGED:
      return act(sink, (mh_action){.kind = MH_DO_UNSUBSCRIBE, .token = 4, .handle = session->handle});
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: return reading(session, event, event->value, sink);
    case MH_EV_ADVERTISEMENT:
      if (!mh_ad_find(event->value, MH_AD_SERVICE_DATA, SERVICE, &data)) return told(session, event, sink);
      return reading(session, event, data, sink);
    case MH_EV_READ: return event->status == 0 ? put_serial_number(event->value, sink) : told(session, event, sink);
    case MH_EV_TIMER: return ask(event, sink);
    case MH_EV_CANCEL: return act(sink, (mh_action){.kind = MH_DO_FINISH});
    case MH_EV_USER_INPUT: {
      mh_action fail = {.kind = MH_DO_FAIL, .code = (int32_t)event->token, .arg = 42, .text = words("not today")};
      return event->status == MH_E_DENIED ? act(sink, fail) : told(session, event, sink);
    }
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_MTU:
    case MH_EV_SUBSCRIBED:
    case MH_EV_WROTE:
    case MH_EV_DISCONNECTED: return told(session, event, sink);
    default: return MH_E_UNSUPPORTED;
  }
}

static int32_t twice(int64_t number, int64_t *out) {
  *out = number * 2;
  return MH_OK;
}

static const void *extension(const char *id) {
  return strcmp(id, "org.meterhost.frozen/1") == 0 ? (const void *)"here" : NULL;
}

static const mh_bluetooth table = {.struct_size = sizeof(mh_bluetooth), .open = open_session, .event = handle,
                                   .close = close_session, .decode = decode};
static const mh_extension_function functions[] = {{"twice", "i32(i64,out_i64)", (void (*)(void))twice}};
static const mh_driver driver = {
    .struct_size = sizeof(mh_driver), .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR,
    .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_CONNECT | MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE, .id = {"org.meterhost.frozen", 20},
    .version = {"1.0.0", 5}, .vendor = {"MeterHost", 9}, .bluetooth = &table, .functions = functions, .n_functions = 1,
    .extension = extension};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  if (!mh_host_fits(host)) {
    *why_not = mh_refusal();
    return MH_REFUSED;
  }
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
