#include "include/import_put.h"

#include <stdlib.h>
#include <string.h>

int mh_put_start(mh_put *put) {
  memset(put, 0, sizeof *put);
  mh_names_start(&put->types, MH_NAME_TYPE, MH_NAMES_TYPES_MAX);
  mh_names_start(&put->sources, MH_NAME_SOURCE, MH_NAMES_SOURCES_MAX);
  mh_names_start(&put->units, MH_NAME_UNIT, MH_NAMES_UNITS_MAX);
  mh_names_start(&put->keys, MH_NAME_KEY, MH_NAMES_KEYS_MAX);
  put->counts = calloc(MH_NAMES_TYPES_MAX + 1, sizeof *put->counts);
  put->counted = calloc(MH_NAMES_TYPES_MAX + 1, sizeof *put->counted);
  return put->counts != NULL && put->counted != NULL;
}

void mh_put_free(mh_put *put) {
  mh_names_free(&put->types);
  mh_names_free(&put->sources);
  mh_names_free(&put->units);
  mh_names_free(&put->keys);
  free(put->counts);
  free(put->counted);
}

void mh_put_event(mh_put *put, int is_continued) {
  put->rounds = is_continued ? put->rounds + 1 : 1;
  if (!is_continued) put->event_samples = put->event_attributes = put->event_texts = 0;
}

void mh_put_count(mh_put *put, uint32_t type) {
  if (type > MH_NAMES_TYPES_MAX) return;
  if (put->counts[type] == 0) put->counted[put->n_counted++] = type;
  if (put->counts[type] < UINT32_MAX) put->counts[type] += 1;
}

void mh_put_refuse(mh_put *put, uint32_t reason, uint32_t type, uint64_t place) {
  for (uint32_t i = 0; i < put->n_refusals; i++) {
    mh_import_refusal *row = &put->refusals[i];
    // The last rows are for the reasons alone: one of each always has its place.
    const int is_same = row->type == type || (i >= MH_PUT_REFUSALS - 8 && row->type == MH_IMPORT_NO_INDEX);
    if (row->reason != reason || !is_same) continue;
    if (row->count < UINT32_MAX) row->count += 1;
    return;
  }
  if (put->n_refusals == MH_PUT_REFUSALS) return;
  if (put->n_refusals >= MH_PUT_REFUSALS - 8) type = MH_IMPORT_NO_INDEX;
  put->refusals[put->n_refusals++] = (mh_import_refusal){reason, type, 1, place};
}

mh_import_sample *mh_put_sample(mh_put *put, uint32_t type) {
  if (put->n_samples == MH_PUT_SAMPLES) return NULL;
  mh_import_sample *sample = &put->samples[put->n_samples++];
  memset(sample, 0, sizeof *sample);
  sample->type = type;
  sample->unit = MH_IMPORT_NO_INDEX;
  sample->utc_offset_s = MH_IMPORT_NO_OFFSET;
  sample->first_attribute = put->n_attributes;
  put->sample_texts = put->n_texts;
  return sample;
}

void mh_put_drop(mh_put *put, uint32_t from) {
  if (from >= put->n_samples) return;
  put->n_attributes = put->samples[from].first_attribute;
  put->n_samples = from;
  if (from == put->first) put->first = put->n_samples = put->n_attributes = put->n_texts = 0;
}

static int keep(mh_put *put, mh_str text, uint32_t *offset, uint32_t *length) {
  if (text.n > MH_IMPORT_TEXT_MAX || text.n > MH_PUT_TEXTS - put->n_texts) return 0;
  if (put->n_texts + text.n - put->sample_texts > MH_PUT_SAMPLE_TEXTS) return 0;
  if (text.n > 0) memcpy(put->texts + put->n_texts, text.p, text.n);
  *offset = put->n_texts;
  *length = (uint32_t)text.n;
  put->n_texts += (uint32_t)text.n;
  return 1;
}

int mh_put_text(mh_put *put, mh_str text) {
  mh_import_sample *sample = &put->samples[put->n_samples - 1];
  return keep(put, text, &sample->text_off, &sample->text_len);
}

int mh_put_id(mh_put *put, mh_str id) {
  mh_import_sample *sample = &put->samples[put->n_samples - 1];
  return keep(put, id, &sample->id_off, &sample->id_len);
}

static mh_import_attribute *attribute(mh_put *put, uint32_t key) {
  mh_import_sample *sample = &put->samples[put->n_samples - 1];
  if (key == MH_IMPORT_NO_INDEX || put->n_attributes == MH_PUT_ATTRIBUTES) return NULL;
  if (sample->n_attributes == MH_PUT_SAMPLE_ATTRIBUTES) return NULL;
  mh_import_attribute *slot = &put->attributes[put->n_attributes];
  memset(slot, 0, sizeof *slot);
  slot->key = key;
  slot->unit = MH_IMPORT_NO_INDEX;
  return slot;
}

static int add(mh_put *put) {
  put->samples[put->n_samples - 1].n_attributes += 1;
  put->n_attributes += 1;
  return 1;
}

int mh_put_attribute(mh_put *put, uint32_t key, mh_str text) {
  mh_import_attribute *slot = attribute(put, key);
  return slot != NULL && keep(put, text, &slot->text_off, &slot->text_len) ? add(put) : 0;
}

int mh_put_number(mh_put *put, uint32_t key, mh_exact number, uint32_t unit) {
  mh_import_attribute *slot = attribute(put, key);
  if (slot == NULL) return 0;
  slot->flags = MH_SAMPLE_HAS_VALUE;
  slot->mantissa = number.mantissa;
  slot->exponent = (int16_t)number.exponent;
  slot->unit = unit;
  return add(put);
}

/* Names come in their order, and before the first sample that has them. */
static int32_t tell_names(mh_names *names, mh_import_sink *sink) {
  while (names->told < names->count) {
    const mh_names_entry *entry = &names->entries[names->told];
    const char *p = (const char *)names->pool + entry->at;
    mh_import_name name;
    memset(&name, 0, sizeof name);
    name.kind = names->kind;
    name.quantity = entry->quantity;
    name.index = names->told;
    name.flags = entry->flags;
    const int32_t status =
        mh_import_add_name(sink, &name, (mh_str){p, entry->text}, (mh_str){p + entry->text, entry->key},
                           (mh_str){p + entry->text + entry->key, entry->detail});
    if (status != MH_OK) return status;
    names->told += 1;
  }
  return MH_OK;
}

static int32_t tell_all_names(mh_put *put, mh_import_sink *sink) {
  int32_t status = tell_names(&put->types, sink);
  if (status == MH_OK) status = tell_names(&put->sources, sink);
  if (status == MH_OK) status = tell_names(&put->units, sink);
  if (status == MH_OK) status = tell_names(&put->keys, sink);
  return status;
}

static mh_str run(const mh_put *put, uint32_t offset, uint32_t length) {
  return (mh_str){(const char *)put->texts + offset, length};
}

static int32_t write_sample(mh_put *put, mh_import_sink *sink, const mh_import_sample *sample) {
  const mh_import_mark mark = mh_import_here(sink);
  if (mh_import_add_sample(sink, sample, run(put, sample->text_off, sample->text_len),
                           run(put, sample->id_off, sample->id_len)) != MH_OK)
    return MH_E_FULL;
  for (uint32_t i = 0; i < sample->n_attributes; i++) {
    const mh_import_attribute *slot = &put->attributes[sample->first_attribute + i];
    if (mh_import_add_attribute(sink, slot, run(put, slot->text_off, slot->text_len)) != MH_OK)
      return mh_import_back(sink, mark);
  }
  put->event_samples += 1;
  put->event_attributes += sample->n_attributes;
  put->event_texts += (uint32_t)(sink->n_arena - mark.n_arena);
  return MH_OK;
}

static int32_t full(const mh_put *put) { return put->rounds >= MH_PUT_EVENT_ROUNDS ? MH_PUT_SPENT : MH_E_FULL; }

int32_t mh_put_drain(mh_put *put, mh_import_sink *sink) {
  if (put->first == put->n_samples) return MH_OK;
  if (tell_all_names(put, sink) != MH_OK) return full(put);
  for (; put->first < put->n_samples; put->first++) {
    if (put->event_samples >= MH_PUT_EVENT_SAMPLES || put->event_attributes >= MH_PUT_EVENT_ATTRIBUTES ||
        put->event_texts >= MH_PUT_EVENT_TEXTS)
      return MH_PUT_SPENT;
    if (write_sample(put, sink, &put->samples[put->first]) != MH_OK) return full(put);
  }
  put->first = put->n_samples = put->n_attributes = put->n_texts = 0;
  return MH_OK;
}

int32_t mh_put_tell(mh_put *put, mh_import_sink *sink) {
  sink->flags |= put->flags;
  sink->exported_us = put->exported_us;
  if (tell_all_names(put, sink) != MH_OK) return MH_E_FULL;
  while (put->n_counted > 0) {
    const uint32_t type = put->counted[put->n_counted - 1];
    if (mh_import_add_count(sink, type, put->counts[type]) != MH_OK) return MH_E_FULL;
    put->counts[type] = 0;
    put->n_counted -= 1;
  }
  while (put->n_refusals > 0) {
    if (sink->n_refusals >= sink->cap_refusals) return MH_E_FULL;
    sink->refusals[sink->n_refusals++] = put->refusals[--put->n_refusals];
  }
  return MH_OK;
}

int32_t mh_put_act(mh_import_sink *sink, uint32_t kind, uint64_t first, uint64_t second, const char *text) {
  mh_talk_action action;
  memset(&action, 0, sizeof action);
  action.struct_size = sizeof action;
  action.kind = kind;
  action.first = first;
  action.second = second;
  if (text != NULL) action.text = (mh_str){text, strlen(text)};
  return sink->act(sink->ctx, &action);
}
