/* Finds the rows: which object at which place of the document is one sample or one session. */
#include "include/health_json.h"

#include <stdlib.h>
#include <string.h>

/* Depths of Health Auto Export: {"data":{"metrics":[{"name","units","data":[{row}]}],"workouts":[{row}]}}. */
#define METRIC_DEPTH 4u
#define METRIC_ROW_DEPTH 6u
#define WORKOUT_DEPTH 4u
/* {"steps":[{row}],"sleep":[{row with "stages":[{stage}]}]} */
#define WEBHOOK_ROW_DEPTH 3u
#define STAGE_DEPTH 5u
/* [{row}] */
#define LIST_ROW_DEPTH 2u

static int is_key(const mh_talk *talk, uint32_t depth, const char *key) { return strcmp(talk->path[depth], key) == 0; }

static int in_data(const mh_talk *talk, const char *list) {
  return talk->form == FORM_AUTO_EXPORT && is_key(talk, 1, "data") && is_key(talk, 2, list);
}

static void begin_metric(mh_talk *talk) {
  memset(&talk->metric, 0, sizeof talk->metric);
  talk->metric.is_open = 1;
  talk->metric.at_start = talk->json;
  talk->metric.start = talk->reader.place;
  talk->metric.least_gap_us = INT64_MAX;
}

static void on_open(mh_talk *talk, int is_object) {
  uint32_t depth = talk->json.depth;
  if (depth < PATH_MAX_DEPTH) talk->path[depth][0] = 0;
  if (depth == 1) talk->form = is_object ? FORM_UNKNOWN : FORM_LIST;
  if (depth == 2 && talk->form != FORM_LIST && is_object && is_key(talk, 1, "data")) talk->form = FORM_AUTO_EXPORT;
  if (depth == 2 && talk->form == FORM_UNKNOWN && !is_object) talk->form = FORM_WEBHOOK;
  if (!is_object) return;
  uint64_t place = talk->reader.place - 1;
  if (talk->form == FORM_LIST && depth == LIST_ROW_DEPTH) row_start(&talk->row, depth, place);
  if (talk->form == FORM_WEBHOOK && depth == WEBHOOK_ROW_DEPTH) {
    row_start(&talk->row, depth, place);
    talk->n_stages = 0;
  }
  if (talk->form == FORM_WEBHOOK && depth == STAGE_DEPTH && talk->row.depth != 0 && is_key(talk, 1, "sleep") &&
      is_key(talk, 3, "stages"))
    row_start(&talk->stage, depth, place);
  if (in_data(talk, "metrics") && depth == METRIC_DEPTH && !talk->metric.is_open) begin_metric(talk);
  if (in_data(talk, "metrics") && depth == METRIC_ROW_DEPTH && is_key(talk, 4, "data")) row_start(&talk->row, depth, place);
  if (in_data(talk, "workouts") && depth == WORKOUT_DEPTH) row_start(&talk->row, depth, place);
}

/* Reads the metric again, now that it is known. */
static void again(mh_talk *talk) {
  talk->metric.is_second = 1;
  talk->json = talk->metric.at_start;
  talk->path[METRIC_DEPTH][0] = 0;
  talk->row.depth = 0;
  talk->reader.place = talk->metric.start;
}

static void on_row_end(mh_talk *talk, uint32_t depth) {
  if (talk->stage.depth == depth) {
    webhook_stage(talk);
    talk->stage.depth = 0;
    return;
  }
  if (talk->row.depth != depth) return;
  if (talk->form == FORM_LIST) list_row(talk);
  if (talk->form == FORM_WEBHOOK) webhook_row(talk, talk->path[1]);
  if (in_data(talk, "workouts")) workout_row(talk);
  if (in_data(talk, "metrics")) {
    if (talk->metric.is_second)
      metric_row(talk);
    else
      metric_skim(talk);
  }
  talk->row.depth = 0;
  talk->n_rows += 1;
}

/* `depth`: of the object that has ended. */
static void on_object_end(mh_talk *talk, uint32_t depth) {
  on_row_end(talk, depth);
  if (depth != METRIC_DEPTH || !talk->metric.is_open) return;
  if (!talk->metric.is_second && talk->metric.n_rows > 0)
    again(talk);
  else
    talk->metric.is_open = 0;
}

static void keep_word(char word[KEY_MAX], const mh_json *json) {
  /* A name that was cut must not look like another. */
  if (json->length >= KEY_MAX || json->is_cut || memchr(json->text, 0, json->length) != NULL) {
    word[0] = '\x01';
    word[1] = 0;
    return;
  }
  memcpy(word, json->text, json->length);
  word[json->length] = 0;
}

/* No array lies between the row and the value. */
static int is_member(const mh_talk *talk, const json_row *row) {
  uint32_t inside = talk->json.depth - row->depth;
  uint64_t mask = (UINT64_C(2) << inside) - 1;
  return row->depth != 0 && talk->json.depth >= row->depth && (talk->json.objects & mask) == mask;
}

static void on_value(mh_talk *talk, mh_json_token token) {
  const mh_json *json = &talk->json;
  size_t n = token == MH_JSON_STRING || token == MH_JSON_NUMBER ? json->length : 0;
  if (token == MH_JSON_NULL) return;
  if (token == MH_JSON_STRING && in_data(talk, "metrics") && json->depth == METRIC_DEPTH && !talk->metric.is_second) {
    if (is_key(talk, METRIC_DEPTH, "name")) keep_word(talk->metric.name, json);
    if (is_key(talk, METRIC_DEPTH, "units")) keep_word(talk->metric.unit, json);
  }
  if (is_member(talk, &talk->stage))
    row_put(talk, &talk->stage, (uint8_t)token, json->text, n);
  else if (is_member(talk, &talk->row))
    row_put(talk, &talk->row, (uint8_t)token, json->text, n);
}

static mh_step end_of_source(mh_talk *talk, int is_good) {
  if (talk->metric.is_open && !talk->metric.is_second && talk->metric.n_rows > 0) {
    again(talk);
    return MH_STEP_ON;
  }
  talk->reader.is_partial |= (uint8_t)!is_good;
  if (is_good || talk->n_rows > 0) return MH_STEP_DONE;
  talk->reader.failure = "this is no whole JSON document; let the automation send it again";
  return MH_STEP_FAIL;
}

static mh_step step(void *context) {
  mh_talk *talk = context;
  mh_reader *reader = &talk->reader;
  const uint8_t *p, *end;
  if (!mh_reader_here(reader, &p, &end)) return MH_STEP_PULL;
  if (p == end) return end_of_source(talk, mh_json_is_whole(&talk->json));
  const uint8_t *at = p;
  const mh_json_token token = mh_json_next(&talk->json, &at, end);
  reader->place += (uint64_t)(at - p);
  switch (token) {
    case MH_JSON_MORE: break;
    case MH_JSON_BAD: return end_of_source(talk, 0);
    case MH_JSON_OBJECT: on_open(talk, 1); break;
    case MH_JSON_ARRAY: on_open(talk, 0); break;
    case MH_JSON_OBJECT_END: on_object_end(talk, talk->json.depth + 1); break;
    case MH_JSON_ARRAY_END: break;
    case MH_JSON_KEY:
      if (talk->json.depth < PATH_MAX_DEPTH) keep_word(talk->path[talk->json.depth], &talk->json);
      break;
    default: on_value(talk, token);
  }
  return MH_STEP_ON;
}

static void json_close(mh_talk *talk) {
  if (talk == NULL) return;
  mh_reader_free(&talk->reader);
  free(talk);
}

static int32_t json_open(const mh_import_open *opening, mh_talk **out) {
  static const char source[] = "health-json";
  if (opening == NULL || out == NULL) return MH_E_ARG;
  mh_str name = opening->talk.source;
  if (name.n != 0 && (name.n != sizeof source - 1 || memcmp(name.p, source, name.n) != 0)) return MH_E_UNSUPPORTED;
  mh_talk *talk = malloc(sizeof *talk);
  if (talk == NULL) return MH_E_MEMORY;
  memset(talk, 0, sizeof *talk);
  mh_json_start(&talk->json);
  if (!mh_reader_start(&talk->reader, opening)) {
    json_close(talk);
    return MH_E_MEMORY;
  }
  *out = talk;
  return MH_OK;
}

static int32_t json_event(mh_talk *talk, const mh_talk_event *event, mh_import_sink *sink) {
  if (talk == NULL || event == NULL || sink == NULL) return MH_E_ARG;
  return mh_reader_event(&talk->reader, event, sink, step, talk);
}

const mh_import health_json = {
    .struct_size = sizeof(mh_import),
    .open = json_open,
    .event = json_event,
    .close = json_close,
};
