/* Health Auto Export: {"data":{"metrics":[...],"workouts":[...]}}. */
#include "include/health_json.h"

#include <string.h>

#define MINUTE_US (60 * MH_SECOND_US)
#define HOUR_US (3600 * MH_SECOND_US)

/* The first of several fields that is there. */
static int first_moment(const json_row *row, const char *const *keys, mh_moment *out) {
  int status = 0;
  for (; *keys != NULL && status == 0; keys++) status = row_moment(row, *keys, out);
  return status;
}

static const char *const starts[] = {"startDate", "start", NULL};
static const char *const ends[] = {"endDate", "end", NULL};

void metric_skim(mh_talk *talk) {
  mh_moment at;
  talk->metric.n_rows += 1;
  if (row_moment(&talk->row, "date", &at) != 1) return;
  int64_t local = at.us + at.offset_s * MH_SECOND_US, of_day = ((local % MH_DAY_US) + MH_DAY_US) % MH_DAY_US;
  talk->metric.has_second |= of_day % MINUTE_US != 0;
  talk->metric.has_minute |= of_day % HOUR_US != 0;
  talk->metric.has_hour |= of_day != 0;
  int64_t gap = at.us > talk->metric.last_us ? at.us - talk->metric.last_us : talk->metric.last_us - at.us;
  if (talk->metric.n_rows > 1 && gap > 0 && gap < talk->metric.least_gap_us) talk->metric.least_gap_us = gap;
  talk->metric.last_us = at.us;
}

/* Its user chose what is put together; the times tell what. Weeks and longer look like days that are far apart. */
static metric_span span_of(const mh_talk *talk) {
  if (talk->metric.has_second) return SPAN_SAMPLE;
  if (talk->metric.has_minute) return SPAN_MINUTE;
  if (talk->metric.has_hour) return SPAN_HOUR;
  int64_t gap = talk->metric.least_gap_us;
  return gap != INT64_MAX && gap > 6 * MH_DAY_US ? SPAN_LONGER : SPAN_DAY;
}

static void put_day(mh_talk *talk, const mh_moment *at) {
  char text[10];
  mh_day_text(mh_day_of(at->us, at->offset_s), text);
  mh_sample_words(&talk->reader.queue, "date", text, sizeof text);
}

/* The interval of a sample: its own, or that of what it was put together from. 1, 0: refused for its time. */
static int put_times(mh_talk *talk, const json_type *type, mh_import_sample *sample) {
  static const int64_t lengths[] = {0, MINUTE_US, HOUR_US, MH_DAY_US, 0};
  mh_moment start, end;
  int has_start = first_moment(&talk->row, starts, &start), has_end = first_moment(&talk->row, ends, &end);
  if (has_start == 1 && has_end == 1 && !start.is_day && !end.is_day) {
    sample->start_us = start.us;
    sample->end_us = end.us;
    return 1;
  }
  if (row_moment(&talk->row, "date", &start) != 1 || start.is_day) return 0;
  metric_span span = span_of(talk);
  sample->start_us = sample->end_us = start.us;
  /* What was measured has a moment of its own; only a day's average has a day. */
  if (type == NULL || span == SPAN_SAMPLE || (!json_type_is_sum(type) && span != SPAN_DAY)) return 1;
  if (span == SPAN_LONGER) return 0;
  sample->end_us += lengths[span];
  sample->flags |= MH_SAMPLE_MERGED;
  if (span == SPAN_DAY) put_day(talk, &start);
  return 1;
}

static int put_number(mh_talk *talk, const json_type *type, mh_import_sample *sample, mh_str unit) {
  mh_decimal value;
  mh_queue *queue = &talk->reader.queue;
  int has_value = row_number(&talk->row, "qty", &value);
  if (has_value == 0) has_value = row_number(&talk->row, "Avg", &value);
  if (has_value != 1) return 0;
  mh_sample_value(sample, json_percent(type, unit, value), mh_unit_index(queue, unit));
  if (row_number(&talk->row, "Min", &value) == 1) mh_sample_number(queue, "min", value, sample->unit);
  if (row_number(&talk->row, "Max", &value) == 1) mh_sample_number(queue, "max", value, sample->unit);
  return 1;
}

/* A night in hours, or one stage of it. */
static int put_sleep(mh_talk *talk, mh_import_sample *sample) {
  static const char *const begins[] = {"sleepStart", "inBedStart", NULL}, *const stops[] = {"sleepEnd", "inBedEnd", NULL};
  const json_row *row = &talk->row;
  mh_moment start, end;
  mh_str said = row_text(row, "value");
  if (said.n > 0) {
    sample->word = json_sleep_word(said);
    if (sample->word == 0 || first_moment(row, starts, &start) != 1 || first_moment(row, ends, &end) != 1) return 0;
  } else {
    if (first_moment(row, begins, &start) != 1 || first_moment(row, stops, &end) != 1) return 0;
    sample->word = MH_SLEEP_SESSION;
    sample->flags |= MH_SAMPLE_MERGED;
    json_attribute(talk, row, "totalSleep", "total", "hr");
    json_attribute(talk, row, "asleep", "asleep", "hr");
    json_attribute(talk, row, "core", "core", "hr");
    json_attribute(talk, row, "deep", "deep", "hr");
    json_attribute(talk, row, "rem", "rem", "hr");
    json_attribute(talk, row, "awake", "awake", "hr");
    json_attribute(talk, row, "inBed", "in_bed", "hr");
  }
  sample->start_us = start.us;
  sample->end_us = end.us;
  return !start.is_day && !end.is_day;
}

static int put_pressure(mh_talk *talk) {
  mh_decimal value;
  if (row_number(&talk->row, "systolic", &value) != 1 || row_number(&talk->row, "diastolic", &value) != 1) return 0;
  json_attribute(talk, &talk->row, "systolic", "systolic", talk->metric.unit[0] != 0 ? talk->metric.unit : "mmHg");
  json_attribute(talk, &talk->row, "diastolic", "diastolic", talk->metric.unit[0] != 0 ? talk->metric.unit : "mmHg");
  return 1;
}

/* Of hours in which its owner stood it gives the number. */
static int put_stand_hours(mh_talk *talk, mh_import_sample *sample, mh_str unit) {
  mh_decimal value;
  if (row_number(&talk->row, "qty", &value) != 1) return 0;
  (void)sample, (void)unit;
  mh_sample_number(&talk->reader.queue, "stand_hours", value, mh_unit_word(&talk->reader.queue, "count"));
  return 1;
}

static int put_content(mh_talk *talk, const json_type *type, mh_import_sample *sample) {
  mh_str unit = {talk->metric.unit, strlen(talk->metric.unit)};
  mh_str meal = row_text(&talk->row, "mealTime");
  if (type == NULL) return 1;
  switch (type->quantity) {
    case MH_QTY_BLOOD_PRESSURE: return put_pressure(talk);
    case MH_QTY_STAND_HOUR: return put_stand_hours(talk, sample, unit);
    case MH_QTY_GLUCOSE:
      if (meal.n >= 6 && memcmp(meal.p, "Before", 6) == 0) mh_sample_words(&talk->reader.queue, "meal", "before", 6);
      if (meal.n >= 5 && memcmp(meal.p, "After", 5) == 0) mh_sample_words(&talk->reader.queue, "meal", "after", 5);
      return put_number(talk, type, sample, unit);
    default: return put_number(talk, type, sample, unit);
  }
}

void metric_row(mh_talk *talk) {
  mh_queue *queue = &talk->reader.queue;
  const json_row *row = &talk->row;
  mh_str name = {talk->metric.name, strlen(talk->metric.name)};
  const json_type *type = json_type_of(name.p, name.n);
  uint32_t reason = 0;
  if (name.n == 0 || name.p[0] == '\x01') {
    mh_queue_refuse(queue, MH_REFUSED_FORM, MH_IMPORT_NO_INDEX, row->place);
    return;
  }
  uint32_t index = json_type_index(talk, type, name);
  if (type != NULL && type->quantity == MH_QTY_STAND_HOUR) {
    if (span_of(talk) == SPAN_DAY) index = mh_type_index(queue, MH_QTY_SERIES_DAY, name, (mh_str){NULL, 0});
  }
  mh_import_sample *sample = mh_sample_begin(queue, index);
  sample->place = row->place;
  sample->source = json_source(talk, row_text(row, "source"), (mh_str){NULL, 0});
  if (row->is_cut) {
    reason = MH_REFUSED_TOO_LONG;
  } else if (type != NULL && type->quantity == MH_QTY_SLEEP) {
    if (!put_sleep(talk, sample)) reason = sample->word == 0 && row_text(row, "value").n > 0 ? MH_REFUSED_FORM : MH_REFUSED_TIME;
  } else if (!put_times(talk, type, sample)) {
    reason = MH_REFUSED_TIME;
  } else if (!put_content(talk, type, sample)) {
    reason = MH_REFUSED_VALUE;
  }
  if (reason == 0) {
    mh_sample_end(queue);
    return;
  }
  mh_sample_cancel(queue);
  mh_queue_refuse(queue, reason, index, row->place);
}

static void workout_quantity(mh_talk *talk, const char *field, const char *key) {
  mh_decimal value;
  char path[KEY_MAX];
  size_t n = strlen(field);
  memcpy(path, field, n);
  memcpy(path + n, ".qty", 5);
  if (row_number(&talk->row, path, &value) != 1) return;
  memcpy(path + n, ".units", 7);
  mh_str unit = row_text(&talk->row, path);
  mh_sample_number(&talk->reader.queue, key, value, mh_unit_index(&talk->reader.queue, unit));
}

void workout_row(mh_talk *talk) {
  static const char *const fields[][2] = {
      {"distance", "distance"},
      {"activeEnergyBurned", "energy_active"},
      {"activeEnergy", "energy_active"},
      {"totalEnergy", "energy_total"},
      {"avgHeartRate", "heart_rate_average"},
      {"maxHeartRate", "heart_rate_maximum"},
      {"heartRate.min", "heart_rate_minimum"},
      {"heartRate.avg", "heart_rate_average"},
      {"heartRate.max", "heart_rate_maximum"},
  };
  mh_queue *queue = &talk->reader.queue;
  const json_row *row = &talk->row;
  mh_moment start, end;
  mh_str name = row_text(row, "name"), id = row_text(row, "id");
  uint32_t index = mh_type_index(queue, MH_QTY_WORKOUT, (mh_str){"workout", 7}, (mh_str){"HKWorkoutTypeIdentifier", 23});
  uint32_t seen = 0;
  if (first_moment(row, starts, &start) != 1 || first_moment(row, ends, &end) != 1 || start.is_day || end.is_day) {
    mh_queue_refuse(queue, MH_REFUSED_TIME, index, row->place);
    return;
  }
  mh_import_sample *sample = mh_sample_begin(queue, index);
  sample->start_us = start.us;
  sample->end_us = end.us;
  sample->place = row->place;
  sample->source = json_source(talk, row_text(row, "source"), (mh_str){NULL, 0});
  mh_sample_text(queue, name.p, name.n);
  if (id.n > 0) {
    mh_sample_id(queue, id.p, id.n);
    /* Version 1 has no id, and counts minutes. */
    json_attribute(talk, row, "duration", "duration", "s");
  }
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    uint32_t before = sample->n_attributes, bit = 0;
    for (size_t j = 0; j < i; j++)
      if (strcmp(fields[j][1], fields[i][1]) == 0 && (seen >> j & 1) != 0) bit = 1;
    if (bit == 0) workout_quantity(talk, fields[i][0], fields[i][1]);
    if (sample->n_attributes > before) seen |= UINT32_C(1) << i;
  }
  mh_sample_end(queue);
}
