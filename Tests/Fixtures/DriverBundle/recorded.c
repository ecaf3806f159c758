/* A driver that asks its host for everything that a recording has to hold: random bytes, a readable key, a key by name, a
 * secret of its own. A notification's first byte says what happens. OTHER_BUILD: the same driver with another value.
 * CRASHES_WHEN_CONNECTED, ID: another driver, for a registry. */
#include <meterhost/driver.h>

#include <stdlib.h>
#include <string.h>

MH_DRIVER_NOTE

enum { SERVICES = 1, CRASH = 2, TOO_MUCH = 3, HANG = 4, MANY = 5, CHATTY = 6, MORE = 7, CRASH_AT_END = 8, REFUSE = 10 };

struct mh_session {
  uint64_t peer;
  uint32_t left;
  uint32_t crashes_at_end;
};

#ifndef ID
#define ID "recorded"
#endif

static const mh_host *services;

static mh_str words(const char *text) { return (mh_str){text, strlen(text)}; }

static int32_t open_session(const mh_host *host, const mh_open *opening, mh_session **out) {
  services = host;
  uint8_t seed[4];
  if (host->random(host->ctx, seed, sizeof seed) != MH_OK) return MH_E_DENIED;
  mh_session *session = calloc(1, sizeof *session);
  if (!session) return MH_E_MEMORY;
  session->peer = opening->peer;
  *out = session;
  return MH_OK;
}

static void close_session(mh_session *session) {
  if (session->crashes_at_end) *(volatile int *)8 = 1;
  free(session);
}

static int32_t put(mh_sink *sink, uint16_t field, const uint8_t *bytes, uint64_t count) {
  mh_record record = {.kind = MH_KIND_DIAGNOSTIC, .device_seq = MH_SEQ_NONE};
  mh_value value = {.metric = MH_METRIC_VENDOR, .unit = MH_UNIT_NONE, .value = field, .raw = field};
  return mh_sink_record(sink, &record, &value, 1, bytes, (uint32_t)count);
}

static int32_t ask(mh_session *session, mh_sink *sink) {
  const mh_host *h = services;
  uint8_t bytes[64];
  if (h->random(h->ctx, bytes, 16) == MH_OK) put(sink, 1, bytes, 16);
  put(sink, 2, (const uint8_t *)&session->peer, 8);
  uint64_t room = sizeof bytes;
  if (h->kv_get(h->ctx, session->peer, words("credential/readable"), bytes, &room) == MH_OK) put(sink, 3, bytes, room);
  const mh_crypto *crypto = h->extension(h->ctx, MH_EXT_CRYPTO);
  room = sizeof bytes;
  if (crypto->mac(crypto->ctx, session->peer, MH_MAC_HMAC_SHA256, words("credential/key"), (mh_bytes){bytes, 4}, bytes,
                  &room) == MH_OK)
    put(sink, 4, bytes, room);
  room = sizeof bytes;
  if (h->kv_get(h->ctx, session->peer, words("credential/key"), bytes, &room) == MH_OK) put(sink, 5, bytes, room);
  const uint8_t secret[] = "a secret of the driver", other[] = "another one with a mark";
  int32_t status = h->kv_set(h->ctx, session->peer, words("user/secret/own"), (mh_bytes){secret, sizeof secret - 1});
  if (status != MH_OK) return status;
  /* A letter that is one with the slash before it, to who compares letters. */
  return h->kv_set(h->ctx, session->peer, words("user/secret/\xcc\x81own"), (mh_bytes){other, sizeof other - 1});
}

static int32_t reading(mh_sink *sink, uint32_t number) {
  mh_record record = {.kind = MH_KIND_MEASUREMENT, .time_kind = MH_TIME_CIVIL, .ident_class = MH_IDENT_STORED};
  record.t_us = record.end_us = 1700000000000000 + (int64_t)number * 60000000;
  record.device_seq = number;
  record.utc_offset_s = MH_OFFSET_UNKNOWN;
#ifdef OTHER_BUILD
  const int64_t raw = 51;
#else
  const int64_t raw = 50;
#endif
  mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MMOL_PER_L, .exp10 = -1, .raw = raw};
  value.value = (double)raw / 10.0;
  return mh_sink_record(sink, &record, &value, 1, (const uint8_t *)&number, sizeof number);
}

static int32_t event(mh_session *session, const mh_event *event, mh_sink *sink) {
  if (event->kind == MH_EV_CONTINUE || event->kind == MH_EV_NOTIFICATION) {
    if (event->kind == MH_EV_NOTIFICATION && event->value.n > 0 && event->value.p[0] == MANY)
      session->left = MH_RECORDS_MAX;
    while (session->left > 0) {
      int32_t status = reading(sink, session->left);
      if (status != MH_OK) return status;
      session->left--;
    }
  }
#ifdef CRASHES_WHEN_CONNECTED
  if (event->kind == MH_EV_CONNECTED) *(volatile int *)8 = 1;
#endif
  if (event->kind != MH_EV_NOTIFICATION || event->value.n == 0) return MH_OK;
  switch (event->value.p[0]) {
    case SERVICES: return ask(session, sink);
    case CRASH: *(volatile int *)8 = 1; return MH_OK;
    case TOO_MUCH:
      for (int i = 0; i < 100; i++) mh_sink_act(sink, (mh_action){.kind = MH_DO_READ, .handle = 3});
      return MH_OK;
    case HANG:
      for (volatile int i = 0;;) i = i + 1;
    case MANY: return MH_OK;
    case CRASH_AT_END: session->crashes_at_end = 1; return MH_OK;
    case REFUSE: return MH_E_DENIED;
    case CHATTY:
      for (int i = 0; i < 150; i++) services->log(services->ctx, MH_LOG_INFO, words("a line"));
      return MH_OK;
#ifdef OTHER_BUILD
    case MORE: return ask(session, sink);
#endif
    default: return reading(sink, event->value.p[0]);
  }
}

static const mh_bluetooth table = {
    .struct_size = sizeof table, .open = open_session, .event = event, .close = close_session};

#ifdef CRASHES_WHEN_CONNECTED
static int32_t self_test(char *words, uint64_t *count) {
  (void)words, (void)count;
  abort();
}
static const mh_extension_function functions[] = {{"self_test", "i32(out_text)", (void (*)(void))self_test}};
#endif

static const mh_driver driver = {
    .struct_size = sizeof driver, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH,
    .capabilities = MH_CAP_CONNECT, .id = {ID, sizeof ID - 1}, .version = {"1.0.0", 5}, .vendor = {"tests", 5},
    .bluetooth = &table,
#ifdef CRASHES_WHEN_CONNECTED
    .functions = functions, .n_functions = 1,
#endif
};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
  services = host;
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
