/* Which element is open, and whose child a tag is. */
#include "include/apple.h"

#include <string.h>

static int is_name(const uint8_t *name, size_t length, const char *text) {
  return strlen(text) == length && memcmp(name, text, length) == 0;
}

static int is_tag(const apple_tag *tag, const char *text) { return is_name(tag->name, tag->name_length, text); }

static void close(mh_talk *talk, uint32_t reason) {
  mh_queue_count(&talk->queue, talk->element_type, 1);
  if (reason != 0) {
    mh_queue_refuse(&talk->queue, reason, talk->element_type, talk->element_place);
    if (talk->has_sample) mh_queue_drop(&talk->queue, 0);
  }
  talk->element = E_NONE;
  talk->has_sample = talk->is_inside = 0;
}

void apple_refuse_open(mh_talk *talk, uint32_t reason) {
  if (talk->element != E_NONE) close(talk, reason);
}

void apple_refuse_long(mh_talk *talk, const uint8_t *name, size_t length, uint64_t place) {
  if (talk->element != E_NONE) {
    close(talk, MH_REFUSED_TOO_LONG);
    return;
  }
  if (is_name(name, length, "Record") || is_name(name, length, "Workout") || is_name(name, length, "Correlation"))
    mh_queue_refuse(&talk->queue, MH_REFUSED_TOO_LONG, MH_IMPORT_NO_INDEX, place);
}

/* An element of its own; one that is open still has lost its end. */
static void open(mh_talk *talk, const apple_tag *tag, enum apple_element element,
                 void (*read)(mh_talk *talk, const apple_tag *tag)) {
  apple_refuse_open(talk, MH_REFUSED_FORM);
  talk->element_place = tag->place;
  talk->refusal = 0;
  talk->has_sample = talk->is_inside = 0;
  talk->element = element;
  read(talk, tag);
  if (!tag->is_closed) return;
  if (element == E_WORKOUT) apple_workout_end(talk);
  close(talk, talk->refusal);
}

static void count_only(mh_talk *talk, const apple_tag *tag) {
  const uint32_t type = apple_type_index(talk, (mh_bytes){tag->name, tag->name_length});
  if (type != MH_IMPORT_NO_INDEX) mh_queue_count(&talk->queue, type, 1);
}

static void take_export_date(mh_talk *talk, const apple_tag *tag) {
  int64_t us;
  const mh_bytes value = tag->values[A_VALUE];
  if (!apple_has(tag, A_VALUE) || !apple_stamp(&talk->created_day, value, &us)) return;
  talk->queue.exported_us = us;
  talk->queue.latest_us = us + INT64_C(86400000000);
}

static void begin_record(mh_talk *talk, const apple_tag *tag) {
  if (talk->element == E_CORRELATION && !talk->is_inside) {
    apple_correlated(talk, tag);
    talk->is_inside = !tag->is_closed;
  } else {
    open(talk, tag, E_RECORD, apple_record);
  }
}

static void begin_child(mh_talk *talk, const apple_tag *tag) {
  if (talk->is_inside) return;
  if (is_tag(tag, "MetadataEntry")) {
    apple_metadata(talk, tag);
  } else if (talk->element == E_WORKOUT) {
    apple_workout_child(talk, tag);
    talk->is_inside = !tag->is_closed && is_tag(tag, "WorkoutActivity");
  }
}

void apple_begin(mh_talk *talk, const apple_tag *tag) {
  if (talk->element != E_NONE && tag->place - talk->element_place > APPLE_ELEMENT_MAX)
    close(talk, MH_REFUSED_TOO_LONG);
  if (is_tag(tag, "Record")) {
    begin_record(talk, tag);
    return;
  }
  if (is_tag(tag, "Workout"))
    open(talk, tag, E_WORKOUT, apple_workout);
  else if (is_tag(tag, "Correlation"))
    open(talk, tag, E_CORRELATION, apple_correlation);
  else if (is_tag(tag, "ActivitySummary"))
    open(talk, tag, E_RECORD, apple_summary);
  else if (is_tag(tag, "ExportDate"))
    take_export_date(talk, tag);
  else if (is_tag(tag, "HealthData"))
    talk->mode = tag->is_closed ? M_OVER : talk->mode;
  else if (talk->element != E_NONE)
    begin_child(talk, tag);
  else if (is_tag(tag, "ClinicalRecord") || is_tag(tag, "Audiogram") || is_tag(tag, "VisionPrescription"))
    count_only(talk, tag);
}

void apple_end(mh_talk *talk, const uint8_t *name, size_t length) {
  if (is_name(name, length, "Record")) {
    if (talk->element == E_RECORD) close(talk, talk->refusal);
    if (talk->element == E_CORRELATION) talk->is_inside = 0;
  } else if (is_name(name, length, "ActivitySummary")) {
    if (talk->element == E_RECORD) close(talk, talk->refusal);
  } else if (is_name(name, length, "Correlation")) {
    if (talk->element == E_CORRELATION) close(talk, talk->refusal);
  } else if (is_name(name, length, "WorkoutActivity")) {
    if (talk->element == E_WORKOUT) talk->is_inside = 0;
  } else if (is_name(name, length, "Workout")) {
    if (talk->element != E_WORKOUT) return;
    apple_workout_end(talk);
    close(talk, talk->refusal);
  } else if (is_name(name, length, "HealthData")) {
    apple_refuse_open(talk, MH_REFUSED_FORM);
    talk->mode = M_OVER;
  }
}
