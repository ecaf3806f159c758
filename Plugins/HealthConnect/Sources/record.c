/* Rows of records as samples. */
#include "include/connect.h"

#include <stdlib.h>
#include <string.h>

uint32_t connect_type(mh_talk *talk, const table_form *form) {
  return mh_out_type(&talk->reader.out, form->quantity, (mh_str){form->name, strlen(form->name)}, (mh_str){NULL, 0});
}

static void refuse(mh_talk *talk, const table *table, uint32_t reason) {
  mh_out_refuse(&talk->reader.out, reason, connect_type(talk, table->form), (uint64_t)talk->row.id);
}

static void put_uuid(mh_talk *talk, const uint8_t *uuid, int64_t ms) {
  static const char hex[] = "0123456789abcdef";
  char text[64];
  size_t n = 0;
  for (int i = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[n++] = '-';
    text[n++] = hex[uuid[i] >> 4];
    text[n++] = hex[uuid[i] & 15];
  }
  /* A point of a series: the moment too. */
  if (ms > 0) {
    char digits[20];
    size_t m = 0;
    for (; ms > 0; ms /= 10) digits[m++] = (char)('0' + ms % 10);
    text[n++] = '/';
    while (m > 0) text[n++] = digits[--m];
  }
  mh_out_id(&talk->reader.out, (const uint8_t *)text, n);
}

static int32_t offset_of(const mh_talk *talk, const table *table, column c) {
  int64_t seconds;
  if (!field_integer(talk, table, c, &seconds) || seconds > MH_IMPORT_OFFSET_MAX || seconds < -MH_IMPORT_OFFSET_MAX)
    return MH_IMPORT_NO_OFFSET;
  return (int32_t)seconds;
}

/* What all records have. NULL: refused. */
static mh_import_sample *begin(mh_talk *talk, const table *table) {
  int64_t start, end, modified, method;
  int32_t offset;
  if (field_time(talk, table, C_TIME, &start)) {
    end = start;
    offset = offset_of(talk, table, C_ZONE_OFFSET);
  } else if (field_time(talk, table, C_START_TIME, &start) && field_time(talk, table, C_END_TIME, &end)) {
    offset = offset_of(talk, table, C_START_ZONE_OFFSET);
  } else {
    refuse(talk, table, MH_REFUSED_TIME);
    return NULL;
  }
  const value *uuid = field(talk, table, C_UUID);
  uint32_t source = connect_source(talk, table);
  mh_import_sample *sample = mh_out_begin(&talk->reader.out, connect_type(talk, table->form));
  sample->start_us = start;
  sample->end_us = end;
  sample->utc_offset_s = offset;
  sample->source = source;
  sample->place = (uint64_t)talk->row.id;
  if (field_time(talk, table, C_LAST_MODIFIED, &modified)) sample->modified_us = modified;
  if (field_integer(talk, table, C_RECORDING_METHOD, &method) && method == 3) sample->flags |= MH_SAMPLE_MANUAL;
  if (uuid->n == 16 && uuid->p != NULL) put_uuid(talk, uuid->p, 0);
  return sample;
}

static int read_value(mh_talk *talk, const table *table, mh_decimal *out) {
  const table_form *form = table->form;
  if (!field_number(talk, table, form->value, out)) {
    refuse(talk, table, field(talk, table, form->value)->kind == VALUE_NULL ? MH_REFUSED_VALUE : MH_REFUSED_SENTINEL);
    return 0;
  }
  /* Watts: 86,400 J a day, 4,184 J a kilocalorie. */
  if (form->value == C_BASAL_RATE && !mh_decimal_times(*out, 2065, 2, out)) {
    refuse(talk, table, MH_REFUSED_VALUE);
    return 0;
  }
  *out = mh_decimal_shift(*out, form->shift);
  return 1;
}

static void put_number(mh_talk *talk, const table *table) {
  mh_decimal number;
  if (!read_value(talk, table, &number)) return;
  mh_import_sample *sample = begin(talk, table);
  if (sample == NULL) return;
  mh_out_value(sample, number, mh_out_unit(&talk->reader.out, table->form->unit));
  if (table->form->kind == KIND_GLUCOSE) {
    static const char *const meals[] = {NULL, "general", "fasting", "before", "after"};
    int64_t meal = 0;
    if (field_integer(talk, table, C_RELATION_TO_MEAL, &meal) && meal >= 1 && meal <= 4)
      mh_out_text_attribute(&talk->reader.out, "meal", meals[meal], strlen(meals[meal]));
  }
  mh_out_end(&talk->reader.out);
}

static void attribute(mh_talk *talk, const table *table, column c, const char *key, const char *unit, int shift) {
  mh_decimal number;
  if (!field_number(talk, table, c, &number)) return;
  mh_out_number_attribute(&talk->reader.out, key, mh_decimal_shift(number, shift), mh_out_unit(&talk->reader.out, unit));
}

static void put_pressure(mh_talk *talk, const table *table) {
  mh_decimal number;
  if (!field_number(talk, table, C_SYSTOLIC, &number) || !field_number(talk, table, C_DIASTOLIC, &number)) {
    refuse(talk, table, MH_REFUSED_VALUE);
    return;
  }
  if (begin(talk, table) == NULL) return;
  attribute(talk, table, C_SYSTOLIC, "systolic", "mmHg", 0);
  attribute(talk, table, C_DIASTOLIC, "diastolic", "mmHg", 0);
  mh_out_end(&talk->reader.out);
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
  mh_out_text(&talk->reader.out, name, field_text(talk, table, C_MEAL_NAME, name, sizeof name));
  attribute(talk, table, C_ENERGY, "energy", "kcal", 3);
  for (size_t i = 0; i < sizeof nutrients / sizeof nutrients[0]; i++)
    attribute(talk, table, nutrients[i].column, nutrients[i].key, "g", 0);
  mh_out_end(&talk->reader.out);
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
    mh_out_text_attribute(&talk->reader.out, "protection", word, strlen(word));
  else if (word != NULL)
    mh_out_text(&talk->reader.out, word, strlen(word));
  mh_out_end(&talk->reader.out);
}

static void keep_parent(mh_talk *talk, const table *table, int64_t row_id) {
  const value *uuid = field(talk, table, C_UUID);
  int64_t method = 0;
  if (!connect_grow((void **)&talk->parents, talk->n_parents, &talk->cap_parents, sizeof *talk->parents, PARENTS_MAX)) {
    talk->reader.is_partial = 1;
    return;
  }
  parent *p = &talk->parents[talk->n_parents++];
  memset(p, 0, sizeof *p);
  p->row = row_id;
  p->table = (uint32_t)(table->form - table_forms);
  p->source = connect_source(talk, table);
  p->offset_s = offset_of(talk, table, C_START_ZONE_OFFSET);
  field_time(talk, table, C_LAST_MODIFIED, &p->modified_us);
  if (field_integer(talk, table, C_RECORDING_METHOD, &method) && method == 3) p->flags = MH_SAMPLE_MANUAL;
  if (uuid->n == 16 && uuid->p != NULL) memcpy(p->uuid, uuid->p, 16);
}

static int by_parent(const void *a, const void *b) {
  const parent *x = a, *y = b;
  if (x->table != y->table) return x->table < y->table ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static int by_part(const void *a, const void *b) {
  const part *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return x->start_us < y->start_us ? -1 : x->start_us > y->start_us;
}

void connect_sort(mh_talk *talk) {
  if (talk->n_parents > 0) qsort(talk->parents, talk->n_parents, sizeof *talk->parents, by_parent);
  if (talk->n_parts > 0) qsort(talk->parts, talk->n_parts, sizeof *talk->parts, by_part);
}

static void put_exercise(mh_talk *talk, const table *table, int64_t row_id) {
  int64_t type = 0;
  field_integer(talk, table, C_EXERCISE_TYPE, &type);
  const char *name = exercise_name(type);
  mh_import_sample *sample = begin(talk, table);
  if (sample == NULL) return;
  talk->part_source = sample->source;
  mh_out_text(&talk->reader.out, name, strlen(name));
  mh_out_end(&talk->reader.out);
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

int connect_next_part(mh_talk *talk) {
  if (talk->at_part == talk->end_part) return 0;
  const part *p = &talk->parts[talk->at_part++];
  mh_out *out = &talk->reader.out;
  const char *name = p->is_lap ? "exercise_laps_table" : "exercise_segments_table";
  uint32_t type = mh_out_type(out, MH_QTY_WORKOUT, (mh_str){name, strlen(name)}, (mh_str){NULL, 0});
  mh_import_sample *sample = mh_out_begin(out, type);
  sample->start_us = p->start_us;
  sample->end_us = p->end_us;
  sample->flags |= MH_SAMPLE_PART;
  sample->source = talk->part_source;
  if (p->is_lap) {
    mh_out_text(out, "lap", 3);
    mh_out_number_attribute(out, "distance", p->length, mh_out_unit(out, "m"));
  } else {
    mh_out_text(out, "segment", 7);
  }
  mh_out_end(out);
  return 1;
}

static void keep_part(mh_talk *talk, const table *table) {
  int is_lap = table->form->kind == KIND_LAP;
  part p = {.is_lap = (uint32_t)is_lap};
  if (!field_integer(talk, table, C_PARENT_KEY, &p.row) ||
      !field_time(talk, table, is_lap ? C_LAP_START : C_SEGMENT_START, &p.start_us) ||
      !field_time(talk, table, is_lap ? C_LAP_END : C_SEGMENT_END, &p.end_us))
    return;
  field_number(talk, table, C_LAP_LENGTH, &p.length);
  if (connect_grow((void **)&talk->parts, talk->n_parts, &talk->cap_parts, sizeof p, PARTS_MAX))
    talk->parts[talk->n_parts++] = p;
  else
    talk->reader.is_partial = 1;
}

static const parent *parent_of(const mh_talk *talk, const table *table) {
  parent key = {0};
  if (!field_integer(talk, table, C_PARENT_KEY, &key.row)) return NULL;
  while (key.table < n_table_forms && strcmp(table_forms[key.table].name, table->form->parent) != 0) key.table += 1;
  return talk->n_parents == 0 ? NULL : bsearch(&key, talk->parents, talk->n_parents, sizeof key, by_parent);
}

static void put_child(mh_talk *talk, const table *table) {
  static const uint32_t words[] = {MH_SLEEP_ASLEEP, MH_SLEEP_AWAKE, MH_SLEEP_ASLEEP, MH_SLEEP_AWAKE,
                                   MH_SLEEP_CORE,   MH_SLEEP_DEEP,  MH_SLEEP_REM,    MH_SLEEP_AWAKE};
  const parent *p = parent_of(talk, table);
  int is_stage = table->form->kind == KIND_STAGE;
  int64_t start, end, stage = 0;
  mh_decimal number = {0, 0};
  if (p == NULL) {
    refuse(talk, table, MH_REFUSED_FORM);
    return;
  }
  int has_times = field_time(talk, table, is_stage ? C_STAGE_START : C_EPOCH_MILLIS, &start) &&
                  field_time(talk, table, is_stage ? C_STAGE_END : C_EPOCH_MILLIS, &end);
  if (!has_times) {
    refuse(talk, table, MH_REFUSED_TIME);
    return;
  }
  if (is_stage && (!field_integer(talk, table, C_STAGE_TYPE, &stage) || stage < 0 || stage > 7)) {
    refuse(talk, table, MH_REFUSED_FORM);
    return;
  }
  if (!is_stage && !read_value(talk, table, &number)) return;
  mh_import_sample *sample = mh_out_begin(&talk->reader.out, connect_type(talk, table->form));
  sample->start_us = start;
  sample->end_us = end;
  sample->source = p->source;
  sample->utc_offset_s = p->offset_s;
  sample->modified_us = p->modified_us;
  sample->flags |= p->flags;
  sample->place = (uint64_t)talk->row.id;
  if (is_stage)
    sample->word = words[stage];
  else
    mh_out_value(sample, number, mh_out_unit(&talk->reader.out, table->form->unit));
  put_uuid(talk, p->uuid, start / 1000);
  mh_out_end(&talk->reader.out);
}

static void put_sleep(mh_talk *talk, const table *table) {
  mh_import_sample *sample = begin(talk, table);
  if (sample == NULL) return;
  sample->word = MH_SLEEP_SESSION;
  mh_out_end(&talk->reader.out);
}

void connect_row(mh_talk *talk, const table *table) {
  int64_t row_id = talk->row.id;
  field_integer(talk, table, C_ROW_ID, &row_id);
  switch (table->form->kind) {
    case KIND_SEGMENT:
    case KIND_LAP: keep_part(talk, table); return;
    case KIND_NUMBER:
    case KIND_GLUCOSE: put_number(talk, table); return;
    case KIND_PRESSURE: put_pressure(talk, table); return;
    case KIND_MEAL: put_meal(talk, table); return;
    case KIND_WORD: put_word(talk, table); return;
    case KIND_SLEEP:
      put_sleep(talk, table);
      keep_parent(talk, table, row_id);
      return;
    case KIND_PARENT: keep_parent(talk, table, row_id); return;
    case KIND_EXERCISE: put_exercise(talk, table, row_id); return;
    case KIND_POINT:
    case KIND_STAGE: put_child(talk, table); return;
    case KIND_PLAIN:
      if (begin(talk, table) != NULL) mh_out_end(&talk->reader.out);
      return;
    default: connect_info_row(talk, table);
  }
}
