#include "zip_parts.h"

#include <string.h>

/* What is pulled at once for the content. */
#define PULL ZIP_BUFFER

int zip_stream_start(mh_zip *zip, const zip_entry *entry) {
  if (zip->is_inflating) inflateEnd(&zip->inflater);
  zip->is_inflating = 0;
  zip->entry = *entry;
  zip->used = zip->made = 0;
  zip->crc = 0;
  zip->is_over = 0;
  if (entry->method != ZIP_DEFLATED) return 1;
  memset(&zip->inflater, 0, sizeof zip->inflater);
  zip->is_inflating = inflateInit2(&zip->inflater, -MAX_WBITS) == Z_OK;
  return zip->is_inflating;
}

static uint32_t room_of(const mh_window *window) {
  const size_t room = window->capacity - window->end;
  return room > MH_ZIP_EVENT_BYTES ? MH_ZIP_EVENT_BYTES : (uint32_t)room;
}

static void made(mh_zip *zip, mh_window *window, uint32_t n) {
  zip->crc = (uint32_t)crc32(zip->crc, window->bytes + window->end, n);
  window->end += n;
  zip->made += n;
  zip->event_made += n;
  if (zip->made >= MH_ZIP_CONTENT_MAX) zip->is_over = zip->is_cut = 1;
}

static void copy(mh_zip *zip, mh_window *window, const uint8_t *p, uint32_t n) {
  const uint64_t left = zip->entry.size - zip->made;
  const uint32_t room = room_of(window);
  if (n > room) n = room;
  if (n > left) n = (uint32_t)left;
  if (n > 0) memcpy(window->bytes + window->end, p, n);
  zip->used += n;
  made(zip, window, n);
  if (zip->made == zip->entry.size) zip->is_over = 1;
}

/* Returns whether anything moved. */
static int unfold(mh_zip *zip, mh_window *window, const uint8_t *p, uint32_t n) {
  z_stream *inflater = &zip->inflater;
  inflater->next_in = (Bytef *)(uintptr_t)p;
  inflater->avail_in = n;
  inflater->next_out = window->bytes + window->end;
  const uint32_t room = room_of(window);
  inflater->avail_out = room;
  const int status = inflate(inflater, Z_NO_FLUSH);
  const uint32_t out = room - inflater->avail_out;
  zip->used += n - inflater->avail_in;
  made(zip, window, out);
  if (status == Z_STREAM_END) zip->is_over = 1;
  if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) zip->is_over = zip->is_damaged = 1;
  return out > 0 || inflater->avail_in < n || zip->is_over;
}

enum mh_zip_step zip_stream(mh_zip *zip, mh_window *window) {
  if (zip->is_over) return MH_ZIP_CONTENT;
  if (window->end == window->capacity && window->start > 0) mh_window_grow(window, window->capacity);
  if (window->end == window->capacity) return MH_ZIP_CONTENT;
  const uint8_t *p = NULL;
  uint32_t n = 0;
  // What the inflater still holds comes out without any input.
  const int has_input = zip_need(zip, zip->entry.data + zip->used, 1, PULL, &p, &n);
  if (!has_input) {
    if (zip->is_inflating && unfold(zip, window, zip->buffer, 0)) return MH_ZIP_CONTENT;
    return MH_ZIP_PULL;
  }
  if (zip->is_inflating) {
    if (unfold(zip, window, p, n)) return MH_ZIP_CONTENT;
  } else if (n > 0 || zip->entry.size == 0) {
    copy(zip, window, p, n);
    return MH_ZIP_CONTENT;
  }
  // The source is at its end: that of a bare file, or a cut.
  zip->is_over = 1;
  if (zip->entry.size != MH_ZIP_CONTENT_MAX) zip->is_cut = 1;
  return MH_ZIP_CONTENT;
}

void zip_stream_check(mh_zip *zip) {
  if (zip->is_cut || zip->is_damaged || zip->is_forward || zip->entry.size == MH_ZIP_CONTENT_MAX) return;
  if (zip->crc != zip->entry.crc || (uint32_t)zip->made != (uint32_t)zip->entry.size) zip->is_damaged = 1;
}

uint32_t zip_stream_head(const zip_entry *entry, const uint8_t *p, uint32_t n, uint8_t *out, uint32_t most) {
  if (entry->method == ZIP_STORED) {
    const uint32_t length = n < most ? n : most;
    memcpy(out, p, length);
    return entry->size < length ? (uint32_t)entry->size : length;
  }
  z_stream inflater;
  memset(&inflater, 0, sizeof inflater);
  if (inflateInit2(&inflater, -MAX_WBITS) != Z_OK) return 0;
  inflater.next_in = (Bytef *)(uintptr_t)p;
  inflater.avail_in = n;
  inflater.next_out = out;
  inflater.avail_out = most;
  inflate(&inflater, Z_SYNC_FLUSH);
  const uint32_t length = most - inflater.avail_out;
  inflateEnd(&inflater);
  return length;
}
