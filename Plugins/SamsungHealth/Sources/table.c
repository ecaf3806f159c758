#include "include/samsung.h"

#include <string.h>

static const struct {
  const char *name;
  samsung_table table;
} tables[] = {
    {"com.samsung.shealth.step_daily_trend", TABLE_STEP_TREND},
    {"com.samsung.shealth.tracker.pedometer_day_summary", TABLE_PEDOMETER_DAY},
    {"com.samsung.shealth.activity.day_summary", TABLE_ACTIVITY_DAY},
    {"com.samsung.shealth.tracker.heart_rate", TABLE_HEART_RATE},
    {"com.samsung.health.heart_rate", TABLE_HEART_RATE},
    {"com.samsung.shealth.sleep", TABLE_SLEEP},
    {"com.samsung.health.sleep", TABLE_SLEEP},
    {"com.samsung.health.sleep_stage", TABLE_SLEEP_STAGE},
    {"com.samsung.shealth.exercise", TABLE_EXERCISE},
    {"com.samsung.health.exercise", TABLE_EXERCISE},
    {"com.samsung.health.weight", TABLE_WEIGHT},
    {"com.samsung.health.height", TABLE_HEIGHT},
    {"com.samsung.shealth.blood_pressure", TABLE_BLOOD_PRESSURE},
    {"com.samsung.health.blood_pressure", TABLE_BLOOD_PRESSURE},
    {"com.samsung.shealth.blood_glucose", TABLE_GLUCOSE},
    {"com.samsung.health.blood_glucose", TABLE_GLUCOSE},
    {"com.samsung.shealth.tracker.oxygen_saturation", TABLE_OXYGEN},
    {"com.samsung.health.oxygen_saturation", TABLE_OXYGEN},
    {"com.samsung.health.water_intake", TABLE_WATER},
    {"com.samsung.health.food_intake", TABLE_FOOD},
    {"com.samsung.health.body_temperature", TABLE_TEMPERATURE},
    {"com.samsung.shealth.body_temperature", TABLE_TEMPERATURE},
};

static const char *const columns[N_COLUMNS] = {
    "day_time", "start_time", "end_time", "time_offset", "update_time", "datauuid", "pkg_name", "source_type", "count",
    "step_count", "distance", "calorie", "active_time", "floor_count", "heart_rate", "min", "max", "stage", "efficiency",
    "exercise_type", "duration", "mean_heart_rate", "max_heart_rate", "min_heart_rate", "weight", "height", "body_fat",
    "skeletal_muscle_mass", "muscle_mass", "total_body_water", "systolic", "diastolic", "pulse", "glucose", "meal_type",
    "spo2", "amount", "temperature", "title"};

/* The name of a table, or of its file: with folders before it, and a date and "csv" behind. */
samsung_table samsung_table_of(const char *name, size_t n) {
  for (size_t i = n; i > 0; i--)
    if (name[i - 1] == '/') {
      name += i;
      n -= i;
      break;
    }
  if (n > 4 && memcmp(name + n - 4, ".csv", 4) == 0) {
    n -= 4;
    size_t end = n;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') end--;
    if (n - end >= 8 && end > 0 && name[end - 1] == '.') n = end - 1;
  }
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
    if (strlen(tables[i].name) == n && memcmp(tables[i].name, name, n) == 0) return tables[i].table;
  return TABLE_NONE;
}

int samsung_read_header(mh_talk *talk) {
  int found = 0;
  uint8_t is_whole[N_COLUMNS] = {0};
  for (uint32_t c = 0; c < N_COLUMNS; c++) talk->columns[c] = NO_COLUMN;
  for (uint32_t i = 0; i < talk->csv.n_fields; i++) {
    size_t n, part = 0;
    const char *name = mh_csv_field(&talk->csv, i, &n);
    for (size_t at = 0; at < n; at++)
      if (name[at] == '.') part = at + 1;
    for (uint32_t c = 0; c < N_COLUMNS; c++) {
      size_t length = strlen(columns[c]);
      if (length != n - part || memcmp(columns[c], name + part, length) != 0) continue;
      /* The whole name wins over one with a prefix, and the first of its kind. */
      if (talk->columns[c] != NO_COLUMN && (is_whole[c] || part != 0)) continue;
      talk->columns[c] = i;
      is_whole[c] = part == 0;
      found = 1;
    }
  }
  return found;
}

mh_str samsung_text(const mh_talk *talk, samsung_column column) {
  size_t n = 0;
  if (talk->columns[column] == NO_COLUMN) return (mh_str){NULL, 0};
  const char *p = mh_csv_field(&talk->csv, talk->columns[column], &n);
  while (n > 0 && *p == ' ') p++, n--;
  while (n > 0 && p[n - 1] == ' ') n--;
  return (mh_str){p, n};
}

int samsung_number(const mh_talk *talk, samsung_column column, mh_decimal *out) {
  mh_str text = samsung_text(talk, column);
  if (text.n == 0) return 0;
  return mh_decimal_read(text.p, text.n, MH_DECIMAL_EXPONENT, out) ? 1 : -1;
}

int samsung_is_zero(const mh_talk *talk, samsung_column column) {
  mh_decimal value;
  return samsung_number(talk, column, &value) == 1 && value.mantissa == 0;
}

int samsung_offset(const mh_talk *talk, int32_t *offset_s) {
  const mh_str zone = samsung_text(talk, TIME_OFFSET);
  return zone.n > 0 && mh_offset_read(zone.p, zone.n, offset_s);
}

int samsung_time(const mh_talk *talk, samsung_column column, int64_t *us) {
  mh_str text = samsung_text(talk, column);
  mh_decimal number;
  mh_moment moment;
  if (text.n == 0) return 0;
  if (mh_decimal_read(text.p, text.n, 0, &number)) return mh_moment_of_number(number, us) ? 1 : -1;
  if (!mh_moment_read(text.p, text.n, &moment)) return -1;
  int32_t offset_s = talk->utc_offset_s;
  *us = moment.us;
  /* `day_time` is a local day either way. */
  if (!talk->is_local || moment.has_zone || column == DAY_TIME) return 1;
  samsung_offset(talk, &offset_s);
  *us -= offset_s * MH_SECOND_US;
  return 1;
}

const char *samsung_exercise(mh_str code) {
  static const struct {
    const char *code, *name;
  } exercises[] = {
      {"0", "other"},        {"1001", "walking"},   {"1002", "running"},       {"11007", "biking"},   {"13001", "hiking"},
      {"14001", "swimming"}, {"15005", "running_treadmill"}, {"9002", "yoga"}, {"10007", "dancing"}, {"15003", "biking_stationary"},
      {"15006", "elliptical"}, {"15004", "rowing_machine"},
  };
  for (size_t i = 0; i < sizeof exercises / sizeof exercises[0]; i++)
    if (strlen(exercises[i].code) == code.n && memcmp(exercises[i].code, code.p, code.n) == 0) return exercises[i].name;
  return NULL;
}
