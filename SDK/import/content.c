#include "include/import/content.h"

#include <stdlib.h>
#include <string.h>

#include "header.h"

enum { HEAD, DIRECTORY, PROBE, FORWARD, FORWARD_HEAD, FORWARD_SKIP, STREAM, OVER, FAILURE };

/* How many are looked at behind the one that is wanted. */
#define OTHERS 15u
#define NONE_CHOSEN UINT32_MAX

mh_content *mh_content_open(uint64_t size, int (*is_wanted)(const uint8_t *p, size_t n)) {
  mh_content *content = calloc(1, sizeof *content);
  if (content == NULL) return NULL;
  mh_source_start(&content->source, size, MH_SOURCE_BUFFER);
  mh_archive_start(&content->archive, 1);
  content->is_wanted = is_wanted;
  content->chosen = NONE_CHOSEN;
  return content;
}

void mh_content_close(mh_content *content) {
  if (content == NULL) return;
  mh_opened_close(&content->opened);
  free(content);
}

void mh_content_rest(mh_content *content) {
  const int is_streaming = content->phase >= FORWARD_HEAD && content->opened.is_open;
  mh_source_rest(&content->source, is_streaming ? content->opened.at : content->source.used);
}

int mh_content_is_reading(const mh_content *content) { return content->phase == STREAM || content->phase == OVER; }

static mh_content_step go(mh_content *content, uint8_t phase) {
  content->phase = phase;
  return MH_CONTENT_MORE;
}

static mh_content_step fail(mh_content *content, mh_content_failure failure) {
  content->failure = failure;
  content->phase = FAILURE;
  return MH_CONTENT_FAILED;
}

static mh_content_step open_entry(mh_content *content, const mh_entry *entry, uint8_t phase) {
  if (!mh_opened_start(&content->opened, &content->source, entry)) return fail(content, MH_CONTENT_MEMORY);
  return go(content, phase);
}

/* A bare file is known by its content, an archive by its first entry, and one with something before it by its end. */
static mh_content_step look_at_head(mh_content *content) {
  const uint8_t *p;
  uint32_t n;
  if (!mh_source_need(&content->source, 0, MH_CONTENT_HEAD, MH_CONTENT_HEAD, &p, &n)) return MH_CONTENT_PULL;
  if (n == 0) return fail(content, MH_CONTENT_EMPTY);
  const int is_archive = n >= 4 && (zip_u32(p) == ZIP_LOCAL || zip_u32(p) == ZIP_EMPTY_ARCHIVE);
  if (is_archive || !content->is_wanted(p, n)) return go(content, DIRECTORY);
  const mh_entry bare = {.size = MH_ENTRY_CONTENT_MAX, .packed = MH_ENTRY_CONTENT_MAX, .method = ZIP_STORED};
  const mh_content_step step = open_entry(content, &bare, STREAM);
  content->opened.is_open = 1;
  return step;
}

/* The largest first; of more than there is room for the smallest go. */
static void insert(mh_content *content, const mh_candidate *candidate) {
  uint32_t low = 0, high = content->n_candidates;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (content->candidates[middle].rank >= candidate->rank)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == MH_CONTENT_CANDIDATES) return;
  if (content->n_candidates < MH_CONTENT_CANDIDATES) content->n_candidates += 1;
  memmove(&content->candidates[low + 1], &content->candidates[low],
          (content->n_candidates - 1 - low) * sizeof *candidate);
  content->candidates[low] = *candidate;
}

/* The distance to the next entry tells the length even where the length is written modulo 2^32. */
static void settle_last(mh_content *content, uint64_t next) {
  if (!content->has_last) return;
  content->has_last = 0;
  mh_candidate *last = &content->last;
  const mh_entry *entry = &last->entry;
  last->rank = entry->size > entry->packed ? entry->size : entry->packed;
  if (next > entry->at && next - entry->at > last->rank) last->rank = next - entry->at;
  if (entry->size == 0 && entry->packed == 0 && next > entry->at && next - entry->at < MH_ENTRY_WRAP) return;
  if (mh_entry_is_encrypted(entry))
    content->has_encrypted = 1;
  else if (!mh_entry_is_readable(entry))
    content->has_unknown_method = 1;
  else
    insert(content, last);
}

static mh_content_step go_forward(mh_content *content) {
  mh_archive_leave_directory(&content->archive);
  content->has_encrypted = content->has_unknown_method = 0;
  return go(content, FORWARD);
}

static mh_content_step end_directory(mh_content *content) {
  settle_last(content, content->archive.end);
  if (content->n_candidates == 0 && !content->has_encrypted && !content->has_unknown_method) return go_forward(content);
  return go(content, PROBE);
}

static mh_content_step forward_entry(mh_content *content, const mh_entry *entry) {
  content->has_encrypted |= (uint8_t)mh_entry_is_encrypted(entry);
  content->has_unknown_method |=
      (uint8_t)(!mh_entry_is_encrypted(entry) && entry->method != ZIP_STORED && entry->method != ZIP_DEFLATED);
  if (!mh_entry_is_readable(entry) || (entry->method == ZIP_STORED && entry->size == 0)) return go(content, FORWARD);
  mh_entry opened = *entry;
  if (entry->method == ZIP_DEFLATED) opened.size = UINT64_MAX;
  return open_entry(content, &opened, FORWARD_HEAD);
}

/* Entries of the directory, and where there is none the first that is worth a look. */
static mh_content_step list(mh_content *content) {
  mh_entry entry;
  switch (mh_archive_next(&content->archive, &content->source, &entry, NULL)) {
    case MH_FOUND_PULL: return MH_CONTENT_PULL;
    case MH_FOUND_ENTRY:
      if (content->archive.is_forward) return forward_entry(content, &entry);
      settle_last(content, entry.at);
      content->last.entry = entry;
      content->has_last = 1;
      return MH_CONTENT_MORE;
    default: break;
  }
  if (!content->archive.is_forward) return end_directory(content);
  if (content->has_encrypted) return fail(content, MH_CONTENT_ENCRYPTED);
  return fail(content, content->has_unknown_method ? MH_CONTENT_METHOD : MH_CONTENT_NOTHING);
}

static mh_content_step decide(mh_content *content) {
  if (content->chosen != NONE_CHOSEN) return open_entry(content, &content->candidates[content->chosen].entry, STREAM);
  if (content->has_encrypted) return fail(content, MH_CONTENT_ENCRYPTED);
  // A directory that leads nowhere, or breaks off, is as good as none.
  if (content->has_lost || content->archive.is_cut || content->archive.at != content->archive.end) return go_forward(content);
  return fail(content, content->has_unknown_method ? MH_CONTENT_METHOD : MH_CONTENT_NOTHING);
}

static mh_content_step judge_candidate(mh_content *content) {
  mh_entry *entry = &content->candidates[content->probe].entry;
  entry->at = content->opened.entry.at;
  if (content->opened.is_open) entry->data = content->opened.entry.data;
  if (content->n_head > 0 && content->is_wanted(content->head, content->n_head)) {
    if (content->chosen == NONE_CHOSEN) {
      content->chosen = content->probe;
    } else if (entry->at != content->candidates[content->chosen].entry.at) {
      content->others += 1;
      content->other_place = entry->at;
    }
  }
  if (content->chosen != NONE_CHOSEN && content->chosen != content->probe) content->after += 1;
  content->probe += 1;
  content->n_head = 0;
  content->is_probing = 0;
  return MH_CONTENT_MORE;
}

/* A piece of the beginning of a candidate. Of many small ones no more is pulled than they have. */
static mh_content_step probe(mh_content *content) {
  if (content->probe == content->n_candidates || content->after >= OTHERS) return decide(content);
  const mh_candidate *candidate = &content->candidates[content->probe];
  mh_opened *opened = &content->opened;
  if (!content->is_probing) {
    if (!mh_opened_start(opened, &content->source, &candidate->entry)) return fail(content, MH_CONTENT_MEMORY);
    opened->most = candidate->rank < MH_CONTENT_HEAD ? (uint32_t)candidate->rank + 1 : MH_CONTENT_HEAD;
    content->is_probing = 1;
  }
  uint32_t n = 0;
  const mh_piece piece =
      mh_opened_read(opened, &content->source, content->head + content->n_head, MH_CONTENT_HEAD - content->n_head, &n);
  content->n_head += n;
  if (piece == MH_PIECE_PULL) return MH_CONTENT_PULL;
  if (piece == MH_PIECE_LOST) content->has_lost = 1;
  if (piece == MH_PIECE_SOME && content->n_head < MH_CONTENT_HEAD) return MH_CONTENT_MORE;
  return judge_candidate(content);
}

/* More of the entry that is open, into the window. MH_CONTENT_END: there is no more. */
static mh_content_step read_on(mh_content *content, mh_window *window) {
  if (window->end == window->capacity && window->start > 0) mh_window_grow(window, window->capacity);
  const size_t room = window->capacity - window->end;
  if (room == 0) return MH_CONTENT_MORE;
  uint32_t n = 0;
  const uint32_t cap = room > MH_CONTENT_EVENT_BYTES ? MH_CONTENT_EVENT_BYTES : (uint32_t)room;
  const mh_piece piece = mh_opened_read(&content->opened, &content->source, window->bytes + window->end, cap, &n);
  window->end += n;
  if (piece == MH_PIECE_PULL) return MH_CONTENT_PULL;
  if (piece == MH_PIECE_SOME) return MH_CONTENT_MORE;
  content->is_cut = piece == MH_PIECE_CUT || piece == MH_PIECE_LOST;
  // What a header at the front says of an entry was written before its end was known.
  const int is_checked = !content->archive.is_forward || content->opened.entry.method == ZIP_DEFLATED;
  content->is_damaged = piece == MH_PIECE_DAMAGED && is_checked;
  return MH_CONTENT_END;
}

static mh_content_step stream(mh_content *content, mh_window *window) {
  const mh_content_step step = read_on(content, window);
  if (step == MH_CONTENT_END) content->phase = OVER;
  return step;
}

/* The entry is not wanted. Where its header does not tell how long it is, it is inflated to its end. */
static mh_content_step pass(mh_content *content, mh_window *window, int is_over) {
  window->start = window->end = 0;
  const int is_known = content->opened.entry.packed != UINT64_MAX;
  if (!is_known && !is_over) return go(content, FORWARD_SKIP);
  if (!is_known) mh_archive_go_on(&content->archive, content->opened.at);
  content->is_cut = content->is_damaged = 0;
  return go(content, FORWARD);
}

/* The content is read into the window until it can be told what it is. */
static mh_content_step forward_head(mh_content *content, mh_window *window) {
  mh_content_step step = MH_CONTENT_MORE;
  if (window->end - window->start < MH_CONTENT_HEAD) {
    step = read_on(content, window);
    if (step == MH_CONTENT_PULL) return step;
    if (step == MH_CONTENT_MORE && window->end - window->start < MH_CONTENT_HEAD) return step;
  }
  size_t length = window->end - window->start;
  if (length > MH_CONTENT_HEAD) length = MH_CONTENT_HEAD;
  if (!content->is_wanted(window->bytes + window->start, length)) return pass(content, window, step == MH_CONTENT_END);
  content->phase = step == MH_CONTENT_END ? OVER : STREAM;
  return step;
}

static mh_content_step forward_skip(mh_content *content, mh_window *window) {
  window->start = window->end = 0;
  const mh_content_step step = read_on(content, window);
  return step == MH_CONTENT_END ? pass(content, window, 1) : step;
}

static mh_content_step step(mh_content *content, mh_window *window) {
  switch (content->phase) {
    case HEAD: return look_at_head(content);
    case DIRECTORY:
    case FORWARD: return list(content);
    case PROBE: return probe(content);
    case FORWARD_HEAD: return forward_head(content, window);
    case FORWARD_SKIP: return forward_skip(content, window);
    case STREAM: return stream(content, window);
    case OVER: return MH_CONTENT_END;
    default: return MH_CONTENT_FAILED;
  }
}

mh_content_step mh_content_next(mh_content *content, mh_window *window) {
  for (;;) {
    if (content->source.work >= MH_CONTENT_EVENT_BYTES) {
      mh_content_rest(content);
      return MH_CONTENT_REST;
    }
    const uint8_t before = content->phase;
    const mh_content_step answer = step(content, window);
    if (answer != MH_CONTENT_MORE || (before == STREAM && content->phase == STREAM)) return answer;
  }
}
