/* A host of a few lines that does what the contract asks of a host when a bundle is older or newer than itself (rule R4):
 * it connects, sends what a later minor brings to those that know it, notifies once, and prints what comes of it. RUDE:
 * it sends the event of the later minor to everybody, which the contract forbids and a driver must survive. */
#include <meterhost/driver.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t capabilities_known = MH_CAP_CONNECT | MH_CAP_ADVERTISEMENT_ONLY | MH_CAP_DECODE
#ifdef MH_CAP_PHY
                                           | MH_CAP_PHY
#endif
    ;

static void print_log(void *ctx, int32_t level, mh_str message) {
  (void)ctx, (void)level;
  printf("log %.*s\n", (int)message.n, message.p);
}
static int32_t no_random(void *ctx, uint8_t *out, uint64_t n) {
  (void)ctx, (void)out, (void)n;
  return MH_E_DENIED;
}
static int32_t no_get(void *ctx, uint64_t peer, mh_str key, uint8_t *out, uint64_t *n) {
  (void)ctx, (void)peer, (void)key, (void)out, (void)n;
  return MH_E_NOT_FOUND;
}
static int32_t no_set(void *ctx, uint64_t peer, mh_str key, mh_bytes value) {
  (void)ctx, (void)peer, (void)key, (void)value;
  return MH_E_DENIED;
}
static int32_t no_asset(void *ctx, mh_str name, mh_bytes *out) {
  (void)ctx, (void)name, (void)out;
  return MH_E_NOT_FOUND;
}
static const void *no_extension(void *ctx, const char *id) {
  (void)ctx, (void)id;
  return NULL;
}
#ifdef MH_EV_PHY
static int64_t uptime(void *ctx) {
  (void)ctx;
  return 5;
}
#endif

static const mh_host host = {.struct_size = sizeof(mh_host),
                             .abi_major = MH_ABI_MAJOR,
                             .abi_minor = MH_ABI_MINOR,
                             .log = print_log,
                             .random = no_random,
                             .kv_get = no_get,
                             .kv_set = no_set,
                             .asset = no_asset,
#ifdef MH_EV_PHY
                             .uptime = uptime,
#endif
                             .extension = no_extension};

/* Reads a bundle's struct as far as both sides know it (rule R3). */
static void grown(void *out, const void *in, uint32_t size) {
  uint32_t theirs;
  memcpy(&theirs, in, sizeof theirs);
  memset(out, 0, size);
  memcpy(out, in, theirs < size ? theirs : size);
}

static int32_t act(void *ctx, const mh_action *given) {
  (void)ctx;
  mh_action action;
  grown(&action, given, (uint32_t)sizeof action);
  if (action.kind == MH_DO_READY) {
    printf("action ready\n");
    return MH_OK;
  }
#ifdef MH_DO_PHY
  if (action.kind == MH_DO_PHY) {
    printf("action phy %u\n", (unsigned)action.phy);
    return MH_OK;
  }
#endif
  printf("refused action %u\n", action.kind);
  return MH_E_UNSUPPORTED;
}

static mh_session *session;
static mh_bluetooth table;

static void send(mh_event event) {
  mh_record records[4];
  mh_value values[MH_SINK_VALUES_MIN];
  mh_text texts[MH_SINK_TEXTS_MIN];
  uint8_t arena[MH_SINK_ARENA_MIN];
  mh_sink sink = {.struct_size = sizeof sink, .records = records, .cap_records = 4, .values = values,
                  .cap_values = MH_SINK_VALUES_MIN, .texts = texts, .cap_texts = MH_SINK_TEXTS_MIN, .arena = arena,
                  .cap_arena = MH_SINK_ARENA_MIN, .act = act};
  static uint64_t sequence;
  event.struct_size = sizeof event;
  event.seq = ++sequence;
  int32_t status = table.event(session, &event, &sink);
  for (uint64_t i = 0; i < sink.n_records; i++)
    printf("record %lld\n", (long long)values[records[i].first_value].raw);
  if (status != MH_OK) printf("status %d\n", status);
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 65;
  int32_t (*entry)(const mh_host *, uint32_t, const mh_driver **, mh_str *);
  *(void **)&entry = dlsym(library, "mh_driver_entry");
  if (entry == NULL) return 66;
  const mh_driver *found = NULL;
  mh_str why = {NULL, 0};
  int32_t status = entry(&host, 0, &found, &why);
  if (status == MH_REFUSED) {
    printf("refused: %.*s\n", (int)why.n, why.p);
    return 1;
  }
  if (status != MH_OK) return 67;
  mh_driver driver;
  grown(&driver, found, (uint32_t)sizeof driver);
  if (driver.abi_major != MH_ABI_MAJOR) return 68;
  grown(&table, driver.bluetooth, (uint32_t)sizeof table);
  printf("capabilities %llu\n", (unsigned long long)(driver.capabilities & capabilities_known));
  mh_open opening = {.struct_size = sizeof opening, .purpose = MH_PURPOSE_READ, .since_us = INT64_MIN,
                     .until_us = INT64_MAX};
  status = table.open(&host, &opening, &session);
  if (status != MH_OK) return 69;
  send((mh_event){.kind = MH_EV_CONNECTED, .mtu = 23});
#ifdef RUDE
  send((mh_event){.kind = 40});
#elif defined(MH_EV_PHY)
  if (driver.abi_minor >= MH_ABI_MINOR) send((mh_event){.kind = MH_EV_PHY, .phy = 2});
#endif
  send((mh_event){.kind = MH_EV_NOTIFICATION, .handle = 3, .value = {(const uint8_t *)">", 1}});
  send((mh_event){.kind = MH_EV_DISCONNECTED});
  table.close(session);
  return 0;
}
