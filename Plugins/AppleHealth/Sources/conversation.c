/* The conversation: events in, pulls out. Each event goes on where the one before stopped, whatever it brings. */
#include <stdlib.h>
#include <string.h>

#include "workout.h"

#define CLOCK_SLACK_US INT64_C(86400000000)

/* XML begins with a tag; what only has one somewhere may be an archive with the export in it. */
static int is_export(const uint8_t *p, size_t n) {
  static const char mark[] = "\xef\xbb\xbf", root[] = "<HealthData";
  size_t at = n >= 3 && memcmp(p, mark, 3) == 0 ? 3 : 0;
  while (at < n && (p[at] == ' ' || p[at] == '\n' || p[at] == '\r' || p[at] == '\t')) at++;
  return at < n && p[at] == '<' && mh_find(p, n, root, sizeof root - 1) != NULL;
}

static void close_talk(mh_talk *talk) {
  if (talk == NULL) return;
  mh_zip_close(talk->zip);
  mh_window_free(&talk->window);
  mh_queue_free(&talk->queue);
  free(talk->workout);
  free(talk);
}

static int is_ours(mh_str source) {
  static const char name[] = "apple-health";
  return source.n == sizeof name - 1 && memcmp(source.p, name, source.n) == 0;
}

static int32_t open_talk(const mh_import_open *opening, mh_talk **out) {
  if (opening == NULL || out == NULL || !MH_HAS(opening, wanted) || !MH_HAS(&opening->talk, source)) return MH_E_ARG;
  if (!is_ours(opening->talk.source)) return MH_E_UNSUPPORTED;
  mh_talk *talk = calloc(1, sizeof *talk);
  if (talk == NULL) return MH_E_MEMORY;
  talk->opening = *opening;
  talk->opening.talk.source = (mh_str){NULL, 0};
  const int64_t now = opening->talk.unix_us;
  talk->latest_us = now > 0 && now < MH_IMPORT_US_MAX - CLOCK_SLACK_US ? now + CLOCK_SLACK_US : MH_IMPORT_US_MAX;
  talk->zip = mh_zip_open(opening->talk.size, is_export);
  talk->workout = calloc(1, sizeof *talk->workout);
  const int is_started = mh_queue_start(&talk->queue) && mh_window_start(&talk->window, APPLE_WINDOW);
  if (!is_started || talk->zip == NULL || talk->workout == NULL) {
    close_talk(talk);
    return MH_E_MEMORY;
  }
  *out = talk;
  return MH_OK;
}

/* What was counted goes along with the pull; where a round has no room, and there were many, the next event has. */
static int32_t pull(mh_talk *talk, mh_import_sink *sink) {
  const int32_t status = mh_queue_tell(&talk->queue, sink);
  if (status != MH_OK && talk->queue.rounds < MH_QUEUE_EVENT_ROUNDS) return status;
  uint64_t offset, length;
  mh_zip_pull(talk->zip, &offset, &length);
  return mh_queue_act(sink, MH_TALK_PULL, offset, length, NULL);
}

static int32_t rest(mh_talk *talk, mh_import_sink *sink) {
  mh_zip_rest(talk->zip);
  return pull(talk, sink);
}

static const char *reason(enum mh_zip_failure failure) {
  switch (failure) {
    case MH_ZIP_EMPTY: return "the file is empty; export it again, with enough free space on the phone";
    case MH_ZIP_ENCRYPTED: return "the archive is encrypted; give the export as the phone made it";
    case MH_ZIP_METHOD: return "the archive is compressed in an unknown way; give the export as the phone made it";
    case MH_ZIP_MEMORY: return "there is no memory";
    case MH_ZIP_NOTHING: break;
  }
  return "there is no export of Apple Health in the file; give export.zip, or the export.xml in it";
}

static int32_t fail(mh_talk *talk, mh_import_sink *sink, const char *text, uint64_t number) {
  talk->is_over = 1;
  return mh_queue_act(sink, MH_TALK_FAIL, number, 0, text);
}

/* Once: what is wrong with the whole. */
static void judge(mh_talk *talk) {
  if (talk->is_judged) return;
  talk->is_judged = 1;
  if (talk->element != E_NONE && talk->has_sample) mh_queue_drop(&talk->queue, 0);
  talk->element = E_NONE;
  if (mh_zip_is_damaged(talk->zip)) {
    talk->queue.flags |= MH_IMPORT_PARTIAL;
    mh_queue_refuse(&talk->queue, MH_REFUSED_DAMAGED, MH_IMPORT_NO_INDEX, talk->window.place);
  }
  if (mh_zip_is_cut(talk->zip) || talk->mode != M_OVER) talk->queue.flags |= MH_IMPORT_PARTIAL;
  uint64_t place;
  // Another export in the same archive, smaller than the one that was read.
  for (uint32_t others = mh_zip_others(talk->zip, &place); others > 0; others--)
    mh_queue_refuse(&talk->queue, MH_REFUSED_FORM, MH_IMPORT_NO_INDEX, place);
}

static int32_t finish(mh_talk *talk, mh_import_sink *sink) {
  judge(talk);
  int32_t status = mh_queue_drain(&talk->queue, sink);
  if (status == MH_QUEUE_SPENT) return rest(talk, sink);
  if (status == MH_OK) status = mh_queue_tell(&talk->queue, sink);
  if (status == MH_E_FULL && talk->queue.rounds >= MH_QUEUE_EVENT_ROUNDS) return rest(talk, sink);
  if (status != MH_OK) return status;
  talk->is_over = 1;
  return mh_queue_act(sink, MH_TALK_DONE, 0, 0, NULL);
}

/* A tag that is longer than the window has room: until it is too long, the window grows. */
static int make_room(mh_window *window) {
  if (window->start != 0 || window->end != window->capacity) return 1;
  const size_t twice = window->capacity * 2;
  return mh_window_grow(window, twice < APPLE_WINDOW_MAX ? twice : APPLE_WINDOW_MAX);
}

static int32_t run(mh_talk *talk, mh_import_sink *sink) {
  for (;;) {
    const int32_t status = mh_zip_is_reading(talk->zip) ? apple_scan(talk, sink) : MH_OK;
    if (status == MH_QUEUE_SPENT) return rest(talk, sink);
    if (status != MH_OK) return status;
    if (talk->window.is_last) return finish(talk, sink);
    if (mh_zip_is_reading(talk->zip) && !make_room(&talk->window)) return MH_E_MEMORY;
    switch (mh_zip_next(talk->zip, &talk->window)) {
      case MH_ZIP_CONTENT: break;
      case MH_ZIP_PULL:
      case MH_ZIP_REST: return pull(talk, sink);
      case MH_ZIP_END: talk->window.is_last = 1; break;
      case MH_ZIP_FAILED: return fail(talk, sink, reason(mh_zip_failure(talk->zip)), mh_zip_failure(talk->zip));
    }
  }
}

static int32_t event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  if (talk == NULL || event == NULL || sink == NULL || !MH_HAS(event, value) || !MH_HAS(sink, ctx)) return MH_E_ARG;
  if (talk->is_over) return MH_E_UNSUPPORTED;
  const int is_continued = event->kind == MH_TALK_CONTINUE;
  mh_queue_event(&talk->queue, is_continued);
  if (!is_continued) mh_zip_event(talk->zip);
  switch (event->kind) {
    case MH_TALK_STARTED:
    case MH_TALK_CONTINUE: break;
    case MH_TALK_BYTES:
      mh_zip_take(talk->zip, event->number, event->value, (event->flags & MH_TALK_LAST) != 0);
      break;
    case MH_TALK_ANSWER:
      if (event->status != MH_OK) return fail(talk, sink, "the file cannot be read on; try again", 0);
      break;
    case MH_TALK_ENDED: return finish(talk, sink);
    default: return MH_E_UNSUPPORTED;
  }
  return run(talk, sink);
}

const mh_import apple_import = {
    .struct_size = sizeof(mh_import),
    .open = open_talk,
    .event = event,
    .close = close_talk,
};
