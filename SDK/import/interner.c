#include "include/import_queue.h"

#include <stdlib.h>
#include <string.h>

void mh_names_start(mh_names *names, uint16_t kind, uint32_t most) {
  memset(names, 0, sizeof *names);
  names->kind = kind;
  names->most = most;
}

void mh_names_free(mh_names *names) {
  free(names->entries);
  free(names->slots);
  free(names->pool);
}

uint32_t mh_text_cut(const char *p, uint64_t n, uint32_t most) {
  if (n <= most) return (uint32_t)n;
  uint32_t length = most;
  while (length > 0 && ((uint8_t)p[length] & 0xc0) == 0x80) length--;
  return length;
}

static uint32_t mixed(uint32_t hash, mh_str text) {
  for (uint64_t i = 0; i < text.n; i++) hash = (hash ^ (uint8_t)text.p[i]) * 16777619u;
  return (hash ^ 0xff) * 16777619u;
}

static int is_equal(const mh_names *names, const mh_names_entry *entry, mh_str text, mh_str key, mh_str detail) {
  const uint8_t *p = names->pool + entry->at;
  return entry->text == text.n && entry->key == key.n && entry->detail == detail.n &&
         (text.n == 0 || memcmp(p, text.p, text.n) == 0) && (key.n == 0 || memcmp(p + text.n, key.p, key.n) == 0) &&
         (detail.n == 0 || memcmp(p + text.n + key.n, detail.p, detail.n) == 0);
}

/* Twice as many slots, and every name into its own. */
static int spread(mh_names *names) {
  const uint32_t n_slots = names->n_slots == 0 ? 64 : names->n_slots * 2;
  uint32_t *slots = calloc(n_slots, sizeof *slots);
  if (slots == NULL) return 0;
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t at = names->entries[i].hash & (n_slots - 1);
    while (slots[at] != 0) at = (at + 1) & (n_slots - 1);
    slots[at] = i + 1;
  }
  free(names->slots);
  names->slots = slots;
  names->n_slots = n_slots;
  return 1;
}

static int reserve(mh_names *names, uint32_t bytes) {
  if (names->count == names->capacity) {
    const uint32_t capacity = names->capacity == 0 ? 32 : names->capacity * 2;
    mh_names_entry *entries = realloc(names->entries, capacity * sizeof *entries);
    if (entries == NULL) return 0;
    names->entries = entries;
    names->capacity = capacity;
  }
  if (bytes > names->cap_pool - names->n_pool) {
    const uint32_t capacity = names->cap_pool * 2 + bytes + 1024;
    uint8_t *pool = realloc(names->pool, capacity);
    if (pool == NULL) return 0;
    names->pool = pool;
    names->cap_pool = capacity;
  }
  return names->count * 2 < names->n_slots || spread(names);
}

static void append(mh_names *names, mh_str text) {
  if (text.n > 0) memcpy(names->pool + names->n_pool, text.p, text.n);
  names->n_pool += (uint32_t)text.n;
}

static uint32_t find(const mh_names *names, uint32_t hash, mh_str text, mh_str key, mh_str detail) {
  for (uint32_t i = 0; i < names->n_slots; i++) {
    const uint32_t slot = names->slots[(hash + i) & (names->n_slots - 1)];
    if (slot == 0) break;
    const mh_names_entry *entry = &names->entries[slot - 1];
    if (entry->hash == hash && is_equal(names, entry, text, key, detail)) return slot - 1;
  }
  return MH_IMPORT_NO_INDEX;
}

uint32_t mh_names_known(const mh_names *names, mh_str text) {
  const mh_str nothing = {NULL, 0};
  text.n = mh_text_cut(text.p, text.n, MH_IMPORT_TEXT_MAX);
  const uint32_t hash = mixed(mixed(mixed(2166136261u, text), nothing), nothing);
  return find(names, hash, text, nothing, nothing);
}

uint32_t mh_names_index(mh_names *names, mh_str text, mh_str key, mh_str detail, uint16_t quantity, uint32_t flags) {
  text.n = mh_text_cut(text.p, text.n, MH_IMPORT_TEXT_MAX);
  key.n = mh_text_cut(key.p, key.n, MH_IMPORT_TEXT_MAX);
  detail.n = mh_text_cut(detail.p, detail.n, MH_IMPORT_TEXT_MAX);
  const uint32_t hash = mixed(mixed(mixed(2166136261u, text), key), detail);
  const uint32_t known = find(names, hash, text, key, detail);
  if (known != MH_IMPORT_NO_INDEX) return known;
  // The name for the rest comes once, behind all the others.
  if (names->count > names->most) return names->most;
  if (names->n_pool + text.n + key.n + detail.n > MH_NAMES_POOL_MAX) names->most = names->count;
  if (names->count == names->most || text.n == 0) {
    const mh_str nothing = {NULL, 0};
    text = (mh_str){names->count == names->most ? "other" : "unknown", names->count == names->most ? 5 : 7};
    if (names->count < names->most) return mh_names_index(names, text, nothing, detail, quantity, flags);
    key = detail = nothing;
    quantity = MH_QTY_OTHER;
    flags = 0;
  }
  if (!reserve(names, (uint32_t)(text.n + key.n + detail.n))) return MH_IMPORT_NO_INDEX;
  mh_names_entry *entry = &names->entries[names->count];
  *entry = (mh_names_entry){hash,     names->n_pool, (uint16_t)text.n, (uint16_t)key.n, (uint16_t)detail.n,
                            quantity, flags};
  append(names, text);
  append(names, key);
  append(names, detail);
  uint32_t at = hash & (names->n_slots - 1);
  while (names->slots[at] != 0) at = (at + 1) & (names->n_slots - 1);
  names->slots[at] = ++names->count;
  return names->count - 1;
}
