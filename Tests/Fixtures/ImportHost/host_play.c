#define _GNU_SOURCE
#include "host_game.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int32_t act(void *ctx, const mh_talk_action *action) {
  game *g = ctx;
  if (action->kind != MH_TALK_PULL && action->kind != MH_TALK_DONE && action->kind != MH_TALK_FAIL)
    return MH_E_UNSUPPORTED;
  if (g->has_action) judge_fault(g, "two actions in an event");
  if (action->text.n > MH_TALK_TEXT_MAX) judge_fault(g, "a text that is too long");
  g->has_action = 1;
  g->action = *action;
  if (action->kind == MH_TALK_FAIL && action->text.n <= MH_TALK_TEXT_MAX)
    memcpy(g->result->text, action->text.p, action->text.n);
  return MH_OK;
}

static void make_sink(game *g) {
  const int is_small = g->options->is_small;
  mh_import_sink *sink = &g->sink;
  memset(sink, 0, sizeof *sink);
  sink->struct_size = sizeof *sink;
  sink->cap_names = is_small ? MH_IMPORT_NAMES_MIN : MH_IMPORT_NAMES_MAX;
  sink->cap_samples = is_small ? MH_IMPORT_SAMPLES_MIN : 4096;
  sink->cap_attributes = is_small ? MH_IMPORT_ATTRIBUTES_MIN : 65536;
  sink->cap_counts = MH_IMPORT_COUNTS_MIN;
  sink->cap_refusals = MH_IMPORT_REFUSALS_MIN;
  sink->cap_arena = is_small ? MH_IMPORT_ARENA_MIN : 1u << 20;
  sink->names = calloc(sink->cap_names, sizeof *sink->names);
  sink->samples = calloc(sink->cap_samples, sizeof *sink->samples);
  sink->attributes = calloc(sink->cap_attributes, sizeof *sink->attributes);
  sink->counts = calloc(sink->cap_counts, sizeof *sink->counts);
  sink->refusals = calloc(sink->cap_refusals, sizeof *sink->refusals);
  sink->arena = calloc(sink->cap_arena, 1);
  sink->act = act;
  sink->ctx = g;
}

static void free_sink(mh_import_sink *sink) {
  free(sink->names);
  free(sink->samples);
  free(sink->attributes);
  free(sink->counts);
  free(sink->refusals);
  free(sink->arena);
}

static void empty_sink(mh_import_sink *sink) {
  sink->n_names = sink->n_samples = sink->n_attributes = sink->n_counts = sink->n_refusals = sink->n_arena = 0;
  sink->exported_us = 0;
  sink->flags = 0;
}

/* One event with all its rounds. */
static void tell(game *g, mh_talk *talk, mh_talk_event event) {
  g->event_samples = g->event_attributes = g->event_arena = 0;
  g->has_action = 0;
  event.struct_size = sizeof event;
  event.seq = ++g->result->events;
  for (int round = 0;; round++) {
    if (round == 64) {
      judge_fault(g, "more than 64 rounds");
      return;
    }
    empty_sink(&g->sink);
    const int32_t status = g->driver->event(talk, &event, &g->sink);
    g->result->rounds += 1;
    judge_round(g);
    if (g->result->fault != NULL) return;
    if (status == MH_OK) break;
    if (status != MH_E_FULL) {
      judge_fault(g, "an event that failed");
      return;
    }
    if (g->sink.n_names + g->sink.n_samples + g->sink.n_counts + g->sink.n_refusals == 0) {
      judge_fault(g, "full without anything new");
      return;
    }
    const mh_talk_event again = {.struct_size = sizeof again, .kind = MH_TALK_CONTINUE, .seq = event.seq};
    event = again;
  }
  if (!g->has_action) judge_fault(g, "an event after which nothing comes");
}

static uint32_t length_of(game *g, uint64_t offset, uint64_t asked) {
  const uint64_t left = g->source.size - offset;
  uint64_t n = asked < left ? asked : left;
  if (g->options->chunk > 0 && n > g->options->chunk) n = g->options->chunk;
  g->dice = g->dice * 1103515245u + 12345u;
  if (g->options->is_ragged && n > 1) n = 1 + (g->dice >> 8) % n;
  return (uint32_t)n;
}

static void answer(game *g, mh_talk *talk) {
  const uint64_t offset = g->action.first, asked = g->action.second;
  if (asked == 0 || asked > MH_TALK_CHUNK_MAX || offset > g->source.size) {
    judge_fault(g, "a pull outside of the source");
    return;
  }
  const uint32_t n = length_of(g, offset, asked);
  mh_talk_event event = {.kind = MH_TALK_BYTES, .token = g->action.token, .number = offset};
  if (offset + n == g->source.size) event.flags = MH_TALK_LAST;
  if (g->source.bytes != NULL)
    memcpy(g->chunk, g->source.bytes + offset, n);
  else if (pread(g->source.file, g->chunk, n, (off_t)offset) != (ssize_t)n)
    judge_fault(g, "the file cannot be read");
  event.value = (mh_bytes){g->chunk, n};
  g->result->pulls += 1;
  g->result->pulled += n;
  if (g->options->chunk == 0 &&
      (g->result->pulled > 16 * g->source.size + (64u << 20) || g->result->pulls > g->source.size / 1024 + 65536))
    judge_fault(g, "too much is pulled");
  tell(g, talk, event);
}

void play(const mh_import *driver, play_source source, const play_options *options, play_result *result) {
  game *g = calloc(1, sizeof *g);
  memset(result, 0, sizeof *result);
  g->driver = driver;
  g->source = source;
  g->options = options;
  g->result = result;
  g->dice = 1;
  make_sink(g);
  mh_import_open opening;
  memset(&opening, 0, sizeof opening);
  opening.struct_size = sizeof opening;
  opening.talk.struct_size = sizeof opening.talk;
  opening.talk.size = source.is_size_unknown ? MH_TALK_SIZE_UNKNOWN : source.size;
  opening.talk.source = (mh_str){options->format, strlen(options->format)};
  opening.since_us = options->since_us;
  opening.until_us = options->until_us;
  memcpy(opening.wanted, options->wanted, sizeof opening.wanted);
  mh_talk *talk = NULL;
  if (driver->open(&opening, &talk) != MH_OK) {
    judge_fault(g, "open failed");
  } else {
    const mh_talk_event started = {.kind = MH_TALK_STARTED};
    tell(g, talk, started);
    while (result->fault == NULL && g->action.kind == MH_TALK_PULL) answer(g, talk);
    result->is_done = g->has_action && g->action.kind == MH_TALK_DONE;
    result->is_failed = g->has_action && g->action.kind == MH_TALK_FAIL;
    driver->close(talk);
  }
  for (int kind = 0; kind < 5; kind++) {
    for (uint32_t i = 0; i < g->names[kind].count; i++) free(g->names[kind].texts[i]);
    free(g->names[kind].texts);
    free(g->names[kind].digests);
  }
  free_sink(&g->sink);
  free(g);
}
