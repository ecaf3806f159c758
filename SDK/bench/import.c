/* One source given to one driver: pulls are answered until it has said everything. */
#include <stdlib.h>
#include <string.h>

#include "import_internal.h"

/* 2100-01-01T00:00Z: behind every sample, as a driver may refuse what lies in the future. */
#define NOW INT64_C(4102444800000000)
/* What a sink holds, in times of what a driver may rely on. */
#define LARGE 4u
/* Rounds of one event at most, as the host allows them for sinks of its size. */
#define ROUNDS_MAX 64u
/* What a driver may pull: its source several times, and room for small ones. The host allows the same. */
#define PULLED_TIMES 16u
#define PULLED_MORE (UINT64_C(64) << 20)
#define PULLS_MORE UINT64_C(65536)

static mh_import_sink make_sink(bench_import *read) {
  const uint64_t times = read->options.has_small_sink ? 1 : LARGE;
  mh_import_sink sink = {.struct_size = sizeof sink,
                         .cap_names = times * MH_IMPORT_NAMES_MIN,
                         .cap_samples = times * MH_IMPORT_SAMPLES_MIN,
                         .cap_attributes = times * MH_IMPORT_ATTRIBUTES_MIN,
                         .cap_counts = times * MH_IMPORT_COUNTS_MIN,
                         .cap_refusals = times * MH_IMPORT_REFUSALS_MIN,
                         .cap_arena = times * MH_IMPORT_ARENA_MIN,
                         .act = bench_import_act,
                         .ctx = read};
  sink.names = bench_allocate(sink.cap_names * sizeof *sink.names);
  sink.samples = bench_allocate(sink.cap_samples * sizeof *sink.samples);
  sink.attributes = bench_allocate(sink.cap_attributes * sizeof *sink.attributes);
  sink.counts = bench_allocate(sink.cap_counts * sizeof *sink.counts);
  sink.refusals = bench_allocate(sink.cap_refusals * sizeof *sink.refusals);
  sink.arena = bench_allocate(sink.cap_arena);
  return sink;
}

static void free_sink(mh_import_sink *sink) {
  free(sink->names);
  free(sink->samples);
  free(sink->attributes);
  free(sink->counts);
  free(sink->refusals);
  free(sink->arena);
}

static void empty(mh_import_sink *sink) {
  sink->n_names = sink->n_samples = sink->n_attributes = sink->n_counts = sink->n_refusals = sink->n_arena = 0;
  sink->exported_us = 0;
  sink->flags = 0;
}

static int is_empty(const mh_import_sink *sink) {
  return sink->n_names == 0 && sink->n_samples == 0 && sink->n_counts == 0 && sink->n_refusals == 0;
}

/* Whether the driver may be told more; one that gave up has said so by its status. */
static void check_status(bench_import *read, int32_t status) {
  if (status != MH_OK && status != MH_E_PROTOCOL && status != MH_E_UNSUPPORTED)
    bench_import_broken(read, "R18", "event returned a status that ends the import without a word");
  if (status == MH_E_UNSUPPORTED && read->n_actions > 0)
    bench_import_broken(read, "R18", "event returned MH_E_UNSUPPORTED and put something out");
  if (read->has_ended || read->is_over) {
    read->is_over = 1;
    return;
  }
  if (!read->pulls) bench_import_broken(read, "R18", "it pulls nothing and does not say that it is done");
  /* A bench that gives less than is asked for makes pulls small and many. */
  const uint64_t chunk = read->options.chunk, shorter = chunk == 0 ? 0 : PULLED_TIMES * (read->size / chunk);
  if (read->n_pulled > PULLED_TIMES * read->size + PULLED_MORE ||
      read->n_pulls > read->size / 1024 + PULLS_MORE + shorter)
    bench_import_broken(read, "R16", "it pulls on and on");
}

/* One fact in, and all rounds of what comes of it. */
static void tell(bench_import *read, const mh_import *driver, mh_talk *talk, mh_import_sink *sink, mh_talk_event event) {
  event.struct_size = sizeof event;
  event.seq = ++read->seq;
  event.mono_ns = read->seq * 1000000;
  event.unix_us = NOW + (int64_t)(event.mono_ns / 1000);
  read->event_samples = read->event_attributes = read->event_arena = 0;
  read->n_actions = 0;
  read->pulls = 0;
  int32_t status = MH_E_FULL;
  for (uint32_t round = 0; status == MH_E_FULL; round++) {
    const uint32_t actions = read->n_actions;
    empty(sink);
    status = driver->event(talk, &event, sink);
    bench_import_take(read, sink);
    if (status == MH_E_FULL && is_empty(sink) && read->n_actions == actions)
      bench_import_broken(read, "R13", "it says MH_E_FULL to an empty sink, which will never hold more");
    if (status == MH_E_FULL && round + 1 == LARGE * ROUNDS_MAX)
      bench_import_broken(read, "R13", "it says MH_E_FULL to one event for ever");
    event.kind = MH_TALK_CONTINUE;
    event.flags = 0;
    event.number = event.token = 0;
    event.status = MH_OK;
    event.value = (mh_bytes){NULL, 0};
  }
  check_status(read, status);
}

/* Answers the pull that waits, with bytes that are gone after the call. */
static void give(bench_import *read, const mh_import *driver, mh_talk *talk, mh_import_sink *sink, const uint8_t *bytes) {
  const uint64_t from = read->pull.first, rest = read->size - from;
  uint64_t n = read->pull.second;
  if (read->options.chunk > 0 && n > read->options.chunk) n = read->options.chunk;
  if (n > rest) n = rest;
  read->n_pulled += read->options.chunk > 0 ? n : read->pull.second;
  uint8_t *part = bench_allocate(n);
  if (n > 0) memcpy(part, bytes + from, n);
  mh_talk_event event = {.kind = MH_TALK_BYTES, .token = read->pull.token, .number = from};
  event.value = (mh_bytes){n == 0 ? NULL : part, n};
  if (n == rest) event.flags = MH_TALK_LAST;
  tell(read, driver, talk, sink, event);
  free(part);
}

static void read_all(bench_import *read, const mh_import *driver, mh_talk *talk, const uint8_t *bytes) {
  const bench_import_options *options = &read->options;
  mh_import_sink sink = make_sink(read);
  tell(read, driver, talk, &sink, (mh_talk_event){.kind = MH_TALK_STARTED});
  for (uint64_t answers = 0; !read->is_over; answers++) {
    if (options->answers > 0 && answers == options->answers) {
      read->has_ended = 1;
      tell(read, driver, talk, &sink, (mh_talk_event){.kind = MH_TALK_ENDED});
    } else if (options->answers_before_error > 0 && answers >= options->answers_before_error) {
      tell(read, driver, talk, &sink,
           (mh_talk_event){.kind = MH_TALK_ANSWER, .token = read->pull.token, .status = MH_E_NOT_FOUND});
    } else {
      give(read, driver, talk, &sink, bytes);
    }
  }
  free_sink(&sink);
}

bench_import *bench_import_read(const mh_import *driver, const char *name, const uint8_t *bytes, uint64_t n,
                                const bench_import_options *options) {
  bench_import *read = bench_allocate(sizeof *read);
  if (options != NULL) read->options = *options;
  read->size = n;
  mh_import_open opening = {.struct_size = sizeof opening,
                            .since_us = read->options.since_us,
                            .until_us = read->options.until_us,
                            .wanted = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  if (opening.since_us == 0 && opening.until_us == 0) {
    opening.since_us = INT64_MIN;
    opening.until_us = INT64_MAX;
  }
  opening.talk = (mh_talk_open){.struct_size = sizeof opening.talk, .unix_us = NOW, .size = n};
  /* The driver is lent the name for the call only. */
  const uint64_t length = strlen(name);
  char *copy = bench_allocate(length);
  memcpy(copy, name, length);
  opening.talk.source = (mh_str){copy, length};
  mh_talk *talk = NULL;
  const int32_t status = driver->open(&opening, &talk);
  free(copy);
  if (status != MH_OK) {
    if (talk != NULL) bench_import_broken(read, "R18", "open refused and gave an import");
    free(read);
    return NULL;
  }
  if (talk == NULL) bench_import_broken(read, "R18", "open said MH_OK and gave no import");
  read_all(read, driver, talk, bytes);
  driver->close(talk);
  return read;
}

void bench_import_free(bench_import *read) {
  if (read == NULL) return;
  for (uint32_t kind = 0; kind < BENCH_NAME_KINDS; kind++) {
    for (uint32_t i = 0; i < read->n_names[kind]; i++) free(read->names[kind][i].text);
    free(read->names[kind]);
  }
  for (uint64_t i = 0; i < read->n_samples && !read->options.keeps_sums_only; i++) free((char *)read->samples[i].text);
  free(read->samples);
  free(read->failure);
  free(read);
}
