/* A driver for an invented scale with a memory, for tests of the conformance suite. As it stands it keeps every rule; each
 * macro makes it break one; Tests/MeterConformanceTests says which check must find it. */
/* setenv */
#define _POSIX_C_SOURCE 200809L

#include <meterhost/driver.h>

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WEIGHT 0x2a9du
#ifndef BATTERY
#define BATTERY 0x2a19u
#endif
#define TEXT(literal) {literal, sizeof(literal) - 1}
#ifdef HAS
#undef HAS
#endif

MH_DRIVER_NOTE

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  uint16_t handle;
  uint16_t battery;
  /* What waits for room: the reading, and what is said about it. */
  uint32_t n_waiting;
  uint8_t waiting[16];
  uint32_t n_bytes;
  uint32_t has_ended;
#ifdef R6_KEEPS_NAME
  mh_str name;
#endif
#ifdef R25_CURSOR_AHEAD
  uint32_t is_done;
#endif
};

#ifdef R8_COUNTS
static uint32_t sessions;
#endif
#ifdef R14_REMEMBERS
static uint32_t decoded;
#endif
#ifdef R7_LEAKS
static void *volatile leak;
#endif
#ifdef R7_THREAD_LOCAL
static _Thread_local uint32_t opened_here;
#endif

static int64_t days_from_civil(int32_t year, int32_t month, int32_t day) {
  year -= month <= 2;
  int32_t era = year / 400;
  int32_t of_era = year - era * 400;
  int32_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Flags, weight in 5 g steps, and with flag bit 1 seven bytes of Date Time: year, month, day, hour, minute, second. */
static int32_t weight(mh_bytes bytes, mh_sink *sink) {
#ifdef R12_SHORT
  uint8_t enough[16] = {0};
  for (uint64_t i = 0; i < sizeof enough && i < bytes.n; i++) enough[i] = bytes.p[i];
  if (bytes.n == 0) return MH_E_PROTOCOL;
  bytes = (mh_bytes){enough, sizeof enough};
#endif
#ifdef R24_CRASHES
  if (bytes.n == 9) __builtin_trap();
#endif
#ifdef EXITS
  if (bytes.n == 9) _exit(EXITS);
#endif
  if (bytes.n < 3) return MH_E_PROTOCOL;
  uint16_t steps = (uint16_t)(bytes.p[1] | bytes.p[2] << 8);
  if ((bytes.p[0] & 1) != 0 || steps == 0xffff) return MH_E_NO_VALUE;
  mh_value value = {.metric = MH_METRIC_BODY_WEIGHT, .unit = MH_UNIT_KILOGRAM, .exp10 = -3, .raw = steps * 5};
  value.value = (double)value.raw / 1000.0;
#ifdef R12_VALUE
  value.value += 0.5;
#endif
#ifdef R12_UNIT
  value.unit = MH_UNIT_MMOL_PER_L;
#endif
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  uint8_t identity[9] = {0};
  uint16_t n_identity = 0;
  if ((bytes.p[0] & 2) != 0) {
#ifndef R6_READS_ON
    if (bytes.n < 10) return MH_E_PROTOCOL;
#endif
    const uint8_t *at = bytes.p + 3;
    int32_t year = at[0] | at[1] << 8;
    if (year < 1990 || year > 2200 || at[2] < 1 || at[2] > 12 || at[3] < 1 || at[3] > 31 || at[4] > 23 || at[5] > 59 ||
        at[6] > 59)
      return MH_E_PROTOCOL;
    int64_t seconds = days_from_civil(year, at[2], at[3]) * 86400 + at[4] * 3600 + at[5] * 60 + at[6];
    record.time_kind = MH_TIME_CIVIL;
    record.t_us = record.end_us = seconds * 1000000;
    record.ident_class = MH_IDENT_STORED;
    memcpy(identity, at, 7);
    identity[7] = bytes.p[1];
    identity[8] = bytes.p[2];
    n_identity = sizeof identity;
  }
#ifdef R8_COUNTS
  record.group = sessions;
#endif
#ifdef R8_CLOCK
  record.group = (uint32_t)(time(NULL) & 0xffff) | 1u;
#endif
  int32_t status = mh_sink_record(sink, &record, &value, 1, identity, n_identity);
#ifdef R13_DROPS
  if (status == MH_E_FULL && sink->n_records > 0) return MH_OK;
#endif
  return status;
}

static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  (void)opening;
#ifdef R14_OUTSIDE
  for (uint64_t i = 0; i < n; i++)
    if ((uint64_t)slices[i].off + slices[i].len > arena.n) slices[i].len = 0, slices[i].off = 0;
#endif
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    uint64_t before = sink->n_records;
    if ((uint64_t)slice->off + slice->len > arena.n) return MH_E_ARG;
    mh_bytes bytes = {arena.p == NULL ? NULL : arena.p + slice->off, slice->len};
#ifdef R14_FLAGS
    int known = slice->characteristic == WEIGHT;
#else
    int known = slice->characteristic == WEIGHT && slice->flags == 0;
#endif
    int32_t status = known ? weight(bytes, sink) : MH_E_UNSUPPORTED;
    if (status == MH_E_FULL) return MH_E_FULL;
    slice->status = status;
    slice->first_record = (uint32_t)before;
    slice->n_records = (uint32_t)(sink->n_records - before);
#ifdef R14_REMEMBERS
    if (slice->n_records > 0) sink->records[before].group = ++decoded;
#endif
  }
  return MH_OK;
}

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
#ifndef R9_ANY_PURPOSE
  if (opening->purpose < MH_PURPOSE_READ || opening->purpose > MH_PURPOSE_PASSIVE) return MH_E_UNSUPPORTED;
#endif
#ifdef R9_STRICT
  for (uint32_t i = 0; i < opening->n_params; i++)
    if (opening->params[i].name > MH_PARAM_SET_CLOCK) return MH_E_ARG;
#endif
#ifdef R3_COPIES
  mh_open copy;
  memcpy(&copy, opening, opening->struct_size);
  opening = &copy;
#endif
  mh_session *session = calloc(1, sizeof *session);
  if (session == NULL) return MH_E_MEMORY;
  session->host = host;
  session->peer = opening->peer;
#ifdef R6_KEEPS_NAME
  session->name = opening->name;
#endif
#ifdef R7_LEAKS
  leak = malloc(24);
#endif
#ifdef R7_ENVIRONMENT
  setenv("SCALE", "open", 1);
#endif
#ifdef R7_MASKS_SIGNALS
  /* Never: that the library could is enough. */
  if (opening->limit == 0xfffffffeu) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_BLOCK, &none, NULL);
  }
#endif
#ifdef R7_LOCALE
  setlocale(LC_ALL, "C.UTF-8");
#endif
#ifdef R7_PRINTS
  puts("a session begins");
#endif
#ifdef R7_OPENS_FILE
  FILE *file = fopen("/etc/hostname", "r");
  if (file != NULL) fclose(file);
#endif
#ifdef R7_THREAD_LOCAL
  opened_here = 1;
#endif
#ifdef R8_COUNTS
  sessions++;
#endif
#ifdef R5_TRUSTS
  const mh_crypto *crypto = host->extension(host->ctx, MH_EXT_CRYPTO);
  if (crypto->struct_size < 8) return MH_E_UNSUPPORTED;
#endif
#ifdef R25_CURSOR_AHEAD
  uint64_t n = 0;
  mh_str done = TEXT("user/done");
  session->is_done = host->kv_get(host->ctx, session->peer, done, NULL, &n) == MH_E_FULL;
#endif
#ifdef R23_TRUSTS
  uint8_t kept[4096];
  uint64_t room = sizeof kept;
  mh_str place = TEXT("user/last");
  if (host->kv_get(host->ctx, session->peer, place, kept, &room) == MH_OK && room != 9) __builtin_trap();
#endif
  *out = session;
  return MH_OK;
}

static int32_t act(mh_session *session, mh_sink *sink, mh_action action) {
  if (action.kind == MH_DO_FINISH || action.kind == MH_DO_FAIL) session->has_ended = 1;
  return mh_sink_act(sink, action);
}

static int32_t fail(mh_session *session, mh_sink *sink, int32_t code, const char *why) {
  return act(session, sink, (mh_action){.kind = MH_DO_FAIL, .code = code, .text = {why, strlen(why)}});
}

static int32_t on_services(mh_session *session, const mh_event *event, mh_sink *sink) {
  for (uint32_t i = 0; i < event->n_characteristics; i++) {
    uint32_t id = mh_uuid_short(&event->characteristics[i].uuid);
    if (id == WEIGHT) session->handle = event->characteristics[i].handle;
    if (id == BATTERY) session->battery = event->characteristics[i].handle;
  }
  if (session->handle == 0) return fail(session, sink, MH_FAIL_UNSUPPORTED_METER, "This is no scale.");
#ifdef R6_KEEPS_NAME
  volatile char first = session->name.n > 0 ? session->name.p[0] : 0;
  (void)first;
#endif
#ifdef R7_THREAD_LOCAL
  if (opened_here == 0) return fail(session, sink, MH_FAIL_METER_ERROR, "Another thread.");
#endif
#ifdef R22_READS_BATTERY
  if (session->battery != 0) {
    int32_t read = act(session, sink, (mh_action){.kind = MH_DO_READ, .token = 2, .handle = session->battery});
    if (read != MH_OK) return read;
  }
#endif
#ifdef R25_CURSOR_AHEAD
  /* "Everything has been read", before anything has. */
  mh_str done = TEXT("user/done");
  (void)session->host->kv_set(session->host->ctx, session->peer, done, (mh_bytes){(const uint8_t *)"1", 1});
#endif
  mh_action subscribe = {.kind = MH_DO_SUBSCRIBE, .token = 1, .handle = session->handle};
#ifdef R11_EXTRA_FIELD
  subscribe.arg = 7;
#endif
  return act(session, sink, subscribe);
}

static int32_t remember(mh_session *session, mh_bytes bytes) {
  mh_str key = TEXT("user/last");
#ifdef R23_NEEDS_ROOM
  if (session->host->kv_set(session->host->ctx, session->peer, key, bytes) != MH_OK) __builtin_trap();
#else
  /* Without room there is no cursor, and the next read brings the same again. */
  (void)session->host->kv_set(session->host->ctx, session->peer, key, bytes);
#endif
  return MH_OK;
}

/* The reading, and a fact of the protocol beside it: two records, so that a small sink is full in between. */
static int32_t drain(mh_session *session, mh_sink *sink) {
  if (session->n_waiting == 2) {
    int32_t status = weight((mh_bytes){session->waiting, session->n_bytes}, sink);
    if (status == MH_E_FULL) return status;
    if (status == MH_E_NO_VALUE || status == MH_E_PROTOCOL) {
      session->n_waiting = 0;
      return status == MH_E_PROTOCOL
                 ? status
                 : fail(session, sink, MH_FAIL_NO_READING, "The scale could not measure. Step on it again.");
    }
    (void)remember(session, (mh_bytes){session->waiting, 9});
    session->n_waiting = 1;
  }
  if (session->n_waiting == 1) {
    mh_record note = {.kind = MH_KIND_DIAGNOSTIC, .device_seq = MH_SEQ_NONE, .utc_offset_s = MH_OFFSET_UNKNOWN};
    int32_t status = mh_sink_record(sink, &note, NULL, 0, NULL, 0);
#ifdef R13_DROPS
    status = MH_OK;
#endif
    if (status != MH_OK) return status;
    session->n_waiting = 0;
  }
  return MH_OK;
}

static int32_t on_value(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (event->value.n > sizeof session->waiting || event->value.n == 0) return MH_E_PROTOCOL;
#ifdef R16_SLOW
  for (volatile uint64_t i = 0;; i++)
    if (i == UINT64_MAX) break;
#endif
#ifdef R24_WRITES_NULL
  if (event->value.n < 10) *(volatile uint8_t *)16 = 1;
#endif
#ifdef R25_CURSOR_AHEAD
  if (session->is_done) return MH_OK;
#endif
  memcpy(session->waiting, event->value.p, event->value.n);
  session->n_bytes = (uint32_t)event->value.n;
  session->n_waiting = 2;
  return drain(session, sink);
}

static int32_t on_end(mh_session *session, const mh_event *event, mh_sink *sink) {
#ifdef R25_ASKS_THE_DEAD
  if (session->handle != 0) {
    int32_t read = act(session, sink, (mh_action){.kind = MH_DO_READ, .token = 3, .handle = session->handle});
    if (read != MH_OK) return read;
  }
#endif
  (void)event;
  return act(session, sink, (mh_action){.kind = MH_DO_FINISH});
}

static int32_t on_event(mh_session *session, const mh_event *event, mh_sink *sink) {
#ifdef R3_READS_ON
  const volatile uint8_t *after = (const uint8_t *)event + event->struct_size;
  if (after[0] == 0x5a && after[1] == 0x5a) return MH_E_ARG;
#endif
  if (event->kind == MH_EV_CONTINUE) return drain(session, sink);
  if (session->has_ended) return MH_OK;
  switch (event->kind) {
    case MH_EV_SERVICES: return on_services(session, event, sink);
    case MH_EV_SUBSCRIBED:
      return event->status == 0 ? MH_OK
                                : fail(session, sink, MH_FAIL_NOT_PAIRED, "The scale wants to be paired first.");
    case MH_EV_NOTIFICATION:
    case MH_EV_INDICATION: return on_value(session, event, sink);
#ifdef R10_CANCEL_BREAKS
    case MH_EV_CANCEL: return 42;
#elif defined(IGNORES_CANCEL)
    case MH_EV_CANCEL: return MH_OK;
#else
    case MH_EV_CANCEL: return act(session, sink, (mh_action){.kind = MH_DO_FINISH});
#endif
    case MH_EV_DISCONNECTED: return on_end(session, event, sink);
    case MH_EV_CONNECTED:
    case MH_EV_ENCRYPTED:
    case MH_EV_SERVICE_CHANGED:
    case MH_EV_MTU:
    case MH_EV_READ:
    case MH_EV_WROTE:
    case MH_EV_TIMER:
    case MH_EV_ADVERTISEMENT:
    case MH_EV_USER_INPUT: return MH_OK;
#ifdef R10_ACTS_ON_UNKNOWN
    default: return act(session, sink, (mh_action){.kind = MH_DO_READY});
#else
    default: return MH_E_UNSUPPORTED;
#endif
  }
}

static void close_session(mh_session *session) { free(session); }

#ifdef R5_ANY_TABLE
static const void *extension(const char *id) {
  static const uint32_t table[4] = {16, 0, 0, 0};
  /* Those that a registry entry would have to name are another rule's. */
  static const char *const named[] = {"meterhost.ocr/1-draft", "meterhost.image/1-draft", "meterhost.conversation/1-draft",
                                      "meterhost.import/1-draft"};
  for (size_t i = 0; i < sizeof named / sizeof *named; ++i)
    if (strcmp(id, named[i]) == 0) return NULL;
  return table;
}
#endif

static const mh_bluetooth bluetooth = {
    .struct_size = sizeof(mh_bluetooth), .open = open_session, .event = on_event, .close = close_session, .decode = decode};

static const mh_driver driver = {.struct_size = sizeof(mh_driver),
                                 .abi_major = MH_ABI_MAJOR,
                                 .abi_minor = MH_ABI_MINOR,
                                 .layout_hash = MH_LAYOUT_HASH,
                                 .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE,
                                 .id = TEXT("org.example.conforming"),
                                 .version = TEXT("1.0.0"),
                                 .vendor = TEXT("Example"),
#ifdef R5_ANY_TABLE
                                 .extension = extension,
#endif
                                 .bluetooth = &bluetooth};

#ifdef TWO_DRIVERS
static const mh_driver second = {.struct_size = sizeof(mh_driver),
                                 .abi_major = MH_ABI_MAJOR,
                                 .abi_minor = MH_ABI_MINOR,
                                 .layout_hash = MH_LAYOUT_HASH,
                                 .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE,
                                 .id = TEXT("org.example.second"),
                                 .version = TEXT("1.0.0"),
                                 .vendor = TEXT("Example"),
                                 .bluetooth = &bluetooth};
#endif

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
#ifdef R4_THIS_MINOR_ONLY
  if (host->abi_minor != MH_ABI_MINOR) {
    *why_not = mh_refusal();
    return MH_REFUSED;
  }
#endif
#ifndef R4_ANY_MAJOR
  if (!mh_host_fits(host)) {
    *why_not = mh_refusal();
    return MH_REFUSED;
  }
#else
  (void)host, (void)why_not;
#endif
#ifdef R1_WRAPS
  if (index == 64) index = 0;
#endif
#ifdef R7_ASKS_AT_ENTRY
  uint8_t chance[4];
  (void)host->random(host->ctx, chance, sizeof chance);
#endif
#ifdef R7_CRYPTO_AT_ENTRY
  const mh_crypto *crypto = host->extension(host->ctx, MH_EXT_CRYPTO);
  uint8_t digest[32];
  if (crypto != NULL) (void)crypto->sha256(crypto->ctx, (mh_bytes){(const uint8_t *)"a", 1}, digest);
#endif
#ifdef LOGS_AT_ENTRY
  mh_str line = TEXT("the bundle is loaded");
  host->log(host->ctx, MH_LOG_INFO, line);
  (void)host->extension(host->ctx, MH_EXT_CRYPTO);
#endif
#ifdef TWO_DRIVERS
  if (index == 1) {
    *out = &second;
    return MH_OK;
  }
#endif
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
