#include "zip_parts.h"

#include <string.h>

/* Signature, version, flags and method are all that is needed of a header that is looked for. */
static const uint8_t signature[4] = {'P', 'K', 3, 4};

void zip_go_forward(mh_zip *zip) {
  zip->is_forward = 1;
  zip->phase = ZIP_AT_FORWARD;
  memset(&zip->entry, 0, sizeof zip->entry);
  zip->has_encrypted = zip->has_unknown_method = 0;
}

static enum mh_zip_step go(mh_zip *zip, enum zip_phase phase, uint64_t at) {
  zip->entry.at = at;
  zip->phase = phase;
  return MH_ZIP_CONTENT;
}

static enum mh_zip_step nothing(mh_zip *zip) {
  if (zip->has_encrypted) return zip_fail(zip, MH_ZIP_ENCRYPTED);
  return zip_fail(zip, zip->has_unknown_method ? MH_ZIP_METHOD : MH_ZIP_NOTHING);
}

/* Where an entry ends that is not read: at its length, where the header has it. */
static enum mh_zip_step pass(mh_zip *zip) {
  const zip_entry *entry = &zip->entry;
  const int is_known = (entry->flags & ZIP_FLAG_DESCRIPTOR) == 0 && entry->packed != UINT32_MAX;
  const uint64_t next = entry->data + (is_known ? entry->packed : 0);
  return go(zip, ZIP_AT_SEARCH, next < entry->data ? entry->data : next);
}

static enum mh_zip_step read_header(mh_zip *zip) {
  const uint8_t *p;
  uint32_t n;
  const uint64_t at = zip->entry.at;
  if (!zip_need(zip, at, ZIP_LOCAL_SIZE, MH_ZIP_HEAD, &p, &n)) return MH_ZIP_PULL;
  if (n < ZIP_LOCAL_SIZE || zip_u32(p) != ZIP_LOCAL) return go(zip, ZIP_AT_SEARCH, at);
  zip_entry entry = {.at = at, .packed = zip_u32(p + 18), .size = zip_u32(p + 22), .crc = zip_u32(p + 14),
                     .method = (uint16_t)zip_u16(p + 8), .flags = (uint16_t)zip_u16(p + 6)};
  entry.data = at + ZIP_LOCAL_SIZE + zip_u16(p + 26) + zip_u16(p + 28);
  const int is_encrypted = (entry.flags & ZIP_FLAG_ENCRYPTED) != 0;
  const int is_unknown = entry.method != ZIP_STORED && entry.method != ZIP_DEFLATED;
  const int is_endless = entry.method == ZIP_STORED && (entry.flags & ZIP_FLAG_DESCRIPTOR) != 0;
  zip->has_encrypted |= is_encrypted;
  zip->has_unknown_method |= is_unknown && !is_encrypted;
  if (is_encrypted || is_unknown || is_endless || (entry.method == ZIP_STORED && entry.size == 0)) {
    zip->entry = entry;
    return pass(zip);
  }
  if (!zip_stream_start(zip, &entry)) return zip_fail(zip, MH_ZIP_MEMORY);
  zip->phase = ZIP_AT_FORWARD_HEAD;
  return MH_ZIP_CONTENT;
}

static enum mh_zip_step search(mh_zip *zip) {
  const uint8_t *p;
  uint32_t n;
  const uint64_t at = zip->entry.at;
  if (!zip_need(zip, at, ZIP_LOCAL_SIZE, MH_ZIP_HEAD, &p, &n)) return MH_ZIP_PULL;
  if (n < ZIP_LOCAL_SIZE) return nothing(zip);
  for (uint32_t i = 0; i + sizeof signature <= n; i++) {
    const uint8_t *found = memchr(p + i, 'P', n - i - (sizeof signature - 1));
    if (found == NULL) break;
    i = (uint32_t)(found - p);
    if (memcmp(found, signature, sizeof signature) != 0) continue;
    if (at + i + ZIP_LOCAL_SIZE > zip->size) return nothing(zip);
    return go(zip, ZIP_AT_FORWARD, at + i);
  }
  zip->event_made += n;
  zip->entry.at = at + n - (sizeof signature - 1);
  return MH_ZIP_CONTENT;
}

/* The content is read into the window until it can be told what it is. */
static enum mh_zip_step read_head(mh_zip *zip, mh_window *window) {
  if (!zip->is_over && window->end - window->start < MH_ZIP_HEAD) {
    const enum mh_zip_step step = zip_stream(zip, window);
    if (step != MH_ZIP_CONTENT) return step;
    if (!zip->is_over && window->end - window->start < MH_ZIP_HEAD) return MH_ZIP_CONTENT;
  }
  size_t length = window->end - window->start;
  if (length > MH_ZIP_HEAD) length = MH_ZIP_HEAD;
  if (zip->is_wanted(window->bytes + window->start, length)) {
    zip->phase = ZIP_AT_STREAM;
    return MH_ZIP_CONTENT;
  }
  window->start = window->end = 0;
  zip->is_cut = zip->is_damaged = 0;
  const int is_known = (zip->entry.flags & ZIP_FLAG_DESCRIPTOR) == 0;
  if (is_known) return pass(zip);
  zip->phase = ZIP_AT_FORWARD_SKIP;
  return MH_ZIP_CONTENT;
}

static enum mh_zip_step skip(mh_zip *zip, mh_window *window) {
  while (!zip->is_over) {
    window->start = window->end = 0;
    const enum mh_zip_step step = zip_stream(zip, window);
    if (step != MH_ZIP_CONTENT) return step;
    if (zip->event_made >= MH_ZIP_EVENT_BYTES) return MH_ZIP_CONTENT;
  }
  window->start = window->end = 0;
  zip->is_cut = zip->is_damaged = 0;
  return go(zip, ZIP_AT_SEARCH, zip->entry.data + zip->used);
}

enum mh_zip_step zip_forward(mh_zip *zip, mh_window *window) {
  switch (zip->phase) {
    case ZIP_AT_FORWARD: return read_header(zip);
    case ZIP_AT_SEARCH: return search(zip);
    case ZIP_AT_FORWARD_HEAD: return read_head(zip, window);
    default: return skip(zip, window);
  }
}
