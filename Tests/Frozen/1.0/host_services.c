/* The host's table: keys, files, random numbers that count, and the log. */
#include "host.h"

#define KEYS 128u
#define ASSETS 4u

static key keys[KEYS];
static struct {
  char name[128];
  uint8_t value[1024];
  uint64_t n;
} assets[ASSETS];

static int is_name(const char *name, mh_str wanted) {
  return name[0] && strlen(name) == wanted.n && memcmp(name, wanted.p, wanted.n) == 0;
}

static int begins(mh_str name, const char *prefix) {
  return name.n > strlen(prefix) && memcmp(name.p, prefix, strlen(prefix)) == 0;
}

const key *find_key(mh_str name) {
  for (uint32_t i = 0; i < KEYS; i++)
    if (is_name(keys[i].name, name) && keys[i].n > 0) return &keys[i];
  return NULL;
}

int32_t keep_key(mh_str name, const uint8_t *value, uint64_t n, int is_hidden) {
  if (name.n >= sizeof keys[0].name || n > sizeof keys[0].value) return MH_E_ARG;
  key *place = NULL;
  for (uint32_t i = 0; i < KEYS && !place; i++)
    if (is_name(keys[i].name, name)) place = &keys[i];
  for (uint32_t i = 0; i < KEYS && !place; i++)
    if (!keys[i].name[0]) place = &keys[i];
  if (!place) return MH_E_DENIED;
  memset(place, 0, sizeof *place);
  memcpy(place->name, name.p, name.n);
  if (n > 0) memcpy(place->value, value, n);
  place->n = n;
  place->is_hidden = is_hidden;
  return MH_OK;
}

uint32_t count_session_keys(void) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < KEYS; i++) found += strncmp(keys[i].name, "session/", 8) == 0;
  return found;
}

void drop_session_keys(void) {
  for (uint32_t i = 0; i < KEYS; i++)
    if (strncmp(keys[i].name, "session/", 8) == 0) memset(&keys[i], 0, sizeof keys[i]);
}

void keep_asset(const char *name, const uint8_t *value, uint64_t n) {
  for (uint32_t i = 0; i < ASSETS; i++) {
    if (assets[i].name[0]) continue;
    strncpy(assets[i].name, name, sizeof assets[i].name - 1);
    memcpy(assets[i].value, value, n);
    assets[i].n = n;
    return;
  }
  broken("the script's files are too many");
}

static void do_log(void *ctx, int32_t level, mh_str message) {
  (void)ctx;
  if (level < MH_LOG_ERROR || level > MH_LOG_DEBUG) broken("a level of the log is unknown");
  printf("log %d ", level);
  print_text(message.p, message.n);
  printf("\n");
}

static int32_t do_random(void *ctx, uint8_t *out, uint64_t n) {
  (void)ctx;
  if (n > MH_RANDOM_MAX) return MH_E_ARG;
  for (uint64_t i = 0; i < n; i++) out[i] = (uint8_t)i;
  return MH_OK;
}

static int32_t do_get(void *ctx, uint64_t peer, mh_str name, uint8_t *buf, uint64_t *n) {
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  if (!begins(name, "user/") && !begins(name, "meter/") && !begins(name, "credential/")) return MH_E_ARG;
  const key *found = find_key(name);
  if (!found) return MH_E_NOT_FOUND;
  if (found->is_hidden) return MH_E_DENIED;
  uint64_t place = *n;
  *n = found->n;
  if (place < found->n) return MH_E_FULL;
  memcpy(buf, found->value, found->n);
  return MH_OK;
}

static int32_t do_set(void *ctx, uint64_t peer, mh_str name, mh_bytes value) {
  (void)ctx;
  if (peer != PEER) return MH_E_DENIED;
  if (name.n > MH_KEY_MAX || (!begins(name, "user/") && !begins(name, "meter/"))) return MH_E_ARG;
  if (value.n > MH_VALUE_MAX) return MH_E_DENIED;
  int32_t status = keep_key(name, value.p, value.n, 0);
  if (status != MH_OK) return status;
  current.writes += 1;
  printf("write ");
  print_text(name.p, name.n);
  printf(" ");
  print_hex(value.p, value.n);
  printf("\n");
  return MH_OK;
}

static int32_t do_asset(void *ctx, mh_str name, mh_bytes *out) {
  (void)ctx;
  for (uint32_t i = 0; i < ASSETS; i++) {
    if (!is_name(assets[i].name, name)) continue;
    *out = (mh_bytes){assets[i].value, assets[i].n};
    return MH_OK;
  }
  return MH_E_NOT_FOUND;
}

static const void *do_extension(void *ctx, const char *id) {
  (void)ctx;
  return strcmp(id, MH_EXT_CRYPTO) == 0 ? &crypto : NULL;
}

const mh_host host = {.struct_size = sizeof(mh_host), .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR,
                      .log = do_log, .random = do_random, .kv_get = do_get, .kv_set = do_set,
                      .asset = do_asset, .extension = do_extension};
