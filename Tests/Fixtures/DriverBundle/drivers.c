/* Drivers that behave and misbehave, for tests of the host. Compiled by the tests with different macros:
 * OTHER_MAJOR, OTHER_MINOR, OTHER_LAYOUT, SMALL_DRIVER, SMALL_TABLE, GROWN_TABLES, NO_NOTE, NO_DRIVER, REFUSES,
 * CRASHES_AT_ENTRY. */
#include <meterhost/driver.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NO_NOTE
MH_DRIVER_NOTE
#endif

static const mh_host *services;

struct mh_session {
  uint64_t peer;
  uint32_t left, next;
};

static mh_str words(const char *text) { return (mh_str){text, strlen(text)}; }

static int32_t reading(mh_sink *sink, uint32_t number, uint8_t raw, uint64_t sequence) {
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .time_kind = MH_TIME_CIVIL, .ident_class = MH_IDENT_STORED};
  record.t_us = record.end_us = 1700000000000000 + (int64_t)number * 60000000;
  record.device_seq = sequence;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
  mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MMOL_PER_L, .exp10 = -1, .raw = raw};
  value.value = raw / 10.0;
  return mh_sink_record(sink, &record, &value, 1, (const uint8_t *)&number, sizeof number);
}

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  services = host;
  mh_session *session = calloc(1, sizeof *session);
  if (!session) return MH_E_MEMORY;
  session->peer = opening->peer;
  *out = session;
  return MH_OK;
}

static int32_t refuse(const mh_host *host, const mh_open *opening, mh_session **out) {
  (void)host, (void)opening, (void)out;
  return MH_E_UNSUPPORTED;
}

static void close_session(mh_session *session) { free(session); }

static int is_notification(const mh_event *event) { return event->kind == MH_EV_NOTIFICATION; }

/* Behaves: subscribes, makes a reading of each notification, remembers the last, finishes on an indication. */
static int32_t good(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (event->kind == MH_EV_SERVICES)
    for (uint32_t i = 0; i < event->n_characteristics; i++) {
      mh_action subscribe = {.kind = MH_DO_SUBSCRIBE, .token = i + 1, .handle = event->characteristics[i].handle};
      int32_t status = mh_sink_act(sink, subscribe);
      if (status != MH_OK) return status;
    }
  if (event->kind == MH_EV_INDICATION) return mh_sink_act(sink, (mh_action){.kind = MH_DO_FINISH});
  if (!is_notification(event)) return MH_OK;
  if (event->value.n == 0) return MH_E_PROTOCOL;
  services->log(services->ctx, MH_LOG_INFO, words("one notification"));
  int32_t status = services->kv_set(services->ctx, session->peer, words("user/cursor"), event->value);
  if (status != MH_OK) return status;
  status = reading(sink, (uint32_t)event->seq, event->value.p[0], event->seq);
  if (status != MH_OK) return status;
  return mh_sink_text(sink, MH_METRIC_NOTE, words("n\xc3\xbc" "chtern"));
}

static int32_t crash(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session, (void)sink;
  if (is_notification(event)) *(volatile int *)8 = 1;
  return MH_OK;
}

static int32_t spin(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session, (void)sink;
  for (volatile int i = 0; is_notification(event);) i = i + 1;
  return MH_OK;
}

static int32_t block(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session, (void)sink;
  while (is_notification(event)) pause();
  return MH_OK;
}

static int32_t leave(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session, (void)sink;
  if (is_notification(event)) exit(7);
  return MH_OK;
}

/* The notification's first byte says which lie to tell. */
static int32_t garbage(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session;
  if (!is_notification(event) || event->value.n == 0) return MH_OK;
  reading(sink, 1, 50, 1);
  mh_sink_text(sink, MH_METRIC_NOTE, words("text"));
  mh_record *record = &sink->records[0];
  mh_value *value = &sink->values[0];
  mh_text *text = &sink->texts[0];
  static const uint8_t long_value[600];
  mh_action action = {.kind = MH_DO_WRITE, .handle = 3};
  switch (event->value.p[0]) {
    case 0: record->ident_off = 0xffffffff; break;
    case 1: record->n_values = 2; break;
    case 2: sink->arena[text->off] = 0xff; break;
    case 3: record->kind = 99; break;
    case 4: value->value = __builtin_nan(""); break;
    case 5: value->value = 5.1; break;
    case 6: record->end_us = record->t_us - 1; break;
    case 7: value->qualifier = 4; break;
    case 8: sink->n_records = sink->cap_records + 1; break;
    case 9: return 17;
    case 10: action.kind = 77; mh_sink_act(sink, action); break;
    case 11: action.value = (mh_bytes){long_value, sizeof long_value}; mh_sink_act(sink, action); break;
    case 12: record->flags = 0x80000000; break;
    case 13: record->ident_len = 0; break;
    case 14: action.handle = 0; mh_sink_act(sink, action); break;
    case 15: text->len = 0xffffffff; break;
    case 16: record->first_value = 0xffffffff; break;
    case 17: record->time_kind = 4; break;
    case 18: record->ident_class = 0; break;
    case 19: value->metric = 0; break;
    case 20: sink->n_arena = UINT64_MAX; break;
    case 21: record->t_us = record->end_us = INT64_MAX; break;
    case 22: sink->n_values = 0; break;
    case 23: text->field = 0; break;
    case 24: record->first_text = 7; break;
    default: break;
  }
  return MH_OK;
}

static int32_t flood(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session;
  for (uint64_t i = 0; is_notification(event) && i < 100; i++)
    mh_sink_act(sink, (mh_action){.kind = MH_DO_TIMER, .token = i, .arg = 1000});
  return MH_OK;
}

/* As many records as the notification's first two bytes say, over as many rounds as it takes. */
static int32_t many(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (is_notification(event)) {
    session->left = event->value.p[0] | (uint32_t)event->value.p[1] << 8;
    session->next = 0;
  }
  while (session->left > 0) {
    int32_t status = reading(sink, session->next, (uint8_t)session->next, session->next);
    if (status != MH_OK) return status;
    session->next++;
    session->left--;
  }
  return MH_OK;
}

static int32_t stuck(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session, (void)event, (void)sink;
  return MH_E_FULL;
}

/* One record, whose values are the statuses of what it tried with storage. */
static int32_t storing(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (!is_notification(event)) return MH_OK;
  uint8_t buffer[16], big[5000] = {1};
  uint64_t room = sizeof buffer;
  const mh_host *h = services;
  int32_t results[8];
  results[0] = h->kv_get(h->ctx, session->peer, words("user/preloaded"), buffer, &room);
  results[1] = h->kv_set(h->ctx, session->peer, words("user/mine"), (mh_bytes){big, 3});
  room = sizeof buffer;
  results[2] = h->kv_get(h->ctx, session->peer, words("user/mine"), buffer, &room) ? -100 : (int32_t)room;
  room = 1;
  results[3] = h->kv_get(h->ctx, session->peer, words("user/mine"), buffer, &room);
  results[4] = h->kv_set(h->ctx, session->peer, words("other/mine"), (mh_bytes){big, 3});
  results[5] = h->kv_set(h->ctx, session->peer, words("user/big"), (mh_bytes){big, sizeof big});
  results[6] = h->kv_get(h->ctx, session->peer + 1, words("user/mine"), buffer, &room);
  h->kv_set(h->ctx, session->peer, words("user/preloaded"), (mh_bytes){NULL, 0});
  results[7] = h->kv_get(h->ctx, session->peer, words("user/preloaded"), buffer, &room);
  mh_value values[8];
  for (int i = 0; i < 8; i++)
    values[i] = (mh_value){.metric = MH_METRIC_VENDOR, .unit = MH_UNIT_NONE, .value = results[i], .raw = results[i]};
  mh_record record = {.kind = MH_KIND_DIAGNOSTIC, .device_seq = MH_SEQ_NONE};
  return mh_sink_record(sink, &record, values, 8, NULL, 0);
}

static void *outside(void *result) {
  uint8_t byte;
  *(int32_t *)result = services->random(services->ctx, &byte, 1);
  return NULL;
}

/* Host services inside the call, and on a thread of its own, where they must be denied. */
static int32_t threaded(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session;
  if (!is_notification(event)) return MH_OK;
  uint8_t byte;
  int32_t results[2] = {services->random(services->ctx, &byte, 1), 0};
  pthread_t thread;
  if (pthread_create(&thread, NULL, outside, &results[1])) return MH_E_MEMORY;
  pthread_join(thread, NULL);
  mh_value values[2];
  for (int i = 0; i < 2; i++)
    values[i] = (mh_value){.metric = MH_METRIC_VENDOR, .unit = MH_UNIT_NONE, .value = results[i], .raw = results[i]};
  mh_record record = {.kind = MH_KIND_DIAGNOSTIC, .device_seq = MH_SEQ_NONE};
  return mh_sink_record(sink, &record, values, 2, NULL, 0);
}

static int32_t chatty(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session, (void)sink;
  for (int i = 0; is_notification(event) && i < 200; i++)
    services->log(services->ctx, MH_LOG_WARNING, words("two\nlines \xff"));
  return MH_OK;
}

static int32_t failing(mh_session *session, const mh_event *event, mh_sink *sink) {
  (void)session;
  if (event->kind == MH_EV_DISCONNECTED) return mh_sink_act(sink, (mh_action){.kind = MH_DO_READ, .handle = 3});
  return mh_sink_act(
      sink, (mh_action){.kind = MH_DO_FAIL, .code = MH_FAIL_METER_ERROR, .arg = 42, .text = words("Err 4")});
}

/* One reading a value; empty: no value; 0xff: not the protocol. */
static int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                      uint64_t *n_done) {
  (void)opening;
  for (*n_done = 0; *n_done < n; ++*n_done) {
    mh_slice *slice = &slices[*n_done];
    slice->first_record = (uint32_t)sink->n_records;
    slice->n_records = 0;
    slice->status = slice->len == 0 ? MH_E_NO_VALUE : arena.p[slice->off] == 0xff ? MH_E_PROTOCOL : MH_OK;
    if (slice->status != MH_OK) continue;
    int32_t status = reading(sink, (uint32_t)slice->t_us, arena.p[slice->off], MH_SEQ_NONE);
    if (status != MH_OK) return status;
    slice->n_records = 1;
  }
  return MH_OK;
}

static int32_t decode_lies(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink,
                           uint64_t *n_done) {
  int32_t status = decode(opening, arena, slices, n, sink, n_done);
  if (arena.n > 0 && arena.p[0] == 1) slices[0].first_record = 1;
  if (arena.n > 0 && arena.p[0] == 2) slices[0].n_records = 4000000000u;
  if (arena.n > 0 && arena.p[0] == 3) slices[0].status = 5;
  if (arena.n > 0 && arena.p[0] == 4) *n_done += 1;
  if (arena.n > 0 && arena.p[0] == 5) sink->n_records += 1;
  if (arena.n > 0 && arena.p[0] == 6) status = MH_E_ARG;
  if (arena.n > 0 && arena.p[0] == 7) *(volatile int *)8 = 1;
  return status;
}

#ifdef OTHER_MAJOR
#define MAJOR 7u
#else
#define MAJOR MH_ABI_MAJOR
#endif
#ifdef OTHER_MINOR
#define MINOR 9u
#else
#define MINOR MH_ABI_MINOR
#endif
#ifdef OTHER_LAYOUT
#define LAYOUT 1u
#else
#define LAYOUT MH_LAYOUT_HASH
#endif

/* How far the tables go, beside what this header says (R3). */
#ifdef SMALL_DRIVER
#define DRIVER_SIZE (uint32_t)(sizeof(mh_driver) - 8)
#elif defined(GROWN_TABLES)
#define DRIVER_SIZE (uint32_t)(sizeof(mh_driver) + 64)
#else
#define DRIVER_SIZE (uint32_t)sizeof(mh_driver)
#endif
#ifdef SMALL_TABLE
#define TABLE_SIZE (uint32_t)(sizeof(mh_bluetooth) - 8)
#elif defined(GROWN_TABLES)
#define TABLE_SIZE (uint32_t)(sizeof(mh_bluetooth) + 64)
#else
#define TABLE_SIZE (uint32_t)sizeof(mh_bluetooth)
#endif

#define TABLE(name, opener, handler, decoder)                                                                          \
  static const mh_bluetooth name##_table = {                                                                           \
      .struct_size = TABLE_SIZE, .open = opener, .event = handler, .close = close_session, .decode = decoder};
#define DRIVER(name)                                                                                                   \
  {                                                                                                                    \
      .struct_size = DRIVER_SIZE, .abi_major = MAJOR, .abi_minor = MINOR, .layout_hash = LAYOUT,                \
      .capabilities = MH_CAP_CONNECT | MH_CAP_DECODE, .id = {#name, sizeof #name - 1}, .version = {"1.0.0", 5},        \
      .vendor = {"tests", 5}, .bluetooth = &name##_table,                                                              \
  }

TABLE(good, open_session, good, decode)
TABLE(crash, open_session, crash, decode)
TABLE(spin, open_session, spin, decode)
TABLE(block, open_session, block, decode)
TABLE(leave, open_session, leave, decode)
TABLE(garbage, open_session, garbage, decode_lies)
TABLE(flood, open_session, flood, decode)
TABLE(many, open_session, many, decode)
TABLE(stuck, open_session, stuck, decode)
TABLE(storing, open_session, storing, decode)
TABLE(threaded, open_session, threaded, decode)
TABLE(chatty, open_session, chatty, decode)
TABLE(failing, open_session, failing, decode)
TABLE(refuse, refuse, good, decode)

static const mh_driver drivers[] = {
    DRIVER(good),  DRIVER(crash), DRIVER(spin),    DRIVER(block),    DRIVER(leave),  DRIVER(garbage), DRIVER(flood),
    DRIVER(many),  DRIVER(stuck), DRIVER(storing), DRIVER(threaded), DRIVER(chatty), DRIVER(failing), DRIVER(refuse),
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  services = host;
#ifdef CRASHES_AT_ENTRY
  abort();
#endif
#ifdef REFUSES
  *why_not = words("not on a Monday");
  return MH_REFUSED;
#endif
  (void)why_not;
#ifdef NO_DRIVER
  return MH_END;
#endif
  if (index >= sizeof drivers / sizeof drivers[0]) return MH_END;
  *out = &drivers[index];
  return MH_OK;
}
