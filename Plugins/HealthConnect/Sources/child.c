/* What belongs to a record in another table: points of a series, stages of a night, parts of a workout. */
#include "include/connect.h"

#include <stdlib.h>
#include <string.h>

void connect_keep_parent(mh_talk *talk, const table *table, int64_t row_id) {
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
  p->offset_s = connect_offset(talk, table, C_START_ZONE_OFFSET);
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

int connect_next_part(mh_talk *talk) {
  if (talk->at_part == talk->end_part) return 0;
  const part *p = &talk->parts[talk->at_part++];
  mh_queue *queue = &talk->reader.queue;
  const char *name = p->is_lap ? "exercise_laps_table" : "exercise_segments_table";
  uint32_t type = mh_type_index(queue, MH_QTY_WORKOUT, (mh_str){name, strlen(name)}, (mh_str){NULL, 0});
  mh_import_sample *sample = mh_sample_begin(queue, type);
  sample->start_us = p->start_us;
  sample->end_us = p->end_us;
  sample->flags |= MH_SAMPLE_PART;
  sample->source = talk->part_source;
  if (p->is_lap) {
    mh_sample_text(queue, "lap", 3);
    mh_sample_number(queue, "distance", p->length, mh_unit_word(queue, "m"));
  } else {
    mh_sample_text(queue, p->is_pause ? "pause" : "segment", p->is_pause ? 5 : 7);
  }
  mh_sample_end(queue);
  return 1;
}

/* Segments that the platform leaves out of a session's duration: android.health.connect.datatypes.ExerciseSegmentType has rest 66 and
   pause 67 among DURATION_EXCLUDE_TYPES. The library for apps has other numbers, which no database holds. */
static int is_pause(int64_t type) { return type == 66 || type == 67; }

void connect_keep_part(mh_talk *talk, const table *table) {
  int is_lap = table->form->kind == KIND_LAP;
  part p = {.is_lap = (uint32_t)is_lap};
  if (!field_integer(talk, table, C_PARENT_KEY, &p.row) ||
      !field_time(talk, table, is_lap ? C_LAP_START : C_SEGMENT_START, &p.start_us) ||
      !field_time(talk, table, is_lap ? C_LAP_END : C_SEGMENT_END, &p.end_us))
    return;
  int64_t type = 0;
  p.is_pause = (uint32_t)(!is_lap && field_integer(talk, table, C_SEGMENT_TYPE, &type) && is_pause(type));
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

void connect_child(mh_talk *talk, const table *table) {
  static const uint32_t words[] = {MH_SLEEP_ASLEEP, MH_SLEEP_AWAKE, MH_SLEEP_ASLEEP, MH_SLEEP_AWAKE,
                                   MH_SLEEP_CORE,   MH_SLEEP_DEEP,  MH_SLEEP_REM,    MH_SLEEP_AWAKE};
  const parent *p = parent_of(talk, table);
  int is_stage = table->form->kind == KIND_STAGE;
  int64_t start, end, stage = 0;
  mh_decimal number = {0, 0};
  if (p == NULL) {
    connect_refuse(talk, table, MH_REFUSED_FORM);
    return;
  }
  int has_times = field_time(talk, table, is_stage ? C_STAGE_START : C_EPOCH_MILLIS, &start) &&
                  field_time(talk, table, is_stage ? C_STAGE_END : C_EPOCH_MILLIS, &end);
  if (!has_times) {
    connect_refuse(talk, table, MH_REFUSED_TIME);
    return;
  }
  if (is_stage && (!field_integer(talk, table, C_STAGE_TYPE, &stage) || stage < 0 || stage > 7)) {
    connect_refuse(talk, table, MH_REFUSED_FORM);
    return;
  }
  if (!is_stage && !connect_number(talk, table, &number)) return;
  mh_import_sample *sample = mh_sample_begin(&talk->reader.queue, connect_type(talk, table->form));
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
    mh_sample_value(sample, number, mh_unit_word(&talk->reader.queue, table->form->unit));
  connect_uuid(talk, p->uuid, start / 1000);
  mh_sample_end(&talk->reader.queue);
}

