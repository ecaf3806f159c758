/* The host's half of a conversation, with the rules of the header checked. */
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 256u
#define SAMPLES_MIN MH_IMPORT_SAMPLES_MIN
#define ARENA (1u << 20)

typedef struct kept_name {
  mh_import_name name;
  char *text, *key, *detail;
} kept_name;

typedef struct stage {
  const uint8_t *bytes;
  uint64_t n;
  play_options options;
  play_result result;
  mh_import_sink sink;
  kept_name (*names)[MH_IMPORT_NAMES_MAX];
  uint32_t n_names[5], n_all;
  int actions, pulls, over;
  mh_talk_action pull;
  uint64_t event_samples;
} stage;

static void fault(stage *on, const char *what) {
  if (on->result.fault == NULL) on->result.fault = what;
}

static int32_t act(void *ctx, const mh_talk_action *action) {
  stage *on = ctx;
  on->actions += 1;
  if (action->kind == MH_TALK_PULL) {
    on->pull = *action;
    on->pulls += 1;
  } else if (action->kind == MH_TALK_DONE || action->kind == MH_TALK_FAIL) {
    on->over = 1;
    on->result.failed = action->kind == MH_TALK_FAIL;
    if (action->text.n > MH_TALK_TEXT_MAX) fault(on, "text");
    if (!on->options.quiet && action->kind == MH_TALK_FAIL) printf("{\"fail\":\"%.*s\"}\n", (int)action->text.n, action->text.p);
  } else {
    return MH_E_UNSUPPORTED;
  }
  return MH_OK;
}

static char *copy(const stage *on, uint32_t off, uint32_t length, stage *judge) {
  char *text = calloc(1, (size_t)length + 1);
  if (length > MH_IMPORT_TEXT_MAX || (uint64_t)off + length > on->sink.n_arena) {
    fault(judge, "a run beyond the arena");
    return text;
  }
  if (length > 0) memcpy(text, on->sink.arena + off, length);
  return text;
}

static void mix(stage *on, const void *p, size_t n) {
  for (size_t i = 0; i < n; i++) on->result.hash = (on->result.hash ^ ((const uint8_t *)p)[i]) * 1099511628211u;
}

static void take_names(stage *on) {
  for (uint64_t i = 0; i < on->sink.n_names; i++) {
    const mh_import_name *name = &on->sink.names[i];
    if (++on->n_all > MH_IMPORT_NAMES_MAX) fault(on, "too many names");
    if (name->kind == MH_NAME_ORDER) {
      if (name->index >= on->n_names[MH_NAME_SOURCE]) fault(on, "an order of no source");
      if (!on->options.quiet)
        printf("{\"order\":%u,\"quantity\":%u,\"rank\":%d}\n", name->index, name->quantity, (int)name->rank);
      continue;
    }
    if (name->kind < 1 || name->kind > 4 || name->index != on->n_names[name->kind]) {
      fault(on, "a name out of order");
      return;
    }
    kept_name *kept = &on->names[name->kind][on->n_names[name->kind]++];
    kept->name = *name;
    kept->text = copy(on, name->text_off, name->text_len, on);
    kept->key = copy(on, name->key_off, name->key_len, on);
    kept->detail = copy(on, name->detail_off, name->detail_len, on);
    if (name->text_len == 0) fault(on, "a name without text");
  }
}

static const char *text_of(const stage *on, uint32_t kind, uint32_t index) {
  return index < on->n_names[kind] ? on->names[kind][index].text : "-";
}

static void print_text(const char *p) {
  putchar('"');
  for (; *p != 0; p++) {
    if (*p == '"' || *p == '\\') putchar('\\');
    putchar(*p);
  }
  putchar('"');
}

static void print_attributes(stage *on, const mh_import_sample *s) {
  for (uint32_t i = 0; i < s->n_attributes; i++) {
    const mh_import_attribute *a = &on->sink.attributes[s->first_attribute + i];
    printf(",\"%s\":", text_of(on, MH_NAME_KEY, a->key));
    char *text = copy(on, a->text_off, a->text_len, on);
    if (a->flags & MH_SAMPLE_HAS_VALUE)
      printf("\"%lde%d %s\"", (long)a->mantissa, a->exponent, text_of(on, MH_NAME_UNIT, a->unit));
    else
      print_text(text);
    free(text);
  }
}

static void print_sample(stage *on, const mh_import_sample *s) {
  const kept_name *type = &on->names[MH_NAME_TYPE][s->type], *source = &on->names[MH_NAME_SOURCE][s->source];
  char *text = copy(on, s->text_off, s->text_len, on), *id = copy(on, s->id_off, s->id_len, on);
  printf("{\"type\":\"%s\",\"q\":%u,\"start\":%.6f,\"end\":%.6f", type->text, type->name.quantity, (double)s->start_us / 1e6,
         (double)s->end_us / 1e6);
  if (s->flags & MH_SAMPLE_HAS_VALUE)
    printf(",\"value\":\"%lde%d\",\"unit\":\"%s\"", (long)s->mantissa, s->exponent, text_of(on, MH_NAME_UNIT, s->unit));
  printf(",\"source\":");
  print_text(source->key[0] != 0 ? source->key : source->text);
  if (s->word != 0) printf(",\"word\":%u", s->word);
  if (s->text_len != 0) printf(",\"text\":"), print_text(text);
  if (s->id_len != 0) printf(",\"id\":"), print_text(id);
  if (s->modified_us != 0) printf(",\"modified\":%ld", (long)(s->modified_us / 1000000));
  if (s->utc_offset_s != MH_IMPORT_NO_OFFSET) printf(",\"offset\":%d", s->utc_offset_s);
  if (s->flags & MH_SAMPLE_MANUAL) printf(",\"manual\":true");
  if (s->flags & MH_SAMPLE_MERGED) printf(",\"merged\":true");
  if (s->flags & MH_SAMPLE_PART) printf(",\"part\":true");
  print_attributes(on, s);
  puts("}");
  free(text);
  free(id);
}

static void check_sample(stage *on, const mh_import_sample *s, uint64_t *attributes) {
  if (s->type >= on->n_names[MH_NAME_TYPE] || s->source >= on->n_names[MH_NAME_SOURCE]) fault(on, "an index of no name");
  if (s->unit != MH_IMPORT_NO_INDEX && s->unit >= on->n_names[MH_NAME_UNIT]) fault(on, "an index of no unit");
  if (on->result.fault != NULL) return;
  if (s->start_us > s->end_us || s->start_us < MH_IMPORT_US_MIN || s->end_us > MH_IMPORT_US_MAX) fault(on, "times");
  if (s->exponent < -MH_IMPORT_EXPONENT_MAX || s->exponent > MH_IMPORT_EXPONENT_MAX) fault(on, "exponent");
  if (!(s->flags & MH_SAMPLE_HAS_VALUE) && (s->mantissa != 0 || s->exponent != 0)) fault(on, "a value that is none");
  if (s->utc_offset_s != MH_IMPORT_NO_OFFSET && (s->utc_offset_s > MH_IMPORT_OFFSET_MAX || s->utc_offset_s < -MH_IMPORT_OFFSET_MAX))
    fault(on, "offset");
  int is_sleep = on->names[MH_NAME_TYPE][s->type].name.quantity == MH_QTY_SLEEP;
  if (is_sleep ? s->word < 1 || s->word > 7 : s->word != 0) fault(on, "word");
  if (s->n_attributes > 0 && s->first_attribute != *attributes) fault(on, "attributes out of order");
  if ((uint64_t)s->text_off + s->text_len > on->sink.n_arena || (uint64_t)s->id_off + s->id_len > on->sink.n_arena)
    fault(on, "a run beyond the arena");
  *attributes += s->n_attributes;
  if (*attributes > on->sink.n_attributes) fault(on, "attributes beyond their number");
}

static void take_samples(stage *on) {
  uint64_t attributes = 0;
  for (uint64_t i = 0; i < on->sink.n_samples && on->result.fault == NULL; i++) {
    mh_import_sample s = on->sink.samples[i];
    check_sample(on, &s, &attributes);
    if (on->result.fault != NULL) return;
    for (uint32_t a = 0; a < s.n_attributes; a++) {
      const mh_import_attribute *at = &on->sink.attributes[s.first_attribute + a];
      if (at->key >= on->n_names[MH_NAME_KEY]) fault(on, "an attribute without a key");
      if (at->exponent < -MH_IMPORT_EXPONENT_MAX || at->exponent > MH_IMPORT_EXPONENT_MAX) fault(on, "exponent");
      mix(on, &at->mantissa, sizeof at->mantissa);
    }
    if (!on->options.quiet && on->result.fault == NULL) print_sample(on, &s);
    if (s.text_len > 0) mix(on, on->sink.arena + s.text_off, s.text_len);
    s.first_attribute = s.text_off = s.id_off = 0;
    mix(on, &s, sizeof s);
    on->result.samples += 1;
  }
  if (attributes != on->sink.n_attributes) fault(on, "attributes left over");
  on->event_samples += on->sink.n_samples;
  if (on->event_samples > MH_IMPORT_SAMPLES_MAX) fault(on, "too many samples in an event");
}

static void take_sink(stage *on) {
  mh_import_sink *sink = &on->sink;
  take_names(on);
  if (on->result.fault == NULL) take_samples(on);
  for (uint64_t i = 0; i < sink->n_refusals && !on->options.quiet; i++)
    printf("{\"refused\":%u,\"type\":\"%s\",\"count\":%lu,\"place\":%lu}\n", sink->refusals[i].reason,
           text_of(on, MH_NAME_TYPE, sink->refusals[i].type), (unsigned long)sink->refusals[i].count,
           (unsigned long)sink->refusals[i].place);
  for (uint64_t i = 0; i < sink->n_counts; i++)
    if (sink->counts[i].type >= on->n_names[MH_NAME_TYPE] || sink->counts[i].count == 0) fault(on, "a count of no type");
  for (uint64_t i = 0; i < sink->n_counts && on->options.quiet < 1; i++)
    printf("{\"counted\":\"%s\",\"count\":%lu}\n", text_of(on, MH_NAME_TYPE, sink->counts[i].type),
           (unsigned long)sink->counts[i].count);
  if (sink->exported_us != 0 && !on->options.quiet) printf("{\"exported\":%ld}\n", (long)(sink->exported_us / 1000000));
  on->result.partial |= (sink->flags & MH_IMPORT_PARTIAL) != 0;
}

static void empty_sink(stage *on) {
  mh_import_sink *sink = &on->sink;
  sink->n_names = sink->n_samples = sink->n_attributes = sink->n_counts = sink->n_refusals = sink->n_arena = 0;
  sink->flags = 0;
  sink->exported_us = 0;
}

static void make_sink(stage *on) {
  mh_import_sink *sink = &on->sink;
  const int small = on->options.small;
  sink->struct_size = sizeof *sink;
  sink->cap_names = NAMES, sink->cap_samples = small ? SAMPLES_MIN : MH_IMPORT_SAMPLES_MAX;
  sink->cap_attributes = small ? MH_IMPORT_ATTRIBUTES_MIN : 65536, sink->cap_counts = MH_IMPORT_COUNTS_MIN;
  sink->cap_refusals = MH_IMPORT_REFUSALS_MIN, sink->cap_arena = small ? MH_IMPORT_ARENA_MIN : ARENA;
  sink->names = calloc(sink->cap_names, sizeof *sink->names);
  sink->samples = calloc(sink->cap_samples, sizeof *sink->samples);
  sink->attributes = calloc(sink->cap_attributes, sizeof *sink->attributes);
  sink->counts = calloc(sink->cap_counts, sizeof *sink->counts);
  sink->refusals = calloc(sink->cap_refusals, sizeof *sink->refusals);
  sink->arena = malloc(sink->cap_arena);
  sink->act = act;
  sink->ctx = on;
}

static void one_event(stage *on, const mh_import *driver, mh_talk *talk, mh_talk_event *event) {
  on->actions = on->pulls = 0;
  on->event_samples = 0;
  event->seq = ++on->result.events;
  for (int round = 0; round < 64; round++) {
    empty_sink(on);
    int32_t status = driver->event(talk, event, &on->sink);
    int empty = on->sink.n_names + on->sink.n_samples + on->sink.n_counts + on->sink.n_refusals == 0;
    take_sink(on);
    if (status == MH_E_FULL && !empty) {
      event->kind = MH_TALK_CONTINUE;
      event->value = (mh_bytes){NULL, 0};
      if (round == 63) fault(on, "too many rounds");
      continue;
    }
    if (status != MH_OK) fault(on, "a status that is none");
    break;
  }
  if (!on->over && on->pulls != 1) fault(on, "an event that asks for nothing");
}

static void talk_through(stage *on, const mh_import *driver, mh_talk *talk) {
  mh_talk_event event = {.struct_size = sizeof event, .kind = MH_TALK_STARTED};
  one_event(on, driver, talk, &event);
  while (!on->over && on->result.fault == NULL) {
    uint64_t from = on->pull.first, size = on->pull.second;
    if (from > on->n || size == 0 || size > MH_TALK_CHUNK_MAX) {
      fault(on, "a pull out of bounds");
      break;
    }
    if (on->options.chunk > 0 && size > on->options.chunk) size = on->options.chunk;
    if (size > on->n - from) size = on->n - from;
    on->result.pulled += size;
    uint8_t *part = malloc(size + 1);
    if (size > 0) memcpy(part, on->bytes + from, size);
    event = (mh_talk_event){.struct_size = sizeof event, .kind = MH_TALK_BYTES, .number = from, .value = {part, size}};
    if (from + size == on->n) event.flags = MH_TALK_LAST;
    one_event(on, driver, talk, &event);
    free(part);
    if (on->result.pulled > 16 * on->n + (64u << 20)) fault(on, "pulled too much");
    if (on->options.chunk == 0 && on->result.events > on->n / 1024 + 65536) fault(on, "pulled too often");
  }
}

static const void *no_extension(void *ctx, const char *id) {
  (void)ctx, (void)id;
  return NULL;
}

play_result play(const uint8_t *bytes, uint64_t n, play_options options) {
  static stage on_stage;
  static kept_name names[5][MH_IMPORT_NAMES_MAX];
  stage *on = &on_stage;
  memset(on, 0, sizeof *on);
  on->names = names;
  on->bytes = bytes, on->n = n, on->options = options;
  on->result.hash = 14695981039346656037u;
  mh_host host = {.struct_size = sizeof host, .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR, .extension = no_extension};
  const mh_driver *driver = NULL;
  mh_str why;
  const mh_import *import = NULL;
  if (mh_driver_entry(&host, 0, &driver, &why) == MH_OK) import = driver->extension(MH_EXT_IMPORT_DRAFT);
  mh_import_open opening = {.struct_size = sizeof opening, .since_us = INT64_MIN / 2, .until_us = INT64_MAX / 2};
  if (options.until_s != 0) opening.since_us = options.since_s * 1000000, opening.until_us = options.until_s * 1000000;
  memset(opening.wanted, 0xff, sizeof opening.wanted);
  opening.talk = (mh_talk_open){.struct_size = sizeof opening.talk, .size = n, .unix_us = options.now_us};
  mh_talk *talk = NULL;
  make_sink(on);
  if (import == NULL || import->open(&opening, &talk) != MH_OK)
    fault(on, "not opened");
  else
    talk_through(on, import, talk);
  if (talk != NULL) import->close(talk);
  for (uint32_t kind = 1; kind <= 4; kind++)
    for (uint32_t i = 0; i < on->n_names[kind]; i++) {
      free(on->names[kind][i].text);
      free(on->names[kind][i].key);
      free(on->names[kind][i].detail);
    }
  mh_import_sink *sink = &on->sink;
  free(sink->names), free(sink->samples), free(sink->attributes), free(sink->counts), free(sink->refusals), free(sink->arena);
  return on->result;
}
