#include "include/apple.h"

#include <string.h>

static const mh_str nothing = {NULL, 0};

static mh_str str(const char *text) { return (mh_str){text, strlen(text)}; }

static int is_raw(mh_bytes raw, const char *text) { return raw.n == strlen(text) && memcmp(raw.p, text, raw.n) == 0; }

/* The index of a name that was met as this text not long ago. */
static const apple_recent *recent(const apple_recent *slots, mh_bytes raw) {
  for (uint32_t i = 0; i < APPLE_RECENT; i++)
    if (slots[i].length == raw.n && raw.n > 0 && memcmp(slots[i].text, raw.p, raw.n) == 0) return &slots[i];
  return NULL;
}

static uint32_t remember(mh_talk *talk, apple_recent *slots, uint32_t *next, mh_bytes raw, uint32_t index) {
  if (index == MH_IMPORT_NO_INDEX) {
    talk->queue.has_failed = 1;
    return index;
  }
  apple_recent *slot = &slots[*next];
  if (raw.n > sizeof slot->text || raw.n == 0) return index;
  memcpy(slot->text, raw.p, raw.n);
  slot->length = (uint32_t)raw.n;
  slot->index = index;
  *next = (*next + 1) % APPLE_RECENT;
  return index;
}

static void learn_type(mh_talk *talk, uint32_t index, mh_str name, uint16_t quantity) {
  apple_type *type = &talk->types[index];
  static const char category[] = "HKCategoryType";
  type->quantity = quantity;
  type->is_category = name.n >= sizeof category - 1 && memcmp(name.p, category, sizeof category - 1) == 0;
  type->is_wanted = quantity != MH_QTY_OTHER && mh_queue_is_wanted(&talk->queue, quantity);
}

uint32_t apple_type_index(mh_talk *talk, mh_bytes raw) {
  const apple_recent *slot = recent(talk->recent_types, raw);
  if (slot != NULL) return slot->index;
  const mh_str name = apple_text(raw, talk->text);
  const uint16_t quantity = apple_quantity(name);
  const uint32_t count = talk->queue.types.count;
  const uint32_t index = mh_names_index(&talk->queue.types, &(mh_named){.text = name, .quantity = quantity});
  if (talk->queue.types.count > count && index < talk->queue.types.most) learn_type(talk, index, name, quantity);
  return remember(talk, talk->recent_types, &talk->next_type, raw, index);
}

uint32_t apple_unit_index(mh_talk *talk, mh_bytes raw) {
  const apple_recent *slot = recent(talk->recent_units, raw);
  if (slot != NULL) return slot->index;
  if (raw.n == 0) return MH_IMPORT_NO_INDEX;
  const uint32_t index = mh_names_index(&talk->queue.units, &(mh_named){.text = apple_text(raw, talk->text)});
  return remember(talk, talk->recent_units, &talk->next_unit, raw, index);
}

uint32_t apple_key(mh_talk *talk, const char *word) {
  return mh_names_index(&talk->queue.keys, &(mh_named){.text = str(word)});
}

/* Keys for which the contract has a word. */
static const char *word_of(mh_bytes raw) {
  static const char *const words[][2] = {{"HKTimeZone", "time_zone"},
                                         {"HKMetadataKeyHeartRateMotionContext", "motion_context"},
                                         {"HKBloodGlucoseMealTime", "meal"},
                                         {"HKFoodType", "food"},
                                         {"HKFoodMeal", "meal"},
                                         {"HKSexualActivityProtectionUsed", "protection"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (is_raw(raw, words[i][0])) return words[i][1];
  return NULL;
}

static uint32_t metadata_key(mh_talk *talk, mh_bytes raw) {
  const apple_recent *slot = recent(talk->recent_keys, raw);
  if (slot != NULL) return slot->index;
  const char *word = word_of(raw);
  if (word != NULL) return remember(talk, talk->recent_keys, &talk->next_key, raw, apple_key(talk, word));
  memcpy(talk->more, "hk:", 3);
  const mh_str name = apple_text(raw, talk->text);
  const size_t n = name.n < APPLE_TEXT_MAX - 3 ? name.n : APPLE_TEXT_MAX - 3;
  memcpy(talk->more + 3, name.p, n);
  const mh_str key = {(const char *)talk->more, n + 3};
  mh_names *keys = &talk->queue.keys;
  uint32_t index = mh_names_known(keys, key);
  if (index == MH_IMPORT_NO_INDEX) {
    // The last names are for the contract's words, which come later than any number of others.
    if (keys->count + APPLE_WORDS_MAX >= keys->most) return MH_IMPORT_NO_INDEX;
    index = mh_names_index(keys, &(mh_named){.text = key});
  }
  return remember(talk, talk->recent_keys, &talk->next_key, raw, index);
}

/* Numbers that the contract has words for. */
static mh_str metadata_text(mh_talk *talk, mh_bytes key, mh_bytes value) {
  const int is_one = is_raw(value, "1") || is_raw(value, "true");
  if (is_raw(key, "HKSexualActivityProtectionUsed")) return str(is_one ? "yes" : "no");
  if (is_raw(key, "HKBloodGlucoseMealTime") && (is_one || is_raw(value, "2"))) return str(is_one ? "before" : "after");
  return apple_text(value, talk->text);
}

int apple_open_sample(mh_talk *talk, const apple_tag *tag, uint32_t type, uint32_t *refusal) {
  int64_t start, end, created;
  const mh_bytes *values = tag->values;
  if (!apple_has(tag, A_START) || !apple_has(tag, A_END) ||
      !apple_stamp(&talk->start_day, values[A_START], &start) ||
      !apple_stamp(&talk->end_day, values[A_END], &end) ||
      !mh_queue_is_time(&talk->queue, start, end)) {
    *refusal = MH_REFUSED_TIME;
    return 0;
  }
  if (!mh_queue_is_in_window(&talk->queue, start, end)) return 0;
  mh_import_sample *sample = mh_queue_sample(&talk->queue, type);
  if (sample == NULL) return 0;
  sample->start_us = start;
  sample->end_us = end;
  if (apple_has(tag, A_CREATED) &&
      apple_stamp(&talk->created_day, values[A_CREATED], &created))
    sample->modified_us = created;
  sample->source = apple_source_index(talk, tag);
  sample->place = tag->place;
  return 1;
}

/* The export writes fractions with the unit `%`: 0.161 is 16.1 %. They are multiplied here, by their exponent. */
static int take_number(mh_talk *talk, const apple_tag *tag, mh_import_sample *sample, uint16_t quantity) {
  mh_decimal number;
  const mh_bytes value = tag->values[A_VALUE];
  if (!apple_has(tag, A_VALUE) || !apple_number(value, &number)) return 0;
  if (apple_has(tag, A_UNIT)) {
    if (apple_is_fraction(quantity) && is_raw(tag->values[A_UNIT], "%") && number.mantissa != 0) number.exponent += 2;
    sample->unit = apple_unit_index(talk, tag->values[A_UNIT]);
  }
  sample->flags |= MH_SAMPLE_HAS_VALUE;
  sample->mantissa = number.mantissa;
  sample->exponent = number.exponent;
  return number.exponent <= MH_IMPORT_EXPONENT_MAX;
}

static int take_category(mh_talk *talk, const apple_tag *tag, mh_import_sample *sample, uint16_t quantity) {
  mh_str text;
  if (apple_has(tag, A_VALUE)) talk->n_controls += apple_controls(tag->values[A_VALUE]);
  const mh_str value = apple_has(tag, A_VALUE) ? apple_text(tag->values[A_VALUE], talk->text) : nothing;
  return apple_category(quantity, value, &sample->word, &text) && mh_queue_text(&talk->queue, text);
}

void apple_record(mh_talk *talk, const apple_tag *tag) {
  talk->element_type = apple_type_index(talk, apple_has(tag, A_TYPE) ? tag->values[A_TYPE] : APPLE_NOTHING);
  if (talk->element_type == MH_IMPORT_NO_INDEX) return;
  if (tag->is_broken || !apple_has(tag, A_TYPE)) {
    talk->refusal = MH_REFUSED_FORM;
    return;
  }
  const apple_type *type = &talk->types[talk->element_type];
  if (!type->is_wanted) return;
  talk->has_sample = apple_open_sample(talk, tag, talk->element_type, &talk->refusal);
  if (!talk->has_sample) return;
  mh_import_sample *sample = &talk->queue.samples[0];
  const int is_read = type->is_category ? take_category(talk, tag, sample, type->quantity)
                                        : take_number(talk, tag, sample, type->quantity);
  if (!is_read) talk->refusal = MH_REFUSED_VALUE;
}

/* What a phone adds to a sample: an attribute by the contract's word, or by the key under `hk:`. An id is one of its kind
 * of sample only: apps give a workout and all that belongs to it the same. */
void apple_metadata(mh_talk *talk, const apple_tag *tag) {
  if (!talk->has_sample || talk->refusal != 0 || !apple_has(tag, A_KEY) || !apple_has(tag, A_VALUE)) return;
  const mh_bytes key = tag->values[A_KEY], value = tag->values[A_VALUE];
  mh_import_sample *sample = &talk->queue.samples[0];
  if (is_raw(key, "HKWasUserEntered")) {
    const int is_entered = is_raw(value, "1") || is_raw(value, "1.0") || is_raw(value, "true");
    if (is_entered) sample->flags |= MH_SAMPLE_MANUAL;
    return;
  }
  const uint32_t index = metadata_key(talk, key);
  const mh_str text = metadata_text(talk, key, value);
  talk->n_controls += apple_controls(value);
  if (is_raw(key, "HKExternalUUID") && sample->id_len == 0) mh_queue_id(&talk->queue, text);
  mh_queue_attribute(&talk->queue, index, text);
}

static void take_ring(mh_talk *talk, const apple_tag *tag, enum apple_attribute which, const char *key, mh_bytes unit) {
  mh_decimal number;
  const mh_bytes value = tag->values[which];
  if (apple_has(tag, which) && apple_number(value, &number))
    mh_queue_number(&talk->queue, apple_key(talk, key), number, apple_unit_index(talk, unit));
}

/* A day of the rings. Which day it is stands there as a date without a zone; the times are that day's in UTC. */
void apple_summary(mh_talk *talk, const apple_tag *tag) {
  static const char name[] = "ActivitySummary";
  talk->element_type = apple_type_index(talk, (mh_bytes){(const uint8_t *)name, sizeof name - 1});
  if (talk->element_type == MH_IMPORT_NO_INDEX || !talk->types[talk->element_type].is_wanted) return;
  int64_t day;
  const mh_bytes date = tag->values[A_DAY];
  if (tag->is_broken || !apple_has(tag, A_DAY) || !mh_day_read((const char *)date.p, date.n, &day)) {
    talk->refusal = tag->is_broken ? MH_REFUSED_FORM : MH_REFUSED_TIME;
    return;
  }
  const int64_t start = day * MH_DAY_US, end = start + MH_DAY_US;
  // Without a ring the export has a day in the year 1; a zone moves a day by less than another one.
  if (!mh_queue_is_time(&talk->queue, start, end)) {
    talk->refusal = MH_REFUSED_SENTINEL;
    return;
  }
  const int is_wanted = start - MH_DAY_US < talk->queue.until_us && end + MH_DAY_US > talk->queue.since_us;
  mh_import_sample *sample = is_wanted ? mh_queue_sample(&talk->queue, talk->element_type) : NULL;
  if (sample == NULL) return;
  talk->has_sample = 1;
  sample->start_us = start;
  sample->end_us = end;
  sample->place = tag->place;
  sample->source = mh_names_index(&talk->queue.sources, &(mh_named){.text = str("Activity")});
  mh_queue_attribute(&talk->queue, apple_key(talk, "date"), apple_text(date, talk->text));
  const mh_bytes none = {(const uint8_t *)"", 0}, minutes = {(const uint8_t *)"min", 3};
  take_ring(talk, tag, A_RING_ENERGY, "active_energy",
            apple_has(tag, A_RING_ENERGY_UNIT) ? tag->values[A_RING_ENERGY_UNIT] : none);
  take_ring(talk, tag, A_RING_EXERCISE, "exercise", minutes);
  take_ring(talk, tag, A_RING_STAND, "stand_hours", none);
}

/* A correlation says which samples belong together. They stand at the top of the file as well, so it counts for
 * nothing. */
void apple_correlation(mh_talk *talk, const apple_tag *tag) {
  talk->element_type = apple_type_index(talk, apple_has(tag, A_TYPE) ? tag->values[A_TYPE] : APPLE_NOTHING);
  if (talk->element_type == MH_IMPORT_NO_INDEX) return;
  if (tag->is_broken || !apple_has(tag, A_TYPE)) {
    talk->refusal = MH_REFUSED_FORM;
    return;
  }
  if (!talk->types[talk->element_type].is_wanted) return;
  talk->has_sample = apple_open_sample(talk, tag, talk->element_type, &talk->refusal);
  if (talk->has_sample) talk->queue.samples[0].flags |= MH_SAMPLE_LINK;
}

/* A record inside a correlation. */
void apple_correlated(mh_talk *talk, const apple_tag *tag) {
  mh_decimal number;
  const mh_bytes value = tag->values[A_VALUE];
  if (!talk->has_sample || tag->is_broken || !apple_has(tag, A_TYPE) || !apple_has(tag, A_VALUE)) return;
  const uint16_t quantity = apple_quantity(apple_text(tag->values[A_TYPE], talk->text));
  const char *key = apple_nutrient(quantity);
  if (quantity == MH_QTY_SYSTOLIC) key = "systolic";
  if (quantity == MH_QTY_DIASTOLIC) key = "diastolic";
  if (key == NULL || !apple_number(value, &number)) return;
  const mh_bytes unit = apple_has(tag, A_UNIT) ? tag->values[A_UNIT] : APPLE_NOTHING;
  mh_queue_number(&talk->queue, apple_key(talk, key), number, apple_unit_index(talk, unit));
}
