/* What automations on phones post: the forms of Health Auto Export, of HC Webhook, and a plain list of our own. */
#ifndef HEALTH_JSON_H
#define HEALTH_JSON_H

#include <import/json.h>
#include <import/reader.h>

/* Deeper keys are not looked at. */
#define PATH_MAX_DEPTH 8u
#define KEY_MAX 48u
#define FIELDS_MAX 64u
#define ROW_TEXT_MAX 16384u

/* The members of one object, those of its objects too ("distance.qty"); what is in arrays is left out. */
typedef struct row_field {
  char key[KEY_MAX];
  uint8_t key_n;
  /* As MH_JSON_STRING, MH_JSON_NUMBER, MH_JSON_TRUE, MH_JSON_FALSE. */
  uint8_t kind;
  uint32_t text, text_n;
} row_field;

typedef struct json_row {
  row_field fields[FIELDS_MAX];
  uint32_t n_fields, n_text;
  /* The depth inside it; 0: no row is open. */
  uint32_t depth;
  uint8_t is_cut;
  uint64_t place;
  char text[ROW_TEXT_MAX];
} json_row;

typedef enum json_form { FORM_UNKNOWN, FORM_LIST, FORM_AUTO_EXPORT, FORM_WEBHOOK } json_form;

/* How the samples of a metric of Health Auto Export were put together, as their times show. */
typedef enum metric_span { SPAN_SAMPLE, SPAN_MINUTE, SPAN_HOUR, SPAN_DAY, SPAN_LONGER } metric_span;

typedef struct mh_talk {
  mh_reader reader;
  mh_json json;
  json_form form;
  json_row row, stage;
  /* The keys that lead to where the scanner is, by depth. */
  char path[PATH_MAX_DEPTH][KEY_MAX];
  uint64_t n_rows;

  /* A metric's name and unit may stand behind its samples: it is read twice, first for what it is. */
  struct {
    uint8_t is_open, is_second;
    mh_json at_start;
    uint64_t start;
    char name[KEY_MAX], unit[KEY_MAX];
    uint64_t n_rows;
    int64_t last_us, least_gap_us;
    uint8_t has_second, has_minute, has_hour;
  } metric;
  uint32_t n_stages;
} mh_talk;

/* What a type's word means. */
typedef struct json_type {
  const char *word;
  uint16_t quantity;
  /* The unit where none is given; NULL: one must be. */
  const char *unit;
  /* The name that HealthKit has for it, without HKQuantityTypeIdentifier or HKCategoryTypeIdentifier. */
  const char *healthkit;
} json_type;

const json_type *json_type_of(const char *p, size_t n);
int json_type_is_sum(const json_type *type);
uint32_t json_type_index(mh_talk *talk, const json_type *type, mh_str word);
/* MH_SLEEP_*, 0: no word of sleep. */
uint32_t json_sleep_word(mh_str word);
/* Whether a share was written as a part of 1 where percent belong. */
mh_decimal json_percent(const json_type *type, mh_str unit, mh_decimal value);

void row_start(json_row *row, uint32_t depth, uint64_t place);
void row_put(mh_talk *talk, json_row *row, uint8_t kind, const char *p, size_t n);
mh_str row_text(const json_row *row, const char *key);
/* The number of a field, JSON's or a plain one as text. 1; 0: not there; -1: there and no number. */
int row_number(const json_row *row, const char *key, mh_decimal *out);
/* 1; 0: not there or null; -1: no moment, or one without a zone. Day: a date without a time, whose zone nobody said. */
int row_moment(const json_row *row, const char *key, mh_moment *out);

void list_row(mh_talk *talk);
void webhook_row(mh_talk *talk, const char *kind);
void webhook_stage(mh_talk *talk);
void metric_skim(mh_talk *talk);
void metric_row(mh_talk *talk);
void workout_row(mh_talk *talk);

uint32_t json_source(mh_talk *talk, mh_str text, mh_str key);
void json_attribute(mh_talk *talk, const json_row *row, const char *field, const char *key, const char *unit);

extern const mh_import health_json;

#endif
