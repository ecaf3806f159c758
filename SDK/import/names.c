#include "include/import/out.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const char *p, size_t n, uint32_t seed) {
  uint32_t hash = 2166136261u ^ seed;
  for (size_t i = 0; i < n; i++) hash = (hash ^ (uint8_t)p[i]) * 16777619u;
  return hash;
}

/* How many bytes a well-formed character of UTF-8 has here; 0: none begins here. */
static size_t character(const uint8_t *p, size_t n) {
  if (p[0] < 0x80) return 1;
  size_t size = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
  if (size == 0 || size > n) return 0;
  for (size_t i = 1; i < size; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
      (p[0] == 0xf4 && p[1] > 0x8f))
    return 0;
  return size;
}

size_t mh_out_clean(const char *from, size_t n, char *to, size_t most) {
  const uint8_t *p = (const uint8_t *)from;
  size_t used = 0;
  for (size_t i = 0; i < n;) {
    size_t size = character(p + i, n - i), wide = size == 0 ? 3 : size;
    if (used + wide > most) break;
    if (size == 0)
      memcpy(to + used, "\xef\xbf\xbd", 3);
    else if (size == 1)
      to[used] = p[i] < 0x20 || p[i] == 0x7f ? ' ' : (char)p[i];
    else
      memcpy(to + used, p + i, size);
    used += wide;
    i += size == 0 ? 1 : size;
  }
  return used;
}

static int reserve(mh_out *out, size_t bytes) {
  if (out->n_names == out->cap_names) {
    uint32_t cap = out->cap_names == 0 ? 64 : out->cap_names * 2;
    mh_out_name *names = realloc(out->names, cap * sizeof *names);
    if (names == NULL) return 0;
    out->names = names;
    out->cap_names = cap;
  }
  if (out->cap_pool - out->n_pool < bytes) {
    uint32_t cap = out->cap_pool == 0 ? 8192 : out->cap_pool;
    while (cap - out->n_pool < bytes) cap *= 2;
    char *pool = realloc(out->pool, cap);
    if (pool == NULL) return 0;
    out->pool = pool;
    out->cap_pool = cap;
  }
  return 1;
}

static uint32_t keep(mh_out *out, const char *p, size_t n, uint32_t *length) {
  uint32_t at = out->n_pool;
  *length = (uint32_t)mh_out_clean(p, n, out->pool + at, MH_IMPORT_TEXT_MAX);
  out->n_pool += *length;
  return at;
}

static int same(const mh_out *out, mh_str text, uint32_t at, uint32_t n) {
  return text.n == n && (n == 0 || memcmp(text.p, out->pool + at, n) == 0);
}

static uint32_t none(mh_out *out) {
  out->is_short = 1;
  return MH_IMPORT_NO_INDEX;
}

static uint32_t hash_name(uint16_t kind, const mh_out_source *source) {
  uint32_t hash = (uint32_t)kind << 24 ^ (uint32_t)source->quantity << 8 ^ source->flags;
  hash = hash_of(source->detail.p, source->detail.n, hash);
  return hash_of(source->key.p, source->key.n, hash_of(source->text.p, source->text.n, hash));
}

/* Where the name is, or where it would go. */
static uint32_t slot_of(const mh_out *out, uint16_t kind, const mh_out_source *source, uint32_t hash) {
  const uint32_t n_slots = sizeof out->slots / sizeof out->slots[0];
  uint32_t slot = hash % n_slots;
  for (; out->slots[slot] != 0; slot = (slot + 1) % n_slots) {
    const mh_out_name *name = &out->names[out->slots[slot] - 1];
    if (name->hash == hash && name->kind == kind && name->quantity == source->quantity && name->flags == source->flags &&
        same(out, source->text, name->text, name->text_n) && same(out, source->key, name->key, name->key_n) &&
        same(out, source->detail, name->detail, name->detail_n))
      break;
  }
  return slot;
}

static uint32_t name_of(mh_out *out, uint16_t kind, const mh_out_source *source) {
  static const mh_out_source other = {.text = {"other", 5}, .key = {"other", 5}};
  uint32_t hash = hash_name(kind, source), slot = slot_of(out, kind, source, hash);
  if (out->slots[slot] == 0 && kind == MH_NAME_SOURCE && out->n_kind[kind] >= MH_OUT_NAMES_MAX - 1) {
    source = &other;
    hash = hash_name(kind, source);
    slot = slot_of(out, kind, source, hash);
  }
  if (out->slots[slot] != 0) return out->names[out->slots[slot] - 1].index;
  uint32_t most = kind == MH_NAME_TYPE || kind == MH_NAME_KEY ? MH_OUT_TYPES_MAX : MH_OUT_NAMES_MAX;
  if (out->n_kind[kind] >= most || out->n_names >= MH_OUT_ALL_NAMES_MAX || !reserve(out, 3 * MH_IMPORT_TEXT_MAX))
    return none(out);
  mh_out_name *name = &out->names[out->n_names++];
  *name = (mh_out_name){.kind = kind, .quantity = source->quantity, .flags = source->flags, .rank = source->rank};
  name->hash = hash;
  name->index = out->n_kind[kind]++;
  name->text = keep(out, source->text.p, source->text.n, &name->text_n);
  name->key = keep(out, source->key.p, source->key.n, &name->key_n);
  name->detail = keep(out, source->detail.p, source->detail.n, &name->detail_n);
  if (kind == MH_NAME_TYPE) out->quantities[name->index] = source->quantity;
  out->slots[slot] = out->n_names;
  return name->index;
}

/* What is looked up is what was kept: cleaned. */
static uint32_t clean_name_of(mh_out *out, uint16_t kind, const mh_out_source *source) {
  static const char nameless[] = "?";
  char text[MH_IMPORT_TEXT_MAX], key[MH_IMPORT_TEXT_MAX], detail[MH_IMPORT_TEXT_MAX];
  mh_out_source clean = *source;
  clean.text = (mh_str){text, mh_out_clean(source->text.p, source->text.n, text, sizeof text)};
  if (clean.text.n == 0) clean.text = (mh_str){nameless, 1};
  clean.key = (mh_str){key, mh_out_clean(source->key.p, source->key.n, key, sizeof key)};
  clean.detail = (mh_str){detail, mh_out_clean(source->detail.p, source->detail.n, detail, sizeof detail)};
  return name_of(out, kind, &clean);
}

uint32_t mh_out_type(mh_out *out, uint16_t quantity, mh_str text, mh_str key) {
  mh_out_source name = {.text = text, .key = key, .quantity = quantity};
  return clean_name_of(out, MH_NAME_TYPE, &name);
}

uint32_t mh_out_unit_n(mh_out *out, const char *text, size_t n) {
  mh_out_source name = {.text = {text, n}};
  return n == 0 ? MH_IMPORT_NO_INDEX : clean_name_of(out, MH_NAME_UNIT, &name);
}

uint32_t mh_out_unit(mh_out *out, const char *text) { return mh_out_unit_n(out, text, strlen(text)); }

uint32_t mh_out_key(mh_out *out, const char *text) {
  mh_out_source name = {.text = {text, strlen(text)}};
  return clean_name_of(out, MH_NAME_KEY, &name);
}

uint32_t mh_out_source_of(mh_out *out, const mh_out_source *source) {
  return clean_name_of(out, MH_NAME_SOURCE, source);
}

void mh_out_order(mh_out *out, uint32_t source, uint16_t quantity, uint32_t rank) {
  if (source == MH_IMPORT_NO_INDEX || out->n_names >= MH_OUT_ALL_NAMES_MAX || !reserve(out, 0)) {
    none(out);
    return;
  }
  out->names[out->n_names++] =
      (mh_out_name){.kind = MH_NAME_ORDER, .quantity = quantity, .rank = rank, .index = source};
}
