/* A driver that uses all that the contract offers: every table, event, action and field. A copy of it is kept beside
 * the headers of every frozen version, and today's host must run each copy as it ran the first (rule R4).
 *
 * Its meter speaks packets of 10 bytes, numbers little-endian: flags (1 has a note, 2 control solution, 4 provisional,
 * 8 clock suspect, 16 held, 32 tombstone, 64 above range), sequence (2), seconds of civil time since 1970 (4), mantissa
 * (2), exponent (1). */
#include <meterhost/driver.h>

#include <stdlib.h>
#include <string.h>

MH_DRIVER_NOTE

#define PACKET 10u
#define CHARACTERISTIC 0x2a18u
#define VALUES 18u

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  uint64_t left;
  uint16_t mtu, handle, indicating;
  int32_t security;
  int64_t opening[VALUES];
  char names[128];
  uint64_t names_len;
};

static mh_str words(const char *text) { return (mh_str){text, strlen(text)}; }
static mh_bytes bytes(const void *p, uint64_t n) { return (mh_bytes){p, n}; }
static uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t u32(const uint8_t *p) { return u16(p) | (uint32_t)u16(p + 2) << 16; }

static double scaled(int64_t raw, int exponent) {
  double value = (double)raw;
  for (; exponent > 0; exponent--) value *= 10;
  double divisor = 1;
  for (; exponent < 0; exponent++) divisor *= 10;
  return value / divisor;
}

/* One packet as a record. The sink is unchanged unless it is MH_OK. */
static int32_t packet(mh_bytes packet, int64_t arrival, uint32_t group, mh_sink *sink) {
  if (packet.n != PACKET) return MH_E_PROTOCOL;
  const uint8_t *p = packet.p;
  int exponent = (int8_t)p[9];
  int64_t raw = (int16_t)u16(p + 7);
  if (raw < 0 || exponent < -9 || exponent > 9) return MH_E_NO_VALUE;
  static const uint32_t flags[] = {0, MH_REC_CONTROL, MH_REC_PROVISIONAL, MH_REC_CLOCK_SUSPECT, MH_REC_HELD,
                                   MH_REC_TOMBSTONE};
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .device_user = 1, .time_kind = MH_TIME_CIVIL_OFFSET};
  for (unsigned i = 1; i < 6; i++)
    if (p[0] & 1u << i) record.flags |= flags[i];
  record.t_us = record.end_us = (int64_t)u32(p + 3) * 1000000;
  if (u32(p + 3) == 0) {
    record.time_kind = MH_TIME_UTC;
    record.t_us = record.end_us = arrival;
  }
  record.device_seq = u16(p + 1);
  record.utc_offset_s = record.time_kind == MH_TIME_UTC ? 0 : 3600;
  record.group = group;
  record.ident_class = MH_IDENT_STORED;
  mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MMOL_PER_L, .raw = raw};
  value.exp10 = (int8_t)exponent;
  value.qualifier = p[0] & 64u ? MH_QUAL_ABOVE : MH_QUAL_EXACT;
  value.value = scaled(raw, exponent);
  mh_sink before = *sink;
  int32_t status = mh_sink_record(sink, &record, &value, 1, p + 1, PACKET - 1);
  if (status == MH_OK && p[0] & 1u) status = mh_sink_text(sink, MH_METRIC_NOTE, words("before breakfast"));
  if (status != MH_OK) *sink = before;
  return status;
}

/* A protocol fact for the test: numbers, and a text when there is one. */
static int32_t fact(mh_sink *sink, const int64_t *numbers, uint16_t n, mh_str text) {
  mh_value values[VALUES];
  memset(values, 0, sizeof values);
  for (uint16_t i = 0; i < n; i++) {
    values[i].metric = (uint16_t)(MH_METRIC_VENDOR + i);
    values[i].unit = MH_UNIT_NONE;
    values[i].raw = numbers[i];
    values[i].value = (double)numbers[i];
  }
  mh_record record = {.kind = MH_KIND_DIAGNOSTIC, .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN};
  int32_t status = mh_sink_record(sink, &record, values, n, NULL, 0);
  return status == MH_OK && text.n > 0 ? mh_sink_text(sink, MH_METRIC_NOTE, text) : status;
}

static void keep(mh_session *session, const void *p, uint64_t n) {
  if (n > sizeof session->names - session->names_len - 1) n = sizeof session->names - session->names_len - 1;
  memcpy(session->names + session->names_len, p, n);
  session->names_len += n;
  session->names[session->names_len++] = '|';
}

/* Keeps every field of the opening, to be told in the first unit. */
static int32_t open_session(const mh_host *host, const mh_open *o, mh_session **out) {
  if (!MH_HAS(o, params)) return MH_E_ARG;
  if (o->purpose == MH_PURPOSE_IMPORT || o->purpose == MH_PURPOSE_OCR) return MH_E_UNSUPPORTED;
  mh_session *session = calloc(1, sizeof *session);
  if (!session) return MH_E_MEMORY;
  session->host = host;
  session->peer = o->peer;
  session->security = o->security;
  session->handle = 1;
  int64_t given[VALUES] = {o->peripheral_id, o->purpose, o->clock_trust, o->peer != 0, o->unix_us,
                           o->since_us == INT64_MIN, o->until_us == INT64_MAX, o->utc_offset_s, o->limit,
                           o->address[0], o->address[5], o->address_type, o->security, o->n_params};
  for (uint32_t i = 0; i < o->n_params; i++) {
    const mh_param *parameter = &o->params[i];
    if (parameter->type == MH_PARAM_TYPE_INTEGER) given[14] += parameter->i;
    if (parameter->type == MH_PARAM_TYPE_FLOAT) given[15] += (int64_t)(parameter->f * 4);
    if (parameter->type == MH_PARAM_TYPE_BYTES) given[16] += (int64_t)parameter->b.n;
    if (parameter->type == MH_PARAM_TYPE_TEXT) keep(session, parameter->b.p, parameter->b.n);
    given[17] += parameter->name;
  }
  memcpy(session->opening, given, sizeof given);
  keep(session, o->manufacturer.p, o->manufacturer.n);
  keep(session, o->model.p, o->model.n);
  keep(session, o->name.p, o->name.n);
  keep(session, o->advertised_name.p, o->advertised_name.n);
  keep(session, o->advertisement.p, o->advertisement.n);
  *out = session;
  return MH_OK;
}

static void close_session(mh_session *session) { free(session); }

/* Every service of the host once; the numbers are what they answered. */
static int32_t services(mh_session *session, mh_sink *sink) {
  const mh_host *host = session->host;
  uint8_t buffer[64];
  uint64_t room = sizeof buffer, small = 1;
  mh_bytes asset = {NULL, 0};
  int64_t numbers[8] = {0};
  host->log(host->ctx, MH_LOG_INFO, words("all services"));
  numbers[0] = host->random(host->ctx, buffer, sizeof buffer);
  numbers[1] = host->kv_set(host->ctx, session->peer, words("meter/fact"), bytes("abc", 3));
  numbers[2] = host->kv_get(host->ctx, session->peer, words("meter/fact"), buffer, &room);
  numbers[3] = (int64_t)room;
  numbers[4] = host->kv_get(host->ctx, session->peer, words("meter/fact"), buffer, &small);
  numbers[5] = host->kv_get(host->ctx, session->peer, words("user/none"), buffer, &room);
  numbers[6] = host->asset(host->ctx, words("none"), &asset);
  const mh_crypto *crypto = host->extension(host->ctx, MH_EXT_CRYPTO);
  uint8_t digest[32] = {0xba};
  if (crypto && MH_HAS(crypto, sha256)) crypto->sha256(crypto->ctx, bytes("abc", 3), digest);
  numbers[7] = host->extension(host->ctx, "org.example.none/1") == NULL && digest[0] == 0xba;
  return fact(sink, numbers, 8, words("services"));
}

static int32_t act(mh_sink *sink, mh_action action) { return mh_sink_act(sink, action); }

/* Subscribes, reads and writes as the properties allow, and asks for everything that a driver may ask for. */
static int32_t begin(mh_session *session, const mh_event *event, mh_sink *sink) {
  int32_t status = fact(sink, session->opening, VALUES, (mh_str){session->names, session->names_len});
  if (status == MH_OK) status = services(session, sink);
  for (uint32_t i = 0; i < event->n_characteristics && status == MH_OK; i++) {
    const mh_characteristic *c = &event->characteristics[i];
    if (c->service_index >= event->n_services) return MH_E_ARG;
    if (event->services[c->service_index].first_handle > c->handle) return MH_E_ARG;
    if (mh_uuid_short(&c->uuid) != CHARACTERISTIC + i) return MH_E_ARG;
    mh_action action = {.token = 100u + i, .handle = c->handle};
    if (c->properties & (MH_PROP_NOTIFY | MH_PROP_INDICATE))
      action.kind = MH_DO_SUBSCRIBE;
    else if (c->properties & MH_PROP_READ)
      action.kind = MH_DO_READ;
    else if (c->properties & MH_PROP_WRITE)
      action.kind = MH_DO_WRITE;
    else
      action.kind = MH_DO_WRITE_NO_RESPONSE;
    if (c->properties & (MH_PROP_WRITE | MH_PROP_WRITE_NO_RESPONSE)) action.value = bytes("\1\2", 2);
    status = act(sink, action);
    if (c->properties & MH_PROP_INDICATE) session->indicating = c->handle;
    session->handle = c->handle;
  }
  if (status == MH_OK) status = act(sink, (mh_action){.kind = MH_DO_MTU, .token = 1, .arg = 247});
  mh_action pair = {.kind = MH_DO_PAIR, .token = 2, .flags = MH_PAIR_BOND | MH_PAIR_MITM};
  if (status == MH_OK) status = act(sink, pair);
  if (status == MH_OK) status = act(sink, (mh_action){.kind = MH_DO_TIMER, .token = 3, .arg = 5000000000});
  if (status == MH_OK) status = act(sink, (mh_action){.kind = MH_DO_READY});
  return status == MH_OK ? act(sink, (mh_action){.kind = MH_DO_PROGRESS, .arg = 1, .arg2 = 4}) : status;
}

/* A flood of records in one unit: as many as `left` says, over as many rounds as the sink needs (rule R13). */
static int32_t flood(mh_session *session, mh_sink *sink) {
  for (; session->left > 0; session->left--) {
    uint8_t raw[PACKET] = {0, (uint8_t)session->left, (uint8_t)(session->left >> 8), 1, 0, 0, 0, 55, 0, 0xff};
    int32_t status = packet(bytes(raw, PACKET), 0, 0, sink);
    if (status != MH_OK) return status;
  }
  return MH_OK;
}

static int32_t reading(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (event->value.n == 2) {
    session->left = u16(event->value.p);
    return flood(session, sink);
  }
  int32_t status = packet(event->value, event->unix_us, event->kind == MH_EV_INDICATION ? 7 : 0, sink);
  if (status != MH_OK) return status;
  return session->host->kv_set(session->host->ctx, session->peer, words("user/cursor"), bytes(event->value.p + 1, 2));
}

/* The serial number, from a read that was answered. */
static int32_t device(const mh_event *event, mh_sink *sink) {
  mh_record record = {.kind = MH_KIND_DEVICE_INFO, .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN};
  int32_t status = mh_sink_record(sink, &record, NULL, 0, NULL, 0);
  if (status != MH_OK) return status;
  return mh_sink_text(sink, MH_METRIC_SERIAL_NUMBER, (mh_str){(const char *)event->value.p, event->value.n});
}

static int32_t told(const mh_event *event, mh_sink *sink) {
  int64_t numbers[6] = {event->kind, (int64_t)event->token, event->status, event->handle, event->mtu,
                        (int64_t)event->value.n};
  return fact(sink, numbers, 6, (mh_str){NULL, 0});
}

static int32_t handle(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (!MH_HAS(event, n_characteristics) || !MH_HAS(sink, ctx) || event->seq == 0) return MH_E_ARG;
  switch (event->kind) {
    case MH_EV_CONNECTED: session->mtu = event->mtu; return told(event, sink);
    case MH_EV_ENCRYPTED: session->security = event->status; return told(event, sink);
    case MH_EV_SERVICES: return begin(session, event, sink);
    case MH_EV_SERVICE_CHANGED:
      return act(sink, (mh_action){.kind = MH_DO_UNSUBSCRIBE, .token = 4, .handle = session->handle});
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: return reading(session, event, sink);
    case MH_EV_READ: return event->status == 0 ? device(event, sink) : told(event, sink);
    case MH_EV_TIMER: {
      int32_t status = act(sink, (mh_action){.kind = MH_DO_CANCEL_TIMER, .token = event->token});
      if (status != MH_OK) return status;
      mh_action ask = {.kind = MH_DO_ASK_USER, .token = 9, .code = MH_ASK_PASSKEY, .flags = MH_ASK_SECRET, .arg = 6};
      ask.arg2 = 6;
      ask.text = words("The number on the meter?");
      ask.value = bytes("meter/secret/pin", 16);
      return act(sink, ask);
    }
    case MH_EV_ADVERTISEMENT: return reading(session, event, sink);
    case MH_EV_CANCEL: return act(sink, (mh_action){.kind = MH_DO_FINISH});
    case MH_EV_USER_INPUT: {
      mh_action fail = {.kind = MH_DO_FAIL, .code = MH_FAIL_KEY_WRONG, .arg = 42, .text = words("not today")};
      return event->status == MH_OK ? told(event, sink) : act(sink, fail);
    }
    case MH_EV_CONTINUE: return flood(session, sink);
    case MH_EV_MTU:
    case MH_EV_SUBSCRIBED:
    case MH_EV_WROTE:
    case MH_EV_DISCONNECTED: return told(event, sink);
    default: return MH_E_UNSUPPORTED;
  }
}

static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    slice->first_record = (uint32_t)sink->n_records;
    slice->n_records = 0;
    slice->status = MH_E_UNSUPPORTED;
    if (slice->off > arena.n || slice->len > arena.n - slice->off) return MH_E_ARG;
    if (slice->characteristic == CHARACTERISTIC)
      slice->status = packet(bytes(arena.p + slice->off, slice->len), slice->t_us, opening->peripheral_id, sink);
    if (slice->status == MH_E_FULL) return MH_E_FULL;
    slice->n_records = slice->status == MH_OK;
  }
  return MH_OK;
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
