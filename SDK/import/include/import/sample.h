/* Builds samples in the queue from what rows of an export say: names get their indices, texts become clean UTF-8, what is not
 * wanted is only counted, what has an impossible time is refused. */
#ifndef METERHOST_IMPORT_SAMPLE_H
#define METERHOST_IMPORT_SAMPLE_H

#include "queue.h"

/* The index of a name, which is cleaned. `key` is the name that the type has elsewhere. */
uint32_t mh_type_index(mh_queue *queue, uint16_t quantity, mh_str text, mh_str key);
/* An empty unit has none: MH_IMPORT_NO_INDEX. */
uint32_t mh_unit_index(mh_queue *queue, mh_str text);
uint32_t mh_unit_word(mh_queue *queue, const char *text);
uint32_t mh_source_index(mh_queue *queue, const mh_named *source);

/* Begins a sample: all of it unset but its type. Then its fields, texts and attributes, then mh_sample_end. Never fails while
 * mh_queue_has_room says so. */
mh_import_sample *mh_sample_begin(mh_queue *queue, uint32_t type);
void mh_sample_value(mh_import_sample *sample, mh_decimal value, uint32_t unit);
void mh_sample_text(mh_queue *queue, const char *p, size_t n);
void mh_sample_id(mh_queue *queue, const char *p, size_t n);
void mh_sample_number(mh_queue *queue, const char *key, mh_decimal value, uint32_t unit);
void mh_sample_words(mh_queue *queue, const char *key, const char *p, size_t n);
/* Takes back what was begun. */
void mh_sample_cancel(mh_queue *queue);
/* Counts it; drops what is not wanted and refuses what has an impossible time. */
void mh_sample_end(mh_queue *queue);

#endif
