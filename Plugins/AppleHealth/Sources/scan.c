/* Tags, without a tree and without a DTD: what stands before <HealthData is passed over, nesting is what the open
 * element says, and a tag ends at the first `>` outside a quoted value. So one bad element costs itself and
 * nothing else. */
#include "include/apple.h"

#include <string.h>

static int is_blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static const char root[] = "<HealthData";
#define ROOT (sizeof root - 1)

/* Bytes of the window that were not read. */
typedef struct view {
  const uint8_t *p, *end;
} view;

static view view_of(const mh_talk *talk) {
  const mh_window *window = &talk->window;
  return (view){window->bytes + window->start, window->bytes + window->end};
}

static void read_to(mh_talk *talk, view all, const uint8_t *p) {
  mh_window_read(&talk->window, (size_t)(p - all.p));
  talk->looked = 0;
  talk->is_in_tag = 0;
}

/* Where the tag ends that begins at all.p: its `>`, or NULL. Goes on where it stopped when there was less. */
static const uint8_t *tag_end(mh_talk *talk, view all) {
  if (!talk->is_in_tag) {
    talk->is_in_tag = 1;
    talk->quote = 0;
    talk->is_after_equals = 0;
    talk->looked = 1;
  }
  const uint8_t *p = all.p + talk->looked;
  while (p < all.end) {
    if (talk->quote != 0) {
      const uint8_t *stop = memchr(p, talk->quote, (size_t)(all.end - p));
      if (stop == NULL) break;
      talk->quote = 0;
      p = stop + 1;
      continue;
    }
    const uint8_t c = *p;
    if (c == '>') return p;
    // Quotes count behind a sign only: names may have any.
    if ((c == '"' || c == '\'') && talk->is_after_equals)
      talk->quote = c;
    if (c == '=')
      talk->is_after_equals = 1;
    else if (!is_blank(c))
      talk->is_after_equals = 0;
    p++;
  }
  talk->looked = (size_t)(all.end - all.p);
  return NULL;
}

static size_t name_length(const uint8_t *p, const uint8_t *end) {
  const uint8_t *start = p;
  while (p < end && !is_blank(*p) && *p != '/' && *p != '>') p++;
  return (size_t)(p - start);
}

/* Reads the tag that begins at all.p: its `>`, or NULL when that is not there yet. */
static const uint8_t *take_tag(mh_talk *talk, view all) {
  apple_tag tag;
  tag.name = all.p + 1;
  tag.name_length = name_length(tag.name, all.end);
  tag.place = talk->window.place;
  const uint8_t *end = apple_attributes(&tag, tag.name + tag.name_length, all.end);
  if (end == NULL || (size_t)(end - all.p) > APPLE_ELEMENT_MAX) return NULL;
  tag.is_closed = end[-1] == '/';
  if (*tag.name == '/')
    apple_end(talk, tag.name + 1, name_length(tag.name + 1, end));
  else
    apple_begin(talk, &tag);
  return end;
}

/* A comment or other markup that begins here: passed over up to its end. */
static int skip(mh_talk *talk, view all, const char *stop, size_t length) {
  const uint8_t *from = all.p + talk->looked;
  const uint8_t *found = mh_text_find(from, (size_t)(all.end - from), stop, length);
  if (found != NULL) {
    talk->mode = M_BODY;
    read_to(talk, all, found + length);
    return 1;
  }
  const size_t left = (size_t)(all.end - all.p), keep = left < length - 1 ? left : length - 1;
  read_to(talk, all, all.end - keep);
  return 0;
}

/* What a tag that is too long has in the window goes; where it stands between its quotes stays. */
static int drop_tag(mh_talk *talk, view all) {
  mh_window_read(&talk->window, (size_t)(all.end - all.p));
  talk->looked = 0;
  talk->mode = M_LONG_TAG;
  return 0;
}

static int skip_long(mh_talk *talk, view all) {
  const uint8_t *end = tag_end(talk, all);
  if (end == NULL) return drop_tag(talk, all);
  talk->mode = M_BODY;
  read_to(talk, all, end + 1);
  return 1;
}

static int find_root(mh_talk *talk, view all) {
  const uint8_t *found = mh_text_find(all.p, (size_t)(all.end - all.p), root, ROOT);
  if (found != NULL) {
    talk->mode = M_BODY;
    read_to(talk, all, found);
    return 1;
  }
  const size_t left = (size_t)(all.end - all.p), keep = left < ROOT - 1 ? left : ROOT - 1;
  read_to(talk, all, all.end - keep);
  return 0;
}

static int is_prefix(view all, const char *text, size_t length) {
  const size_t left = (size_t)(all.end - all.p);
  return memcmp(all.p, text, left < length ? left : length) == 0;
}

/* Comments and other markup: 1: one was begun, 0: none, -1: that cannot be told yet. */
static int begin_markup(mh_talk *talk, view all) {
  const size_t left = (size_t)(all.end - all.p);
  if (left < 2) return talk->window.is_last ? 0 : -1;
  if (all.p[1] != '!' && all.p[1] != '?') return 0;
  if (left < 4 && is_prefix(all, "<!--", 4) && !talk->window.is_last) return -1;
  talk->mode = is_prefix(all, "<!--", 4) && left >= 4 ? M_COMMENT : M_MARKUP;
  read_to(talk, all, all.p + (talk->mode == M_COMMENT ? 4 : 2));
  return 1;
}

/* A tag that begins at all.p. 0: more is needed. One that is not whole yet is looked through once, not anew with
 * all that comes. */
static int read_tag(mh_talk *talk, view all) {
  if (!talk->is_in_tag) {
    const int markup = begin_markup(talk, all);
    if (markup != 0) return markup > 0;
  }
  const uint8_t *end = talk->is_in_tag ? NULL : take_tag(talk, all);
  if (end == NULL) {
    end = tag_end(talk, all);
    if ((size_t)((end != NULL ? end : all.end) - all.p) > APPLE_ELEMENT_MAX) {
      apple_refuse_long(talk, all.p + 1, name_length(all.p + 1, all.p + 64), talk->window.place);
      if (end == NULL) return drop_tag(talk, all);
    } else if (end == NULL || take_tag(talk, all) == NULL) {
      return 0;
    }
  }
  read_to(talk, all, end + 1);
  return 1;
}

static int read_body(mh_talk *talk, view all) {
  if (!talk->is_in_tag && all.p < all.end && *all.p != '<') {
    const uint8_t *found = memchr(all.p, '<', (size_t)(all.end - all.p));
    read_to(talk, all, found == NULL ? all.end : found);
    return found != NULL;
  }
  return all.p < all.end && read_tag(talk, all);
}

static int step(mh_talk *talk) {
  const view all = view_of(talk);
  switch (talk->mode) {
    case M_PROLOGUE: return find_root(talk, all);
    case M_BODY: return read_body(talk, all);
    case M_COMMENT: return skip(talk, all, "-->", 3);
    case M_MARKUP: return skip(talk, all, ">", 1);
    case M_LONG_TAG: return all.p < all.end && skip_long(talk, all);
    case M_OVER: read_to(talk, all, all.end); break;
  }
  return 0;
}

int32_t apple_scan(mh_talk *talk, mh_import_sink *sink) {
  for (;;) {
    // An element that is still open waits for its children.
    if (talk->element == E_NONE) {
      const int32_t status = mh_queue_drain(&talk->queue, sink);
      if (status != MH_OK) return status;
    }
    if (talk->queue.has_failed) return MH_E_MEMORY;
    if (!step(talk)) return MH_OK;
  }
}
