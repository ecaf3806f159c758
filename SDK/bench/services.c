/* What the bench does for a driver: log, random numbers, storage. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_internal.h"

_Thread_local bench *bench_current = NULL;
_Thread_local int bench_allows_services = 0;

void bench_broken(const bench *bench, const char *rule, const char *what, ...) {
  va_list arguments;
  va_start(arguments, what);
  fprintf(stderr, "broken rule %s: ", rule);
  vfprintf(stderr, what, arguments);
  va_end(arguments);
  if (bench != NULL)
    fprintf(stderr, " (driver %.*s, event %llu)", (int)bench->driver->id.n, bench->driver->id.p,
            (unsigned long long)bench->seq);
  fputc('\n', stderr);
  abort();
}

void *bench_allocate(uint64_t n) {
  void *p = calloc(1, n == 0 ? 1 : n);
  if (p == NULL) {
    fputs("bench: no memory\n", stderr);
    exit(70);
  }
  return p;
}

static void put_log(void *ctx, int32_t level, mh_str message) {
  (void)ctx;
  if (bench_current == NULL) return;
  if (level < MH_LOG_ERROR || level > MH_LOG_DEBUG) bench_broken(bench_current, "R6", "a log line of level %d", level);
  if (!bench_is_utf8((const uint8_t *)message.p, message.n))
    bench_broken(bench_current, "R6", "a log line that is not UTF-8");
}

static int may_serve(void) { return bench_current != NULL && bench_allows_services; }

/* xorshift64: the same numbers in every run. */
static int32_t fill_random(void *ctx, uint8_t *out, uint64_t n) {
  (void)ctx;
  if (!may_serve()) return MH_E_DENIED;
  if (n > MH_RANDOM_MAX) return MH_E_ARG;
  for (uint64_t i = 0; i < n; i++) {
    bench_current->random ^= bench_current->random << 13;
    bench_current->random ^= bench_current->random >> 7;
    bench_current->random ^= bench_current->random << 17;
    out[i] = (uint8_t)bench_current->random;
  }
  return MH_OK;
}

static int has_prefix(mh_str key, const char *prefix) {
  uint64_t n = strlen(prefix);
  return key.n > n && memcmp(key.p, prefix, n) == 0;
}

static int is_plain(mh_str key) {
  for (uint64_t i = 0; i < key.n; i++)
    if ((uint8_t)key.p[i] < 0x20 || key.p[i] == 0x7f) return 0;
  return bench_is_utf8((const uint8_t *)key.p, key.n);
}

static int is_storage_key(mh_str key) {
  return key.n <= MH_KEY_MAX && is_plain(key) && (has_prefix(key, "user/") || has_prefix(key, "meter/"));
}

/* What this event wrote, else what is committed. */
static const bench_key *find_key(const bench *bench, const char *name, uint64_t n, int with_pending) {
  const bench_key *found = NULL;
  for (uint32_t i = 0; i < bench->n_keys; i++) {
    const bench_key *key = &bench->keys[i];
    if (strlen(key->name) != n || memcmp(key->name, name, n) != 0 || (key->is_pending && !with_pending)) continue;
    if (found == NULL || key->is_pending) found = key;
  }
  return found;
}

static int32_t kv_get(void *ctx, uint64_t peer, mh_str key, uint8_t *buf, uint64_t *n) {
  (void)ctx;
  if (!may_serve()) return MH_E_DENIED;
  if (peer != bench_current->opening.peer) return MH_E_ARG;
  if (has_prefix(key, "user/secret/") || has_prefix(key, "meter/secret/")) return MH_E_DENIED;
  if (!is_storage_key(key) && !(has_prefix(key, "credential/") && is_plain(key))) return MH_E_ARG;
  const bench_key *found = find_key(bench_current, key.p, key.n, 1);
  if (found == NULL || found->n == 0) return MH_E_NOT_FOUND;
  if (found->n > *n) {
    *n = found->n;
    return MH_E_FULL;
  }
  memcpy(buf, found->value, found->n);
  *n = found->n;
  return MH_OK;
}

static int keep(bench *bench, const char *name, uint64_t name_n, const uint8_t *value, uint64_t n, int is_pending) {
  bench_key *slot = NULL;
  for (uint32_t i = 0; i < bench->n_keys && slot == NULL; i++) {
    bench_key *key = &bench->keys[i];
    if (key->is_pending == is_pending && strlen(key->name) == name_n && memcmp(key->name, name, name_n) == 0)
      slot = key;
  }
  if (slot == NULL) {
    if (bench->n_keys == BENCH_KEYS_MAX) return 0;
    slot = &bench->keys[bench->n_keys++];
    memset(slot, 0, sizeof *slot);
    memcpy(slot->name, name, name_n);
    slot->is_pending = is_pending;
  }
  free(slot->value);
  slot->value = bench_allocate(n);
  slot->n = n;
  if (n != 0) memcpy(slot->value, value, n);
  return 1;
}

static int32_t kv_set(void *ctx, uint64_t peer, mh_str key, mh_bytes value) {
  (void)ctx;
  if (!may_serve()) return MH_E_DENIED;
  if (peer != bench_current->opening.peer || !is_storage_key(key)) return MH_E_ARG;
  if (value.n > MH_VALUE_MAX) return MH_E_DENIED;
  return keep(bench_current, key.p, key.n, value.p, value.n, 1) ? MH_OK : MH_E_DENIED;
}

static int32_t asset(void *ctx, mh_str name, mh_bytes *out) {
  (void)ctx, (void)name, (void)out;
  return bench_current == NULL ? MH_E_DENIED : MH_E_NOT_FOUND;
}

static const void *extension(void *ctx, const char *id) {
  (void)ctx;
  return bench_current != NULL && strcmp(id, MH_EXT_CRYPTO) == 0 ? bench_current->crypto : NULL;
}

const mh_host bench_host = {.struct_size = sizeof(mh_host),
                            .abi_major = MH_ABI_MAJOR,
                            .abi_minor = MH_ABI_MINOR,
                            .log = put_log,
                            .random = fill_random,
                            .kv_get = kv_get,
                            .kv_set = kv_set,
                            .asset = asset,
                            .extension = extension};

/* What the event wrote becomes storage, or is forgotten (rule R25). */
void bench_end_writes(bench *bench, int commits) {
  for (uint32_t i = 0; i < bench->n_keys;) {
    bench_key *key = &bench->keys[i];
    if (!key->is_pending) {
      i++;
      continue;
    }
    bench_key written = *key;
    *key = bench->keys[--bench->n_keys];
    if (commits) keep(bench, written.name, strlen(written.name), written.value, written.n, 0);
    free(written.value);
    /* The list has changed: look again from its start. */
    i = 0;
  }
}

void bench_store(bench *bench, const char *key, const uint8_t *value, uint64_t n) {
  if (strlen(key) > MH_KEY_MAX || !keep(bench, key, strlen(key), value, n, 0)) {
    fprintf(stderr, "bench: no room for the key %s\n", key);
    exit(70);
  }
}

mh_bytes bench_stored(const bench *bench, const char *key) {
  const bench_key *found = find_key(bench, key, strlen(key), 0);
  mh_bytes bytes = {found == NULL || found->n == 0 ? NULL : found->value, found == NULL ? 0 : found->n};
  return bytes;
}
