/* Our own form: [{"type","start","end","value","unit","source","id"}], which an automation can put together by hand. */
#include "include/health_json.h"

#include <string.h>

static void refuse(mh_talk *talk, uint32_t reason, uint32_t type) {
  mh_queue_refuse(&talk->reader.queue, reason, type, talk->row.place);
}

/* Start and end; one that is missing is the other. A day without a zone is nobody's. */
static int times_of(const json_row *row, mh_moment *start, mh_moment *end) {
  int has_start = row_moment(row, "start", start), has_end = row_moment(row, "end", end);
  if (has_start == 0) has_start = row_moment(row, "date", start);
  if (has_start != 1 || has_end < 0 || start->is_day || (has_end == 1 && end->is_day)) return 0;
  if (has_end == 0) *end = *start;
  return 1;
}

static int needs_value(const json_type *type) {
  return type->quantity != MH_QTY_SLEEP && type->quantity != MH_QTY_MINDFUL && type->quantity != MH_QTY_WORKOUT &&
         type->quantity != MH_QTY_BLOOD_PRESSURE && type->quantity != MH_QTY_STAND_HOUR;
}

static int put_pressure(mh_talk *talk) {
  mh_decimal number;
  const json_row *row = &talk->row;
  if (row_number(row, "systolic", &number) != 1 || row_number(row, "diastolic", &number) != 1) return 0;
  json_attribute(talk, row, "systolic", "systolic", "mmHg");
  json_attribute(talk, row, "diastolic", "diastolic", "mmHg");
  return 1;
}

static void put_meal_time(mh_talk *talk, mh_str said) {
  if (said.n >= 6 && (said.p[0] | 32) == 'b') mh_sample_words(&talk->reader.queue, "meal", "before", 6);
  if (said.n >= 5 && (said.p[0] | 32) == 'a') mh_sample_words(&talk->reader.queue, "meal", "after", 5);
}

/* What the value of a type with words says: 1, or 0 when it says nothing. */
static int put_word(mh_talk *talk, const json_type *type, mh_import_sample *sample) {
  mh_str said = row_text(&talk->row, "value");
  switch (type->quantity) {
    case MH_QTY_SLEEP: sample->word = json_sleep_word(said); return sample->word != 0;
    case MH_QTY_BLOOD_PRESSURE: return put_pressure(talk);
    case MH_QTY_STAND_HOUR: {
      int stood = said.n == 5 && memcmp(said.p, "stood", 5) == 0, idle = said.n == 4 && memcmp(said.p, "idle", 4) == 0;
      if (stood || idle) mh_sample_text(&talk->reader.queue, said.p, said.n);
      return stood || idle;
    }
    case MH_QTY_WORKOUT:
      mh_sample_text(&talk->reader.queue, said.p, said.n);
      json_attribute(talk, &talk->row, "duration", "duration", "s");
      json_attribute(talk, &talk->row, "distance", "distance", "m");
      json_attribute(talk, &talk->row, "energy", "energy_active", "kcal");
      return said.n > 0;
    default: return 1;
  }
}

void list_row(mh_talk *talk) {
  const json_row *row = &talk->row;
  mh_queue *queue = &talk->reader.queue;
  mh_str word = row_text(row, "type"), unit = row_text(row, "unit"), id = row_text(row, "id");
  const json_type *type = json_type_of(word.p, word.n);
  mh_moment start, end;
  mh_decimal value;
  if (word.n == 0 || row->is_cut) {
    refuse(talk, row->is_cut ? MH_REFUSED_TOO_LONG : MH_REFUSED_FORM, MH_IMPORT_NO_INDEX);
    return;
  }
  uint32_t index = json_type_index(talk, type, word);
  if (!times_of(row, &start, &end)) {
    refuse(talk, MH_REFUSED_TIME, index);
    return;
  }
  int has_value = type != NULL && needs_value(type);
  if (has_value && row_number(row, "value", &value) != 1) {
    refuse(talk, MH_REFUSED_VALUE, index);
    return;
  }
  if (has_value && unit.n == 0 && type->unit == NULL) {
    refuse(talk, MH_REFUSED_FORM, index);
    return;
  }
  mh_import_sample *sample = mh_sample_begin(queue, index);
  sample->start_us = start.us;
  sample->end_us = end.us;
  sample->place = row->place;
  sample->source = json_source(talk, row_text(row, "source"), (mh_str){NULL, 0});
  if (id.n > 0) mh_sample_id(queue, id.p, id.n);
  if (has_value) {
    if (unit.n == 0) unit = (mh_str){type->unit, strlen(type->unit)};
    mh_sample_value(sample, json_percent(type, unit, value), mh_unit_index(queue, unit));
  } else if (type != NULL && !put_word(talk, type, sample)) {
    mh_sample_cancel(queue);
    refuse(talk, type->quantity == MH_QTY_BLOOD_PRESSURE ? MH_REFUSED_VALUE : MH_REFUSED_FORM, index);
    return;
  }
  if (type != NULL && type->quantity == MH_QTY_GLUCOSE) put_meal_time(talk, row_text(row, "meal"));
  mh_sample_end(queue);
}
