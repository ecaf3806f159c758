/* Rows of records as samples. */
#include "include/connect.h"

#include <string.h>

/* What all records have. NULL: refused. */
static mh_import_sample *begin(mh_talk *talk, const table *table) {
  int64_t start, end, modified, method;
  int32_t offset;
  if (field_time(talk, table, C_TIME, &start)) {
    end = start;
    offset = connect_offset(talk, table, C_ZONE_OFFSET);
  } else if (field_time(talk, table, C_START_TIME, &start) && field_time(talk, table, C_END_TIME, &end)) {
    offset = connect_offset(talk, table, C_START_ZONE_OFFSET);
  } else {
    connect_refuse(talk, table, MH_REFUSED_TIME);
    return NULL;
  }
  const value *uuid = field(talk, table, C_UUID);
  uint32_t source = connect_source(talk, table);
  mh_import_sample *sample = mh_sample_begin(&talk->reader.queue, connect_type(talk, table->form));
  sample->start_us = start;
  sample->end_us = end;
  sample->utc_offset_s = offset;
  sample->source = source;
  sample->place = (uint64_t)talk->row.id;
  if (field_time(talk, table, C_LAST_MODIFIED, &modified)) sample->modified_us = modified;
  if (field_integer(talk, table, C_RECORDING_METHOD, &method) && method == 3) sample->flags |= MH_SAMPLE_MANUAL;
  if (uuid->n == 16 && uuid->p != NULL) connect_uuid(talk, uuid->p, 0);
  return sample;
}

static void put_number(mh_talk *talk, const table *table) {
  mh_decimal number;
  if (!connect_number(talk, table, &number)) return;
  mh_import_sample *sample = begin(talk, table);
  if (sample == NULL) return;
  mh_sample_value(sample, number, mh_unit_word(&talk->reader.queue, table->form->unit));
  if (table->form->kind == KIND_GLUCOSE) {
    static const char *const meals[] = {NULL, NULL, "fasting", "before", "after"};
    int64_t meal = 0;
    if (field_integer(talk, table, C_RELATION_TO_MEAL, &meal) && meal >= 2 && meal <= 4)
      mh_sample_words(&talk->reader.queue, "meal", meals[meal], strlen(meals[meal]));
  }
  mh_sample_end(&talk->reader.queue);
}

static void attribute(mh_talk *talk, const table *table, column c, const char *key, const char *unit, int shift) {
  mh_decimal number;
  if (!field_number(talk, table, c, &number)) return;
  mh_sample_number(&talk->reader.queue, key, mh_decimal_shift(number, shift), mh_unit_word(&talk->reader.queue, unit));
}

static void put_pressure(mh_talk *talk, const table *table) {
  mh_decimal number;
  if (!field_number(talk, table, C_SYSTOLIC, &number) || !field_number(talk, table, C_DIASTOLIC, &number)) {
    connect_refuse(talk, table, MH_REFUSED_VALUE);
    return;
  }
  if (begin(talk, table) == NULL) return;
  attribute(talk, table, C_SYSTOLIC, "systolic", "mmHg", 0);
  attribute(talk, table, C_DIASTOLIC, "diastolic", "mmHg", 0);
  mh_sample_end(&talk->reader.queue);
}

static void put_meal(mh_talk *talk, const table *table) {
  static const struct {
    column column;
    const char *key;
  } nutrients[] = {{C_PROTEIN, "protein"}, {C_TOTAL_FAT, "fat"},          {C_SATURATED_FAT, "saturated_fat"},
                   {C_FIBER, "fiber"},     {C_CARBOHYDRATE, "carbohydrates"}, {C_SUGAR, "sugar"},
                   {C_SODIUM, "sodium"},   {C_CHOLESTEROL, "cholesterol"}, {C_CALCIUM, "calcium"},
                   {C_IRON, "iron"},       {C_POTASSIUM, "potassium"}};
  char name[512];
  if (begin(talk, table) == NULL) return;
  size_t n = field_text(talk, table, C_MEAL_NAME, name, sizeof name);
  if (n > 0) mh_sample_words(&talk->reader.queue, "food", name, n);
  attribute(talk, table, C_ENERGY, "energy", "kcal", 3);
  for (size_t i = 0; i < sizeof nutrients / sizeof nutrients[0]; i++)
    attribute(talk, table, nutrients[i].column, nutrients[i].key, "g", 0);
  mh_sample_end(&talk->reader.queue);
}

static const char *word_of(uint16_t quantity, int64_t number) {
  static const char *const flows[] = {NULL, "light", "medium", "heavy"};
  static const char *const tests[] = {"inconclusive", "positive", "high", "negative"};
  static const char *const mucus[] = {NULL, "dry", "sticky", "creamy", "watery", "egg_white", "unusual"};
  static const char *const protections[] = {NULL, "yes", "no"};
  if (quantity == MH_QTY_MENSTRUAL_FLOW) return number >= 0 && number <= 3 ? flows[number] : NULL;
  if (quantity == MH_QTY_OVULATION_TEST) return number >= 0 && number <= 3 ? tests[number] : NULL;
  if (quantity == MH_QTY_CERVICAL_MUCUS) return number >= 0 && number <= 6 ? mucus[number] : NULL;
  return number >= 0 && number <= 2 ? protections[number] : NULL;
}

static void put_word(mh_talk *talk, const table *table) {
  int64_t number = -1;
  field_integer(talk, table, table->form->value, &number);
  if (begin(talk, table) == NULL) return;
  const char *word = word_of(table->form->quantity, number);
  if (word != NULL && table->form->quantity == MH_QTY_SEXUAL_ACTIVITY)
    mh_sample_words(&talk->reader.queue, "protection", word, strlen(word));
  else if (word != NULL)
    mh_sample_text(&talk->reader.queue, word, strlen(word));
  mh_sample_end(&talk->reader.queue);
}

static void put_exercise(mh_talk *talk, const table *table, int64_t row_id) {
  int64_t type = 0;
  field_integer(talk, table, C_EXERCISE_TYPE, &type);
  const char *name = exercise_name(type);
  mh_import_sample *sample = begin(talk, table);
  if (sample == NULL) return;
  talk->part_source = sample->source;
  mh_sample_text(&talk->reader.queue, name, strlen(name));
  mh_sample_end(&talk->reader.queue);
  uint32_t low = 0, high = talk->n_parts;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (talk->parts[middle].row < row_id)
      low = middle + 1;
    else
      high = middle;
  }
  talk->at_part = talk->end_part = low;
  while (talk->end_part < talk->n_parts && talk->parts[talk->end_part].row == row_id) talk->end_part += 1;
}

static void put_sleep(mh_talk *talk, const table *table) {
  mh_import_sample *sample = begin(talk, table);
  if (sample == NULL) return;
  sample->word = MH_SLEEP_SESSION;
  mh_sample_end(&talk->reader.queue);
}

/* What lies behind a text that is too long, or on a page that is damaged, is not absent but lost. */
static int is_lost(const mh_talk *talk, const table *table) {
  for (uint32_t c = 0; c < N_COLUMN_NAMES; c++) {
    int16_t index = table->columns[c];
    if (index >= (int16_t)talk->row.cut_from && (uint32_t)index < talk->row.n_values) return 1;
  }
  return 0;
}

void connect_row(mh_talk *talk, const table *table) {
  int64_t row_id = talk->row.id;
  if (is_lost(talk, table)) {
    talk->reader.is_partial = 1;
    connect_refuse(talk, table, MH_REFUSED_TOO_LONG);
    return;
  }
  field_integer(talk, table, C_ROW_ID, &row_id);
  switch (table->form->kind) {
    case KIND_SEGMENT:
    case KIND_LAP: connect_keep_part(talk, table); return;
    case KIND_NUMBER:
    case KIND_GLUCOSE: put_number(talk, table); return;
    case KIND_PRESSURE: put_pressure(talk, table); return;
    case KIND_MEAL: put_meal(talk, table); return;
    case KIND_WORD: put_word(talk, table); return;
    case KIND_SLEEP:
      put_sleep(talk, table);
      connect_keep_parent(talk, table, row_id);
      return;
    case KIND_PARENT: connect_keep_parent(talk, table, row_id); return;
    case KIND_EXERCISE: put_exercise(talk, table, row_id); return;
    case KIND_POINT:
    case KIND_STAGE: connect_child(talk, table); return;
    case KIND_PLAIN:
      if (begin(talk, table) != NULL) mh_sample_end(&talk->reader.queue);
      return;
    default: connect_info_row(talk, table);
  }
}
