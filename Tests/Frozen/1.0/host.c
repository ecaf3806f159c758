/* The script, and the calls of the bundle that it brings about. */
#include "host.h"

#include <dlfcn.h>

#define SLICES 64u
#define PARAMETERS 8u

unit current;
int is_disconnected;

static const mh_driver *driver;
static mh_session *session;
static int has_ended;
static uint8_t content[SLICES * 512];
static uint64_t content_n;
static mh_slice slices[SLICES];
static uint64_t n_slices;

_Noreturn void broken(const char *what) {
  printf("broken %s\n", what);
  exit(1);
}

void print_hex(const uint8_t *p, uint64_t n) {
  if (n == 0) printf("-");
  for (uint64_t i = 0; i < n; i++) printf("%02x", p[i]);
}

void print_text(const char *p, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) putchar(p[i] == '\n' ? '|' : p[i]);
}

static uint64_t read_hex(const char *text, uint8_t *out, uint64_t space) {
  uint64_t n = 0;
  unsigned byte;
  for (; n < space && sscanf(text, "%2x", &byte) == 1; text += 2) out[n++] = (uint8_t)byte;
  return n;
}

static uint64_t field(const char *line, const char *name) {
  const char *found = strstr(line, name);
  return found ? strtoull(found + strlen(name), NULL, 0) : 0;
}

static mh_open opening(const char *line, uint32_t peripheral, uint32_t purpose) {
  static mh_param parameters[PARAMETERS];
  mh_open open = {.struct_size = sizeof(mh_open), .peripheral_id = peripheral, .purpose = purpose,
                  .clock_trust = MH_CLOCK_SYNCHRONISED, .peer = PEER, .unix_us = NOW, .since_us = INT64_MIN,
                  .until_us = INT64_MAX, .utc_offset_s = 7200, .address = {1, 2, 3, 4, 5, 6},
                  .address_type = MH_ADDRESS_PUBLIC, .security = MH_SECURITY_ENCRYPTED, .name = {"frozen", 6}};
  for (const char *at = line; open.n_params < PARAMETERS && (at = strstr(at, "param=")); at++) {
    unsigned name;
    int value;
    if (sscanf(at, "param=%u:%d", &name, &value) != 2) broken("the script's parameter");
    parameters[open.n_params++] = (mh_param){.name = (uint16_t)name, .type = MH_PARAM_TYPE_INTEGER, .i = value};
  }
  open.params = parameters;
  return open;
}

/* A name and bytes: "key NAME HEX" and its like. */
static void keep(const char *line, const char *word) {
  char name[128], digits[1025];
  uint8_t value[512];
  if (sscanf(line + strlen(word), " %127s %1024s", name, digits) != 2) broken("the script's name");
  uint64_t n = read_hex(digits, value, sizeof value);
  if (strcmp(word, "asset") == 0) keep_asset(name, value, n);
  else if (keep_key((mh_str){name, strlen(name)}, value, n, strcmp(word, "hidden") == 0) != MH_OK)
    broken("the script's keys are too many");
}

static void add_slice(const char *line, int is_outside) {
  char digits[1025] = "-";
  unsigned id;
  if (n_slices == SLICES || sscanf(line, "%*s %4x %1024s", &id, digits) < 1) broken("the script's slice");
  mh_slice *slice = &slices[n_slices++];
  *slice = (mh_slice){.off = (uint32_t)content_n, .t_us = NOW, .characteristic = (uint16_t)id, .status = 99};
  slice->flags = (uint16_t)field(line, "flags=");
  slice->len = (uint32_t)read_hex(digits, content + content_n, 512);
  content_n += slice->len;
  if (is_outside) slice->off = UINT32_MAX, slice->len = UINT32_MAX;
}

/* The slices that one call has finished: their records are neighbours, in order, and none is left over. */
static void print_slices(const mh_slice *done, uint64_t n, const mh_sink *sink) {
  uint64_t next = 0;
  for (uint64_t i = 0; i < n; i++) {
    int32_t status = done[i].status;
    if (status != MH_OK && status != MH_E_NO_VALUE && status != MH_E_PROTOCOL && status != MH_E_UNSUPPORTED)
      broken("a slice has a status that it may not have");
    if (status != MH_OK && done[i].n_records > 0) broken("a slice without a value has records");
    if (done[i].n_records > 0 && done[i].first_record != next) broken("a slice's records are another's");
    if (done[i].n_records > sink->n_records - next) broken("a slice has more records than there are");
    print_records(sink, next, done[i].n_records);
    printf("slice %d\n", status);
    next += done[i].n_records;
  }
  if (next != sink->n_records) broken("records belong to no slice");
}

static void decode(const mh_bluetooth *table, const char *line) {
  unsigned peripheral;
  if (sscanf(line, "decode %u", &peripheral) != 1 || !(driver->capabilities & MH_CAP_DECODE))
    broken("the script's decode");
  mh_open open = opening(line, peripheral, MH_PURPOSE_TEST);
  int32_t status = MH_E_FULL;
  for (uint64_t at = 0; status == MH_E_FULL;) {
    mh_slice before[SLICES];
    memcpy(before, slices, sizeof before);
    mh_sink sink = empty_sink(0);
    uint64_t done = 0;
    status = table->decode(&open, (mh_bytes){content, content_n}, slices + at, n_slices - at, &sink, &done);
    if (status != MH_OK && status != MH_E_FULL) break;
    if (done > n_slices - at || (status == MH_OK) != (done == n_slices - at)) broken("decode counts otherwise");
    if (status == MH_E_FULL && done == 0) broken("an empty sink is too small for one value");
    check_counts(&sink);
    print_slices(slices + at, done, &sink);
    at += done;
    if (at < n_slices && memcmp(&slices[at], &before[at], sizeof *slices) != 0)
      broken("an unfinished slice is touched");
  }
  n_slices = content_n = 0;
  printf("status %d\n", status);
}

/* One event with all its rounds (rule R13). */
static void deliver(const mh_bluetooth *table, mh_event event) {
  if (has_ended) broken("the script goes on after the end of the session");
  int32_t status = MH_E_FULL;
  is_disconnected = event.kind == MH_EV_DISCONNECTED;
  for (uint32_t round = 0; status == MH_E_FULL; round++) {
    if (round == MH_ROUNDS_MAX) broken("an event has too many rounds");
    mh_sink sink = empty_sink(1);
    unit before = current;
    status = table->event(session, &event, &sink);
    check_counts(&sink);
    print_records(&sink, 0, sink.n_records);
    current.records += sink.n_records;
    if (current.records > MH_RECORDS_MAX) broken("an event has too many records");
    if (status == MH_E_FULL && memcmp(&before, &current, sizeof before) == 0) broken("the sink is full for ever");
    event = (mh_event){.struct_size = sizeof event, .kind = MH_EV_CONTINUE, .seq = event.seq,
                       .mono_ns = event.mono_ns, .unix_us = event.unix_us};
  }
  if (status == MH_E_UNSUPPORTED && (current.records || current.actions || current.writes))
    broken("an event that the driver does not know has output");
  has_ended = is_disconnected || current.has_end ||
              (status != MH_OK && status != MH_E_PROTOCOL && status != MH_E_UNSUPPORTED);
  current = (unit){.has_end = 0};
  printf("status %d\n", status);
}

static mh_event event_head(uint32_t kind) {
  static uint64_t count;
  count += 1;
  return (mh_event){.struct_size = sizeof(mh_event), .kind = kind, .seq = count, .mono_ns = count * 1000000,
                    .unix_us = NOW};
}

static void event(const mh_bluetooth *table, const char *line) {
  uint8_t value[512];
  mh_event event = event_head((uint32_t)field(line, "event "));
  const char *digits = strstr(line, "hex=");
  event.handle = (uint16_t)field(line, "handle=");
  event.token = field(line, "token=");
  event.status = (int32_t)field(line, "status=");
  event.mtu = (uint16_t)field(line, "mtu=");
  event.value = (mh_bytes){value, digits ? read_hex(digits + 4, value, sizeof value) : 0};
  deliver(table, event);
}

/* Four hex digits or all 32. */
static mh_uuid uuid(const char *digits) {
  mh_uuid uuid = {{0}};
  if (read_hex(digits, uuid.b, sizeof uuid.b) == sizeof uuid.b) return uuid;
  return mh_uuid16((uint16_t)strtoul(digits, NULL, 16));
}

static void services(const mh_bluetooth *table, const char *line) {
  mh_service service = {.first_handle = 1, .last_handle = 0xffff};
  mh_characteristic list[16];
  char digits[33];
  unsigned handle, properties;
  int used;
  mh_event event = event_head(MH_EV_SERVICES);
  if (sscanf(line, "services %32[0-9A-Fa-f]%n", digits, &used) != 1) broken("the script's services");
  service.uuid = uuid(digits);
  for (line += used; sscanf(line, " %u:%x:%32[0-9A-Fa-f]%n", &handle, &properties, digits, &used) == 3; line += used) {
    if (event.n_characteristics == 16) broken("the script's characteristics are too many");
    list[event.n_characteristics++] = (mh_characteristic){
        .handle = (uint16_t)handle, .properties = (uint16_t)properties, .uuid = uuid(digits)};
  }
  event.services = &service;
  event.n_services = 1;
  event.characteristics = list;
  deliver(table, event);
}

static void open_session(const mh_bluetooth *table, const char *line) {
  mh_open open = opening(line, (uint32_t)field(line, "peripheral="), (uint32_t)field(line, "open "));
  int32_t status = table->open(&host, &open, &session);
  if ((status == MH_OK) != (session != NULL)) broken("open gives no session, or one that it refuses");
  /* What open wrote would join the first event's unit; it is on paper already. */
  current = (unit){.has_end = 0};
  has_ended = is_disconnected = 0;
  printf("open %d\n", status);
}

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) broken(dlerror());
  int32_t (*entry)(const mh_host *, uint32_t, const mh_driver **, mh_str *);
  *(void **)&entry = dlsym(library, "mh_driver_entry");
  const mh_driver *other = NULL;
  mh_str why = {NULL, 0};
  if (!entry) broken("no mh_driver_entry");
  int32_t status = entry(&host, 0, &driver, &why);
  if (status == MH_REFUSED) printf("refused %.*s\n", (int)why.n, why.p);
  if (status != MH_OK || !driver) exit(1);
  status = entry(&host, 1, &other, &why);
  if (status != MH_OK && status != MH_END) broken("there is no end of the drivers");
  /* A table of a later minor is longer: nothing behind what this version knows is read. */
  if (driver->abi_major != MH_ABI_MAJOR || !MH_HAS(driver, extension) || !MH_HAS(driver->bluetooth, decode))
    broken("a table lacks fields");
  printf("driver %.*s %.*s capabilities=%" PRIu64 " functions=%" PRIu64 "\n", (int)driver->id.n, driver->id.p,
         (int)driver->version.n, driver->version.p, driver->capabilities, driver->n_functions);
}

static void close_session(const mh_bluetooth *table) {
  table->close(session);
  session = NULL;
  drop_session_keys();
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  load(arguments[1]);
  const mh_bluetooth *table = driver->bluetooth;
  char line[2048];
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "room ", 5) == 0) room = field(line, "room ") <= RECORDS ? field(line, "room ") : RECORDS;
    else if (strncmp(line, "key ", 4) == 0) keep(line, "key");
    else if (strncmp(line, "hidden ", 7) == 0) keep(line, "hidden");
    else if (strncmp(line, "asset ", 6) == 0) keep(line, "asset");
    else if (strncmp(line, "slice ", 6) == 0) add_slice(line, 0);
    else if (strncmp(line, "outside ", 8) == 0) add_slice(line, 1);
    else if (strncmp(line, "decode ", 7) == 0) decode(table, line);
    else if (strncmp(line, "open ", 5) == 0 && !session) open_session(table, line);
    else if (strncmp(line, "services ", 9) == 0 && session) services(table, line);
    else if (strncmp(line, "event ", 6) == 0 && session) event(table, line);
    else if (strncmp(line, "close", 5) == 0 && session) close_session(table);
    else broken("the script");
  }
  if (session) table->close(session);
  return 0;
}
