/* The import bench's own parts. */
#ifndef BENCH_IMPORT_INTERNAL_H
#define BENCH_IMPORT_INTERNAL_H

#include "bench_internal.h"
#include "include/bench_import.h"

/* By MH_NAME_*; those of MH_NAME_ORDER are no names. */
#define BENCH_NAME_KINDS 5u
#define BENCH_REASONS 7u

typedef struct bench_import_name {
  char *text;
  uint16_t quantity;
  /* Of a type. */
  uint64_t counted;
} bench_import_name;

struct bench_import {
  bench_import_options options;
  uint64_t size;

  bench_import_name *names[BENCH_NAME_KINDS];
  uint32_t n_names[BENCH_NAME_KINDS];
  uint32_t n_all_names;

  bench_import_sample *samples;
  uint64_t n_samples, cap_samples;
  uint64_t refused[BENCH_REASONS], first_refused[BENCH_REASONS];
  uint64_t digest;
  int has_whole;
  int is_partial;

  /* Of the event that is handled. */
  uint64_t event_samples, event_attributes, event_arena;
  uint32_t n_actions;
  int pulls;

  mh_talk_action pull;
  uint64_t seq, n_pulls, n_pulled;
  int has_ended;
  int is_over;
  char *failure;
};

/* import_check.c */
/* Names a broken rule and ends the process. */
_Noreturn void bench_import_broken(const bench_import *read, const char *rule, const char *what);
/* Checks a round and adds it to what was read. */
void bench_import_take(bench_import *read, const mh_import_sink *sink);

/* import_action.c */
int32_t bench_import_act(void *ctx, const mh_talk_action *action);

#endif
