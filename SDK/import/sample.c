#include "include/import/sample.h"

#include <string.h>

#include "include/import/text.h"

/* What is looked up is what was kept: cleaned. */
static uint32_t index_of(mh_queue *queue, mh_names *names, const mh_named *name) {
  char text[MH_IMPORT_TEXT_MAX], key[MH_IMPORT_TEXT_MAX], detail[MH_IMPORT_TEXT_MAX];
  mh_named clean = *name;
  clean.text = (mh_str){text, mh_text_clean(name->text.p, name->text.n, text, sizeof text)};
  if (clean.text.n == 0) clean.text = (mh_str){"?", 1};
  clean.key = (mh_str){key, mh_text_clean(name->key.p, name->key.n, key, sizeof key)};
  clean.detail = (mh_str){detail, mh_text_clean(name->detail.p, name->detail.n, detail, sizeof detail)};
  const uint32_t index = mh_names_index(names, &clean);
  if (index == MH_IMPORT_NO_INDEX) queue->has_failed = 1;
  return index;
}

uint32_t mh_type_index(mh_queue *queue, uint16_t quantity, mh_str text, mh_str key) {
  const mh_named name = {.text = text, .key = key, .quantity = quantity};
  return index_of(queue, &queue->types, &name);
}

uint32_t mh_unit_index(mh_queue *queue, mh_str text) {
  const mh_named name = {.text = text};
  return text.n == 0 ? MH_IMPORT_NO_INDEX : index_of(queue, &queue->units, &name);
}

uint32_t mh_unit_word(mh_queue *queue, const char *text) { return mh_unit_index(queue, (mh_str){text, strlen(text)}); }

uint32_t mh_source_index(mh_queue *queue, const mh_named *source) { return index_of(queue, &queue->sources, source); }

static uint32_t key_index(mh_queue *queue, const char *text) {
  const mh_named name = {.text = {text, strlen(text)}};
  return index_of(queue, &queue->keys, &name);
}

mh_import_sample *mh_sample_begin(mh_queue *queue, uint32_t type) {
  if (queue->n_samples == MH_QUEUE_SAMPLES) mh_queue_drop(queue, MH_QUEUE_SAMPLES - 1);
  return mh_queue_sample(queue, type);
}

void mh_sample_value(mh_import_sample *sample, mh_decimal value, uint32_t unit) {
  if (!mh_decimal_fit(&value, MH_IMPORT_EXPONENT_MAX)) return;
  sample->flags |= MH_SAMPLE_HAS_VALUE;
  sample->mantissa = value.mantissa;
  sample->exponent = value.exponent;
  sample->unit = unit;
}

void mh_sample_text(mh_queue *queue, const char *p, size_t n) {
  char text[MH_IMPORT_TEXT_MAX];
  mh_queue_text(queue, (mh_str){text, mh_text_clean(p, n, text, sizeof text)});
}

void mh_sample_id(mh_queue *queue, const char *p, size_t n) {
  char text[MH_IMPORT_TEXT_MAX];
  mh_queue_id(queue, (mh_str){text, mh_text_clean(p, n, text, sizeof text)});
}

void mh_sample_number(mh_queue *queue, const char *key, mh_decimal value, uint32_t unit) {
  if (mh_decimal_fit(&value, MH_IMPORT_EXPONENT_MAX)) mh_queue_number(queue, key_index(queue, key), value, unit);
}

void mh_sample_words(mh_queue *queue, const char *key, const char *p, size_t n) {
  char text[MH_IMPORT_TEXT_MAX];
  const uint32_t index = key_index(queue, key);
  mh_queue_attribute(queue, index, (mh_str){text, mh_text_clean(p, n, text, sizeof text)});
}

void mh_sample_cancel(mh_queue *queue) {
  if (queue->n_samples > queue->first) mh_queue_drop(queue, queue->n_samples - 1);
}

void mh_sample_end(mh_queue *queue) {
  const mh_import_sample *sample = &queue->samples[queue->n_samples - 1];
  const int is_part = (sample->flags & MH_SAMPLE_PART) != 0;
  if (sample->type == MH_IMPORT_NO_INDEX || (is_part && !queue->is_parent_kept)) {
    mh_sample_cancel(queue);
    return;
  }
  if (!mh_queue_is_time(queue, sample->start_us, sample->end_us)) {
    mh_queue_refuse(queue, MH_REFUSED_TIME, sample->type, sample->place);
    if (!is_part) queue->is_parent_kept = 0;
    mh_sample_cancel(queue);
    return;
  }
  if (!is_part) {
    mh_queue_count(queue, sample->type, 1);
    queue->is_parent_kept = mh_queue_is_wanted(queue, queue->types.entries[sample->type].quantity) &&
                            mh_queue_is_in_window(queue, sample->start_us, sample->end_us);
  }
  if (!queue->is_parent_kept) mh_sample_cancel(queue);
}
