/* Samples on their way into the sink: names get their indices, texts become clean UTF-8, what is not wanted is only counted.
 *
 * A reader puts samples into a queue, which never refuses while mh_out_has_room says so; mh_out_flush moves it into the sink and
 * stops where the sink is full. So no reader has to know of rounds (rule R13). */
#ifndef METERHOST_IMPORT_OUT_H
#define METERHOST_IMPORT_OUT_H

#include <meterhost/draft/import.h>

#include "text.h"

/* What mh_out_has_room promises. */
#define MH_OUT_SAMPLES 64u
#define MH_OUT_ATTRIBUTES 1024u
#define MH_OUT_TEXT 32768u
/* Of one event; then the reader pulls again. Below the limits of the header, because a piece may be finished behind it. */
#define MH_OUT_EVENT_SAMPLES 8192u
#define MH_OUT_EVENT_ATTRIBUTES 131072u

#define MH_OUT_NAMES_MAX 4096u
#define MH_OUT_TYPES_MAX 1024u
/* Of all kinds. */
#define MH_OUT_ALL_NAMES_MAX 12288u

typedef struct mh_out_name {
  uint16_t kind, quantity;
  uint32_t index, flags, rank, hash;
  uint32_t text, text_n, key, key_n, detail, detail_n;
} mh_out_name;

typedef struct mh_out {
  mh_out_name *names;
  uint32_t n_names, cap_names, n_told;
  char *pool;
  uint32_t n_pool, cap_pool;
  uint32_t slots[2 * MH_OUT_ALL_NAMES_MAX];
  uint32_t n_kind[6];

  int64_t since_us, until_us, latest_us;
  uint64_t wanted[4];

  mh_import_sample samples[2 * MH_OUT_SAMPLES];
  mh_import_attribute attributes[2 * MH_OUT_ATTRIBUTES];
  uint8_t text[2 * MH_OUT_TEXT];
  uint32_t n_samples, n_attributes, n_text, n_flushed;
  /* The sample that is being built, and where its attributes and texts begin. */
  uint32_t attributes_before, text_before;
  uint8_t parent_is_kept;

  uint16_t quantities[MH_OUT_TYPES_MAX];
  /* A name found no room: what it belongs to is missing. */
  uint8_t is_short;
  uint64_t counts[MH_OUT_TYPES_MAX];
  uint32_t n_counted, counted[MH_OUT_TYPES_MAX];
  mh_import_refusal refusals[64];
  uint32_t n_refusals;
  /* Of the event that runs. */
  uint32_t event_samples, event_attributes;
} mh_out;

int mh_out_start(mh_out *out, const mh_import_open *opening);
/* Copies UTF-8, at most `most` bytes and whole characters: controls become blanks, what is no character U+FFFD. */
size_t mh_out_clean(const char *from, size_t n, char *to, size_t most);
void mh_out_free(mh_out *out);
void mh_out_event(mh_out *out);

/* The index of a name. Sources beyond MH_OUT_NAMES_MAX are one, "other"; other names have MH_IMPORT_NO_INDEX there, and without
 * memory. `key` is the name that the type has elsewhere. */
uint32_t mh_out_type(mh_out *out, uint16_t quantity, mh_str text, mh_str key);
uint32_t mh_out_unit(mh_out *out, const char *text);
uint32_t mh_out_unit_n(mh_out *out, const char *text, size_t n);
uint32_t mh_out_key(mh_out *out, const char *text);
typedef struct mh_out_source {
  mh_str text, key, detail;
  uint32_t flags, rank;
  uint16_t quantity;
} mh_out_source;
uint32_t mh_out_source_of(mh_out *out, const mh_out_source *source);

/* The place of a source in the order for a category that the quantity is one of. */
void mh_out_order(mh_out *out, uint32_t source, uint16_t quantity, uint32_t rank);

int mh_out_has_room(const mh_out *out);
int mh_out_is_spent(const mh_out *out);

/* Begins a sample: all of it unset but its type. Then its fields, texts and attributes, then mh_out_end. */
mh_import_sample *mh_out_begin(mh_out *out, uint32_t type);
void mh_out_value(mh_import_sample *sample, mh_decimal value, uint32_t unit);
void mh_out_text(mh_out *out, const char *p, size_t n);
void mh_out_id(mh_out *out, const uint8_t *p, size_t n);
void mh_out_number_attribute(mh_out *out, const char *key, mh_decimal value, uint32_t unit);
void mh_out_text_attribute(mh_out *out, const char *key, const char *p, size_t n);
/* Takes back what was begun. */
void mh_out_cancel(mh_out *out);
/* Counts it; drops what is not wanted and refuses what has an impossible time. */
void mh_out_end(mh_out *out);
void mh_out_refuse(mh_out *out, uint32_t reason, uint32_t type, uint64_t place);

/* MH_OK: the queue is empty; MH_E_FULL. */
int32_t mh_out_flush(mh_out *out, mh_import_sink *sink);
/* Counts and refusals, when an event ends. */
int32_t mh_out_flush_counts(mh_out *out, mh_import_sink *sink);

#endif
