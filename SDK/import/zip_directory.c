#include "zip_parts.h"

#include <string.h>

/* 4 GiB: what writers without zip64 lose of an offset. */
#define WRAP (UINT64_C(1) << 32)

static enum mh_zip_step go(mh_zip *zip, enum zip_phase phase) {
  zip->phase = phase;
  return MH_ZIP_CONTENT;
}

static enum mh_zip_step go_forward(mh_zip *zip) {
  zip_go_forward(zip);
  return MH_ZIP_CONTENT;
}

/* The end record, its comment and nothing else stand at the end. */
static enum mh_zip_step read_tail(mh_zip *zip) {
  const uint32_t wanted = zip->size < ZIP_TAIL ? (uint32_t)zip->size : ZIP_TAIL;
  const uint8_t *p;
  uint32_t n;
  if (!zip_need(zip, zip->size - wanted, wanted, wanted, &p, &n)) return MH_ZIP_PULL;
  for (uint32_t back = ZIP_END_SIZE; back <= n; back++) {
    const uint8_t *end = p + n - back;
    if (zip_u32(end) != ZIP_END || zip_u16(end + 20) + ZIP_END_SIZE > back) continue;
    zip->end_at = zip->size - back;
    const uint64_t length = zip_u32(end + 12), stated = zip_u32(end + 16);
    zip->directory_end = zip->end_at;
    zip->directory_at = length <= zip->end_at ? zip->end_at - length : stated;
    // Something may stand before the archive; a whole number of wraps is none.
    zip->shift = zip->directory_at - stated;
    if (zip->shift % WRAP == 0) zip->shift = 0;
    return go(zip, ZIP_AT_LOCATOR64);
  }
  return go_forward(zip);
}

static enum mh_zip_step read_locator(mh_zip *zip) {
  if (zip->end_at < ZIP_LOCATOR64_SIZE) return go(zip, ZIP_AT_DIRECTORY);
  const uint8_t *p;
  uint32_t n;
  const uint64_t at = zip->end_at - ZIP_LOCATOR64_SIZE;
  if (!zip_need(zip, at, ZIP_LOCATOR64_SIZE, ZIP_LOCATOR64_SIZE, &p, &n)) return MH_ZIP_PULL;
  if (n < ZIP_LOCATOR64_SIZE || zip_u32(p) != ZIP_LOCATOR64) return go(zip, ZIP_AT_DIRECTORY);
  zip->end_at = zip_u64(p + 8);
  return zip->end_at > at ? go_forward(zip) : go(zip, ZIP_AT_END64);
}

static enum mh_zip_step read_end64(mh_zip *zip) {
  const uint8_t *p;
  uint32_t n;
  if (!zip_need(zip, zip->end_at, ZIP_END64_SIZE, ZIP_END64_SIZE, &p, &n)) return MH_ZIP_PULL;
  if (n < ZIP_END64_SIZE || zip_u32(p) != ZIP_END64) return go_forward(zip);
  zip->directory_at = zip_u64(p + 48);
  const uint64_t length = zip_u64(p + 40);
  if (zip->directory_at > zip->end_at || length > zip->end_at - zip->directory_at) return go_forward(zip);
  zip->directory_end = zip->directory_at + length;
  zip->shift = 0;
  return go(zip, ZIP_AT_DIRECTORY);
}

enum mh_zip_step zip_find_directory(mh_zip *zip) {
  switch (zip->phase) {
    case ZIP_AT_TAIL: return read_tail(zip);
    case ZIP_AT_LOCATOR64: return read_locator(zip);
    default: return read_end64(zip);
  }
}

/* The largest first; of more than there is room for the smallest go. */
static void insert(mh_zip *zip, const zip_entry *entry) {
  uint32_t low = 0, high = zip->n_entries;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (zip->entries[middle].rank >= entry->rank)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == ZIP_CANDIDATES) return;
  if (zip->n_entries < ZIP_CANDIDATES) zip->n_entries += 1;
  memmove(&zip->entries[low + 1], &zip->entries[low], (zip->n_entries - 1 - low) * sizeof *entry);
  zip->entries[low] = *entry;
}

/* The distance to the next entry tells the length even where the length is written modulo 2^32. */
static void settle_last(mh_zip *zip, uint64_t next) {
  if (!zip->has_last) return;
  zip->has_last = 0;
  zip_entry *last = &zip->last;
  last->rank = last->size > last->packed ? last->size : last->packed;
  if (next > last->at && next - last->at > last->rank) last->rank = next - last->at;
  if (last->size == 0 && last->packed == 0 && next > last->at && next - last->at < WRAP) return;
  if ((last->flags & ZIP_FLAG_ENCRYPTED) != 0)
    zip->has_encrypted = 1;
  else if (last->method != ZIP_STORED && last->method != ZIP_DEFLATED)
    zip->has_unknown_method = 1;
  else
    insert(zip, last);
}

/* zip64: the fields that are all ones stand in the extra field 1, in this order. */
static void read_extra(zip_entry *entry, const uint8_t *p, uint32_t n) {
  while (n >= 4) {
    const uint32_t id = zip_u16(p), length = zip_u16(p + 2);
    if (length > n - 4) return;
    if (id == 1) {
      const uint8_t *field = p + 4, *end = field + length;
      uint64_t *const fields[] = {&entry->size, &entry->packed, &entry->at};
      for (uint32_t i = 0; i < 3; i++) {
        if (*fields[i] != UINT32_MAX || end - field < 8) continue;
        *fields[i] = zip_u64(field);
        field += 8;
      }
      return;
    }
    p += 4 + length;
    n -= 4 + length;
  }
}

static enum mh_zip_step end_directory(mh_zip *zip) {
  settle_last(zip, zip->directory_end);
  if (zip->n_entries == 0 && !zip->has_encrypted && !zip->has_unknown_method) return go_forward(zip);
  zip->probe = 0;
  zip->chosen = UINT32_MAX;
  return go(zip, ZIP_AT_LOCAL);
}

enum mh_zip_step zip_read_directory(mh_zip *zip) {
  const uint8_t *p;
  uint32_t n;
  const uint64_t left = zip->directory_at < zip->directory_end ? zip->directory_end - zip->directory_at : 0;
  if (left < ZIP_CENTRAL_SIZE) return end_directory(zip);
  const uint32_t most = left < ZIP_BUFFER ? (uint32_t)left : ZIP_BUFFER;
  if (!zip_need(zip, zip->directory_at, ZIP_CENTRAL_SIZE, most, &p, &n)) return MH_ZIP_PULL;
  if (n < ZIP_CENTRAL_SIZE || zip_u32(p) != ZIP_CENTRAL) return end_directory(zip);
  const uint32_t name = zip_u16(p + 28), extra = zip_u16(p + 30), comment = zip_u16(p + 32);
  const uint32_t whole = ZIP_CENTRAL_SIZE + name + extra + comment;
  if (!zip_need(zip, zip->directory_at, whole, whole > most ? whole : most, &p, &n)) return MH_ZIP_PULL;
  if (n < whole) return end_directory(zip);
  zip_entry entry = {.at = zip_u32(p + 42), .packed = zip_u32(p + 20), .size = zip_u32(p + 24), .crc = zip_u32(p + 16),
                     .method = (uint16_t)zip_u16(p + 10), .flags = (uint16_t)zip_u16(p + 8)};
  read_extra(&entry, p + ZIP_CENTRAL_SIZE + name, extra);
  entry.at += zip->shift;
  settle_last(zip, entry.at);
  zip->last = entry;
  zip->has_last = 1;
  zip->directory_at += whole;
  return MH_ZIP_CONTENT;
}

static enum mh_zip_step decide(mh_zip *zip) {
  if (zip->chosen == UINT32_MAX) {
    if (zip->has_encrypted) return zip_fail(zip, MH_ZIP_ENCRYPTED);
    // A directory that leads nowhere is as good as none.
    if (zip->has_lost) return go_forward(zip);
    return zip_fail(zip, zip->has_unknown_method ? MH_ZIP_METHOD : MH_ZIP_NOTHING);
  }
  zip->phase = ZIP_AT_STREAM;
  return zip_stream_start(zip, &zip->entries[zip->chosen]) ? MH_ZIP_CONTENT : zip_fail(zip, MH_ZIP_MEMORY);
}

static enum mh_zip_step next_candidate(mh_zip *zip) {
  if (zip->chosen != UINT32_MAX) zip->after += 1;
  zip->probe += 1;
  return go(zip, ZIP_AT_LOCAL);
}

/* What is pulled to look at an entry: of many small ones no more than they have. */
static uint32_t look_length(const zip_entry *entry) {
  return entry->rank < MH_ZIP_HEAD ? (uint32_t)entry->rank : MH_ZIP_HEAD;
}

static enum mh_zip_step look_at_local(mh_zip *zip) {
  if (zip->probe == zip->n_entries || zip->after > ZIP_OTHERS) return decide(zip);
  zip_entry *entry = &zip->entries[zip->probe];
  const uint8_t *p;
  uint32_t n;
  const uint32_t most = ZIP_LOCAL_SIZE + 256 + look_length(entry);
  if (!zip_need(zip, entry->at, ZIP_LOCAL_SIZE, most, &p, &n)) return MH_ZIP_PULL;
  if (n >= ZIP_LOCAL_SIZE && zip_u32(p) == ZIP_LOCAL) {
    entry->data = entry->at + ZIP_LOCAL_SIZE + zip_u16(p + 26) + zip_u16(p + 28);
    return go(zip, ZIP_AT_PROBE);
  }
  // An offset modulo 2^32, perhaps.
  if (entry->at > zip->size || zip->size - entry->at < WRAP) {
    zip->has_lost = 1;
    return next_candidate(zip);
  }
  entry->at += WRAP;
  return MH_ZIP_CONTENT;
}

static enum mh_zip_step look_at_data(mh_zip *zip) {
  const zip_entry *entry = &zip->entries[zip->probe];
  const uint8_t *p;
  uint32_t n;
  const uint32_t wanted = look_length(entry);
  if (!zip_need(zip, entry->data, wanted, wanted, &p, &n)) return MH_ZIP_PULL;
  uint8_t head[MH_ZIP_HEAD];
  if (n > wanted) n = wanted;
  const uint32_t length = zip_stream_head(entry, p, n, head, sizeof head);
  zip->event_made += length;
  if (length > 0 && zip->is_wanted(head, length)) {
    if (zip->chosen == UINT32_MAX) {
      zip->chosen = zip->probe;
    } else if (entry->at != zip->entries[zip->chosen].at) {
      zip->others += 1;
      zip->other_place = entry->at;
    }
  }
  return next_candidate(zip);
}

enum mh_zip_step zip_probe(mh_zip *zip) {
  return zip->phase == ZIP_AT_LOCAL ? look_at_local(zip) : look_at_data(zip);
}
