#include "workout.h"

#include <string.h>

static const mh_bytes none = {(const uint8_t *)"", 0};

static mh_bytes value_of(const apple_tag *tag, enum apple_attribute which) {
  return apple_has(tag, which) ? tag->values[which] : none;
}

static int is_raw(mh_bytes raw, const char *text) { return raw.n == strlen(text) && memcmp(raw.p, text, raw.n) == 0; }

static int begins(mh_bytes raw, const char *text) {
  return raw.n >= strlen(text) && memcmp(raw.p, text, strlen(text)) == 0;
}

static void take(mh_talk *talk, workout_value *value, mh_bytes raw, mh_bytes unit) {
  value->is_there = apple_number(raw, &value->number);
  if (value->is_there) value->unit = apple_unit_index(talk, unit);
}

/* The activity, by the word behind the prefix. */
static mh_str activity(mh_bytes raw, uint8_t *out) {
  static const char prefix[] = "HKWorkoutActivityType";
  mh_str text = apple_text(raw, out);
  const size_t n = sizeof prefix - 1;
  if (text.n > n && memcmp(text.p, prefix, n) == 0) text = (mh_str){text.p + n, text.n - n};
  return text.n == 0 ? (mh_str){"Other", 5} : text;
}

void apple_workout(mh_talk *talk, const apple_tag *tag) {
  static const char name[] = "HKWorkoutTypeIdentifier";
  talk->element_type = apple_type_index(talk, (mh_bytes){(const uint8_t *)name, sizeof name - 1});
  if (talk->element_type == MH_IMPORT_NO_INDEX || !talk->types[talk->element_type].is_wanted) return;
  if (tag->is_broken) {
    talk->refusal = MH_REFUSED_FORM;
    return;
  }
  talk->has_sample = apple_open_sample(talk, tag, talk->element_type, &talk->refusal);
  if (!talk->has_sample) return;
  mh_queue_text(&talk->queue, activity(value_of(tag, A_ACTIVITY), talk->text));
  workout_state *workout = talk->workout;
  memset(workout->values, 0, sizeof workout->values);
  workout->has_two_units = workout->is_paused = 0;
  workout->n_parts = 0;
  take(talk, &workout->values[W_DURATION], value_of(tag, A_DURATION), value_of(tag, A_DURATION_UNIT));
  take(talk, &workout->values[W_TOTAL_DISTANCE], value_of(tag, A_DISTANCE), value_of(tag, A_DISTANCE_UNIT));
  // The total of the attribute is what the activity burned; a statistic replaces it.
  take(talk, &workout->values[W_ENERGY_ACTIVE], value_of(tag, A_ENERGY), value_of(tag, A_ENERGY_UNIT));
}

/* Several distances, of running and of cycling, are one. */
static void add_distance(mh_talk *talk, const apple_tag *tag) {
  workout_state *workout = talk->workout;
  workout_value more = {0};
  take(talk, &more, value_of(tag, A_SUM), value_of(tag, A_UNIT));
  if (!more.is_there) return;
  workout_value *distance = &workout->values[W_DISTANCE];
  if (!distance->is_there)
    *distance = more;
  else if (distance->unit != more.unit || !mh_decimal_add(&distance->number, more.number))
    workout->has_two_units = 1;
}

static void take_statistic(mh_talk *talk, const apple_tag *tag) {
  static const char prefix[] = "HKQuantityTypeIdentifier";
  workout_value *values = talk->workout->values;
  mh_bytes type = value_of(tag, A_TYPE);
  const mh_bytes unit = value_of(tag, A_UNIT);
  if (tag->is_broken || !begins(type, prefix)) return;
  type = (mh_bytes){type.p + sizeof prefix - 1, type.n - (sizeof prefix - 1)};
  if (is_raw(type, "ActiveEnergyBurned")) {
    workout_value energy = {0};
    take(talk, &energy, value_of(tag, A_SUM), unit);
    if (energy.is_there) values[W_ENERGY_ACTIVE] = energy;
  } else if (is_raw(type, "BasalEnergyBurned")) {
    take(talk, &values[W_ENERGY_BASAL], value_of(tag, A_SUM), unit);
  } else if (is_raw(type, "HeartRate")) {
    take(talk, &values[W_HEART_AVERAGE], value_of(tag, A_AVERAGE), unit);
    take(talk, &values[W_HEART_MINIMUM], value_of(tag, A_MINIMUM), unit);
    take(talk, &values[W_HEART_MAXIMUM], value_of(tag, A_MAXIMUM), unit);
  } else if (begins(type, "Distance")) {
    add_distance(talk, tag);
  }
}

static workout_part *new_part(workout_state *workout, int64_t start, int64_t end, mh_str text) {
  if (workout->n_parts == WORKOUT_PARTS || start > end) return NULL;
  workout_part *part = &workout->parts[workout->n_parts++];
  memset(part, 0, sizeof *part);
  part->start_us = start;
  part->end_us = end;
  part->n_text = (uint8_t)mh_text_cut(text.p, text.n, sizeof part->text);
  memcpy(part->text, text.p, part->n_text);
  return part;
}

static void take_activity(mh_talk *talk, const apple_tag *tag) {
  int64_t start, end;
  const mh_bytes from = value_of(tag, A_START), to = value_of(tag, A_END);
  if (tag->is_broken || !apple_stamp(&talk->start_day, from, &start) ||
      !apple_stamp(&talk->end_day, to, &end))
    return;
  workout_part *part = new_part(talk->workout, start, end, activity(value_of(tag, A_ACTIVITY), talk->text));
  if (part == NULL) return;
  const mh_str id = apple_text(value_of(tag, A_UUID), talk->text);
  if (id.n <= sizeof part->id) {
    memcpy(part->id, id.p, id.n);
    part->n_id = (uint8_t)id.n;
  }
  workout_value duration = {0};
  take(talk, &duration, value_of(tag, A_DURATION), value_of(tag, A_DURATION_UNIT));
  part->has_duration = duration.is_there;
  part->duration = duration.number;
  part->unit = duration.unit;
}

static void end_pause(workout_state *workout, int64_t us) {
  if (workout->is_paused) new_part(workout, workout->paused_us, us, (mh_str){"pause", 5});
  workout->is_paused = 0;
}

static void take_event(mh_talk *talk, const apple_tag *tag) {
  int64_t us;
  workout_state *workout = talk->workout;
  const mh_bytes type = value_of(tag, A_TYPE), date = value_of(tag, A_DATE);
  const int is_pause = is_raw(type, "HKWorkoutEventTypePause"), is_resume = is_raw(type, "HKWorkoutEventTypeResume");
  if ((!is_pause && !is_resume) || !apple_stamp(&talk->start_day, date, &us)) return;
  if (is_resume) {
    end_pause(workout, us);
  } else if (!workout->is_paused) {
    workout->is_paused = 1;
    workout->paused_us = us;
  }
}

void apple_workout_child(mh_talk *talk, const apple_tag *tag) {
  if (!talk->has_sample) return;
  const mh_bytes name = {tag->name, tag->name_length};
  if (is_raw(name, "WorkoutStatistics"))
    take_statistic(talk, tag);
  else if (is_raw(name, "WorkoutActivity"))
    take_activity(talk, tag);
  else if (is_raw(name, "WorkoutEvent"))
    take_event(talk, tag);
}

static void put_part(mh_talk *talk, const workout_part *part, const mh_import_sample *whole) {
  mh_import_sample *sample = mh_queue_sample(&talk->queue, talk->element_type);
  if (sample == NULL) return;
  sample->flags = MH_SAMPLE_PART;
  sample->start_us = part->start_us;
  sample->end_us = part->end_us;
  sample->source = whole->source;
  sample->place = whole->place;
  mh_queue_text(&talk->queue, (mh_str){part->text, part->n_text});
  if (part->n_id > 0) mh_queue_id(&talk->queue, (mh_str){part->id, part->n_id});
  if (part->has_duration) mh_queue_number(&talk->queue, apple_key(talk, "duration"), part->duration, part->unit);
}

void apple_workout_end(mh_talk *talk) {
  static const char *const keys[W_COUNT] = {"duration",           "distance",           "total_distance",
                                            "energy_active",      "energy_basal",       "heart_rate_average",
                                            "heart_rate_minimum", "heart_rate_maximum"};
  if (!talk->has_sample || talk->refusal != 0) return;
  workout_state *workout = talk->workout;
  const mh_import_sample *whole = &talk->queue.samples[0];
  end_pause(workout, whole->end_us);
  if (workout->has_two_units) workout->values[W_DISTANCE].is_there = 0;
  for (int i = 0; i < W_COUNT; i++) {
    const workout_value *value = &workout->values[i];
    if (value->is_there) mh_queue_number(&talk->queue, apple_key(talk, keys[i]), value->number, value->unit);
  }
  for (uint32_t i = 0; i < workout->n_parts; i++) put_part(talk, &workout->parts[i], whole);
}
