#include "include/import/names.h"

#include <stdlib.h>
#include <string.h>

#include "include/import/text.h"

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

static uint32_t mixed(uint32_t hash, mh_str text) {
  for (uint64_t i = 0; i < text.n; i++) hash = (hash ^ (uint8_t)text.p[i]) * 16777619u;
  return (hash ^ 0xff) * 16777619u;
}

static uint32_t hash_of(const mh_named *name) {
  const uint32_t hash = 2166136261u ^ (uint32_t)name->quantity << 8 ^ name->flags;
  return mixed(mixed(mixed(hash, name->text), name->key), name->detail);
}

static int is_equal(const mh_names *names, const mh_names_entry *entry, const mh_named *name) {
  const uint8_t *p = names->pool + entry->at;
  const mh_str text = name->text, key = name->key, detail = name->detail;
  return entry->text == text.n && entry->key == key.n && entry->detail == detail.n && entry->quantity == name->quantity &&
         entry->flags == name->flags && (text.n == 0 || memcmp(p, text.p, text.n) == 0) &&
         (key.n == 0 || memcmp(p + text.n, key.p, key.n) == 0) &&
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

static uint32_t find(const mh_names *names, uint32_t hash, const mh_named *name) {
  for (uint32_t i = 0; i < names->n_slots; i++) {
    const uint32_t slot = names->slots[(hash + i) & (names->n_slots - 1)];
    if (slot == 0) break;
    const mh_names_entry *entry = &names->entries[slot - 1];
    if (entry->hash == hash && is_equal(names, entry, name)) return slot - 1;
  }
  return MH_IMPORT_NO_INDEX;
}

static mh_str cut(mh_str text) {
  text.n = mh_text_cut(text.p, text.n, MH_IMPORT_TEXT_MAX);
  return text;
}

uint32_t mh_names_known(const mh_names *names, mh_str text) {
  const mh_named name = {.text = cut(text)};
  return find(names, hash_of(&name), &name);
}

static uint32_t add(mh_names *names, const mh_named *name, uint32_t hash) {
  if (!reserve(names, (uint32_t)(name->text.n + name->key.n + name->detail.n))) return MH_IMPORT_NO_INDEX;
  names->entries[names->count] =
      (mh_names_entry){.hash = hash, .at = names->n_pool, .text = (uint16_t)name->text.n, .key = (uint16_t)name->key.n,
                       .detail = (uint16_t)name->detail.n, .quantity = name->quantity, .flags = name->flags,
                       .rank = name->rank};
  append(names, name->text);
  append(names, name->key);
  append(names, name->detail);
  uint32_t at = hash & (names->n_slots - 1);
  while (names->slots[at] != 0) at = (at + 1) & (names->n_slots - 1);
  names->slots[at] = ++names->count;
  return names->count - 1;
}

uint32_t mh_names_index(mh_names *names, const mh_named *name) {
  static const mh_named other = {.text = {"other", 5}};
  mh_named kept = *name;
  kept.text = kept.text.n == 0 ? (mh_str){"unknown", 7} : cut(kept.text);
  kept.key = cut(kept.key);
  kept.detail = cut(kept.detail);
  const uint32_t hash = hash_of(&kept), known = find(names, hash, &kept);
  if (known != MH_IMPORT_NO_INDEX) return known;
  // The name for the rest comes once, behind all the others.
  if (names->n_pool + kept.text.n + kept.key.n + kept.detail.n > MH_NAMES_POOL_MAX && names->count < names->most)
    names->most = names->count;
  if (names->count < names->most) return add(names, &kept, hash);
  names->is_over = 1;
  return names->count > names->most ? names->most : add(names, &other, hash_of(&other));
}

int32_t mh_names_tell(mh_names *names, mh_import_sink *sink) {
  while (names->told < names->count) {
    const mh_names_entry *entry = &names->entries[names->told];
    const char *p = (const char *)names->pool + entry->at;
    mh_import_name name;
    memset(&name, 0, sizeof name);
    name.kind = names->kind;
    name.quantity = entry->quantity;
    name.index = names->told;
    name.flags = entry->flags;
    name.rank = entry->rank;
    const int32_t status =
        mh_import_add_name(sink, &name, (mh_str){p, entry->text}, (mh_str){p + entry->text, entry->key},
                           (mh_str){p + entry->text + entry->key, entry->detail});
    if (status != MH_OK) return status;
    names->told += 1;
  }
  return MH_OK;
}
