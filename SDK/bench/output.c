/* Records: arrays for one round, what may stand in them (rules R12 and R13), and everything of an event together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_internal.h"

#define GUARD 0xa5

static void *guarded(uint64_t n, uint64_t size) {
  uint8_t *p = bench_allocate((n + 1) * size);
  memset(p + n * size, GUARD, size);
  return p;
}

static void check_guard(const bench *bench, const void *p, uint64_t n, uint64_t size, const char *what) {
  for (uint64_t i = 0; i < size; i++)
    if (((const uint8_t *)p)[n * size + i] != GUARD)
      bench_broken(bench, "R13", "the driver wrote behind the end of the %s", what);
}

mh_sink bench_make_sink(bench *bench, uint64_t records, uint64_t values, uint64_t texts, uint64_t arena) {
  mh_sink sink = {.struct_size = sizeof(mh_sink),
                  .records = guarded(records, sizeof(mh_record)),
                  .cap_records = records,
                  .values = guarded(values, sizeof(mh_value)),
                  .cap_values = values,
                  .texts = guarded(texts, sizeof(mh_text)),
                  .cap_texts = texts,
                  .arena = guarded(arena, 1),
                  .cap_arena = arena,
                  .act = bench_act,
                  .ctx = bench};
  return sink;
}

void bench_free_sink(mh_sink *sink) {
  free(sink->records);
  free(sink->values);
  free(sink->texts);
  free(sink->arena);
}

/* 10^-128 to 10^127, each the nearest double. */
static double power_of_ten(int exponent) {
  static _Thread_local double powers[256];
  if (powers[0] == 0) {
    for (int i = 0; i < 256; i++) {
      char text[16];
      snprintf(text, sizeof text, "1e%d", i - 128);
      powers[i] = strtod(text, NULL);
    }
  }
  return powers[exponent + 128];
}

static double magnitude(double number) { return number < 0 ? -number : number; }

static void check_value(const bench *bench, const mh_value *value, uint64_t place) {
  unsigned long long i = place;
  if (value->qualifier > MH_QUAL_QUESTIONABLE) bench_broken(bench, "R12", "value %llu has an unknown qualifier", i);
  if (value->metric == 0 || value->unit == 0 || (value->flags & ~MH_VALUE_ROUNDED) != 0)
    bench_broken(bench, "R12", "value %llu lacks a metric or unit, or has unknown flags", i);
  double exact = (double)value->raw * power_of_ten(value->exp10);
  /* False for NaN and for infinities, which are near nothing. */
  if (!(magnitude(value->value - exact) <= magnitude(exact) * 1e-9))
    bench_broken(bench, "R12", "value %llu is not its own mantissa times ten to its exponent", i);
}

/* 1582-01-01 to 9999-12-31, the years of the SIG's Date Time. */
static int is_possible_time(int64_t t_us) {
  return t_us >= -INT64_C(12244089600000000) && t_us <= INT64_C(253402300799999999);
}

static int is_possible_offset(int32_t seconds) { return seconds >= -64800 && seconds <= 64800; }

static void check_time(const bench *bench, const mh_record *record, uint64_t place) {
  unsigned long long i = place;
  if (record->time_kind > MH_TIME_UTC) bench_broken(bench, "R12", "record %llu has an unknown kind of time", i);
  if (record->time_kind == MH_TIME_NONE) return;
  if (!is_possible_time(record->t_us) || !is_possible_time(record->end_us) || record->end_us < record->t_us)
    bench_broken(bench, "R12", "record %llu lies at an impossible time, or ends before it starts", i);
  int needs_offset = record->time_kind == MH_TIME_CIVIL_OFFSET ||
                     (record->time_kind == MH_TIME_UTC && record->utc_offset_s != MH_OFFSET_UNKNOWN);
  if (needs_offset && !is_possible_offset(record->utc_offset_s))
    bench_broken(bench, "R12", "record %llu has no usable UTC offset", i);
}

static void check_record(const bench *bench, const mh_sink *sink, uint64_t place) {
  const mh_record *record = &sink->records[place];
  unsigned long long i = place;
  uint32_t flags = MH_REC_PROVISIONAL | MH_REC_CONTROL | MH_REC_CLOCK_SUSPECT | MH_REC_HELD | MH_REC_TOMBSTONE |
                   MH_REC_USER;
  if (record->kind < MH_KIND_MEASUREMENT || record->kind > MH_KIND_DIAGNOSTIC || (record->flags & ~flags) != 0)
    bench_broken(bench, "R12", "record %llu has an unknown kind or flag", i);
  if ((uint64_t)record->first_value + record->n_values > sink->n_values ||
      (uint64_t)record->first_text + record->n_texts > sink->n_texts ||
      (record->ident_len != 0 && (uint64_t)record->ident_off + record->ident_len > sink->n_arena))
    bench_broken(bench, "R12", "record %llu names values, texts or bytes that are not in the sink", i);
  check_time(bench, record, place);
  if (record->ident_class > MH_IDENT_SUMMARY ||
      (record->ident_class == 0 && record->kind == MH_KIND_MEASUREMENT) ||
      (record->ident_class == MH_IDENT_STORED && record->ident_len == 0))
    bench_broken(bench, "R12", "record %llu has no usable identity", i);
}

static void check_text(const bench *bench, const mh_sink *sink, uint64_t place) {
  const mh_text *text = &sink->texts[place];
  if (text->field == 0 || text->flags != 0 || (uint64_t)text->off + text->len > sink->n_arena ||
      !bench_is_utf8(sink->arena + text->off, text->len))
    bench_broken(bench, "R12", "text %llu lacks its field, lies outside the arena, or is not UTF-8",
                 (unsigned long long)place);
}

static void *grown(void *p, uint64_t n, uint64_t more, uint64_t size) {
  void *larger = realloc(p, (n + more + 1) * size);
  if (larger == NULL) abort();
  return larger;
}

void bench_take(bench *bench, const mh_sink *sink) {
  check_guard(bench, sink->records, sink->cap_records, sizeof(mh_record), "records");
  check_guard(bench, sink->values, sink->cap_values, sizeof(mh_value), "values");
  check_guard(bench, sink->texts, sink->cap_texts, sizeof(mh_text), "texts");
  check_guard(bench, sink->arena, sink->cap_arena, 1, "arena");
  if (sink->n_records > sink->cap_records || sink->n_values > sink->cap_values || sink->n_texts > sink->cap_texts ||
      sink->n_arena > sink->cap_arena)
    bench_broken(bench, "R13", "the driver put more into the sink than the sink holds");
  for (uint64_t i = 0; i < sink->n_values; i++) check_value(bench, &sink->values[i], i);
  for (uint64_t i = 0; i < sink->n_texts; i++) check_text(bench, sink, i);
  for (uint64_t i = 0; i < sink->n_records; i++) check_record(bench, sink, i);
  bench->records = grown(bench->records, bench->n_records, sink->n_records, sizeof(mh_record));
  bench->values = grown(bench->values, bench->n_values, sink->n_values, sizeof(mh_value));
  bench->texts = grown(bench->texts, bench->n_texts, sink->n_texts, sizeof(mh_text));
  bench->arena = grown(bench->arena, bench->n_arena, sink->n_arena, 1);
  memcpy(bench->values + bench->n_values, sink->values, sink->n_values * sizeof(mh_value));
  memcpy(bench->texts + bench->n_texts, sink->texts, sink->n_texts * sizeof(mh_text));
  memcpy(bench->arena + bench->n_arena, sink->arena, sink->n_arena);
  for (uint64_t i = 0; i < sink->n_texts; i++) bench->texts[bench->n_texts + i].off += (uint32_t)bench->n_arena;
  for (uint64_t i = 0; i < sink->n_records; i++) {
    mh_record *record = &bench->records[bench->n_records + i];
    *record = sink->records[i];
    record->first_value += (uint32_t)bench->n_values;
    record->first_text += (uint32_t)bench->n_texts;
    record->ident_off += (uint32_t)bench->n_arena;
  }
  bench->n_records += sink->n_records;
  bench->n_values += sink->n_values;
  bench->n_texts += sink->n_texts;
  bench->n_arena += sink->n_arena;
}

void bench_drop_output(bench *bench) {
  bench->n_records = bench->n_values = bench->n_texts = bench->n_arena = 0;
  bench->n_actions = 0;
}

uint64_t bench_record_count(const bench *bench) { return bench->n_records; }

const mh_record *bench_record(const bench *bench, uint64_t index) {
  return index < bench->n_records ? &bench->records[index] : NULL;
}

const mh_value *bench_values(const bench *bench, uint64_t index) {
  return index < bench->n_records ? bench->values + bench->records[index].first_value : NULL;
}

mh_bytes bench_identity(const bench *bench, uint64_t index) {
  mh_bytes bytes = {NULL, 0};
  if (index < bench->n_records && bench->records[index].ident_len != 0) {
    bytes.p = bench->arena + bench->records[index].ident_off;
    bytes.n = bench->records[index].ident_len;
  }
  return bytes;
}

uint32_t bench_action_count(const bench *bench) { return bench->n_actions; }

const mh_action *bench_action(const bench *bench, uint32_t index) {
  return index < bench->n_actions ? &bench->actions[index].action : NULL;
}

const mh_action *bench_find_action(const bench *bench, uint32_t kind) {
  for (uint32_t i = 0; i < bench->n_actions; i++)
    if (bench->actions[i].action.kind == kind) return &bench->actions[i].action;
  return NULL;
}
