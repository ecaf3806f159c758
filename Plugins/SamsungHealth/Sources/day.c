/* Sums of days stand in three tables, once merged and once for each device. What is best is put out, once a day, at the end. */
#include "include/samsung.h"

#include <string.h>

/* In falling order: merged rows, the highest device of a day, older summaries. */
#define RANK_MERGED 4u
#define RANK_DEVICE 3u
#define RANK_PEDOMETER 2u
#define RANK_ACTIVITY 1u

static const struct {
  const char *name;
  uint16_t quantity;
  const char *unit;
} metrics[N_DAY_METRICS] = {
    {"com.samsung.shealth.step_daily_trend.count", MH_QTY_STEPS, "count"},
    {"com.samsung.shealth.step_daily_trend.distance", MH_QTY_DISTANCE_WALKING, "m"},
    {"com.samsung.shealth.activity.day_summary.floor_count", MH_QTY_FLOORS, "count"},
    {"com.samsung.shealth.activity.day_summary.active_time", MH_QTY_EXERCISE, "ms"},
    {"com.samsung.shealth.activity.day_summary.calorie", MH_QTY_ENERGY_ACTIVE, "kcal"},
};

static uint32_t type_of(mh_talk *talk, uint32_t metric) {
  return mh_type_index(&talk->reader.queue, metrics[metric].quantity, (mh_str){metrics[metric].name, strlen(metrics[metric].name)},
                     (mh_str){NULL, 0});
}

/* Which of two sums is larger; exponents are small here. */
static int is_larger(mh_decimal a, mh_decimal b) {
  while (a.exponent > b.exponent && a.mantissa < INT64_MAX / 10) a.mantissa *= 10, a.exponent--;
  while (b.exponent > a.exponent && b.mantissa < INT64_MAX / 10) b.mantissa *= 10, b.exponent--;
  return a.exponent == b.exponent ? a.mantissa > b.mantissa : a.exponent > b.exponent;
}

static void offer(mh_talk *talk, day_sum *day, uint32_t metric, samsung_column column, uint8_t rank) {
  mh_decimal value;
  int has_value = samsung_number(talk, column, &value);
  if (has_value == 0) return;
  if (has_value < 0 || value.mantissa < 0) {
    mh_queue_refuse(&talk->reader.queue, MH_REFUSED_VALUE, type_of(talk, metric), talk->n_rows);
    return;
  }
  if (rank < day->ranks[metric]) return;
  if (rank == day->ranks[metric] && !is_larger(value, day->values[metric])) return;
  day->ranks[metric] = rank;
  day->values[metric] = value;
}

void samsung_day_row(mh_talk *talk) {
  int64_t us, index;
  mh_str kind = samsung_text(talk, SOURCE_TYPE);
  if (samsung_time(talk, DAY_TIME, &us) != 1 || (index = mh_day_of(us, 0) - FIRST_DAY) < 0 || index >= N_DAYS) {
    mh_queue_refuse(&talk->reader.queue, MH_REFUSED_TIME, type_of(talk, DAY_STEPS), talk->n_rows);
    return;
  }
  day_sum *day = &talk->days[index];
  switch (talk->table) {
    case TABLE_STEP_TREND: {
      uint8_t rank = kind.n == 2 && memcmp(kind.p, "-2", 2) == 0 ? RANK_MERGED : RANK_DEVICE;
      offer(talk, day, DAY_STEPS, COUNT, rank);
      offer(talk, day, DAY_DISTANCE, DISTANCE, rank);
      break;
    }
    case TABLE_PEDOMETER_DAY:
      offer(talk, day, DAY_STEPS, STEP_COUNT, RANK_PEDOMETER);
      offer(talk, day, DAY_DISTANCE, DISTANCE, RANK_PEDOMETER);
      break;
    default:
      offer(talk, day, DAY_STEPS, STEP_COUNT, RANK_ACTIVITY);
      offer(talk, day, DAY_DISTANCE, DISTANCE, RANK_ACTIVITY);
      offer(talk, day, DAY_FLOORS, FLOOR_COUNT, RANK_ACTIVITY);
      offer(talk, day, DAY_ACTIVE, ACTIVE_TIME, RANK_ACTIVITY);
      offer(talk, day, DAY_ENERGY, CALORIE, RANK_ACTIVITY);
  }
}

int samsung_put_day(mh_talk *talk) {
  static const mh_named app = {.text = {"Samsung Health", 14}, .key = {"com.sec.android.app.shealth", 27}};
  mh_queue *queue = &talk->reader.queue;
  for (; talk->at_day < N_DAYS; talk->at_day++) {
    const day_sum *day = &talk->days[talk->at_day];
    int put = 0;
    for (uint32_t metric = 0; metric < N_DAY_METRICS; metric++) {
      if (day->ranks[metric] == 0) continue;
      int64_t number = FIRST_DAY + (int64_t)talk->at_day;
      char text[10];
      mh_day_text(number, text);
      mh_import_sample *sample = mh_sample_begin(queue, type_of(talk, metric));
      sample->start_us = number * MH_DAY_US - talk->utc_offset_s * MH_SECOND_US;
      sample->end_us = sample->start_us + MH_DAY_US;
      sample->source = mh_source_index(queue, &app);
      sample->flags |= MH_SAMPLE_MERGED;
      mh_sample_value(sample, day->values[metric], mh_unit_word(queue, metrics[metric].unit));
      mh_sample_words(queue, "date", text, sizeof text);
      mh_sample_end(queue);
      put = 1;
    }
    if (!put) continue;
    talk->at_day += 1;
    return 1;
  }
  return 0;
}
