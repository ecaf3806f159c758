/* Names and samples on their way into a sink. What does not fit waits here for the next round or event, so a reader puts a
 * sample out whole and never has to read it again (rule R13). */
#ifndef METERHOST_IMPORT_QUEUE_H
#define METERHOST_IMPORT_QUEUE_H

#include "decimal.h"
#include "names.h"

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
/* Places in an order, so that with all names they stay within MH_IMPORT_NAMES_MAX. */
#define MH_QUEUE_ORDERS_MAX 9216u
/* What may come between two calls of mh_queue_has_room. */
#define MH_QUEUE_STEP_SAMPLES 64u
#define MH_QUEUE_STEP_ATTRIBUTES 1024u

/* Beside MH_OK and MH_E_FULL: the event has put out as much as it may. */
#define MH_QUEUE_SPENT 1

typedef struct mh_queue {
  mh_names types, sources, units, keys;
  mh_import_name *orders;
  uint32_t n_orders, cap_orders, told_orders;
  /* What the host asked for. The latest start that a sample may have. */
  int64_t since_us, until_us, latest_us;
  uint64_t wanted[4];
  /* Of samples that were read and not told yet, by type, and which types those are. */
  uint32_t *counts;
  uint32_t *counted;
  uint32_t n_counted;
  mh_import_refusal refusals[MH_QUEUE_REFUSALS];
  uint32_t n_refusals;
  int64_t exported_us;
  uint64_t flags;
  /* There was no memory for a name; there was no room for a place in an order. */
  int has_failed, is_short;
  /* The queue. `first` waits longest; the last one is open for attributes. */
  mh_import_sample samples[MH_QUEUE_SAMPLES];
  uint32_t first, n_samples;
  mh_import_attribute attributes[MH_QUEUE_ATTRIBUTES];
  uint32_t n_attributes;
  uint8_t texts[MH_QUEUE_TEXTS];
  uint32_t n_texts, sample_texts;
  uint32_t event_samples, event_attributes, event_texts, rounds;
  /* sample.h: whether parts of the last sample that is none are put out. */
  int is_parent_kept;
} mh_queue;

/* 0: no memory. */
int mh_queue_start(mh_queue *queue, const mh_import_open *opening);
void mh_queue_free(mh_queue *queue);
/* A new event, or another round of it. */
void mh_queue_event(mh_queue *queue, int is_continued);

/* 2000-01-01T00:00Z: before it no phone kept health data, and a clock that was never set counts from 1970. */
#define MH_QUEUE_EARLIEST_US INT64_C(946684800000000)

/* Whether a sample's times can be. */
static inline int mh_queue_is_time(const mh_queue *queue, int64_t start, int64_t end) {
  return start <= end && start >= MH_QUEUE_EARLIEST_US && start <= queue->latest_us && end <= MH_IMPORT_US_MAX;
}

/* Whether the host wants a quantity. */
static inline int mh_queue_is_wanted(const mh_queue *queue, uint16_t quantity) {
  return quantity < 256 && (queue->wanted[quantity / 64] >> quantity % 64 & 1) != 0;
}

/* Whether a sample lies in the window that is wanted; an instant at its beginning does. */
static inline int mh_queue_is_in_window(const mh_queue *queue, int64_t start, int64_t end) {
  if (start >= queue->until_us) return 0;
  return start == end ? start >= queue->since_us : end > queue->since_us;
}

/* The place of a source in the order for a category that the quantity is one of. */
void mh_queue_order(mh_queue *queue, uint32_t source, uint16_t quantity, uint32_t rank);
/* `n` more samples of a type were read. */
void mh_queue_count(mh_queue *queue, uint32_t type, uint32_t n);
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
int mh_queue_number(mh_queue *queue, uint32_t key, mh_decimal number, uint32_t unit);

static inline int mh_queue_has_room(const mh_queue *queue) {
  return queue->n_samples + MH_QUEUE_STEP_SAMPLES <= MH_QUEUE_SAMPLES &&
         queue->n_attributes + MH_QUEUE_STEP_ATTRIBUTES <= MH_QUEUE_ATTRIBUTES &&
         queue->n_texts + MH_QUEUE_SAMPLE_TEXTS <= MH_QUEUE_TEXTS;
}

/* Moves what waits into the sink: MH_OK, MH_E_FULL or MH_QUEUE_SPENT. */
int32_t mh_queue_drain(mh_queue *queue, mh_import_sink *sink);
/* Moves counts, refusals and what is known of the export into the sink: MH_OK or MH_E_FULL. */
int32_t mh_queue_tell(mh_queue *queue, mh_import_sink *sink);

int32_t mh_queue_act(mh_import_sink *sink, uint32_t kind, uint64_t first, uint64_t second, const char *text);

#endif
