/* The bench's own parts. */
#ifndef BENCH_INTERNAL_H
#define BENCH_INTERNAL_H

#include "include/bench.h"

#define BENCH_KEYS_MAX 256
#define BENCH_ROUND_RECORDS 64

typedef struct bench_key {
  char name[MH_KEY_MAX + 1];
  uint8_t *value;
  uint64_t n;
  /* 0: committed; 1: written by the event that is being handled. */
  int is_pending;
} bench_key;

typedef struct bench_kept_action {
  mh_action action;
  uint8_t value[MH_ACTION_VALUE_MAX];
  char text[MH_ACTION_TEXT_MAX + 1];
} bench_kept_action;

struct bench {
  const mh_driver *driver;
  mh_session *session;
  mh_open opening;
  uint64_t seq;
  uint64_t mono_ns;
  uint64_t random;
  uint64_t round_records;
  int is_disconnected;
  int has_ended;
  const mh_crypto *crypto;

  bench_key keys[BENCH_KEYS_MAX];
  uint32_t n_keys;

  /* The output of the last event, all rounds together: indexes are those of these arrays. */
  mh_record *records;
  mh_value *values;
  mh_text *texts;
  uint8_t *arena;
  uint64_t n_records, n_values, n_texts, n_arena;
  bench_kept_action actions[MH_ACTIONS_MAX];
  uint32_t n_actions;
  int takes_actions;
};

/* Names a broken rule and ends the process. */
_Noreturn void bench_broken(const bench *bench, const char *rule, const char *what, ...)
    __attribute__((format(printf, 3, 4)));
void *bench_allocate(uint64_t n);

/* load.c: a driver of any kind; bench_find and bench_load want one that reads meters. */
const mh_driver *bench_find_any(bench_entry entry, uint32_t index);
const mh_driver *bench_load_any(const char *library, uint32_t index);

/* services.c */
extern const mh_host bench_host;
/* The session whose call is running, NULL outside of calls. A thread calls one driver at a time. */
extern _Thread_local bench *bench_current;
/* 0 while decode runs, which may use neither storage nor random numbers. */
extern _Thread_local int bench_allows_services;
void bench_end_writes(bench *bench, int commits);

/* output.c */
/* Sinks of one round: arrays of just so many elements, and a guard behind each. */
mh_sink bench_make_sink(bench *bench, uint64_t records, uint64_t values, uint64_t texts, uint64_t arena);
void bench_free_sink(mh_sink *sink);
/* Checks a round and adds it to the output. */
void bench_take(bench *bench, const mh_sink *sink);
void bench_drop_output(bench *bench);

/* action.c */
int32_t bench_act(void *ctx, const mh_action *action);
void bench_check_actions(const bench *bench);
int bench_is_utf8(const uint8_t *p, uint64_t n);

#endif
