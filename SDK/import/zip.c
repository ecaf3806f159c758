#include "zip_parts.h"

#include <stdlib.h>
#include <string.h>

mh_zip *mh_zip_open(uint64_t size, int (*is_wanted)(const uint8_t *p, size_t n)) {
  mh_zip *zip = calloc(1, sizeof *zip);
  if (zip == NULL) return NULL;
  zip->size = size;
  zip->is_wanted = is_wanted;
  return zip;
}

void mh_zip_close(mh_zip *zip) {
  if (zip == NULL) return;
  if (zip->is_inflating) inflateEnd(&zip->inflater);
  free(zip);
}

/* How far the source was used. */
static uint64_t position(const mh_zip *zip) {
  return zip->is_inflating || zip->used > 0 ? zip->entry.data + zip->used : zip->at;
}

void mh_zip_event(mh_zip *zip) {
  zip->event_at = position(zip);
  zip->event_made = 0;
}

void mh_zip_take(mh_zip *zip, uint64_t offset, mh_bytes bytes, int is_last) {
  if (offset != zip->at + zip->n || bytes.n > ZIP_BUFFER - zip->n) return;
  if (bytes.n > 0) memcpy(zip->buffer + zip->n, bytes.p, bytes.n);
  zip->n += (uint32_t)bytes.n;
  if (is_last) zip->size = zip->at + zip->n;
}

void mh_zip_rest(mh_zip *zip) {
  const uint64_t at = position(zip);
  // As much as the event could use, and some more: what is not used is pulled again.
  uint64_t length = at > zip->event_at ? 2 * (at - zip->event_at) : 0;
  if (length < 4096) length = 4096;
  if (length > ZIP_BUFFER) length = ZIP_BUFFER;
  zip->at = at > zip->size ? zip->size : at;
  zip->n = 0;
  zip->pull_at = zip->at;
  // At the end of the source an empty answer comes, which is all that is needed.
  zip->pull_n = zip->size - zip->at < length && zip->size > zip->at ? zip->size - zip->at : length;
}

void mh_zip_pull(const mh_zip *zip, uint64_t *offset, uint64_t *length) {
  *offset = zip->pull_at;
  *length = zip->pull_n;
}

int mh_zip_is_reading(const mh_zip *zip) { return zip->phase == ZIP_AT_STREAM || zip->phase == ZIP_AT_OVER; }
enum mh_zip_failure mh_zip_failure(const mh_zip *zip) { return zip->failure; }
int mh_zip_is_damaged(const mh_zip *zip) { return zip->is_damaged; }
int mh_zip_is_cut(const mh_zip *zip) { return zip->is_cut || zip->is_forward; }

uint32_t mh_zip_others(const mh_zip *zip, uint64_t *place) {
  *place = zip->other_place;
  return zip->others;
}

/* A bare file is known by its content, an archive by its first entry, and one with something before it by its end. */
static enum mh_zip_step look_at_head(mh_zip *zip) {
  const uint8_t *p;
  uint32_t n;
  if (!zip_need(zip, 0, MH_ZIP_HEAD, MH_ZIP_HEAD, &p, &n)) return MH_ZIP_PULL;
  if (n == 0) return zip_fail(zip, MH_ZIP_EMPTY);
  const int is_archive = n >= 4 && (zip_u32(p) == ZIP_LOCAL || zip_u32(p) == ZIP_END);
  if (!is_archive && zip->is_wanted(p, n)) {
    const zip_entry bare = {.size = MH_ZIP_CONTENT_MAX, .packed = MH_ZIP_CONTENT_MAX, .method = ZIP_STORED};
    zip->phase = ZIP_AT_STREAM;
    return zip_stream_start(zip, &bare) ? MH_ZIP_CONTENT : zip_fail(zip, MH_ZIP_MEMORY);
  }
  zip->phase = ZIP_AT_TAIL;
  if (zip->size == MH_TALK_SIZE_UNKNOWN) zip_go_forward(zip);
  return MH_ZIP_CONTENT;
}

static enum mh_zip_step read_on(mh_zip *zip, mh_window *window) {
  const enum mh_zip_step step = zip_stream(zip, window);
  if (!zip->is_over) return step;
  zip_stream_check(zip);
  zip->phase = ZIP_AT_OVER;
  return MH_ZIP_END;
}

static enum mh_zip_step step(mh_zip *zip, mh_window *window) {
  switch (zip->phase) {
    case ZIP_AT_HEAD: return look_at_head(zip);
    case ZIP_AT_TAIL:
    case ZIP_AT_LOCATOR64:
    case ZIP_AT_END64: return zip_find_directory(zip);
    case ZIP_AT_DIRECTORY: return zip_read_directory(zip);
    case ZIP_AT_LOCAL:
    case ZIP_AT_PROBE: return zip_probe(zip);
    case ZIP_AT_FORWARD:
    case ZIP_AT_SEARCH:
    case ZIP_AT_FORWARD_HEAD:
    case ZIP_AT_FORWARD_SKIP: return zip_forward(zip, window);
    case ZIP_AT_STREAM: return read_on(zip, window);
    case ZIP_AT_OVER: return MH_ZIP_END;
    case ZIP_AT_FAILURE: break;
  }
  return MH_ZIP_FAILED;
}

enum mh_zip_step mh_zip_next(mh_zip *zip, mh_window *window) {
  for (;;) {
    if (zip->event_made >= MH_ZIP_EVENT_BYTES) {
      mh_zip_rest(zip);
      return MH_ZIP_REST;
    }
    const enum zip_phase before = zip->phase;
    const enum mh_zip_step answer = step(zip, window);
    if (answer != MH_ZIP_CONTENT || (before == ZIP_AT_STREAM && zip->phase == ZIP_AT_STREAM)) return answer;
  }
}
