/* The conversation: events in, pulls out. Each event goes on where the one before stopped, whatever it brings. */
#include <stdlib.h>
#include <string.h>

#include "workout.h"

/* XML begins with a tag; what only has one somewhere may be an archive with the export in it. */
static int is_export(const uint8_t *p, size_t n) {
  static const char mark[] = "\xef\xbb\xbf", root[] = "<HealthData";
  size_t at = n >= 3 && memcmp(p, mark, 3) == 0 ? 3 : 0;
  while (at < n && (p[at] == ' ' || p[at] == '\n' || p[at] == '\r' || p[at] == '\t')) at++;
  return at < n && p[at] == '<' && mh_text_find(p, n, root, sizeof root - 1) != NULL;
}

static void close_talk(mh_talk *talk) {
  if (talk == NULL) return;
  mh_content_close(talk->content);
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
  talk->content = mh_content_open(opening->talk.size, is_export);
  talk->workout = calloc(1, sizeof *talk->workout);
  const int is_started = mh_queue_start(&talk->queue, opening) && mh_window_start(&talk->window, APPLE_WINDOW);
  if (!is_started || talk->content == NULL || talk->workout == NULL) {
    close_talk(talk);
    return MH_E_MEMORY;
  }
  *out = talk;
  return MH_OK;
}

/* Control bytes that became blanks are told as a type that is only counted: their samples are no worse. */
static int32_t tell(mh_talk *talk, mh_import_sink *sink) {
  static const mh_named type = {.text = {"control byte", 12}, .quantity = MH_QTY_OTHER};
  if (talk->n_controls > 0) mh_queue_count(&talk->queue, mh_names_index(&talk->queue.types, &type), talk->n_controls);
  talk->n_controls = 0;
  return mh_queue_tell(&talk->queue, sink);
}

/* What was counted goes along with the pull; where a round has no room, and there were many, the next event has. */
static int32_t pull(mh_talk *talk, mh_import_sink *sink) {
  const int32_t status = tell(talk, sink);
  if (status != MH_OK && talk->queue.rounds < MH_QUEUE_EVENT_ROUNDS) return status;
  const mh_source *source = &talk->content->source;
  return mh_queue_act(sink, MH_TALK_PULL, source->pull_at, source->pull_n, NULL);
}

static int32_t rest(mh_talk *talk, mh_import_sink *sink) {
  mh_content_rest(talk->content);
  return pull(talk, sink);
}

static const char *reason(mh_content_failure failure) {
  switch (failure) {
    case MH_CONTENT_EMPTY: return "the file is empty; export it again, with enough free space on the phone";
    case MH_CONTENT_ENCRYPTED: return "the archive is encrypted; give the export as the phone made it";
    case MH_CONTENT_METHOD: return "the archive is compressed in an unknown way; give the export as the phone made it";
    case MH_CONTENT_MEMORY: return "there is no memory";
    case MH_CONTENT_NOTHING: break;
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
  if (talk->content->is_damaged) {
    talk->queue.flags |= MH_IMPORT_PARTIAL;
    mh_queue_refuse(&talk->queue, MH_REFUSED_DAMAGED, MH_IMPORT_NO_INDEX, talk->window.place);
  }
  if (talk->content->is_cut || talk->content->archive.is_forward || talk->mode != M_OVER) talk->queue.flags |= MH_IMPORT_PARTIAL;
  // Another export in the same archive, smaller than the one that was read.
  for (uint32_t i = 0; i < talk->content->others; i++)
    mh_queue_refuse(&talk->queue, MH_REFUSED_FORM, MH_IMPORT_NO_INDEX, talk->content->other_place);
}

static int32_t finish(mh_talk *talk, mh_import_sink *sink) {
  judge(talk);
  int32_t status = mh_queue_drain(&talk->queue, sink);
  if (status == MH_QUEUE_SPENT) return rest(talk, sink);
  if (status == MH_OK) status = tell(talk, sink);
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
    const int32_t status = mh_content_is_reading(talk->content) ? apple_scan(talk, sink) : MH_OK;
    if (status == MH_QUEUE_SPENT) return rest(talk, sink);
    if (status != MH_OK) return status;
    if (talk->window.is_last) return finish(talk, sink);
    if (mh_content_is_reading(talk->content) && !make_room(&talk->window)) return MH_E_MEMORY;
    switch (mh_content_next(talk->content, &talk->window)) {
      case MH_CONTENT_MORE: break;
      case MH_CONTENT_PULL:
      case MH_CONTENT_REST: return pull(talk, sink);
      case MH_CONTENT_END: talk->window.is_last = 1; break;
      case MH_CONTENT_FAILED: {
        const mh_content_failure failure = talk->content->failure;
        return fail(talk, sink, reason(failure), failure);
      }
    }
  }
}

static int32_t event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  if (talk == NULL || event == NULL || sink == NULL || !MH_HAS(event, value) || !MH_HAS(sink, ctx)) return MH_E_ARG;
  if (talk->is_over) return MH_E_UNSUPPORTED;
  const int is_continued = event->kind == MH_TALK_CONTINUE;
  mh_queue_event(&talk->queue, is_continued);
  if (!is_continued) mh_source_event(&talk->content->source);
  switch (event->kind) {
    case MH_TALK_STARTED:
    case MH_TALK_CONTINUE: break;
    case MH_TALK_BYTES:
      mh_source_take(&talk->content->source, event->number, event->value, (event->flags & MH_TALK_LAST) != 0);
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
