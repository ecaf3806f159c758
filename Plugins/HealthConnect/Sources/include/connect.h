/* Health Connect's export: one SQLite database, in a zip or as it is. */
#ifndef HEALTH_CONNECT_H
#define HEALTH_CONNECT_H

#include "database.h"

/* Columns that are looked at, by name; what a table does not have is absent. */
typedef enum column {
  C_ROW_ID, C_UUID, C_LAST_MODIFIED, C_DEVICE_INFO, C_APP_INFO, C_RECORDING_METHOD, C_TIME, C_ZONE_OFFSET, C_START_TIME,
  C_START_ZONE_OFFSET, C_END_TIME, C_PARENT_KEY, C_EPOCH_MILLIS, C_PACKAGE_NAME, C_APP_NAME, C_MANUFACTURER, C_MODEL,
  C_DEVICE_TYPE, C_CATEGORY, C_PRIORITY, C_STAGE_START, C_STAGE_END, C_STAGE_TYPE, C_SEGMENT_START, C_SEGMENT_END,
  C_SEGMENT_TYPE, C_LAP_START, C_LAP_END, C_LAP_LENGTH, C_EXERCISE_TYPE, C_SYSTOLIC, C_DIASTOLIC, C_LEVEL,
  C_RELATION_TO_MEAL, C_MEAL_NAME, C_ENERGY, C_PROTEIN, C_TOTAL_FAT, C_SATURATED_FAT, C_CARBOHYDRATE, C_FIBER, C_SUGAR,
  C_SODIUM, C_CHOLESTEROL, C_CALCIUM, C_IRON, C_POTASSIUM, C_COUNT, C_DISTANCE, C_ELEVATION, C_FLOORS, C_BASAL_RATE,
  C_WEIGHT, C_MASS, C_WATER_MASS, C_HEIGHT, C_PERCENTAGE, C_TEMPERATURE, C_RATE, C_BPM, C_HRV, C_VO2, C_VOLUME, C_FLOW,
  C_RESULT, C_APPEARANCE, C_PROTECTION, N_COLUMN_NAMES
} column;

/* What a table's rows are. */
typedef enum table_kind {
  KIND_APP, KIND_DEVICE, KIND_PRIORITY, KIND_SEGMENT, KIND_LAP,
  /* Records: a number, words, and those of their own form. */
  KIND_NUMBER, KIND_WORD, KIND_PLAIN, KIND_PRESSURE, KIND_GLUCOSE, KIND_SLEEP, KIND_EXERCISE, KIND_MEAL,
  /* A series' records say what its points, which come later, belong to. */
  KIND_PARENT, KIND_POINT, KIND_STAGE
} table_kind;

typedef struct table_form {
  const char *name;
  table_kind kind;
  uint16_t quantity;
  column value;
  const char *unit;
  /* Powers of ten that the base unit is smaller by. */
  int8_t shift;
  /* The order in which tables are read: what others belong to comes first. */
  uint8_t round;
  /* Of children: the table of their records. */
  const char *parent;
} table_form;

#define TABLES_MAX 64u
#define ROUNDS 3u
extern const table_form table_forms[];
extern const uint32_t n_table_forms;
extern const char *const column_names[N_COLUMN_NAMES];

typedef struct table {
  const table_form *form;
  uint32_t root;
  int16_t columns[N_COLUMN_NAMES];
  int16_t alias;
  /* The level of the tree that leaves are at; UINT32_MAX: not known yet. */
  uint32_t leaf_level;
} table;

#define APPS_MAX 4096u
#define NAME_MAX_BYTES 160u
typedef struct app {
  int64_t id;
  uint16_t package_n, name_n, detail_n, flags;
  char text[NAME_MAX_BYTES * 2];
} app;

#define CATEGORIES 7u
#define ORDER_MAX 256u
typedef struct order {
  uint32_t n;
  int64_t apps[ORDER_MAX];
} order;

#define PARENTS_MAX 400000u
typedef struct parent {
  int64_t row, modified_us;
  uint32_t table, source;
  int32_t offset_s;
  uint16_t flags;
  uint8_t uuid[16];
} parent;

#define PARTS_MAX 200000u
typedef struct part {
  int64_t row, start_us, end_us;
  mh_decimal length;
  uint32_t is_lap, is_pause;
} part;

/* Pages still to be visited: number << 8 | table. */
typedef struct page_list {
  uint64_t *pages;
  uint32_t n, cap;
} page_list;
#define PAGES_MAX 1048576u

typedef struct mh_talk {
  mh_reader reader;
  uint8_t phase, walk, has_pages, has_best, is_best_db;
  mh_archive archive;
  mh_entry best;
  database db;
  row row;
  table tables[TABLES_MAX];
  uint32_t n_tables;
  page_list front, next, leaves;
  uint32_t level, at_page, at_cell, round, schema_level;
  uint8_t *seen;

  app *apps, *devices;
  uint32_t n_apps, n_devices;
  order orders[CATEGORIES];
  uint8_t ordered[MH_NAMES_SOURCES_MAX];
  parent *parents;
  uint32_t n_parents, cap_parents;
  part *parts;
  uint32_t n_parts, cap_parts;
  uint32_t at_part, end_part, part_source;
} mh_talk;

void connect_refuse(mh_talk *talk, const table *table, uint32_t reason);
/* A record's name, and with `ms` that of a point of it. */
void connect_uuid(mh_talk *talk, const uint8_t *uuid, int64_t ms);
int32_t connect_offset(const mh_talk *talk, const table *table, column c);
/* The number of a table that has one, in its unit; 0: refused. */
int connect_number(mh_talk *talk, const table *table, mh_decimal *out);
void connect_keep_parent(mh_talk *talk, const table *table, int64_t row_id);
void connect_keep_part(mh_talk *talk, const table *table);
void connect_child(mh_talk *talk, const table *table);

/* One row of a table. A session's parts follow with connect_next_part until that is 0. */
void connect_row(mh_talk *talk, const table *table);
int connect_next_part(mh_talk *talk);
void connect_sort(mh_talk *talk);
void connect_info_row(mh_talk *talk, const table *table);
uint32_t connect_source(mh_talk *talk, const table *table);
uint32_t connect_type(mh_talk *talk, const table_form *form);
int connect_grow(void **array, uint32_t n, uint32_t *cap, size_t size, uint32_t most);
/* The tree walk: one step. */
mh_step connect_walk(mh_talk *talk);
void connect_damaged(mh_talk *talk, uint32_t page);

/* Fields. */
const value *field(const mh_talk *talk, const table *table, column c);
/* 1; 0: absent, or the word for it. */
int field_integer(const mh_talk *talk, const table *table, column c, int64_t *out);
int field_number(const mh_talk *talk, const table *table, column c, mh_decimal *out);
/* UTF-8 out of the database's encoding. */
size_t field_text(const mh_talk *talk, const table *table, column c, char *out, size_t most);
int field_time(const mh_talk *talk, const table *table, column c, int64_t *us);
const char *exercise_name(int64_t type);

extern const mh_import health_connect;

#endif
