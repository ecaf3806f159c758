/* What a driver of exports asks for, and what became of its source. */
#include <stdlib.h>
#include <string.h>

#include "import_internal.h"

static void take_pull(bench_import *read, const mh_talk_action *action) {
  if (read->has_ended) bench_import_broken(read, "R18", "it pulls of a source that is gone");
  if (action->second == 0 || action->second > MH_TALK_CHUNK_MAX)
    bench_import_broken(read, "R18", "it pulls nothing, or more than MH_TALK_CHUNK_MAX");
  if (action->first > read->size) bench_import_broken(read, "R18", "it pulls behind the end of the source");
  /* The host answers any number in any order; the bench one at a time, in order. */
  if (read->pulls) bench_import_broken(read, "R18", "the bench answers one pull of an event and no more");
  read->pull = *action;
  read->pulls = 1;
  read->n_pulls += 1;
}

static void take_failure(bench_import *read, const mh_talk_action *action) {
  if (action->text.n == 0) bench_import_broken(read, "R18", "it fails without a word");
  if (!bench_is_utf8((const uint8_t *)action->text.p, action->text.n))
    bench_import_broken(read, "R6", "a text that is not UTF-8");
  read->failure = bench_allocate(action->text.n + 1);
  memcpy(read->failure, action->text.p, action->text.n);
}

int32_t bench_import_act(void *ctx, const mh_talk_action *action) {
  bench_import *read = ctx;
  if (action->kind != MH_TALK_PULL && action->kind != MH_TALK_DONE && action->kind != MH_TALK_FAIL)
    return MH_E_UNSUPPORTED;
  if (action->text.n > MH_TALK_TEXT_MAX) return MH_E_ARG;
  if (read->n_actions == MH_TALK_ACTIONS_MAX) return MH_E_FULL;
  read->n_actions += 1;
  if (read->is_over) bench_import_broken(read, "R18", "an action behind MH_TALK_DONE or MH_TALK_FAIL");
  if (action->kind == MH_TALK_PULL) {
    take_pull(read, action);
    return MH_OK;
  }
  if (action->kind == MH_TALK_FAIL) take_failure(read, action);
  read->is_over = 1;
  return MH_OK;
}

const char *bench_import_failure(const bench_import *read) { return read->failure; }
int bench_import_is_partial(const bench_import *read) { return read->is_partial; }
uint64_t bench_import_sample_count(const bench_import *read) { return read->n_samples; }

const bench_import_sample *bench_import_sample_at(const bench_import *read, uint64_t index) {
  return index < read->n_samples && !read->options.keeps_sums_only ? &read->samples[index] : NULL;
}

uint64_t bench_import_counted(const bench_import *read, const char *type) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < read->n_names[MH_NAME_TYPE]; i++) {
    const bench_import_name *name = &read->names[MH_NAME_TYPE][i];
    if (type == NULL || strcmp(name->text, type) == 0) count += name->counted;
  }
  return count;
}

uint64_t bench_import_refused(const bench_import *read, uint32_t reason) {
  if (reason != 0) return reason < BENCH_REASONS ? read->refused[reason] : 0;
  uint64_t count = 0;
  for (uint32_t i = 1; i < BENCH_REASONS; i++) count += read->refused[i];
  return count;
}

uint64_t bench_import_first_refused(const bench_import *read, uint32_t reason) {
  return reason < BENCH_REASONS ? read->first_refused[reason] : 0;
}

static uint64_t mix(uint64_t digest, uint64_t number) {
  for (uint32_t i = 0; i < 8; i++) digest = (digest ^ (number >> 8 * i & 0xff)) * UINT64_C(1099511628211);
  return digest;
}

uint64_t bench_import_digest(const bench_import *read) {
  uint64_t digest = mix(read->digest, read->n_samples);
  for (uint32_t i = 0; i < read->n_names[MH_NAME_TYPE]; i++) digest = mix(digest, read->names[MH_NAME_TYPE][i].counted);
  for (uint32_t i = 1; i < BENCH_REASONS; i++) digest = mix(mix(digest, read->refused[i]), read->first_refused[i]);
  return mix(mix(digest, (uint64_t)read->is_partial), read->failure != NULL);
}
