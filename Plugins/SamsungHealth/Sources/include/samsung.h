/* Samsung Health's own export: a zip of CSV tables, or one of the tables. */
#ifndef SAMSUNG_HEALTH_H
#define SAMSUNG_HEALTH_H

#include <import/archive.h>
#include <import/csv.h>
#include <import/json.h>
#include <import/reader.h>

typedef enum samsung_table {
  TABLE_NONE,
  /* Sums of days, the best first. */
  TABLE_STEP_TREND,
  TABLE_PEDOMETER_DAY,
  TABLE_ACTIVITY_DAY,
  TABLE_HEART_RATE,
  TABLE_SLEEP,
  TABLE_SLEEP_STAGE,
  TABLE_EXERCISE,
  TABLE_WEIGHT,
  TABLE_HEIGHT,
  TABLE_BLOOD_PRESSURE,
  TABLE_GLUCOSE,
  TABLE_OXYGEN,
  TABLE_WATER,
  TABLE_FOOD,
  TABLE_TEMPERATURE
} samsung_table;

/* Columns by the last part of their names. */
typedef enum samsung_column {
  DAY_TIME, START_TIME, END_TIME, TIME_OFFSET, UPDATE_TIME, DATAUUID, PKG_NAME, SOURCE_TYPE, COUNT, STEP_COUNT, DISTANCE,
  CALORIE, ACTIVE_TIME, FLOOR_COUNT, HEART_RATE, MIN, MAX, STAGE, EFFICIENCY, EXERCISE_TYPE, DURATION, MEAN_HEART_RATE,
  MAX_HEART_RATE, MIN_HEART_RATE, WEIGHT, HEIGHT, BODY_FAT, SKELETAL_MUSCLE_MASS, MUSCLE_MASS, TOTAL_BODY_WATER, SYSTOLIC,
  DIASTOLIC, PULSE, GLUCOSE, MEAL_TYPE, SPO2, AMOUNT, TEMPERATURE, TITLE, N_COLUMNS
} samsung_column;

#define NO_COLUMN UINT32_MAX
/* Days from 2000-01-01 on. */
#define FIRST_DAY 10957
#define N_DAYS 32768

typedef enum day_metric { DAY_STEPS, DAY_DISTANCE, DAY_FLOORS, DAY_ACTIVE, DAY_ENERGY, N_DAY_METRICS } day_metric;

typedef struct day_sum {
  mh_decimal values[N_DAY_METRICS];
  /* How good what is there is; 0: nothing is. */
  uint8_t ranks[N_DAY_METRICS];
} day_sum;

#define TABLES_MAX 64u

/* A file beside a table, with a series of one of its rows: jsons/<table>/<first character>/<row's id>.<column>.json. */
typedef struct sidecar {
  mh_entry entry;
  samsung_table table;
  uint32_t n_id;
  char id[64];
} sidecar;

/* Of one table and of all: those whose rows were measured in UTC settle nothing. */
#define SIDECARS_OF_TABLE 2u
#define SIDECARS_MAX 8u
/* In place of a table: the start of the sidecar is not known yet. */
#define SIDECAR_UNREAD UINT32_MAX

/* How a table ends: not yet, behind its last row, or somewhere. */
enum { TABLE_GOES_ON, TABLE_WHOLE, TABLE_DAMAGED };

typedef struct mh_talk {
  mh_reader reader;
  uint8_t phase;
  mh_archive archive;
  mh_entry entries[TABLES_MAX];
  samsung_table tables[TABLES_MAX];
  uint32_t n_entries, at_entry;
  mh_opened opened;
  uint8_t window[32768];
  uint32_t n_window, at_window;
  uint8_t end_of_table;

  sidecar sidecars[SIDECARS_MAX];
  uint32_t n_sidecars;
  /* Which sidecar, and which table may have its row. */
  uint32_t at_sidecar, at_sidecar_table;
  int64_t sidecar_us;
  uint8_t is_sidecar_open, is_start_next;
  mh_json json;
  /* Texts without a zone are the local clock's, not UTC. */
  uint8_t is_local;

  mh_csv csv;
  samsung_table table;
  /* Rows so far: the preamble and the header count. */
  uint64_t n_rows;
  uint8_t has_header;
  uint32_t columns[N_COLUMNS];
  int32_t utc_offset_s;

  day_sum *days;
  uint32_t at_day, at_metric;
} mh_talk;

samsung_table samsung_table_of(const char *name, size_t n);
/* The header's columns; 0: it has none that is known. */
int samsung_read_header(mh_talk *talk);
void samsung_row(mh_talk *talk);
/* rows.c: begins a table; `entry`: of the archive; NULL: the source itself. */
void samsung_begin_table(mh_talk *talk, const mh_entry *entry, samsung_table table);
/* 1: a row of the entry is there, headers too. `*step`: MH_STEP_DONE at the end of the entry. */
int samsung_next_row(mh_talk *talk, mh_step *step);
/* Counts the row. Whether it is one with data; a preamble or header is taken, and one that is none refused if `is_told`. */
int samsung_is_data(mh_talk *talk, int is_told);

/* sidecar.c: keeps one that may settle what texts without a zone mean. */
void samsung_keep_sidecar(mh_talk *talk, const mh_entry *entry, const mh_entry_name *name);
/* One step of settling it; MH_STEP_DONE: it is. */
mh_step samsung_settle(mh_talk *talk);
void samsung_day_row(mh_talk *talk);
/* The next day's sums; 0: there are no more. */
int samsung_put_day(mh_talk *talk);

/* Fields of the row. */
mh_str samsung_text(const mh_talk *talk, samsung_column column);
/* 1; 0: empty; -1: no number. */
int samsung_number(const mh_talk *talk, samsung_column column, mh_decimal *out);
int samsung_is_zero(const mh_talk *talk, samsung_column column);
/* The zone of the row, seconds ahead of UTC. 0: it says none. */
int samsung_offset(const mh_talk *talk, int32_t *offset_s);
/* Microseconds; text without a zone is UTC, or the local clock's where a sidecar has settled it so. */
int samsung_time(const mh_talk *talk, samsung_column column, int64_t *us);
const char *samsung_exercise(mh_str code);

extern const mh_import samsung_health;

#endif
