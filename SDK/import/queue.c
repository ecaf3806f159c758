#include "include/import/queue.h"

#include <stdlib.h>
#include <string.h>

#define DAY_US INT64_C(86400000000)

int mh_queue_start(mh_queue *queue, const mh_import_open *opening) {
  memset(queue, 0, sizeof *queue);
  queue->since_us = opening->since_us;
  queue->until_us = opening->until_us;
  memcpy(queue->wanted, opening->wanted, sizeof queue->wanted);
  const int64_t now = opening->talk.unix_us;
  queue->latest_us = now > 0 && now < MH_IMPORT_US_MAX - DAY_US ? now + DAY_US : MH_IMPORT_US_MAX;
  mh_names_start(&queue->types, MH_NAME_TYPE, MH_NAMES_TYPES_MAX);
  mh_names_start(&queue->sources, MH_NAME_SOURCE, MH_NAMES_SOURCES_MAX);
  mh_names_start(&queue->units, MH_NAME_UNIT, MH_NAMES_UNITS_MAX);
  mh_names_start(&queue->keys, MH_NAME_KEY, MH_NAMES_KEYS_MAX);
  queue->counts = calloc(MH_NAMES_TYPES_MAX + 1, sizeof *queue->counts);
  queue->counted = calloc(MH_NAMES_TYPES_MAX + 1, sizeof *queue->counted);
  return queue->counts != NULL && queue->counted != NULL;
}

void mh_queue_free(mh_queue *queue) {
  mh_names_free(&queue->types);
  mh_names_free(&queue->sources);
  mh_names_free(&queue->units);
  mh_names_free(&queue->keys);
  free(queue->orders);
  free(queue->counts);
  free(queue->counted);
}

void mh_queue_order(mh_queue *queue, uint32_t source, uint16_t quantity, uint32_t rank) {
  if (queue->n_orders == queue->cap_orders) {
    const uint32_t more = queue->cap_orders == 0 ? 64 : queue->cap_orders * 2;
    const uint32_t cap = more < MH_QUEUE_ORDERS_MAX ? more : MH_QUEUE_ORDERS_MAX;
    mh_import_name *orders = cap > queue->n_orders ? realloc(queue->orders, cap * sizeof *orders) : NULL;
    if (orders == NULL) {
      queue->is_short = 1;
      return;
    }
    queue->orders = orders;
    queue->cap_orders = cap;
  }
  if (source == MH_IMPORT_NO_INDEX) return;
  queue->orders[queue->n_orders++] =
      (mh_import_name){.kind = MH_NAME_ORDER, .quantity = quantity, .index = source, .rank = rank};
}

void mh_queue_event(mh_queue *queue, int is_continued) {
  queue->rounds = is_continued ? queue->rounds + 1 : 1;
  if (!is_continued) queue->event_samples = queue->event_attributes = queue->event_texts = 0;
}

void mh_queue_count(mh_queue *queue, uint32_t type, uint32_t n) {
  if (type > MH_NAMES_TYPES_MAX || n == 0) return;
  if (queue->counts[type] == 0) queue->counted[queue->n_counted++] = type;
  queue->counts[type] += n < UINT32_MAX - queue->counts[type] ? n : UINT32_MAX - queue->counts[type];
}

void mh_queue_refuse(mh_queue *queue, uint32_t reason, uint32_t type, uint64_t place) {
  for (uint32_t i = 0; i < queue->n_refusals; i++) {
    mh_import_refusal *row = &queue->refusals[i];
    // The last rows are for the reasons alone: one of each always has its place.
    const int is_same = row->type == type || (i >= MH_QUEUE_REFUSALS - 8 && row->type == MH_IMPORT_NO_INDEX);
    if (row->reason != reason || !is_same) continue;
    if (row->count < UINT32_MAX) row->count += 1;
    return;
  }
  if (queue->n_refusals == MH_QUEUE_REFUSALS) return;
  if (queue->n_refusals >= MH_QUEUE_REFUSALS - 8) type = MH_IMPORT_NO_INDEX;
  queue->refusals[queue->n_refusals++] = (mh_import_refusal){reason, type, 1, place};
}

mh_import_sample *mh_queue_sample(mh_queue *queue, uint32_t type) {
  if (queue->n_samples == MH_QUEUE_SAMPLES) return NULL;
  mh_import_sample *sample = &queue->samples[queue->n_samples++];
  memset(sample, 0, sizeof *sample);
  sample->type = type;
  sample->unit = MH_IMPORT_NO_INDEX;
  sample->utc_offset_s = MH_IMPORT_NO_OFFSET;
  sample->first_attribute = queue->n_attributes;
  queue->sample_texts = queue->n_texts;
  return sample;
}

void mh_queue_drop(mh_queue *queue, uint32_t from) {
  if (from >= queue->n_samples) return;
  queue->n_attributes = queue->samples[from].first_attribute;
  // The texts of those before are not looked for: they go with the queue.
  if (from + 1 == queue->n_samples) queue->n_texts = queue->sample_texts;
  queue->n_samples = from;
  if (from == queue->first) queue->first = queue->n_samples = queue->n_attributes = queue->n_texts = 0;
}

static int keep(mh_queue *queue, mh_str text, uint32_t *offset, uint32_t *length) {
  if (text.n > MH_IMPORT_TEXT_MAX || text.n > MH_QUEUE_TEXTS - queue->n_texts) return 0;
  if (queue->n_texts + text.n - queue->sample_texts > MH_QUEUE_SAMPLE_TEXTS) return 0;
  if (text.n > 0) memcpy(queue->texts + queue->n_texts, text.p, text.n);
  *offset = queue->n_texts;
  *length = (uint32_t)text.n;
  queue->n_texts += (uint32_t)text.n;
  return 1;
}

int mh_queue_text(mh_queue *queue, mh_str text) {
  mh_import_sample *sample = &queue->samples[queue->n_samples - 1];
  return keep(queue, text, &sample->text_off, &sample->text_len);
}

int mh_queue_id(mh_queue *queue, mh_str id) {
  mh_import_sample *sample = &queue->samples[queue->n_samples - 1];
  return keep(queue, id, &sample->id_off, &sample->id_len);
}

static mh_import_attribute *attribute(mh_queue *queue, uint32_t key) {
  mh_import_sample *sample = &queue->samples[queue->n_samples - 1];
  if (key == MH_IMPORT_NO_INDEX || queue->n_attributes == MH_QUEUE_ATTRIBUTES) return NULL;
  if (sample->n_attributes == MH_QUEUE_SAMPLE_ATTRIBUTES) return NULL;
  mh_import_attribute *slot = &queue->attributes[queue->n_attributes];
  memset(slot, 0, sizeof *slot);
  slot->key = key;
  slot->unit = MH_IMPORT_NO_INDEX;
  return slot;
}

static int add(mh_queue *queue) {
  queue->samples[queue->n_samples - 1].n_attributes += 1;
  queue->n_attributes += 1;
  return 1;
}

int mh_queue_attribute(mh_queue *queue, uint32_t key, mh_str text) {
  mh_import_attribute *slot = attribute(queue, key);
  return slot != NULL && keep(queue, text, &slot->text_off, &slot->text_len) ? add(queue) : 0;
}

int mh_queue_number(mh_queue *queue, uint32_t key, mh_decimal number, uint32_t unit) {
  mh_import_attribute *slot = attribute(queue, key);
  if (slot == NULL) return 0;
  slot->flags = MH_SAMPLE_HAS_VALUE;
  slot->mantissa = number.mantissa;
  slot->exponent = number.exponent;
  slot->unit = unit;
  return add(queue);
}

/* Names come in their order, and before the first sample that has them; an order behind its sources. */
static int32_t tell_all_names(mh_queue *queue, mh_import_sink *sink) {
  int32_t status = mh_names_tell(&queue->types, sink);
  if (status == MH_OK) status = mh_names_tell(&queue->sources, sink);
  if (status == MH_OK) status = mh_names_tell(&queue->units, sink);
  if (status == MH_OK) status = mh_names_tell(&queue->keys, sink);
  const mh_str nothing = {NULL, 0};
  for (; status == MH_OK && queue->told_orders < queue->n_orders; queue->told_orders++) {
    status = mh_import_add_name(sink, &queue->orders[queue->told_orders], nothing, nothing, nothing);
    if (status != MH_OK) return status;
  }
  return status;
}

static mh_str run(const mh_queue *queue, uint32_t offset, uint32_t length) {
  return (mh_str){(const char *)queue->texts + offset, length};
}

static int32_t write_sample(mh_queue *queue, mh_import_sink *sink, const mh_import_sample *sample) {
  const mh_import_mark mark = mh_import_here(sink);
  if (mh_import_add_sample(sink, sample, run(queue, sample->text_off, sample->text_len),
                           run(queue, sample->id_off, sample->id_len)) != MH_OK)
    return MH_E_FULL;
  for (uint32_t i = 0; i < sample->n_attributes; i++) {
    const mh_import_attribute *slot = &queue->attributes[sample->first_attribute + i];
    if (mh_import_add_attribute(sink, slot, run(queue, slot->text_off, slot->text_len)) != MH_OK)
      return mh_import_back(sink, mark);
  }
  queue->event_samples += 1;
  queue->event_attributes += sample->n_attributes;
  queue->event_texts += (uint32_t)(sink->n_arena - mark.n_arena);
  return MH_OK;
}

static int32_t full(const mh_queue *queue) { return queue->rounds >= MH_QUEUE_EVENT_ROUNDS ? MH_QUEUE_SPENT : MH_E_FULL; }

int32_t mh_queue_drain(mh_queue *queue, mh_import_sink *sink) {
  if (queue->first == queue->n_samples) return MH_OK;
  if (tell_all_names(queue, sink) != MH_OK) return full(queue);
  for (; queue->first < queue->n_samples; queue->first++) {
    if (queue->event_samples >= MH_QUEUE_EVENT_SAMPLES || queue->event_attributes >= MH_QUEUE_EVENT_ATTRIBUTES ||
        queue->event_texts >= MH_QUEUE_EVENT_TEXTS)
      return MH_QUEUE_SPENT;
    if (write_sample(queue, sink, &queue->samples[queue->first]) != MH_OK) return full(queue);
  }
  queue->first = queue->n_samples = queue->n_attributes = queue->n_texts = 0;
  return MH_OK;
}

int32_t mh_queue_tell(mh_queue *queue, mh_import_sink *sink) {
  sink->flags |= queue->flags;
  sink->exported_us = queue->exported_us;
  if (tell_all_names(queue, sink) != MH_OK) return MH_E_FULL;
  while (queue->n_counted > 0) {
    const uint32_t type = queue->counted[queue->n_counted - 1];
    if (mh_import_add_count(sink, type, queue->counts[type]) != MH_OK) return MH_E_FULL;
    queue->counts[type] = 0;
    queue->n_counted -= 1;
  }
  while (queue->n_refusals > 0) {
    if (sink->n_refusals >= sink->cap_refusals) return MH_E_FULL;
    sink->refusals[sink->n_refusals++] = queue->refusals[--queue->n_refusals];
  }
  return MH_OK;
}

int32_t mh_queue_act(mh_import_sink *sink, uint32_t kind, uint64_t first, uint64_t second, const char *text) {
  mh_talk_action action;
  memset(&action, 0, sizeof action);
  action.struct_size = sizeof action;
  action.kind = kind;
  action.first = first;
  action.second = second;
  if (text != NULL) action.text = (mh_str){text, strlen(text)};
  return sink->act(sink->ctx, &action);
}
