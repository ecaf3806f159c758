#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "host_game.h"

void judge_fault(game *g, const char *why) {
  if (g->result->fault == NULL) g->result->fault = why;
}

static uint64_t mix(uint64_t digest, const void *p, uint64_t n) {
  const uint8_t *bytes = p;
  for (uint64_t i = 0; i < n; i++) digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
  return digest ^ digest >> 29;
}

/* A text as JSON. */
static void quote(FILE *out, const char *p, uint64_t n) {
  fputc('"', out);
  for (uint64_t i = 0; i < n; i++) {
    const uint8_t c = (uint8_t)p[i];
    if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
    else if (c < 0x20) fprintf(out, "\\u%04x", c);
    else fputc(c, out);
  }
  fputc('"', out);
}

static const char *text_at(game *g, uint32_t offset, uint32_t length) {
  if (length > MH_IMPORT_TEXT_MAX) judge_fault(g, "a text that is too long");
  if ((uint64_t)offset + length > g->sink.n_arena) {
    judge_fault(g, "a text outside of the arena");
    return "";
  }
  return (const char *)g->sink.arena + offset;
}

static void take_name(game *g, const mh_import_name *name) {
  if (name->kind < MH_NAME_TYPE || name->kind > MH_NAME_KEY) {
    judge_fault(g, "a name of an unknown kind");
    return;
  }
  name_list *list = &g->names[name->kind];
  if (name->index != list->count) judge_fault(g, "a name out of its order");
  if (name->text_len == 0) judge_fault(g, "an empty name");
  const char *text = text_at(g, name->text_off, name->text_len);
  const char *key = text_at(g, name->key_off, name->key_len), *detail = text_at(g, name->detail_off, name->detail_len);
  if (g->result->fault != NULL) return;
  if (list->count % 256 == 0) {
    list->texts = realloc(list->texts, (list->count + 256) * sizeof *list->texts);
    list->digests = realloc(list->digests, (list->count + 256) * sizeof *list->digests);
  }
  list->texts[list->count] = strndup(text, name->text_len);
  uint64_t digest = mix(mix(name->kind, text, name->text_len), key, name->key_len);
  list->digests[list->count] = mix(mix(digest, detail, name->detail_len), &name->flags, sizeof name->flags);
  list->count += 1;
  if (name->kind == MH_NAME_TYPE && name->index < PLAY_TYPES) {
    g->result->type_names[name->index] = strndup(text, name->text_len);
    g->result->quantities[name->index] = name->quantity;
    g->result->n_types = name->index + 1;
  }
  g->result->names += 1;
  if (g->result->names > MH_IMPORT_NAMES_MAX) judge_fault(g, "too many names");
  FILE *out = g->options->out;
  if (out == NULL) return;
  static const char *const kinds[] = {"", "type", "source", "unit", "key"};
  fprintf(out, "{\"name\":\"%s\",\"index\":%u,\"quantity\":%u,\"flags\":%u,\"text\":", kinds[name->kind], name->index,
          name->quantity, name->flags);
  quote(out, text, name->text_len);
  fputs(",\"key\":", out);
  quote(out, key, name->key_len);
  fputs(",\"detail\":", out);
  quote(out, detail, name->detail_len);
  fputs("}\n", out);
}

static const char *name_of(game *g, uint16_t kind, uint32_t index, uint64_t *digest) {
  if (index == MH_IMPORT_NO_INDEX && kind == MH_NAME_UNIT) return NULL;
  if (index >= g->names[kind].count) {
    judge_fault(g, "an index without a name");
    return NULL;
  }
  *digest = mix(*digest, &g->names[kind].digests[index], sizeof(uint64_t));
  return g->names[kind].texts[index];
}

static void print_value(FILE *out, uint16_t flags, int64_t mantissa, int exponent, const char *unit) {
  if ((flags & MH_SAMPLE_HAS_VALUE) != 0) fprintf(out, ",\"value\":\"%lde%d\"", (long)mantissa, exponent);
  if (unit != NULL) {
    fputs(",\"unit\":", out);
    quote(out, unit, strlen(unit));
  }
}

static void check_value(game *g, uint16_t flags, int64_t mantissa, int exponent) {
  if ((flags & MH_SAMPLE_HAS_VALUE) == 0 && (mantissa != 0 || exponent != 0))
    judge_fault(g, "a value without its flag");
  if (exponent > MH_IMPORT_EXPONENT_MAX || exponent < -MH_IMPORT_EXPONENT_MAX)
    judge_fault(g, "an exponent out of range");
}

static void take_attribute(game *g, const mh_import_attribute *slot, uint64_t *digest) {
  FILE *out = g->options->out;
  check_value(g, slot->flags, slot->mantissa, slot->exponent);
  if (slot->reserved != 0 || (slot->flags & ~MH_SAMPLE_HAS_VALUE) != 0)
    judge_fault(g, "an attribute with unknown flags");
  const char *key = name_of(g, MH_NAME_KEY, slot->key, digest);
  const char *unit = name_of(g, MH_NAME_UNIT, slot->unit, digest);
  const char *text = text_at(g, slot->text_off, slot->text_len);
  if (g->result->fault != NULL) return;
  *digest = mix(mix(*digest, &slot->mantissa, 8), text, slot->text_len);
  *digest = mix(*digest, &slot->exponent, sizeof slot->exponent);
  if (out == NULL) return;
  fputs("{\"key\":", out);
  quote(out, key, strlen(key));
  print_value(out, slot->flags, slot->mantissa, slot->exponent, unit);
  if ((slot->flags & MH_SAMPLE_HAS_VALUE) == 0) {
    fputs(",\"text\":", out);
    quote(out, text, slot->text_len);
  }
  fputs("}", out);
}

static void check_sample(game *g, const mh_import_sample *sample) {
  const uint16_t known =
      MH_SAMPLE_HAS_VALUE | MH_SAMPLE_MANUAL | MH_SAMPLE_LINK | MH_SAMPLE_MERGED | MH_SAMPLE_PART;
  if ((sample->flags & ~known) != 0) judge_fault(g, "a sample with unknown flags");
  if (sample->start_us > sample->end_us) judge_fault(g, "a sample that ends before it starts");
  if (sample->start_us < MH_IMPORT_US_MIN || sample->end_us > MH_IMPORT_US_MAX) judge_fault(g, "a time out of range");
  check_value(g, sample->flags, sample->mantissa, sample->exponent);
  if ((sample->flags & MH_SAMPLE_PART) != 0 && !g->has_whole) judge_fault(g, "a part of nothing");
  g->has_whole |= (sample->flags & MH_SAMPLE_PART) == 0;
  if (sample->type < PLAY_TYPES) {
    const uint16_t quantity = g->result->quantities[sample->type];
    if ((g->options->wanted[quantity / 64] >> quantity % 64 & 1) == 0) judge_fault(g, "a sample that is not wanted");
    if ((quantity == MH_QTY_SLEEP) != (sample->word != 0)) judge_fault(g, "a word where none belongs, or none");
  }
}

static void take_sample(game *g, const mh_import_sample *sample, uint64_t *next) {
  FILE *out = g->options->out;
  uint64_t digest = UINT64_C(0xcbf29ce484222325);
  check_sample(g, sample);
  if (sample->first_attribute != *next || sample->first_attribute + sample->n_attributes > g->sink.n_attributes) {
    judge_fault(g, "attributes that do not follow each other");
    return;
  }
  *next += sample->n_attributes;
  const char *type = name_of(g, MH_NAME_TYPE, sample->type, &digest);
  const char *source = name_of(g, MH_NAME_SOURCE, sample->source, &digest);
  const char *unit = name_of(g, MH_NAME_UNIT, sample->unit, &digest);
  const char *text = text_at(g, sample->text_off, sample->text_len), *id = text_at(g, sample->id_off, sample->id_len);
  if (g->result->fault != NULL) return;
  digest = mix(mix(digest, &sample->start_us, 32), &sample->exponent, 8);
  digest = mix(mix(mix(digest, &sample->place, 8), text, sample->text_len), id, sample->id_len);
  digest = mix(digest, &sample->word, sizeof sample->word);
  if (out != NULL) {
    fprintf(out, "{\"start\":%ld,\"end\":%ld,\"modified\":%ld,\"flags\":%u,\"place\":%lu,\"type\":",
            (long)sample->start_us, (long)sample->end_us, (long)sample->modified_us, sample->flags,
            (unsigned long)sample->place);
    quote(out, type, strlen(type));
    fputs(",\"source\":", out);
    quote(out, source, strlen(source));
    print_value(out, sample->flags, sample->mantissa, sample->exponent, unit);
    if (sample->word != 0) fprintf(out, ",\"word\":%u", sample->word);
    fputs(",\"text\":", out);
    quote(out, text, sample->text_len);
    fputs(",\"id\":", out);
    quote(out, id, sample->id_len);
    fputs(",\"attributes\":[", out);
  }
  for (uint32_t i = 0; i < sample->n_attributes; i++) {
    if (out != NULL && i > 0) fputc(',', out);
    take_attribute(g, &g->sink.attributes[sample->first_attribute + i], &digest);
  }
  if (out != NULL) fputs("]}\n", out);
  g->result->digest = mix(g->result->digest, &digest, sizeof digest);
}

static void take_counts(game *g) {
  for (uint64_t i = 0; i < g->sink.n_counts; i++) {
    const mh_import_count *row = &g->sink.counts[i];
    if (row->type >= g->names[MH_NAME_TYPE].count || row->count == 0 || row->count > UINT32_MAX)
      judge_fault(g, "a count of nothing");
    if (row->type < PLAY_TYPES) g->result->counts[row->type] += row->count;
    g->result->counted += row->count;
  }
  for (uint64_t i = 0; i < g->sink.n_refusals; i++) {
    const mh_import_refusal *row = &g->sink.refusals[i];
    const int is_known = row->type == MH_IMPORT_NO_INDEX || row->type < g->names[MH_NAME_TYPE].count;
    if (!is_known || row->count == 0 || row->reason == 0 || row->reason >= PLAY_REASONS)
      judge_fault(g, "a refusal of nothing");
    if (row->reason < PLAY_REASONS) g->result->refused[row->reason] += row->count;
  }
}

void judge_round(game *g) {
  play_result *result = g->result;
  g->event_samples += g->sink.n_samples;
  g->event_attributes += g->sink.n_attributes;
  g->event_arena += g->sink.n_arena;
  if (g->event_samples > MH_IMPORT_SAMPLES_MAX || g->event_attributes > MH_IMPORT_ATTRIBUTES_MAX ||
      g->event_arena > MH_IMPORT_ARENA_MAX)
    judge_fault(g, "an event with more than it may have");
  result->samples += g->sink.n_samples;
  result->attributes += g->sink.n_attributes;
  for (uint64_t i = 0; i < g->sink.n_names; i++) take_name(g, &g->sink.names[i]);
  uint64_t next = 0;
  for (uint64_t i = 0; i < g->sink.n_samples && !g->options->is_fast; i++) take_sample(g, &g->sink.samples[i], &next);
  if (!g->options->is_fast && next != g->sink.n_attributes) judge_fault(g, "attributes of no sample");
  take_counts(g);
  result->flags |= g->sink.flags;
  if (g->sink.exported_us != 0) result->exported_us = g->sink.exported_us;
}

void play_free(play_result *result) {
  for (uint32_t i = 0; i < result->n_types; i++) free(result->type_names[i]);
}

void play_print(const play_result *result, FILE *out) {
  fprintf(out, "{\"end\":\"%s\",\"text\":", result->fault != NULL ? "fault" : result->is_done ? "done" : "failed");
  const char *text = result->fault != NULL ? result->fault : result->text;
  quote(out, text, strlen(text));
  fprintf(out, ",\"partial\":%s,\"exported\":%ld,\"names\":%lu,\"samples\":%lu,\"attributes\":%lu,\"counted\":%lu",
          (result->flags & MH_IMPORT_PARTIAL) != 0 ? "true" : "false", (long)result->exported_us,
          (unsigned long)result->names, (unsigned long)result->samples, (unsigned long)result->attributes,
          (unsigned long)result->counted);
  fprintf(out, ",\"events\":%lu,\"rounds\":%lu,\"pulls\":%lu,\"pulled\":%lu,\"digest\":\"%016lx\",\"refused\":{",
          (unsigned long)result->events, (unsigned long)result->rounds, (unsigned long)result->pulls,
          (unsigned long)result->pulled, (unsigned long)result->digest);
  static const char *const reasons[] = {"", "time", "value", "too_long", "damaged", "form", "sentinel", ""};
  for (int i = 1, first = 1; i < PLAY_REASONS; i++)
    if (result->refused[i] > 0) {
      fprintf(out, "%s\"%s\":%lu", first ? "" : ",", reasons[i], (unsigned long)result->refused[i]);
      first = 0;
    }
  fputs("},\"counts\":{", out);
  for (uint32_t i = 0, first = 1; i < result->n_types; i++) {
    if (result->counts[i] == 0) continue;
    if (!first) fputc(',', out);
    first = 0;
    quote(out, result->type_names[i], strlen(result->type_names[i]));
    fprintf(out, ":%lu", (unsigned long)result->counts[i]);
  }
  fputs("}}\n", out);
}
