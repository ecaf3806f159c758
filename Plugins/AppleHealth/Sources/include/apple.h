/* The parts of the reader of Apple Health exports: conversation, scanner of tags, elements, and what their words
 * mean. */
#ifndef APPLE_HEALTH_H
#define APPLE_HEALTH_H

#include <meterhost/draft/import.h>
#include <meterhost/driver.h>

#include <import/content.h>
#include <import/moment.h>
#include <import/queue.h>
#include <import/text.h>

/* The longest element with its children, and the longest tag: 1 MiB. */
#define APPLE_ELEMENT_MAX (1u << 20)
/* The window holds a whole tag, and what was inflated beside it. */
#define APPLE_WINDOW (256u << 10)
#define APPLE_WINDOW_MAX (APPLE_ELEMENT_MAX + (64u << 10))
/* So many words the contract has for keys of attributes, at most. */
#define APPLE_WORDS_MAX 64u
/* Where an attribute is missing. */
#define APPLE_NOTHING ((mh_bytes){(const uint8_t *)"", 0})
/* The longest text that is decoded. */
#define APPLE_TEXT_MAX MH_IMPORT_TEXT_MAX

/* The attributes that mean something, whatever element they are of. */
enum apple_attribute {
  A_TYPE,
  A_SOURCE,
  A_DEVICE,
  A_UNIT,
  A_VALUE,
  A_CREATED,
  A_START,
  A_END,
  A_KEY,
  A_ACTIVITY,
  A_DURATION,
  A_DURATION_UNIT,
  A_DISTANCE,
  A_DISTANCE_UNIT,
  A_ENERGY,
  A_ENERGY_UNIT,
  A_DATE,
  A_SUM,
  A_AVERAGE,
  A_MINIMUM,
  A_MAXIMUM,
  A_UUID,
  A_DAY,
  A_RING_ENERGY,
  A_RING_ENERGY_UNIT,
  A_RING_EXERCISE,
  A_RING_STAND,
  A_COUNT,
};

/* A tag: its attributes as they stand there, with entities. */
typedef struct apple_tag {
  const uint8_t *name;
  size_t name_length;
  uint32_t seen;
  int is_closed;
  /* An attribute came twice, or the tag breaks off. */
  int is_broken;
  uint64_t place;
  mh_bytes values[A_COUNT];
} apple_tag;

enum apple_element { E_NONE, E_RECORD, E_CORRELATION, E_WORKOUT };

/* What the scanner is in the middle of. */
enum apple_mode { M_PROLOGUE, M_BODY, M_COMMENT, M_MARKUP, M_LONG_TAG, M_OVER };

/* The types of samples and units that were met last, as they stand in the file. */
#define APPLE_RECENT 4u
typedef struct apple_recent {
  uint8_t text[128];
  uint32_t length;
  uint32_t index;
} apple_recent;

#define APPLE_RECENT_SOURCES 64u
typedef struct apple_recent_source {
  uint8_t text[504];
  uint32_t name, rest;
  uint32_t index;
} apple_recent_source;

/* What a type of samples is. */
typedef struct apple_type {
  uint16_t quantity;
  uint8_t is_category;
  uint8_t is_wanted;
} apple_type;

struct mh_talk {
  mh_content *content;
  mh_window window;
  mh_queue queue;
  mh_stamp_cache created_day, start_day, end_day;

  enum apple_mode mode;
  /* How far an unfinished tag, comment or markup was looked at, and the quote that is open there. */
  size_t looked;
  int is_in_tag;
  uint8_t quote;
  int is_after_equals;

  /* The element that is open, its number in the queue (or none: it only counts), and whether it is to be refused. */
  enum apple_element element;
  uint64_t element_place;
  uint32_t element_type;
  uint32_t refusal;
  int has_sample;
  /* In a correlation: a record; in a workout: an activity. Its children are not those of the element. */
  int is_inside;
  /* What the whole comes to was said; DONE or FAIL was. */
  int is_judged, is_over;
  struct workout_state *workout;
  /* Bytes that no XML may have, in texts that were put out and not told yet. */
  uint32_t n_controls;

  apple_type types[MH_NAMES_TYPES_MAX + 1];
  apple_recent recent_types[APPLE_RECENT], recent_units[APPLE_RECENT], recent_keys[APPLE_RECENT];
  uint32_t next_type, next_unit, next_key;
  apple_recent_source recent_sources[APPLE_RECENT_SOURCES];
  uint8_t text[APPLE_TEXT_MAX + 8], more[APPLE_TEXT_MAX + 8];
};

/* scan.c: reads what the window holds: MH_OK when it needs more, MH_E_FULL, MH_QUEUE_SPENT or MH_E_MEMORY. */
int32_t apple_scan(mh_talk *talk, mh_import_sink *sink);

/* attributes.c: the attributes of a tag, from behind its name on. Returns the `>` that ends it, or NULL when there
 * is none yet: then the tag says nothing. */
const uint8_t *apple_attributes(apple_tag *tag, const uint8_t *p, const uint8_t *end);
static inline int apple_has(const apple_tag *tag, enum apple_attribute which) { return (tag->seen >> which & 1) != 0; }
/* The text of an attribute without entities, in `out` of APPLE_TEXT_MAX bytes, where it is cut; controls become blanks. */
mh_str apple_text(mh_bytes raw, uint8_t *out);
/* How many bytes no XML may have are in it; blanks take their place. */
uint32_t apple_controls(mh_bytes raw);

/* An exact number with an exponent that the contract allows; one too small to be told from zero is none. */
static inline int apple_number(mh_bytes raw, mh_decimal *out) {
  const uint32_t form = MH_DECIMAL_EXPONENT | MH_DECIMAL_BARE_POINT | MH_DECIMAL_EXACT;
  if (!mh_decimal_read((const char *)raw.p, raw.n, form, out)) return 0;
  if (out->exponent >= -MH_IMPORT_EXPONENT_MAX) return out->exponent <= MH_IMPORT_EXPONENT_MAX;
  return mh_decimal_fit(out, MH_IMPORT_EXPONENT_MAX) && out->mantissa != 0;
}
static inline int apple_stamp(mh_stamp_cache *cache, mh_bytes raw, int64_t *us) {
  return mh_stamp_read(cache, (const char *)raw.p, raw.n, us);
}

/* elements.c */
void apple_begin(mh_talk *talk, const apple_tag *tag);
void apple_end(mh_talk *talk, const uint8_t *name, size_t length);
/* A tag that is too long, by its name. */
void apple_refuse_long(mh_talk *talk, const uint8_t *name, size_t length, uint64_t place);
void apple_refuse_open(mh_talk *talk, uint32_t reason);

/* record.c: the words that samples of all elements have. */
uint32_t apple_type_index(mh_talk *talk, mh_bytes raw);
uint32_t apple_unit_index(mh_talk *talk, mh_bytes raw);
uint32_t apple_key(mh_talk *talk, const char *word);
/* Times, source and entry of a sample, 0: it is refused or not wanted; `*refusal` says why. */
int apple_open_sample(mh_talk *talk, const apple_tag *tag, uint32_t type, uint32_t *refusal);
void apple_record(mh_talk *talk, const apple_tag *tag);
void apple_metadata(mh_talk *talk, const apple_tag *tag);
void apple_summary(mh_talk *talk, const apple_tag *tag);
void apple_correlation(mh_talk *talk, const apple_tag *tag);
void apple_correlated(mh_talk *talk, const apple_tag *tag);

/* workout.c */
void apple_workout(mh_talk *talk, const apple_tag *tag);
void apple_workout_child(mh_talk *talk, const apple_tag *tag);
void apple_workout_end(mh_talk *talk);

/* source.c */
uint32_t apple_source_index(mh_talk *talk, const apple_tag *tag);

/* types.c */
uint16_t apple_quantity(mh_str type);
/* The attribute by which a nutrient is called in a meal, or NULL. */
const char *apple_nutrient(uint16_t quantity);
int apple_is_fraction(uint16_t quantity);
/* What a category's value comes to: a word, a text, or 0: it has no meaning. */
int apple_category(uint16_t quantity, mh_str value, uint32_t *word, mh_str *text);

extern const mh_import apple_import;

#endif
