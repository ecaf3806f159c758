/* Looks at every row of a round, as the host does, and keeps what it says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_internal.h"

#define KNOWN_FLAGS \
  (MH_SAMPLE_HAS_VALUE | MH_SAMPLE_MANUAL | MH_SAMPLE_LINK | MH_SAMPLE_MERGED | MH_SAMPLE_PART)
#define QUANTITIES 256u

void bench_import_broken(const bench_import *read, const char *rule, const char *what) {
  bench_broken(NULL, rule, "%s (event %llu)", what, (unsigned long long)read->seq);
}

/* The samples and sums of a source are the same however it was given; so must be what is made of them here. */
static void mix(bench_import *read, const void *p, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) read->digest = (read->digest ^ ((const uint8_t *)p)[i]) * UINT64_C(1099511628211);
}

/* A text of the round with a zero byte behind it, on the heap. */
static char *copy_text(const bench_import *read, const mh_import_sink *sink, uint32_t off, uint32_t length) {
  if (length > MH_IMPORT_TEXT_MAX || (uint64_t)off + length > sink->n_arena)
    bench_import_broken(read, "R18", "a text lies outside of the arena or is too long");
  char *text = bench_allocate((uint64_t)length + 1);
  if (length > 0) memcpy(text, sink->arena + off, length);
  return text;
}

static void check_run(const bench_import *read, const mh_import_sink *sink, uint32_t off, uint32_t length) {
  free(copy_text(read, sink, off, length));
}

/* Fields that a kind of name does not have are zero. */
static int is_plain(const mh_import_name *name) {
  const int has_rank = name->kind == MH_NAME_SOURCE || name->kind == MH_NAME_ORDER;
  const int has_flags = name->kind == MH_NAME_SOURCE, has_detail = name->kind == MH_NAME_SOURCE;
  const int has_key = name->kind == MH_NAME_SOURCE || name->kind == MH_NAME_TYPE;
  const int has_quantity = name->kind == MH_NAME_TYPE || name->kind == MH_NAME_ORDER;
  return (has_rank || name->rank == 0) && (has_flags || name->flags == 0) && (has_detail || name->detail_len == 0) &&
         (has_key || name->key_len == 0) && (has_quantity || name->quantity == 0) && name->quantity < QUANTITIES &&
         (name->flags & ~(MH_SOURCE_WATCH | MH_SOURCE_PHONE | MH_SOURCE_MANUAL)) == 0 &&
         (name->text_len == 0) == (name->kind == MH_NAME_ORDER);
}

static void take_name(bench_import *read, const mh_import_sink *sink, const mh_import_name *name) {
  if (name->kind < MH_NAME_TYPE || name->kind > MH_NAME_ORDER) bench_import_broken(read, "R18", "a name of no kind");
  if (!is_plain(name)) bench_import_broken(read, "R18", "a name is empty, or has a field set that its kind does not name");
  if (++read->n_all_names > MH_IMPORT_NAMES_MAX) bench_import_broken(read, "R16", "more than MH_IMPORT_NAMES_MAX names");
  check_run(read, sink, name->key_off, name->key_len);
  check_run(read, sink, name->detail_off, name->detail_len);
  if (name->kind == MH_NAME_ORDER) {
    if (name->index >= read->n_names[MH_NAME_SOURCE]) bench_import_broken(read, "R18", "an order of no source");
    return;
  }
  uint32_t *n = &read->n_names[name->kind];
  if (name->index != *n) bench_import_broken(read, "R18", "a name whose index is not the next one");
  if ((*n & (*n - 1)) == 0) {
    bench_import_name *grown = realloc(read->names[name->kind], (*n == 0 ? 1 : 2 * (uint64_t)*n) * sizeof *grown);
    if (grown == NULL) exit(70);
    read->names[name->kind] = grown;
  }
  read->names[name->kind][(*n)++] =
      (bench_import_name){.text = copy_text(read, sink, name->text_off, name->text_len), .quantity = name->quantity};
}

static int is_number(int64_t mantissa, int16_t exponent, uint16_t flags) {
  if ((flags & MH_SAMPLE_HAS_VALUE) == 0) return mantissa == 0 && exponent == 0;
  return exponent >= -MH_IMPORT_EXPONENT_MAX && exponent <= MH_IMPORT_EXPONENT_MAX;
}

static int is_time(int64_t us) { return us >= MH_IMPORT_US_MIN && us <= MH_IMPORT_US_MAX; }

static int is_unit(const bench_import *read, uint32_t unit) {
  return unit == MH_IMPORT_NO_INDEX || unit < read->n_names[MH_NAME_UNIT];
}

/* What is wrong with a sample; NULL: nothing. */
static const char *problem(const bench_import *read, const mh_import_sample *sample) {
  if (sample->type >= read->n_names[MH_NAME_TYPE] || sample->source >= read->n_names[MH_NAME_SOURCE] ||
      !is_unit(read, sample->unit))
    return "a sample has a type, source or unit that was not named";
  if (!is_time(sample->start_us) || !is_time(sample->end_us) || !is_time(sample->modified_us))
    return "a sample lies in no year from 1 to 9999";
  if (sample->start_us > sample->end_us) return "a sample ends before it begins";
  if ((sample->flags & ~KNOWN_FLAGS) != 0) return "a sample has an unknown flag";
  if ((sample->flags & MH_SAMPLE_PART) != 0 && !read->has_whole) return "a sample is a part of nothing";
  if (!is_number(sample->mantissa, sample->exponent, sample->flags))
    return "a sample has a number without the flag, or an exponent that is too large";
  if (sample->utc_offset_s != MH_IMPORT_NO_OFFSET &&
      (sample->utc_offset_s < -MH_IMPORT_OFFSET_MAX || sample->utc_offset_s > MH_IMPORT_OFFSET_MAX))
    return "a sample has a clock that is more than 18 hours off";
  const int is_sleep = read->names[MH_NAME_TYPE][sample->type].quantity == MH_QTY_SLEEP;
  if (is_sleep && (sample->word < MH_SLEEP_IN_BED || sample->word > MH_SLEEP_SESSION))
    return "a sample of sleep has no word";
  return NULL;
}

static void keep_sample(bench_import *read, const mh_import_sink *sink, const mh_import_sample *sample) {
  char *text = copy_text(read, sink, sample->text_off, sample->text_len);
  check_run(read, sink, sample->id_off, sample->id_len);
  mh_import_sample plain = *sample;
  plain.first_attribute = plain.text_off = plain.id_off = 0;
  mix(read, &plain, sizeof plain);
  mix(read, text, sample->text_len);
  read->n_samples += 1;
  if (read->options.keeps_sums_only) {
    free(text);
    return;
  }
  if (read->n_samples > read->cap_samples) {
    read->cap_samples = read->cap_samples == 0 ? 64 : 2 * read->cap_samples;
    read->samples = realloc(read->samples, read->cap_samples * sizeof *read->samples);
    if (read->samples == NULL) exit(70);
  }
  const bench_import_name *type = &read->names[MH_NAME_TYPE][sample->type];
  read->samples[read->n_samples - 1] = (bench_import_sample){
      .sample = plain,
      .quantity = type->quantity,
      .type = type->text,
      .source = read->names[MH_NAME_SOURCE][sample->source].text,
      .unit = sample->unit == MH_IMPORT_NO_INDEX ? "" : read->names[MH_NAME_UNIT][sample->unit].text,
      .text = text};
}

static void take_attribute(bench_import *read, const mh_import_sink *sink, const mh_import_attribute *row) {
  if (row->key >= read->n_names[MH_NAME_KEY] || !is_unit(read, row->unit) || row->reserved != 0 ||
      (row->flags & ~MH_SAMPLE_HAS_VALUE) != 0 || !is_number(row->mantissa, row->exponent, row->flags))
    bench_import_broken(read, "R18", "an attribute has an index, a flag or a number that cannot be");
  check_run(read, sink, row->text_off, row->text_len);
  mix(read, &row->mantissa, sizeof row->mantissa);
  mix(read, &row->key, sizeof row->key);
  mix(read, sink->arena + row->text_off, row->text_len);
}

static void take_samples(bench_import *read, const mh_import_sink *sink) {
  uint64_t attributes = 0;
  for (uint64_t i = 0; i < sink->n_samples; i++) {
    const mh_import_sample *sample = &sink->samples[i];
    const char *wrong = problem(read, sample);
    if (wrong != NULL) bench_import_broken(read, "R18", wrong);
    if (sample->n_attributes > 0 && sample->first_attribute != attributes)
      bench_import_broken(read, "R18", "a sample names attributes that are not its own");
    if (sample->n_attributes > sink->n_attributes - attributes)
      bench_import_broken(read, "R18", "a sample names attributes that are not its own");
    read->has_whole |= (sample->flags & MH_SAMPLE_PART) == 0;
    keep_sample(read, sink, sample);
    /* One behind the other, so that it is the same in whatever rounds they come. */
    for (uint32_t a = 0; a < sample->n_attributes; a++) take_attribute(read, sink, &sink->attributes[attributes++]);
  }
  if (attributes != sink->n_attributes) bench_import_broken(read, "R18", "attributes belong to no sample");
}

static int is_count(uint64_t count) { return count > 0 && count <= UINT32_MAX; }

static void take_sums(bench_import *read, const mh_import_sink *sink) {
  const uint32_t n_types = read->n_names[MH_NAME_TYPE];
  for (uint64_t i = 0; i < sink->n_counts; i++) {
    const mh_import_count *row = &sink->counts[i];
    if (!is_count(row->count) || row->type >= n_types || row->reserved != 0)
      bench_import_broken(read, "R18", "it counts samples of no type, or none");
    read->names[MH_NAME_TYPE][row->type].counted += row->count;
  }
  for (uint64_t i = 0; i < sink->n_refusals; i++) {
    const mh_import_refusal *row = &sink->refusals[i];
    const int is_of_type = row->type == MH_IMPORT_NO_INDEX || row->type < n_types;
    if (!is_count(row->count) || !is_of_type || row->reason == 0 || row->reason >= BENCH_REASONS)
      bench_import_broken(read, "R18", "it refuses samples of no type, for no reason, or none");
    uint64_t *first = &read->first_refused[row->reason];
    if (read->refused[row->reason] == 0 || row->place < *first) *first = row->place;
    read->refused[row->reason] += row->count;
  }
}

/* A count behind its array's end was written behind it, too. */
static void check_room(const bench_import *read, const mh_import_sink *sink) {
  if (sink->n_names > sink->cap_names || sink->n_samples > sink->cap_samples ||
      sink->n_attributes > sink->cap_attributes || sink->n_counts > sink->cap_counts ||
      sink->n_refusals > sink->cap_refusals || sink->n_arena > sink->cap_arena)
    bench_import_broken(read, "R13", "it put more into the sink than the sink holds");
}

void bench_import_take(bench_import *read, const mh_import_sink *sink) {
  check_room(read, sink);
  read->event_samples += sink->n_samples;
  read->event_attributes += sink->n_attributes;
  read->event_arena += sink->n_arena;
  if (read->event_samples > MH_IMPORT_SAMPLES_MAX || read->event_attributes > MH_IMPORT_ATTRIBUTES_MAX ||
      read->event_arena > MH_IMPORT_ARENA_MAX)
    bench_import_broken(read, "R16", "an event gave more than it may");
  if ((sink->flags & ~(uint64_t)MH_IMPORT_PARTIAL) != 0) bench_import_broken(read, "R18", "an unknown flag of the sink");
  if (sink->exported_us != 0 && !is_time(sink->exported_us))
    bench_import_broken(read, "R18", "the export was written in no year from 1 to 9999");
  for (uint64_t i = 0; i < sink->n_names; i++) take_name(read, sink, &sink->names[i]);
  take_samples(read, sink);
  take_sums(read, sink);
  read->is_partial |= (sink->flags & MH_IMPORT_PARTIAL) != 0;
}
