/* Names and samples on their way into a sink. What does not fit waits here for the next round or event, so a
 * reader puts a sample out whole and never has to read it again. */
#ifndef IMPORT_QUEUE_H
#define IMPORT_QUEUE_H

#include <meterhost/draft/import.h>

#include "import_text.h"

/* Names of a kind that are told apart; all others of that kind share one more, `other`. */
#define MH_NAMES_TYPES_MAX 1024u
#define MH_NAMES_SOURCES_MAX 4096u
#define MH_NAMES_UNITS_MAX 512u
#define MH_NAMES_KEYS_MAX 1024u
/* Bytes of all names of a kind; what comes later is `other`. */
#define MH_NAMES_POOL_MAX (4u << 20)

typedef struct mh_names_entry {
  uint32_t hash;
  uint32_t at;
  uint16_t text, key, detail;
  uint16_t quantity;
  uint32_t flags;
} mh_names_entry;

/* The names of one kind, each once, numbered from 0 in the order in which they were met. */
typedef struct mh_names {
  uint16_t kind;
  uint32_t most;
  mh_names_entry *entries;
  uint32_t count, capacity;
  /* Index + 1 by hash; a power of two. */
  uint32_t *slots;
  uint32_t n_slots;
  uint8_t *pool;
  uint32_t n_pool, cap_pool;
  /* So many are out. */
  uint32_t told;
} mh_names;

void mh_names_start(mh_names *names, uint16_t kind, uint32_t most);
void mh_names_free(mh_names *names);
/* The index of a name, new or known; MH_IMPORT_NO_INDEX: no memory. Texts that are too long are cut behind a whole
 * character. */
uint32_t mh_names_index(mh_names *names, mh_str text, mh_str key, mh_str detail, uint16_t quantity, uint32_t flags);

/* The index of a name without key and detail that was met before, else MH_IMPORT_NO_INDEX. */
uint32_t mh_names_known(const mh_names *names, mh_str text);

/* The most bytes, at most `most`, that end behind a whole character of UTF-8. */
uint32_t mh_text_cut(const char *p, uint64_t n, uint32_t most);

/* Samples that wait: one with its parts. */
#define MH_QUEUE_SAMPLES 512u
#define MH_QUEUE_ATTRIBUTES 4096u
#define MH_QUEUE_TEXTS 131072u
/* Of one sample, so that it fits into every empty sink. */
#define MH_QUEUE_SAMPLE_ATTRIBUTES 512u
#define MH_QUEUE_SAMPLE_TEXTS 49152u
/* What an event puts out before it is broken off: less than the contract's limits by more than one sample. */
#define MH_QUEUE_EVENT_SAMPLES 15360u
#define MH_QUEUE_EVENT_ATTRIBUTES 196608u
#define MH_QUEUE_EVENT_TEXTS 6291456u
#define MH_QUEUE_EVENT_ROUNDS 40u
#define MH_QUEUE_REFUSALS 64u

/* Beside MH_OK and MH_E_FULL: the event has put out as much as it may. */
#define MH_QUEUE_SPENT 1

typedef struct mh_queue {
  mh_names types, sources, units, keys;
  /* Of samples that were read and not told yet, by type, and which types those are. */
  uint32_t *counts;
  uint32_t *counted;
  uint32_t n_counted;
  mh_import_refusal refusals[MH_QUEUE_REFUSALS];
  uint32_t n_refusals;
  int64_t exported_us;
  uint64_t flags;
  int has_failed;
  /* The queue. `first` waits longest; the last one is open for attributes. */
  mh_import_sample samples[MH_QUEUE_SAMPLES];
  uint32_t first, n_samples;
  mh_import_attribute attributes[MH_QUEUE_ATTRIBUTES];
  uint32_t n_attributes;
  uint8_t texts[MH_QUEUE_TEXTS];
  uint32_t n_texts, sample_texts;
  uint32_t event_samples, event_attributes, event_texts, rounds;
} mh_queue;

/* 0: no memory. */
int mh_queue_start(mh_queue *queue);
void mh_queue_free(mh_queue *queue);
/* A new event, or another round of it. */
void mh_queue_event(mh_queue *queue, int is_continued);

void mh_queue_count(mh_queue *queue, uint32_t type);
void mh_queue_refuse(mh_queue *queue, uint32_t reason, uint32_t type, uint64_t place);

/* Opens a sample at the end of the queue, with nothing but its type, or returns NULL when the queue is full. */
mh_import_sample *mh_queue_sample(mh_queue *queue, uint32_t type);
/* Takes the samples back from the one with this number on. */
void mh_queue_drop(mh_queue *queue, uint32_t from);
/* Text, id and attributes of the sample that was opened last. What is too long or too many is left out, and 0
 * returned. */
int mh_queue_text(mh_queue *queue, mh_str text);
int mh_queue_id(mh_queue *queue, mh_str id);
int mh_queue_attribute(mh_queue *queue, uint32_t key, mh_str text);
int mh_queue_number(mh_queue *queue, uint32_t key, mh_exact number, uint32_t unit);

/* Moves what waits into the sink: MH_OK, MH_E_FULL or MH_QUEUE_SPENT. */
int32_t mh_queue_drain(mh_queue *queue, mh_import_sink *sink);
/* Moves counts, refusals and what is known of the export into the sink: MH_OK or MH_E_FULL. */
int32_t mh_queue_tell(mh_queue *queue, mh_import_sink *sink);

int32_t mh_queue_act(mh_import_sink *sink, uint32_t kind, uint64_t first, uint64_t second, const char *text);

#endif
