/* A host of a few hundred lines that knows the contract as it is in the headers beside it and nothing else. A copy of
 * it is kept with every frozen version, and today's bundles must run under each copy (rule R4).
 *
 * Usage: host BUNDLE < SCRIPT. The bundle's tables are printed first, then what each line of the script brings about:
 *   decode PERIPHERAL ID HEX      id: characteristic, four hex digits
 *   open PURPOSE [peripheral=N] [param=NAME:INTEGER] ...
 *   services ID HANDLE:PROPERTIES:ID ...
 *   event KIND [handle=N] [token=N] [status=N] [mtu=N] [hex=HEX]
 *   close
 * Records, values, texts, actions, writes and the status come back, one line each. Exit 0 unless the bundle is refused
 * or breaks the contract. */
#include <meterhost/driver.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 4u
#define VALUES 64u
#define TEXTS 16u
#define ARENA 1024u
#define KEYS 16u
#define PEER 7u

static struct {
  char name[MH_KEY_MAX + 1];
  uint8_t value[MH_VALUE_MAX];
  uint64_t n;
} keys[KEYS];

static mh_record records[RECORDS];
static mh_value values[VALUES];
static mh_text texts[TEXTS];
static uint8_t arena[ARENA];
static uint32_t n_actions;

static _Noreturn void broken(const char *what) {
  printf("broken %s\n", what);
  exit(1);
}

static void print_hex(const uint8_t *p, uint64_t n) {
  if (n == 0) printf("-");
  for (uint64_t i = 0; i < n; i++) printf("%02x", p[i]);
}

static uint64_t read_hex(const char *text, uint8_t *out, uint64_t room) {
  uint64_t n = 0;
  unsigned byte;
  for (; n < room && sscanf(text, "%2x", &byte) == 1; text += 2) out[n++] = (uint8_t)byte;
  return n;
}

/* The slot of a key, or a free one when `make`; -1 without either. */
static int slot(mh_str key, int make) {
  for (int i = 0; i < (int)KEYS; i++)
    if (strlen(keys[i].name) == key.n && memcmp(keys[i].name, key.p, key.n) == 0) return i;
  for (int i = 0; make && i < (int)KEYS; i++)
    if (!keys[i].name[0]) return i;
  return -1;
}

static void do_log(void *ctx, int32_t level, mh_str message) {
  (void)ctx;
  printf("log %d %.*s\n", level, (int)message.n, message.p);
}

static int32_t do_random(void *ctx, uint8_t *out, uint64_t n) {
  (void)ctx;
  for (uint64_t i = 0; i < n; i++) out[i] = (uint8_t)i;
  return MH_OK;
}

static int32_t do_get(void *ctx, uint64_t peer, mh_str key, uint8_t *buf, uint64_t *n) {
  (void)ctx;
  int at = slot(key, 0);
  if (peer != PEER) return MH_E_DENIED;
  if (at < 0 || keys[at].n == 0) return MH_E_NOT_FOUND;
  uint64_t room = *n;
  *n = keys[at].n;
  if (room < keys[at].n) return MH_E_FULL;
  memcpy(buf, keys[at].value, keys[at].n);
  return MH_OK;
}

static int32_t do_set(void *ctx, uint64_t peer, mh_str key, mh_bytes value) {
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  if (key.n == 0 || key.n > MH_KEY_MAX || value.n > MH_VALUE_MAX) return MH_E_ARG;
  int at = slot(key, 1);
  if (at < 0) return MH_E_DENIED;
  memset(keys[at].name, 0, sizeof keys[at].name);
  memcpy(keys[at].name, key.p, key.n);
  if (value.n > 0) memcpy(keys[at].value, value.p, value.n);
  keys[at].n = value.n;
  printf("write %s ", keys[at].name);
  print_hex(keys[at].value, value.n);
  printf("\n");
  return MH_OK;
}

static int32_t do_asset(void *ctx, mh_str name, mh_bytes *out) {
  (void)ctx, (void)name, (void)out;
  return MH_E_NOT_FOUND;
}

static const void *do_extension(void *ctx, const char *id) {
  (void)ctx, (void)id;
  return NULL;
}

static const mh_host host = {.struct_size = sizeof(mh_host), .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR,
                             .log = do_log, .random = do_random, .kv_get = do_get, .kv_set = do_set,
                             .asset = do_asset, .extension = do_extension};

static int32_t do_act(void *ctx, const mh_action *action) {
  if (!ctx) return MH_E_DENIED;
  if (!MH_HAS(action, text)) return MH_E_ARG;
  if (n_actions++ >= MH_ACTIONS_MAX) return MH_E_FULL;
  printf("action %u token=%" PRIu64 " arg=%" PRIu64 " arg2=%" PRIu64 " handle=%u flags=%u code=%d value=",
         action->kind, action->token, action->arg, action->arg2, action->handle, action->flags, action->code);
  print_hex(action->value.p, action->value.n);
  printf(" text=%.*s\n", (int)action->text.n, action->text.p);
  return MH_OK;
}

static mh_sink empty_sink(int takes_actions) {
  return (mh_sink){.struct_size = sizeof(mh_sink), .records = records, .cap_records = RECORDS, .values = values,
                   .cap_values = VALUES, .texts = texts, .cap_texts = TEXTS, .arena = arena, .cap_arena = ARENA,
                   .act = do_act, .ctx = takes_actions ? &n_actions : NULL};
}

static void print_record(const mh_sink *sink, uint64_t index) {
  const mh_record *r = &records[index];
  if (r->first_value + (uint64_t)r->n_values > sink->n_values || r->first_text + (uint64_t)r->n_texts > sink->n_texts ||
      r->ident_off + (uint64_t)r->ident_len > sink->n_arena)
    broken("a run leaves its array");
  printf("record kind=%u flags=%u time=%u t=%" PRId64 " end=%" PRId64 " offset=%d ", r->kind, r->flags, r->time_kind,
         r->t_us, r->end_us, r->utc_offset_s);
  printf("user=%u group=%u class=%u seq=%" PRIu64 " ident=", r->device_user, r->group, r->ident_class, r->device_seq);
  print_hex(arena + r->ident_off, r->ident_len);
  printf("\n");
  for (uint32_t i = 0; i < r->n_values; i++) {
    const mh_value *v = &values[r->first_value + i];
    printf("value %u unit=%u raw=%" PRId64 " exp=%d qualifier=%u flags=%u value=%.17g\n", v->metric, v->unit, v->raw,
           v->exp10, v->qualifier, v->flags, v->value);
  }
  for (uint32_t i = 0; i < r->n_texts; i++) {
    const mh_text *t = &texts[r->first_text + i];
    if (t->off + (uint64_t)t->len > sink->n_arena) broken("a text leaves the arena");
    printf("text %u %.*s\n", t->field, (int)t->len, (const char *)arena + t->off);
  }
}

static void print_records(const mh_sink *sink) {
  if (sink->n_records > RECORDS || sink->n_values > VALUES || sink->n_texts > TEXTS || sink->n_arena > ARENA)
    broken("a count exceeds its capacity");
  for (uint64_t i = 0; i < sink->n_records; i++) print_record(sink, i);
}

static mh_open opening(uint32_t peripheral, uint32_t purpose) {
  return (mh_open){.struct_size = sizeof(mh_open), .peripheral_id = peripheral, .purpose = purpose,
                   .clock_trust = MH_CLOCK_SYNCHRONISED, .peer = PEER, .unix_us = 1700000000000000,
                   .since_us = INT64_MIN, .until_us = INT64_MAX, .utc_offset_s = 7200, .address = {1, 2, 3, 4, 5, 6},
                   .address_type = MH_ADDRESS_PUBLIC, .security = MH_SECURITY_ENCRYPTED, .name = {"frozen", 6}};
}

static void decode(const mh_bluetooth *table, const char *line) {
  uint8_t content[512];
  char digits[1025] = "";
  unsigned peripheral, id;
  if (sscanf(line, "decode %u %4x %1024s", &peripheral, &id, digits) < 2) broken("the script's decode");
  mh_open open = opening(peripheral, MH_PURPOSE_TEST);
  mh_slice slice = {.len = (uint32_t)read_hex(digits, content, sizeof content), .t_us = 1700000000000000, .status = 99};
  slice.characteristic = (uint16_t)id;
  mh_sink sink = empty_sink(0);
  uint64_t done = 0;
  int32_t status = table->decode(&open, (mh_bytes){content, slice.len}, &slice, 1, &sink, &done);
  if (status == MH_OK && (done != 1 || slice.n_records != sink.n_records)) broken("decode counts otherwise");
  print_records(&sink);
  printf("status %d %d\n", status, slice.status);
}

static uint64_t field(const char *line, const char *name) {
  const char *found = strstr(line, name);
  return found ? strtoull(found + strlen(name), NULL, 0) : 0;
}

static void deliver(const mh_bluetooth *table, mh_session *session, mh_event event) {
  n_actions = 0;
  for (int round = 0; round < 1000; round++) {
    mh_sink sink = empty_sink(1);
    int32_t status = table->event(session, &event, &sink);
    print_records(&sink);
    if (status != MH_E_FULL) {
      printf("status %d\n", status);
      return;
    }
    event = (mh_event){.struct_size = sizeof event, .kind = MH_EV_CONTINUE, .seq = event.seq, .mono_ns = event.mono_ns};
  }
  broken("the sink is full for ever");
}

static mh_event event_head(uint32_t kind) {
  static uint64_t count;
  count += 1;
  return (mh_event){.struct_size = sizeof(mh_event), .kind = kind, .seq = count, .mono_ns = count * 1000000,
                    .unix_us = 1700000000000000};
}

static void event(const mh_bluetooth *table, mh_session *session, const char *line) {
  uint8_t content[512];
  mh_event event = event_head((uint32_t)field(line, "event "));
  const char *digits = strstr(line, "hex=");
  event.handle = (uint16_t)field(line, "handle=");
  event.token = field(line, "token=");
  event.status = (int32_t)field(line, "status=");
  event.mtu = (uint16_t)field(line, "mtu=");
  event.value = (mh_bytes){content, digits ? read_hex(digits + 4, content, sizeof content) : 0};
  deliver(table, session, event);
}

static void services(const mh_bluetooth *table, mh_session *session, const char *line) {
  mh_service service = {.first_handle = 1, .last_handle = 0xffff};
  mh_characteristic list[16];
  unsigned id, handle, properties, n = 0;
  int used;
  if (sscanf(line, "services %4x%n", &id, &used) != 1) broken("the script's services");
  service.uuid = mh_uuid16((uint16_t)id);
  for (line += used; n < 16 && sscanf(line, " %u:%x:%4x%n", &handle, &properties, &id, &used) == 3; line += used)
    list[n++] = (mh_characteristic){.handle = (uint16_t)handle, .properties = (uint16_t)properties,
                                    .uuid = mh_uuid16((uint16_t)id)};
  mh_event event = event_head(MH_EV_SERVICES);
  event.services = &service;
  event.n_services = 1;
  event.characteristics = list;
  event.n_characteristics = n;
  deliver(table, session, event);
}

static mh_session *open_session(const mh_bluetooth *table, const char *line) {
  static mh_param parameters[8];
  mh_session *session = NULL;
  mh_open open = opening((uint32_t)field(line, "peripheral="), (uint32_t)field(line, "open "));
  open.params = parameters;
  for (const char *at = line; open.n_params < 8 && (at = strstr(at, "param=")); at++) {
    unsigned name;
    int value;
    if (sscanf(at, "param=%u:%d", &name, &value) != 2) broken("the script's parameter");
    parameters[open.n_params++] = (mh_param){.name = (uint16_t)name, .type = MH_PARAM_TYPE_INTEGER, .i = value};
  }
  printf("open %d\n", table->open(&host, &open, &session));
  return session;
}

static const mh_driver *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) broken(dlerror());
  int32_t (*entry)(const mh_host *, uint32_t, const mh_driver **, mh_str *);
  *(void **)&entry = dlsym(library, "mh_driver_entry");
  const mh_driver *driver = NULL;
  mh_str why = {NULL, 0};
  if (!entry) broken("no mh_driver_entry");
  int32_t status = entry(&host, 0, &driver, &why);
  if (status == MH_REFUSED) printf("refused %.*s\n", (int)why.n, why.p);
  if (status != MH_OK || !driver) exit(1);
  if (driver->abi_major != MH_ABI_MAJOR || !MH_HAS(driver, extension) || !MH_HAS(driver->bluetooth, decode))
    broken("a table lacks fields");
  return driver;
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  const mh_driver *driver = load(arguments[1]);
  const mh_bluetooth *table = driver->bluetooth;
  printf("driver %.*s %.*s capabilities=%" PRIu64 " functions=%" PRIu64 "\n", (int)driver->id.n, driver->id.p,
         (int)driver->version.n, driver->version.p, driver->capabilities, driver->n_functions);
  mh_session *session = NULL;
  char line[2048];
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "decode", 6) == 0) decode(table, line);
    else if (strncmp(line, "open", 4) == 0 && !session) session = open_session(table, line);
    else if (strncmp(line, "services", 8) == 0 && session) services(table, session, line);
    else if (strncmp(line, "event", 5) == 0 && session) event(table, session, line);
    else if (strncmp(line, "close", 5) == 0 && session) table->close(session), session = NULL;
    else broken("the script");
  }
  if (session) table->close(session);
  return 0;
}
