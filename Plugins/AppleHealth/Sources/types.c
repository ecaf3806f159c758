#include "include/apple.h"

#include <string.h>

typedef struct known_type {
  const char *text;
  uint16_t quantity;
} known_type;

/* Behind HKQuantityTypeIdentifier. */
static const known_type quantities[] = {
    {"StepCount", MH_QTY_STEPS},
    {"DistanceWalkingRunning", MH_QTY_DISTANCE_WALKING},
    {"DistanceCycling", MH_QTY_DISTANCE_CYCLING},
    {"DistanceSwimming", MH_QTY_DISTANCE_SWIMMING},
    {"DistanceWheelchair", MH_QTY_DISTANCE_WHEELCHAIR},
    {"DistanceDownhillSnowSports", MH_QTY_DISTANCE_OTHER},
    {"DistanceCrossCountrySkiing", MH_QTY_DISTANCE_OTHER},
    {"DistancePaddleSports", MH_QTY_DISTANCE_OTHER},
    {"DistanceRowing", MH_QTY_DISTANCE_OTHER},
    {"DistanceSkatingSports", MH_QTY_DISTANCE_OTHER},
    {"FlightsClimbed", MH_QTY_FLOORS},
    {"ActiveEnergyBurned", MH_QTY_ENERGY_ACTIVE},
    {"BasalEnergyBurned", MH_QTY_ENERGY_BASAL},
    {"AppleExerciseTime", MH_QTY_EXERCISE},
    {"AppleStandTime", MH_QTY_STAND},
    {"PushCount", MH_QTY_PUSHES},
    {"BodyMass", MH_QTY_WEIGHT},
    {"Height", MH_QTY_HEIGHT},
    {"BodyFatPercentage", MH_QTY_BODY_FAT},
    {"LeanBodyMass", MH_QTY_LEAN_MASS},
    {"BodyMassIndex", MH_QTY_BMI},
    {"WaistCircumference", MH_QTY_WAIST},
    {"BloodGlucose", MH_QTY_GLUCOSE},
    {"BloodPressureSystolic", MH_QTY_SYSTOLIC},
    {"BloodPressureDiastolic", MH_QTY_DIASTOLIC},
    {"HeartRate", MH_QTY_HEART_RATE},
    {"RestingHeartRate", MH_QTY_RESTING_HEART_RATE},
    {"WalkingHeartRateAverage", MH_QTY_WALKING_HEART_RATE},
    {"HeartRateVariabilitySDNN", MH_QTY_HRV_SDNN},
    {"OxygenSaturation", MH_QTY_OXYGEN_SATURATION},
    {"BodyTemperature", MH_QTY_BODY_TEMPERATURE},
    {"BasalBodyTemperature", MH_QTY_BASAL_TEMPERATURE},
    {"RespiratoryRate", MH_QTY_RESPIRATORY_RATE},
    {"VO2Max", MH_QTY_VO2_MAX},
    {"DietaryEnergyConsumed", MH_QTY_DIET_ENERGY},
    {"DietaryWater", MH_QTY_DIET_WATER},
    {"DietaryCarbohydrates", MH_QTY_DIET_CARBOHYDRATES},
    {"DietaryProtein", MH_QTY_DIET_PROTEIN},
    {"DietaryFatTotal", MH_QTY_DIET_FAT},
    {"DietaryFatSaturated", MH_QTY_DIET_SATURATED_FAT},
    {"DietaryFiber", MH_QTY_DIET_FIBER},
    {"DietarySugar", MH_QTY_DIET_SUGAR},
    {"DietaryCholesterol", MH_QTY_DIET_CHOLESTEROL},
    {"DietarySodium", MH_QTY_DIET_SODIUM},
    {"DietaryCalcium", MH_QTY_DIET_CALCIUM},
    {"DietaryIron", MH_QTY_DIET_IRON},
    {"DietaryPotassium", MH_QTY_DIET_POTASSIUM},
};

/* Behind HKCategoryTypeIdentifier. */
static const known_type categories[] = {
    {"AppleStandHour", MH_QTY_STAND_HOUR},
    {"MindfulSession", MH_QTY_MINDFUL},
    {"SleepAnalysis", MH_QTY_SLEEP},
    {"MenstrualFlow", MH_QTY_MENSTRUAL_FLOW},
    {"OvulationTestResult", MH_QTY_OVULATION_TEST},
    {"CervicalMucusQuality", MH_QTY_CERVICAL_MUCUS},
    {"SexualActivity", MH_QTY_SEXUAL_ACTIVITY},
    {"IntermenstrualBleeding", MH_QTY_INTERMENSTRUAL_BLEEDING},
};

/* The rest of a text behind a prefix, or nothing. */
static int behind(mh_str text, const char *prefix, mh_str *rest) {
  const size_t n = strlen(prefix);
  if (text.n < n || memcmp(text.p, prefix, n) != 0) return 0;
  *rest = (mh_str){text.p + n, text.n - n};
  return 1;
}

static int is_word(mh_str text, const char *word) {
  return text.n == strlen(word) && memcmp(text.p, word, text.n) == 0;
}

static uint16_t find(const known_type *types, size_t n, mh_str text) {
  for (size_t i = 0; i < n; i++)
    if (is_word(text, types[i].text)) return types[i].quantity;
  return MH_QTY_OTHER;
}

uint16_t apple_quantity(mh_str type) {
  mh_str rest;
  if (behind(type, "HKQuantityTypeIdentifier", &rest))
    return find(quantities, sizeof quantities / sizeof quantities[0], rest);
  if (behind(type, "HKCategoryTypeIdentifier", &rest))
    return find(categories, sizeof categories / sizeof categories[0], rest);
  if (is_word(type, "HKCorrelationTypeIdentifierBloodPressure")) return MH_QTY_BLOOD_PRESSURE;
  if (is_word(type, "HKCorrelationTypeIdentifierFood")) return MH_QTY_MEAL;
  if (is_word(type, "HKWorkoutTypeIdentifier")) return MH_QTY_WORKOUT;
  return is_word(type, "ActivitySummary") ? MH_QTY_ACTIVITY_SUMMARY : MH_QTY_OTHER;
}

const char *apple_nutrient(uint16_t quantity) {
  static const char *const words[] = {"energy",        "water", "carbohydrates", "protein",     "fat",
                                      "saturated_fat", "fiber", "sugar",         "cholesterol", "sodium",
                                      "calcium",       "iron",  "potassium"};
  const unsigned at = (unsigned)quantity - MH_QTY_DIET_ENERGY;
  return at < sizeof words / sizeof words[0] ? words[at] : NULL;
}

int apple_is_fraction(uint16_t quantity) {
  return quantity == MH_QTY_BODY_FAT || quantity == MH_QTY_OXYGEN_SATURATION;
}

/* Names since iOS 16, the one name before, and the numbers of HKCategoryValueSleepAnalysis. */
static int sleep_word(mh_str value, uint32_t *word) {
  static const struct {
    const char *text;
    char digit;
    uint8_t word;
  } stages[] = {{"InBed", '0', MH_SLEEP_IN_BED},   {"AsleepUnspecified", '1', MH_SLEEP_ASLEEP},
                {"Asleep", '1', MH_SLEEP_ASLEEP},  {"Awake", '2', MH_SLEEP_AWAKE},
                {"AsleepCore", '3', MH_SLEEP_CORE}, {"AsleepDeep", '4', MH_SLEEP_DEEP},
                {"AsleepREM", '5', MH_SLEEP_REM}};
  mh_str rest = value;
  const int is_named = behind(value, "HKCategoryValueSleepAnalysis", &rest);
  for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
    const int is_this = is_named ? is_word(rest, stages[i].text) : value.n == 1 && value.p[0] == stages[i].digit;
    if (!is_this) continue;
    *word = stages[i].word;
    return 1;
  }
  return 0;
}

static int stand_word(mh_str value, mh_str *text) {
  const int is_stood = is_word(value, "HKCategoryValueAppleStandHourStood") || is_word(value, "0");
  const int is_idle = is_word(value, "HKCategoryValueAppleStandHourIdle") || is_word(value, "1");
  *text = is_stood ? (mh_str){"stood", 5} : (mh_str){"idle", 4};
  return is_stood || is_idle;
}

int apple_category(uint16_t quantity, mh_str value, uint32_t *word, mh_str *text) {
  *word = 0;
  *text = (mh_str){NULL, 0};
  switch (quantity) {
    case MH_QTY_SLEEP: return sleep_word(value, word);
    case MH_QTY_STAND_HOUR: return stand_word(value, text);
    case MH_QTY_MENSTRUAL_FLOW:
      return (behind(value, "HKCategoryValueMenstrualFlow", text) ||
              behind(value, "HKCategoryValueVaginalBleeding", text)) &&
             text->n > 0;
    case MH_QTY_OVULATION_TEST: return behind(value, "HKCategoryValueOvulationTestResult", text) && text->n > 0;
    case MH_QTY_CERVICAL_MUCUS: return behind(value, "HKCategoryValueCervicalMucusQuality", text) && text->n > 0;
    case MH_QTY_INTERMENSTRUAL_BLEEDING: *text = (mh_str){"present", 7}; return 1;
    default: return 1;
  }
}
