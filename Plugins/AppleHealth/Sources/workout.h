/* What a workout's children come to until its end: statistics, activities and pauses. */
#ifndef APPLE_WORKOUT_H
#define APPLE_WORKOUT_H

#include "include/apple.h"

#define WORKOUT_PARTS (MH_QUEUE_SAMPLES - 8u)

typedef struct workout_part {
  int64_t start_us, end_us;
  char text[64];
  char id[40];
  uint8_t n_text, n_id;
  int has_duration;
  mh_decimal duration;
  uint32_t unit;
} workout_part;

enum workout_number {
  W_DURATION,
  W_DISTANCE,
  W_TOTAL_DISTANCE,
  W_ENERGY_ACTIVE,
  W_ENERGY_BASAL,
  W_HEART_AVERAGE,
  W_HEART_MINIMUM,
  W_HEART_MAXIMUM,
  W_COUNT,
};

typedef struct workout_value {
  int is_there;
  mh_decimal number;
  uint32_t unit;
} workout_value;

typedef struct workout_state {
  workout_value values[W_COUNT];
  /* Distances in two units, whose sum nobody can tell here. */
  int has_two_units;
  int is_paused;
  int64_t paused_us;
  workout_part parts[WORKOUT_PARTS];
  uint32_t n_parts;
} workout_state;

#endif
