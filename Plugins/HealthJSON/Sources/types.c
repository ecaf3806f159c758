#include "include/health_json.h"

#include <string.h>

#define COUNT "count"
#define RATE "count/min"

/* Words of Health Auto Export first; the list of our own also knows the short ones below. */
static const json_type types[] = {
    {"step_count", MH_QTY_STEPS, COUNT, "StepCount"},
    {"active_energy", MH_QTY_ENERGY_ACTIVE, NULL, "ActiveEnergyBurned"},
    {"basal_energy_burned", MH_QTY_ENERGY_BASAL, NULL, "BasalEnergyBurned"},
    {"apple_exercise_time", MH_QTY_EXERCISE, "min", "AppleExerciseTime"},
    {"apple_stand_time", MH_QTY_STAND, "min", "AppleStandTime"},
    {"apple_stand_hour", MH_QTY_STAND_HOUR, COUNT, "AppleStandHour"},
    {"walking_running_distance", MH_QTY_DISTANCE_WALKING, NULL, "DistanceWalkingRunning"},
    {"cycling_distance", MH_QTY_DISTANCE_CYCLING, NULL, "DistanceCycling"},
    {"swimming_distance", MH_QTY_DISTANCE_SWIMMING, NULL, "DistanceSwimming"},
    {"wheelchair_distance", MH_QTY_DISTANCE_WHEELCHAIR, NULL, "DistanceWheelchair"},
    {"push_count", MH_QTY_PUSHES, COUNT, "PushCount"},
    {"flights_climbed", MH_QTY_FLOORS, COUNT, "FlightsClimbed"},
    {"weight_body_mass", MH_QTY_WEIGHT, NULL, "BodyMass"},
    {"height", MH_QTY_HEIGHT, NULL, "Height"},
    {"body_fat_percentage", MH_QTY_BODY_FAT, "%", "BodyFatPercentage"},
    {"lean_body_mass", MH_QTY_LEAN_MASS, NULL, "LeanBodyMass"},
    {"body_mass_index", MH_QTY_BMI, COUNT, "BodyMassIndex"},
    {"waist_circumference", MH_QTY_WAIST, NULL, "WaistCircumference"},
    {"blood_glucose", MH_QTY_GLUCOSE, NULL, "BloodGlucose"},
    {"blood_pressure", MH_QTY_BLOOD_PRESSURE, "mmHg", "BloodPressure"},
    {"heart_rate", MH_QTY_HEART_RATE, RATE, "HeartRate"},
    {"resting_heart_rate", MH_QTY_RESTING_HEART_RATE, RATE, "RestingHeartRate"},
    {"walking_heart_rate_average", MH_QTY_WALKING_HEART_RATE, RATE, "WalkingHeartRateAverage"},
    {"heart_rate_variability", MH_QTY_HRV_SDNN, "ms", "HeartRateVariabilitySDNN"},
    {"blood_oxygen_saturation", MH_QTY_OXYGEN_SATURATION, "%", "OxygenSaturation"},
    {"body_temperature", MH_QTY_BODY_TEMPERATURE, NULL, "BodyTemperature"},
    {"basal_body_temperature", MH_QTY_BASAL_TEMPERATURE, NULL, "BasalBodyTemperature"},
    {"respiratory_rate", MH_QTY_RESPIRATORY_RATE, RATE, "RespiratoryRate"},
    {"vo2_max", MH_QTY_VO2_MAX, "mL/min\xc2\xb7kg", "VO2Max"},
    {"mindful_minutes", MH_QTY_MINDFUL, "min", "MindfulSession"},
    {"sleep_analysis", MH_QTY_SLEEP, COUNT, "SleepAnalysis"},
    {"dietary_energy", MH_QTY_DIET_ENERGY, NULL, "DietaryEnergyConsumed"},
    {"dietary_water", MH_QTY_DIET_WATER, NULL, "DietaryWater"},
    {"carbohydrates", MH_QTY_DIET_CARBOHYDRATES, NULL, "DietaryCarbohydrates"},
    {"protein", MH_QTY_DIET_PROTEIN, NULL, "DietaryProtein"},
    {"total_fat", MH_QTY_DIET_FAT, NULL, "DietaryFatTotal"},
    {"saturated_fat", MH_QTY_DIET_SATURATED_FAT, NULL, "DietaryFatSaturated"},
    {"fiber", MH_QTY_DIET_FIBER, NULL, "DietaryFiber"},
    {"dietary_sugar", MH_QTY_DIET_SUGAR, NULL, "DietarySugar"},
    {"cholesterol", MH_QTY_DIET_CHOLESTEROL, NULL, "DietaryCholesterol"},
    {"sodium", MH_QTY_DIET_SODIUM, NULL, "DietarySodium"},
    {"calcium", MH_QTY_DIET_CALCIUM, NULL, "DietaryCalcium"},
    {"iron", MH_QTY_DIET_IRON, NULL, "DietaryIron"},
    {"potassium", MH_QTY_DIET_POTASSIUM, NULL, "DietaryPotassium"},
    {"steps", MH_QTY_STEPS, COUNT, "StepCount"},
    {"distance", MH_QTY_DISTANCE_WALKING, NULL, "DistanceWalkingRunning"},
    {"floors", MH_QTY_FLOORS, COUNT, "FlightsClimbed"},
    {"elevation", MH_QTY_ELEVATION, NULL, NULL},
    {"basal_energy", MH_QTY_ENERGY_BASAL, NULL, "BasalEnergyBurned"},
    {"total_energy", MH_QTY_ENERGY_TOTAL, NULL, NULL},
    {"exercise", MH_QTY_EXERCISE, NULL, "AppleExerciseTime"},
    {"pushes", MH_QTY_PUSHES, COUNT, "PushCount"},
    {"weight", MH_QTY_WEIGHT, NULL, "BodyMass"},
    {"body_fat", MH_QTY_BODY_FAT, "%", "BodyFatPercentage"},
    {"lean_mass", MH_QTY_LEAN_MASS, NULL, "LeanBodyMass"},
    {"bmi", MH_QTY_BMI, COUNT, "BodyMassIndex"},
    {"waist", MH_QTY_WAIST, NULL, "WaistCircumference"},
    {"systolic", MH_QTY_SYSTOLIC, "mmHg", "BloodPressureSystolic"},
    {"diastolic", MH_QTY_DIASTOLIC, "mmHg", "BloodPressureDiastolic"},
    {"hrv_sdnn", MH_QTY_HRV_SDNN, "ms", "HeartRateVariabilitySDNN"},
    {"hrv_rmssd", MH_QTY_HRV_RMSSD, "ms", NULL},
    {"oxygen_saturation", MH_QTY_OXYGEN_SATURATION, "%", "OxygenSaturation"},
    {"basal_temperature", MH_QTY_BASAL_TEMPERATURE, NULL, "BasalBodyTemperature"},
    {"mindful", MH_QTY_MINDFUL, "min", "MindfulSession"},
    {"sleep", MH_QTY_SLEEP, COUNT, "SleepAnalysis"},
    {"workout", MH_QTY_WORKOUT, COUNT, NULL},
    {"water", MH_QTY_DIET_WATER, NULL, "DietaryWater"},
    {"fat", MH_QTY_DIET_FAT, NULL, "DietaryFatTotal"},
    {"sugar", MH_QTY_DIET_SUGAR, NULL, "DietarySugar"},
};

static int equals(const char *word, const char *p, size_t n) { return strlen(word) == n && memcmp(word, p, n) == 0; }

const json_type *json_type_of(const char *p, size_t n) {
  static const char quantity[] = "HKQuantityTypeIdentifier", category[] = "HKCategoryTypeIdentifier";
  const size_t prefix = sizeof quantity - 1;
  int is_healthkit = n > prefix && (memcmp(p, quantity, prefix) == 0 || memcmp(p, category, prefix) == 0);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (!is_healthkit && equals(types[i].word, p, n)) return &types[i];
    if (is_healthkit && types[i].healthkit != NULL && equals(types[i].healthkit, p + prefix, n - prefix)) return &types[i];
  }
  return NULL;
}

int json_type_is_sum(const json_type *type) {
  return (type->quantity >= MH_QTY_STEPS && type->quantity <= MH_QTY_PUSHES) || type->quantity == MH_QTY_MINDFUL ||
         (type->quantity >= MH_QTY_DIET_ENERGY && type->quantity <= MH_QTY_DIET_POTASSIUM);
}

uint32_t json_type_index(mh_talk *talk, const json_type *type, mh_str word) {
  char key[64];
  size_t n = 0;
  if (type == NULL) return mh_type_index(&talk->reader.queue, MH_QTY_OTHER, word, (mh_str){NULL, 0});
  if (type->healthkit != NULL && type->quantity != MH_QTY_BLOOD_PRESSURE) {
    int is_category = type->quantity == MH_QTY_SLEEP || type->quantity == MH_QTY_MINDFUL ||
                      type->quantity == MH_QTY_STAND_HOUR;
    memcpy(key, is_category ? "HKCategoryTypeIdentifier" : "HKQuantityTypeIdentifier", 24);
    n = strlen(type->healthkit);
    memcpy(key + 24, type->healthkit, n);
    n += 24;
  }
  return mh_type_index(&talk->reader.queue, type->quantity, word, (mh_str){key, n});
}

uint32_t json_sleep_word(mh_str word) {
  static const struct {
    const char *word;
    uint32_t means;
  } words[] = {{"inbed", MH_SLEEP_IN_BED},      {"asleep", MH_SLEEP_ASLEEP},    {"asleepunspecified", MH_SLEEP_ASLEEP},
               {"unspecified", MH_SLEEP_ASLEEP}, {"sleeping", MH_SLEEP_ASLEEP}, {"unknown", MH_SLEEP_ASLEEP},
               {"awake", MH_SLEEP_AWAKE},       {"awakeinbed", MH_SLEEP_AWAKE}, {"outofbed", MH_SLEEP_AWAKE},
               {"core", MH_SLEEP_CORE},         {"asleepcore", MH_SLEEP_CORE},  {"light", MH_SLEEP_CORE},
               {"deep", MH_SLEEP_DEEP},         {"asleepdeep", MH_SLEEP_DEEP},  {"rem", MH_SLEEP_REM},
               {"asleeprem", MH_SLEEP_REM}};
  /* By Health Connect's numbers, as HC Webhook may send them. */
  static const uint32_t by_number[] = {MH_SLEEP_ASLEEP, MH_SLEEP_AWAKE, MH_SLEEP_ASLEEP, MH_SLEEP_AWAKE,
                                       MH_SLEEP_CORE,   MH_SLEEP_DEEP,  MH_SLEEP_REM,    MH_SLEEP_AWAKE};
  char plain[24];
  size_t n = 0;
  for (uint64_t i = 0; i < word.n; i++) {
    char c = word.p[i];
    if (c == ' ' || c == '_' || c == '-') continue;
    if (n == sizeof plain) return 0;
    plain[n++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
  }
  if (n == 1 && plain[0] >= '0' && plain[0] <= '7') return by_number[plain[0] - '0'];
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (equals(words[i].word, plain, n)) return words[i].means;
  return 0;
}

/* HealthKit holds shares as parts of 1, and some automations post them so under the unit %. Nobody lives with an oxygen
 * saturation or a share of fat of 1 %. */
mh_decimal json_percent(const json_type *type, mh_str unit, mh_decimal value) {
  if (type->quantity != MH_QTY_OXYGEN_SATURATION && type->quantity != MH_QTY_BODY_FAT) return value;
  if (unit.n != 1 || unit.p[0] != '%') return value;
  int64_t whole = value.mantissa;
  for (int e = value.exponent; e < 0; e++) whole /= 10;
  int is_one = whole == 1 && value.exponent == 0;
  return whole == 0 || is_one ? mh_decimal_shift(value, -2) : value;
}
