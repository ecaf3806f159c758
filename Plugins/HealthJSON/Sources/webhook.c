/* HC Webhook: {"steps":[...],"sleep":[...],...}, what Health Connect gives an app. Its times are UTC and say nothing of a zone. */
#include "include/health_json.h"

#include <string.h>

typedef struct webhook_type {
  const char *list;
  uint16_t quantity;
  const char *field, *unit;
} webhook_type;

static const webhook_type types[] = {
    {"steps", MH_QTY_STEPS, "count", "count"},
    {"distance", MH_QTY_DISTANCE_WALKING, "meters", "m"},
    {"active_calories", MH_QTY_ENERGY_ACTIVE, "calories", "kcal"},
    {"total_calories", MH_QTY_ENERGY_TOTAL, "calories", "kcal"},
    {"floors_climbed", MH_QTY_FLOORS, "floors", "count"},
    {"elevation_gained", MH_QTY_ELEVATION, "meters", "m"},
    {"wheelchair_pushes", MH_QTY_PUSHES, "count", "count"},
    {"heart_rate", MH_QTY_HEART_RATE, "bpm", "count/min"},
    {"resting_heart_rate", MH_QTY_RESTING_HEART_RATE, "bpm", "count/min"},
    {"heart_rate_variability", MH_QTY_HRV_RMSSD, "rmssd_millis", "ms"},
    {"respiratory_rate", MH_QTY_RESPIRATORY_RATE, "rate", "count/min"},
    {"oxygen_saturation", MH_QTY_OXYGEN_SATURATION, "percentage", "%"},
    {"body_temperature", MH_QTY_BODY_TEMPERATURE, "celsius", "degC"},
    {"basal_body_temperature", MH_QTY_BASAL_TEMPERATURE, "celsius", "degC"},
    {"weight", MH_QTY_WEIGHT, "kilograms", "kg"},
    {"height", MH_QTY_HEIGHT, "meters", "m"},
    {"body_fat", MH_QTY_BODY_FAT, "percentage", "%"},
    {"lean_body_mass", MH_QTY_LEAN_MASS, "kilograms", "kg"},
    {"body_water_mass", MH_QTY_BODY_WATER_MASS, "kilograms", "kg"},
    {"bone_mass", MH_QTY_BONE_MASS, "kilograms", "kg"},
    {"blood_glucose", MH_QTY_GLUCOSE, "mmol_per_liter", "mmol/L"},
    {"basal_metabolic_rate", MH_QTY_BASAL_RATE, "watts", "W"},
    {"hydration", MH_QTY_DIET_WATER, "liters", "L"},
    {"blood_pressure", MH_QTY_BLOOD_PRESSURE, NULL, NULL},
    {"nutrition", MH_QTY_MEAL, NULL, NULL},
    {"exercise", MH_QTY_WORKOUT, NULL, NULL},
    {"sleep", MH_QTY_SLEEP, NULL, NULL},
};

static const webhook_type *type_of(const char *list) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(types[i].list, list) == 0) return &types[i];
  return NULL;
}

static uint32_t index_of(mh_talk *talk, const char *list) {
  const webhook_type *type = type_of(list);
  return mh_type_index(&talk->reader.queue, type == NULL ? MH_QTY_OTHER : type->quantity, (mh_str){list, strlen(list)},
                     (mh_str){NULL, 0});
}

static int times_of(const json_row *row, mh_moment *start, mh_moment *end) {
  int has_start = row_moment(row, "start_time", start), has_end = row_moment(row, "end_time", end);
  if (has_start == 0 && has_end == 0) {
    has_start = has_end = row_moment(row, "time", start);
    *end = *start;
  }
  return has_start == 1 && has_end == 1 && !start->is_day && !end->is_day;
}

/* The app that wrote it is the same source wherever it is exported. */
static uint32_t source_of(mh_talk *talk, const json_row *row) {
  mh_str origin = row_text(row, "metadata.data_origin"), device = row_text(row, "metadata.device.model");
  mh_named source = {.text = origin, .key = origin, .detail = device};
  mh_str kind = row_text(row, "metadata.device.type");
  if (kind.n == 5 && (kind.p[0] | 32) == 'w' && (kind.p[4] | 32) == 'h') source.flags = MH_SOURCE_WATCH;
  if (kind.n == 5 && (kind.p[0] | 32) == 'p' && (kind.p[4] | 32) == 'e') source.flags = MH_SOURCE_PHONE;
  if (origin.n == 0) source.text = source.key = (mh_str){"HC Webhook", 10};
  return mh_source_index(&talk->reader.queue, &source);
}

static int is_manual(const json_row *row) {
  mh_str method = row_text(row, "metadata.recording_method");
  if (method.n == 1) return method.p[0] == '3';
  return method.n >= 6 && (method.p[0] | 32) == 'm' && (method.p[1] | 32) == 'a';
}

static void put_meal(mh_talk *talk, const json_row *row) {
  static const char *const fields[][3] = {
      {"calories", "energy", "kcal"},        {"protein_grams", "protein", "g"}, {"carbs_grams", "carbohydrates", "g"},
      {"fat_grams", "fat", "g"},             {"sugar_grams", "sugar", "g"},     {"sodium_grams", "sodium", "g"},
      {"dietary_fiber_grams", "fiber", "g"},
  };
  mh_str name = row_text(row, "name");
  if (name.n > 0) mh_sample_words(&talk->reader.queue, "food", name.p, name.n);
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    json_attribute(talk, row, fields[i][0], fields[i][1], fields[i][2]);
}

static int put_pressure(mh_talk *talk, const json_row *row) {
  mh_decimal value;
  if (row_number(row, "systolic", &value) != 1 || row_number(row, "diastolic", &value) != 1) return 0;
  json_attribute(talk, row, "systolic", "systolic", "mmHg");
  json_attribute(talk, row, "diastolic", "diastolic", "mmHg");
  return 1;
}

static int put_number(mh_talk *talk, const webhook_type *type, mh_import_sample *sample) {
  const json_row *row = &talk->row;
  mh_decimal value;
  int has_value = row_number(row, type->field, &value);
  if (has_value == 0) has_value = row_number(row, "avg", &value);
  if (has_value != 1) return 0;
  mh_sample_value(sample, value, mh_unit_word(&talk->reader.queue, type->unit));
  json_attribute(talk, row, "min", "min", type->unit);
  json_attribute(talk, row, "max", "max", type->unit);
  return 1;
}

static int put_content(mh_talk *talk, const webhook_type *type, mh_import_sample *sample) {
  const json_row *row = &talk->row;
  mh_str kind = row_text(row, "type");
  if (type == NULL) return 1;
  switch (type->quantity) {
    case MH_QTY_BLOOD_PRESSURE: return put_pressure(talk, row);
    case MH_QTY_MEAL: put_meal(talk, row); return 1;
    case MH_QTY_WORKOUT:
      mh_sample_text(&talk->reader.queue, kind.p, kind.n);
      json_attribute(talk, row, "duration_seconds", "duration", "s");
      json_attribute(talk, row, "distance_meters", "distance", "m");
      return 1;
    default: return put_number(talk, type, sample);
  }
}

/* A night without stages: its end and its length. */
static int sleep_times(const json_row *row, mh_moment *start, mh_moment *end) {
  mh_decimal seconds;
  if (row_moment(row, "session_end_time", end) != 1 || row_number(row, "duration_seconds", &seconds) != 1) return 0;
  if (!mh_decimal_fit(&seconds, 0) || seconds.mantissa < 0 || seconds.mantissa > 604800) return 0;
  *start = *end;
  start->us -= seconds.mantissa * MH_SECOND_US;
  return !end->is_day;
}

void webhook_row(mh_talk *talk, const char *list) {
  const json_row *row = &talk->row;
  const webhook_type *type = type_of(list);
  mh_queue *queue = &talk->reader.queue;
  mh_moment start, end;
  int is_sleep = type != NULL && type->quantity == MH_QTY_SLEEP;
  uint32_t index = index_of(talk, list);
  if (is_sleep && talk->n_stages > 0) return;
  if (row->is_cut || !(is_sleep ? sleep_times(row, &start, &end) : times_of(row, &start, &end))) {
    mh_queue_refuse(queue, row->is_cut ? MH_REFUSED_TOO_LONG : MH_REFUSED_TIME, index, row->place);
    return;
  }
  mh_import_sample *sample = mh_sample_begin(queue, index);
  sample->start_us = start.us;
  sample->end_us = end.us;
  sample->place = row->place;
  sample->source = source_of(talk, row);
  if (is_manual(row)) sample->flags |= MH_SAMPLE_MANUAL;
  if (is_sleep) sample->word = MH_SLEEP_ASLEEP;
  if (is_sleep || put_content(talk, type, sample)) {
    mh_sample_end(queue);
    return;
  }
  mh_sample_cancel(queue);
  mh_queue_refuse(queue, MH_REFUSED_VALUE, index, row->place);
}

void webhook_stage(mh_talk *talk) {
  const json_row *row = &talk->stage;
  mh_queue *queue = &talk->reader.queue;
  mh_moment start, end;
  mh_str said = row_text(row, "stage");
  uint32_t word = json_sleep_word(said), index = index_of(talk, "sleep");
  talk->n_stages += 1;
  if (row->is_cut || word == 0 || !times_of(row, &start, &end)) {
    mh_queue_refuse(queue, word == 0 ? MH_REFUSED_FORM : MH_REFUSED_TIME, index, row->place);
    return;
  }
  mh_import_sample *sample = mh_sample_begin(queue, index);
  sample->start_us = start.us;
  sample->end_us = end.us;
  sample->word = word;
  sample->place = row->place;
  /* Its session says only behind it which app wrote it. */
  sample->source = source_of(talk, row);
  mh_sample_end(queue);
}
