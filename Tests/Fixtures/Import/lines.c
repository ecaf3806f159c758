/* A driver that reads an export in lines: type,source,start,end,value with times in seconds, where value is a number
 * or, for sleep, a stage; a note may follow. `exported,seconds` says when it was written. It pulls a piece at a time
 * and keeps what is no whole line yet. With a source whose name is a number it commits the offence of that number when
 * the first bytes come. */
#include <meterhost/driver.h>
#include <meterhost/draft/import.h>

#include <stdlib.h>
#include <string.h>

MH_DRIVER_NOTE

enum {
  TYPE = 1, SOURCE, UNIT, NAME_GAP, NAME_KIND, NAME_EMPTY, TEXT_BEYOND, TEXT_FAR, TEXT_LONG, ATTRIBUTES, LEFT_OVER,
  EXPONENT, BACKWARDS, NO_FLAG, YEAR, FLAG, WORD, PART, OFFSET, COUNT_TYPE, COUNT_ZERO, REASON, EXPORTED, SINK_FLAGS,
  COUNTS, FULL, FULL_FOREVER, SAMPLES, STATUS, BEHIND, SILENT, AGAIN, SPIN, ABORT, ACKNOWLEDGES, LATE_PULL, GIVES_UP
};

enum { STEPS, WEIGHT, SLEEP, N_TYPES };

#define PIECE 64u
#define MOST_SOURCES 4u
#define FIELDS 6u
#define SECOND INT64_C(1000000)

static const struct {
  const char *name;
  const char *unit;
  uint16_t quantity;
} types[N_TYPES] = {{"steps", "count", MH_QTY_STEPS}, {"weight", "kg", MH_QTY_WEIGHT}, {"sleep", "", MH_QTY_SLEEP}};

static const char *const stages[] = {"inbed", "asleep", "awake", "core", "deep", "rem", "session"};

struct mh_talk {
  int offence;
  /* Of `bytes`: room, what is there, and what of it was read. The first byte stands in the source at `at`. */
  uint32_t piece, length, position;
  uint8_t is_last;
  uint64_t at;
  /* Index and number of each type, plus one; of its unit, too. */
  uint32_t type_index[N_TYPES], unit_index[N_TYPES], n_types, n_units;
  mh_str source[MOST_SOURCES];
  char source_text[MOST_SOURCES][16];
  uint32_t n_sources, n_keys, n_samples, counts[N_TYPES];
  uint8_t bytes[];
};

static mh_str text(const char *words) { return (mh_str){words, strlen(words)}; }
static int is(mh_str a, const char *b) { return a.n == strlen(b) && memcmp(a.p, b, a.n) == 0; }

static int32_t talk_open(const mh_import_open *opening, mh_talk **out) {
  const mh_str name = opening->talk.source;
  char digits[4] = {0};
  if (name.n == 0 || (name.p[0] >= '0' && name.p[0] <= '9' && name.n >= sizeof digits)) return MH_E_UNSUPPORTED;
  const int is_offence = name.p[0] >= '0' && name.p[0] <= '9';
  if (!is(name, "lines") && !is(name, "large") && !is_offence) return MH_E_UNSUPPORTED;
  if (is_offence) memcpy(digits, name.p, name.n);
  const uint32_t piece = is(name, "large") ? MH_TALK_CHUNK_MAX : PIECE;
  mh_talk *talk = calloc(1, sizeof *talk + piece);
  if (talk == NULL) return MH_E_MEMORY;
  talk->piece = piece;
  talk->offence = atoi(digits);
  *out = talk;
  return MH_OK;
}

static int32_t act(mh_import_sink *sink, uint32_t kind, uint64_t first, uint64_t second, const char *words) {
  mh_talk_action action;
  memset(&action, 0, sizeof action);
  action.struct_size = sizeof action;
  action.kind = kind;
  action.token = kind == MH_TALK_PULL ? 7 : 0;
  action.first = first;
  action.second = second;
  if (words != NULL) action.text = text(words);
  return sink->act(sink->ctx, &action);
}

static int32_t put_name(mh_import_sink *sink, uint16_t kind, uint16_t quantity, uint32_t index, mh_str words) {
  mh_import_name name;
  memset(&name, 0, sizeof name);
  name.kind = kind;
  name.quantity = quantity;
  name.index = index;
  return mh_import_add_name(sink, &name, words, (mh_str){NULL, 0}, (mh_str){NULL, 0});
}

/* Puts out the names of a type and its unit, once. */
static int32_t name_type(mh_talk *talk, mh_import_sink *sink, uint32_t type) {
  if (talk->type_index[type] == 0) {
    const int32_t status =
        put_name(sink, MH_NAME_TYPE, types[type].quantity, talk->n_types, text(types[type].name));
    if (status != MH_OK) return status;
    talk->type_index[type] = ++talk->n_types;
  }
  if (types[type].unit[0] == 0 || talk->unit_index[type] != 0) return MH_OK;
  const int32_t status = put_name(sink, MH_NAME_UNIT, 0, talk->n_units, text(types[type].unit));
  if (status == MH_OK) talk->unit_index[type] = ++talk->n_units;
  return status;
}

/* The index of a source; names it when it is new. */
static int32_t name_source(mh_talk *talk, mh_import_sink *sink, mh_str name, uint32_t *index) {
  for (*index = 0; *index < talk->n_sources; *index += 1)
    if (talk->source[*index].n == name.n && memcmp(talk->source[*index].p, name.p, name.n) == 0) return MH_OK;
  if (talk->n_sources == MOST_SOURCES || name.n == 0 || name.n > sizeof talk->source_text[0]) return MH_E_ARG;
  const int32_t status = put_name(sink, MH_NAME_SOURCE, 0, talk->n_sources, name);
  if (status != MH_OK) return status;
  char *const copy = talk->source_text[talk->n_sources];
  memcpy(copy, name.p, name.n);
  talk->source[talk->n_sources++] = (mh_str){copy, name.n};
  return MH_OK;
}

/* Reads an exact decimal; 0 when it is none. */
static int number(mh_str field, int64_t *mantissa, int16_t *exponent) {
  int is_fraction = 0;
  *mantissa = 0;
  *exponent = 0;
  if (field.n == 0 || field.n > 15) return 0;
  for (uint64_t i = 0; i < field.n; i++) {
    const char c = field.p[i];
    if (c == '.' && !is_fraction && i > 0) {
      is_fraction = 1;
      continue;
    }
    if (c < '0' || c > '9') return 0;
    *mantissa = *mantissa * 10 + (c - '0');
    *exponent = (int16_t)(*exponent - is_fraction);
  }
  return 1;
}

static int64_t seconds(mh_str field) {
  int64_t mantissa;
  int16_t exponent;
  return number(field, &mantissa, &exponent) && exponent == 0 && mantissa < INT64_C(100000000000) ? mantissa : -1;
}

static uint32_t stage(mh_str field) {
  for (uint32_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
    if (is(field, stages[i])) return i + 1;
  return 0;
}

static int32_t refuse(mh_talk *talk, mh_import_sink *sink, uint32_t reason, uint32_t type) {
  const uint32_t index = type < N_TYPES ? talk->type_index[type] : 0;
  return mh_import_add_refusal(sink, reason, index == 0 ? MH_IMPORT_NO_INDEX : index - 1, talk->at + talk->position);
}

/* Puts out what a line says. */
static int32_t put(mh_talk *talk, mh_import_sink *sink, const mh_str *field, uint32_t n) {
  if (n == 2 && is(field[0], "exported") && seconds(field[1]) > 0) {
    sink->exported_us = seconds(field[1]) * SECOND;
    return MH_OK;
  }
  uint32_t type = 0;
  while (type < N_TYPES && !is(field[0], types[type].name)) type++;
  if (n < 5 || type == N_TYPES) return refuse(talk, sink, MH_REFUSED_FORM, N_TYPES);
  mh_import_sample sample;
  memset(&sample, 0, sizeof sample);
  const int64_t start = seconds(field[2]), end = seconds(field[3]);
  int32_t status = name_type(talk, sink, type);
  if (status != MH_OK) return status;
  if (start < 0 || end < start) return refuse(talk, sink, MH_REFUSED_TIME, type);
  sample.start_us = start * SECOND;
  sample.end_us = end * SECOND;
  sample.utc_offset_s = MH_IMPORT_NO_OFFSET;
  sample.unit = MH_IMPORT_NO_INDEX;
  sample.type = talk->type_index[type] - 1;
  sample.place = talk->at + talk->position;
  sample.word = type == SLEEP ? stage(field[4]) : 0;
  const int is_number = type != SLEEP && number(field[4], &sample.mantissa, &sample.exponent);
  if (!is_number && sample.word == 0) return refuse(talk, sink, MH_REFUSED_VALUE, type);
  if (is_number) {
    sample.flags = MH_SAMPLE_HAS_VALUE;
    sample.unit = talk->unit_index[type] - 1;
  }
  status = name_source(talk, sink, field[1], &sample.source);
  if (status == MH_OK && n == FIELDS && talk->n_keys == 0) {
    status = put_name(sink, MH_NAME_KEY, 0, 0, text("line:note"));
    talk->n_keys = status == MH_OK;
  }
  if (status != MH_OK) return status == MH_E_ARG ? refuse(talk, sink, MH_REFUSED_FORM, type) : status;
  const mh_import_mark mark = mh_import_here(sink);
  status = mh_import_add_sample(sink, &sample, (mh_str){NULL, 0}, field[2]);
  if (status == MH_OK && n == FIELDS) {
    const mh_import_attribute note = {.unit = MH_IMPORT_NO_INDEX};
    if (mh_import_add_attribute(sink, &note, field[5]) != MH_OK) return mh_import_back(sink, mark);
  }
  if (status != MH_OK) return status;
  talk->n_samples++;
  talk->counts[type]++;
  return MH_OK;
}

/* Reads whole lines on from where it stopped. MH_OK: there is none any more, or the event has all that it may. */
static int32_t lines(mh_talk *talk, mh_import_sink *sink) {
  while (talk->position < talk->length && talk->n_samples < MH_IMPORT_SAMPLES_MAX) {
    const char *const line = (const char *)talk->bytes + talk->position;
    const uint32_t rest = talk->length - talk->position;
    const char *const found = memchr(line, '\n', rest);
    if (found == NULL && !talk->is_last) break;
    const char *const end = found == NULL ? line + rest : found;
    mh_str field[FIELDS];
    uint32_t n = 0;
    for (const char *from = line; n < FIELDS; from = field[n - 1].p + field[n - 1].n + 1) {
      const char *comma = memchr(from, ',', (size_t)(end - from));
      if (comma == NULL || n == FIELDS - 1) comma = end;
      field[n++] = (mh_str){from, (uint64_t)(comma - from)};
      if (comma == end) break;
    }
    const int32_t status = put(talk, sink, field, n);
    if (status != MH_OK) return status;
    talk->position += (uint32_t)(end - line) + (found != NULL);
  }
  return MH_OK;
}

static int32_t pull(mh_talk *talk, mh_import_sink *sink) {
  return act(sink, MH_TALK_PULL, talk->at + talk->length, talk->piece - talk->length, NULL);
}

/* The rest of an event: lines, then counts, then what comes next. */
static int32_t go_on(mh_talk *talk, mh_import_sink *sink) {
  int32_t status = lines(talk, sink);
  for (uint32_t type = 0; type < N_TYPES && status == MH_OK; type++) {
    if (talk->counts[type] == 0) continue;
    status = mh_import_add_count(sink, talk->type_index[type] - 1, talk->counts[type]);
    if (status == MH_OK) talk->counts[type] = 0;
  }
  if (status != MH_OK) return status;
  talk->at += talk->position;
  talk->length -= talk->position;
  memmove(talk->bytes, talk->bytes + talk->position, talk->length);
  talk->position = 0;
  if (talk->length == 0 && talk->is_last) return act(sink, MH_TALK_DONE, 0, 0, NULL);
  if (talk->length == talk->piece) return act(sink, MH_TALK_FAIL, 1, 0, "a line is too long; export it again");
  return pull(talk, sink);
}

#include "offences.h"

static int32_t take(mh_talk *talk, mh_import_sink *sink, const mh_talk_event *event) {
  if (event->number != talk->at + talk->length || event->value.n > talk->piece - talk->length) return MH_E_PROTOCOL;
  if (event->value.n > 0) memcpy(talk->bytes + talk->length, event->value.p, event->value.n);
  talk->length += (uint32_t)event->value.n;
  talk->n_samples = 0;
  talk->is_last = (event->flags & MH_TALK_LAST) != 0;
  return go_on(talk, sink);
}

static int32_t talk_event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  const int offends = talk->offence != 0 && talk->offence != LATE_PULL;
  switch (event->kind) {
    case MH_TALK_STARTED: return pull(talk, sink);
    case MH_TALK_BYTES: return offends ? commit_offence(talk, sink) : take(talk, sink, event);
    case MH_TALK_CONTINUE: return offends ? commit_offence(talk, sink) : go_on(talk, sink);
    case MH_TALK_ANSWER: return act(sink, MH_TALK_FAIL, 2, 0, "the file cannot be read; look whether it is there");
    case MH_TALK_ENDED:
      if (talk->offence == LATE_PULL) return pull(talk, sink);
      sink->flags |= MH_IMPORT_PARTIAL;
      return MH_OK;
    default: return MH_OK;
  }
}

static void talk_close(mh_talk *talk) { free(talk); }

static const mh_import table = {
    .struct_size = sizeof table, .open = talk_open, .event = talk_event, .close = talk_close};

static const void *tables(const char *id) { return strcmp(id, MH_EXT_IMPORT_DRAFT) == 0 ? &table : NULL; }

static const mh_driver driver = {
    .struct_size = sizeof driver, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .layout_hash = MH_LAYOUT_HASH,
    .id = {"org.example.lines", 17}, .version = {"1.0.0", 5}, .vendor = {"Example", 7}, .extension = tables};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
  if (!mh_host_fits(host)) return MH_REFUSED;
  if (index > 0) return MH_END;
  *out = &driver;
  return MH_OK;
}
