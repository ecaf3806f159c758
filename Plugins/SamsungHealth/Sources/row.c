#include "include/samsung.h"

#include <string.h>

typedef struct measure {
  const char *name;
  uint16_t quantity;
  samsung_column column;
  const char *unit;
} measure;

static const measure heart_rate = {"com.samsung.shealth.tracker.heart_rate", MH_QTY_HEART_RATE, HEART_RATE, "count/min"};
static const measure weights[] = {
    {"com.samsung.health.weight", MH_QTY_WEIGHT, WEIGHT, "kg"},
    {"com.samsung.health.weight.body_fat", MH_QTY_BODY_FAT, BODY_FAT, "%"},
    {"com.samsung.health.weight.muscle_mass", MH_QTY_MUSCLE_MASS, MUSCLE_MASS, "kg"},
    {"com.samsung.health.weight.total_body_water", MH_QTY_BODY_WATER_MASS, TOTAL_BODY_WATER, "kg"},
};
static const measure height = {"com.samsung.health.height", MH_QTY_HEIGHT, HEIGHT, "cm"};
static const measure glucose = {"com.samsung.health.blood_glucose", MH_QTY_GLUCOSE, GLUCOSE, "mmol/L"};
static const measure oxygen = {"com.samsung.shealth.tracker.oxygen_saturation", MH_QTY_OXYGEN_SATURATION, SPO2, "%"};
static const measure water = {"com.samsung.health.water_intake", MH_QTY_DIET_WATER, AMOUNT, "mL"};
static const measure temperature = {"com.samsung.health.body_temperature", MH_QTY_BODY_TEMPERATURE, TEMPERATURE, "degC"};

static uint32_t type_of(mh_talk *talk, const char *name, uint16_t quantity) {
  return mh_type_index(&talk->reader.queue, quantity, (mh_str){name, strlen(name)}, (mh_str){NULL, 0});
}

static void refuse(mh_talk *talk, uint32_t reason, uint32_t type) {
  mh_queue_refuse(&talk->reader.queue, reason, type, talk->n_rows);
}

/* Two apps may write one table: the package tells them apart. */
static uint32_t source_of(mh_talk *talk) {
  mh_str package = samsung_text(talk, PKG_NAME);
  mh_named source = {.text = package, .key = package};
  if (package.n == 0 || (package.n == 27 && memcmp(package.p, "com.sec.android.app.shealth", 27) == 0)) {
    source.text = (mh_str){"Samsung Health", 14};
    source.key = (mh_str){"com.sec.android.app.shealth", 27};
  }
  return mh_source_index(&talk->reader.queue, &source);
}

/* What all rows have. NULL: refused. */
static mh_import_sample *begin(mh_talk *talk, uint32_t type, int needs_end) {
  int64_t start, end, modified;
  int32_t offset;
  mh_str id = samsung_text(talk, DATAUUID);
  int has_end = samsung_time(talk, END_TIME, &end);
  if (samsung_time(talk, START_TIME, &start) != 1 || has_end < 0 || (needs_end && has_end == 0)) {
    refuse(talk, MH_REFUSED_TIME, type);
    return NULL;
  }
  mh_import_sample *sample = mh_sample_begin(&talk->reader.queue, type);
  sample->start_us = start;
  sample->end_us = has_end == 1 ? end : start;
  sample->place = talk->n_rows;
  sample->source = source_of(talk);
  if (samsung_time(talk, UPDATE_TIME, &modified) == 1) sample->modified_us = modified;
  if (samsung_offset(talk, &offset)) sample->utc_offset_s = offset;
  if (id.n > 0) mh_sample_id(&talk->reader.queue, id.p, id.n);
  return sample;
}

/* An empty value that belongs to a row with others says nothing; zero is the word for "not measured". */
static mh_import_sample *put_measure(mh_talk *talk, const measure *what, int is_needed) {
  mh_decimal value;
  int has_value = samsung_number(talk, what->column, &value);
  if (has_value == 0 && !is_needed) return NULL;
  uint32_t type = type_of(talk, what->name, what->quantity);
  if (has_value != 1 || value.mantissa <= 0) {
    if (has_value == 1 && value.mantissa == 0 && !is_needed) return NULL;
    refuse(talk, has_value == 1 && value.mantissa == 0 ? MH_REFUSED_SENTINEL : MH_REFUSED_VALUE, type);
    return NULL;
  }
  mh_import_sample *sample = begin(talk, type, 0);
  if (sample != NULL) mh_sample_value(sample, value, mh_unit_word(&talk->reader.queue, what->unit));
  return sample;
}

static void attribute(mh_talk *talk, samsung_column column, const char *key, const char *unit) {
  mh_decimal value;
  if (samsung_number(talk, column, &value) != 1 || value.mantissa <= 0) return;
  mh_sample_number(&talk->reader.queue, key, value, mh_unit_word(&talk->reader.queue, unit));
}

static void put_heart_rate(mh_talk *talk) {
  if (put_measure(talk, &heart_rate, 1) == NULL) return;
  attribute(talk, MIN, "min", "count/min");
  attribute(talk, MAX, "max", "count/min");
  mh_sample_end(&talk->reader.queue);
}

static void put_simple(mh_talk *talk, const measure *what, int is_needed) {
  if (put_measure(talk, what, is_needed) != NULL) mh_sample_end(&talk->reader.queue);
}

static void put_glucose(mh_talk *talk) {
  mh_str meal = samsung_text(talk, MEAL_TYPE);
  if (put_measure(talk, &glucose, 1) == NULL) return;
  if (meal.n > 0) mh_sample_words(&talk->reader.queue, "ss:meal_type", meal.p, meal.n);
  mh_sample_end(&talk->reader.queue);
}

static void put_weight(mh_talk *talk) {
  put_simple(talk, &weights[0], 1);
  for (size_t i = 1; i < sizeof weights / sizeof weights[0]; i++) put_simple(talk, &weights[i], 0);
}

/* A row without an id or an end is a goal. */
static void put_sleep(mh_talk *talk) {
  uint32_t type = type_of(talk, "com.samsung.shealth.sleep", MH_QTY_SLEEP);
  if (samsung_text(talk, DATAUUID).n == 0 || samsung_text(talk, END_TIME).n == 0) return;
  mh_import_sample *sample = begin(talk, type, 1);
  if (sample == NULL) return;
  sample->word = MH_SLEEP_SESSION;
  attribute(talk, EFFICIENCY, "ss:efficiency", "%");
  mh_sample_end(&talk->reader.queue);
}

static void put_stage(mh_talk *talk) {
  static const uint32_t words[] = {MH_SLEEP_AWAKE, MH_SLEEP_CORE, MH_SLEEP_DEEP, MH_SLEEP_REM};
  uint32_t type = type_of(talk, "com.samsung.health.sleep_stage", MH_QTY_SLEEP);
  mh_decimal stage;
  if (samsung_number(talk, STAGE, &stage) != 1 || stage.exponent != 0 || stage.mantissa < 40001 || stage.mantissa > 40004) {
    refuse(talk, MH_REFUSED_FORM, type);
    return;
  }
  mh_import_sample *sample = begin(talk, type, 1);
  if (sample == NULL) return;
  sample->word = words[stage.mantissa - 40001];
  mh_sample_end(&talk->reader.queue);
}

static void put_exercise(mh_talk *talk) {
  uint32_t type = type_of(talk, "com.samsung.shealth.exercise", MH_QTY_WORKOUT);
  mh_str code = samsung_text(talk, EXERCISE_TYPE);
  const char *name = samsung_exercise(code);
  if (begin(talk, type, 1) == NULL) return;
  if (name != NULL)
    mh_sample_text(&talk->reader.queue, name, strlen(name));
  else
    mh_sample_text(&talk->reader.queue, code.p, code.n);
  attribute(talk, DURATION, "duration", "ms");
  attribute(talk, DISTANCE, "distance", "m");
  attribute(talk, CALORIE, "energy_active", "kcal");
  attribute(talk, MEAN_HEART_RATE, "heart_rate_average", "count/min");
  attribute(talk, MIN_HEART_RATE, "heart_rate_minimum", "count/min");
  attribute(talk, MAX_HEART_RATE, "heart_rate_maximum", "count/min");
  mh_sample_end(&talk->reader.queue);
}

static void put_pressure(mh_talk *talk) {
  uint32_t type = type_of(talk, "com.samsung.shealth.blood_pressure", MH_QTY_BLOOD_PRESSURE);
  mh_decimal value;
  if (samsung_number(talk, SYSTOLIC, &value) != 1 || value.mantissa <= 0 || samsung_number(talk, DIASTOLIC, &value) != 1 ||
      value.mantissa <= 0) {
    refuse(talk, MH_REFUSED_VALUE, type);
    return;
  }
  if (begin(talk, type, 0) == NULL) return;
  attribute(talk, SYSTOLIC, "systolic", "mmHg");
  attribute(talk, DIASTOLIC, "diastolic", "mmHg");
  attribute(talk, PULSE, "pulse", "count/min");
  mh_sample_end(&talk->reader.queue);
}

static void put_food(mh_talk *talk) {
  uint32_t type = type_of(talk, "com.samsung.health.food_intake", MH_QTY_MEAL);
  mh_str title = samsung_text(talk, TITLE);
  mh_decimal value;
  if (samsung_number(talk, CALORIE, &value) != 1 || value.mantissa < 0) {
    refuse(talk, MH_REFUSED_VALUE, type);
    return;
  }
  if (begin(talk, type, 0) == NULL) return;
  if (title.n > 0) mh_sample_words(&talk->reader.queue, "food", title.p, title.n);
  mh_sample_number(&talk->reader.queue, "energy", value, mh_unit_word(&talk->reader.queue, "kcal"));
  mh_sample_end(&talk->reader.queue);
}

void samsung_row(mh_talk *talk) {
  switch (talk->table) {
    case TABLE_STEP_TREND:
    case TABLE_PEDOMETER_DAY:
    case TABLE_ACTIVITY_DAY: samsung_day_row(talk); return;
    case TABLE_HEART_RATE: put_heart_rate(talk); return;
    case TABLE_SLEEP: put_sleep(talk); return;
    case TABLE_SLEEP_STAGE: put_stage(talk); return;
    case TABLE_EXERCISE: put_exercise(talk); return;
    case TABLE_WEIGHT: put_weight(talk); return;
    case TABLE_HEIGHT: put_simple(talk, &height, 1); return;
    case TABLE_BLOOD_PRESSURE: put_pressure(talk); return;
    case TABLE_GLUCOSE: put_glucose(talk); return;
    case TABLE_OXYGEN: put_simple(talk, &oxygen, 1); return;
    case TABLE_WATER: put_simple(talk, &water, 1); return;
    case TABLE_FOOD: put_food(talk); return;
    case TABLE_TEMPERATURE: put_simple(talk, &temperature, 1); return;
    default: return;
  }
}
