#include "include/connect.h"

#define R "count/min"
#define RECORD(name, kind, quantity) {name "_record_table", kind, quantity, C_ROW_ID, NULL, 0, 1, NULL}
#define NUMBER(name, quantity, column, unit, shift) \
  {name "_record_table", KIND_NUMBER, quantity, column, unit, shift, 1, NULL}
#define POINTS(name, quantity, column, unit, parent) {name, KIND_POINT, quantity, column, unit, 0, 2, parent}

const table_form table_forms[] = {
    {"application_info_table", KIND_APP, 0, C_ROW_ID, NULL, 0, 0, NULL},
    {"device_info_table", KIND_DEVICE, 0, C_ROW_ID, NULL, 0, 0, NULL},
    {"health_data_category_priority_table", KIND_PRIORITY, 0, C_ROW_ID, NULL, 0, 0, NULL},
    {"exercise_segments_table", KIND_SEGMENT, 0, C_ROW_ID, NULL, 0, 0, NULL},
    {"exercise_laps_table", KIND_LAP, 0, C_ROW_ID, NULL, 0, 0, NULL},
    NUMBER("steps", MH_QTY_STEPS, C_COUNT, "count", 0),
    NUMBER("wheelchair_pushes", MH_QTY_PUSHES, C_COUNT, "count", 0),
    NUMBER("distance", MH_QTY_DISTANCE_WALKING, C_DISTANCE, "m", 0),
    NUMBER("elevation_gained", MH_QTY_ELEVATION, C_ELEVATION, "m", 0),
    NUMBER("floors_climbed", MH_QTY_FLOORS, C_FLOORS, "count", 0),
    /* Energy is in small calories, mass in grams. */
    NUMBER("active_calories_burned", MH_QTY_ENERGY_ACTIVE, C_ENERGY, "kcal", 3),
    NUMBER("total_calories_burned", MH_QTY_ENERGY_TOTAL, C_ENERGY, "kcal", 3),
    NUMBER("basal_metabolic_rate", MH_QTY_BASAL_RATE, C_BASAL_RATE, "kcal/d", 0),
    NUMBER("weight", MH_QTY_WEIGHT, C_WEIGHT, "kg", 3),
    NUMBER("bone_mass", MH_QTY_BONE_MASS, C_MASS, "kg", 3),
    NUMBER("lean_body_mass", MH_QTY_LEAN_MASS, C_MASS, "kg", 3),
    NUMBER("body_water_mass", MH_QTY_BODY_WATER_MASS, C_WATER_MASS, "kg", 3),
    NUMBER("height", MH_QTY_HEIGHT, C_HEIGHT, "m", 0),
    NUMBER("body_fat", MH_QTY_BODY_FAT, C_PERCENTAGE, "%", 0),
    NUMBER("oxygen_saturation", MH_QTY_OXYGEN_SATURATION, C_PERCENTAGE, "%", 0),
    NUMBER("body_temperature", MH_QTY_BODY_TEMPERATURE, C_TEMPERATURE, "degC", 0),
    NUMBER("basal_body_temperature", MH_QTY_BASAL_TEMPERATURE, C_TEMPERATURE, "degC", 0),
    NUMBER("respiratory_rate", MH_QTY_RESPIRATORY_RATE, C_RATE, R, 0),
    NUMBER("resting_heart_rate", MH_QTY_RESTING_HEART_RATE, C_BPM, R, 0),
    NUMBER("heart_rate_variability_rmssd", MH_QTY_HRV_RMSSD, C_HRV, "ms", 0),
    NUMBER("vo2_max", MH_QTY_VO2_MAX, C_VO2, "mL/min\xc2\xb7kg", 0),
    NUMBER("hydration", MH_QTY_DIET_WATER, C_VOLUME, "L", 0),
    RECORD("blood_pressure", KIND_PRESSURE, MH_QTY_BLOOD_PRESSURE),
    {"blood_glucose_record_table", KIND_GLUCOSE, MH_QTY_GLUCOSE, C_LEVEL, "mmol/L", 0, 1, NULL},
    RECORD("sleep_session", KIND_SLEEP, MH_QTY_SLEEP),
    RECORD("exercise_session", KIND_EXERCISE, MH_QTY_WORKOUT),
    RECORD("nutrition", KIND_MEAL, MH_QTY_MEAL),
    RECORD("mindfulness_session", KIND_PLAIN, MH_QTY_MINDFUL),
    {"menstruation_flow_record_table", KIND_WORD, MH_QTY_MENSTRUAL_FLOW, C_FLOW, NULL, 0, 1, NULL},
    {"ovulation_test_record_table", KIND_WORD, MH_QTY_OVULATION_TEST, C_RESULT, NULL, 0, 1, NULL},
    {"cervical_mucus_record_table", KIND_WORD, MH_QTY_CERVICAL_MUCUS, C_APPEARANCE, NULL, 0, 1, NULL},
    {"sexual_activity_record_table", KIND_WORD, MH_QTY_SEXUAL_ACTIVITY, C_PROTECTION, NULL, 0, 1, NULL},
    RECORD("intermenstrual_bleeding", KIND_PLAIN, MH_QTY_INTERMENSTRUAL_BLEEDING),
    RECORD("menstruation_period", KIND_PLAIN, MH_QTY_OTHER),
    RECORD("skin_temperature", KIND_PLAIN, MH_QTY_OTHER),
    RECORD("activity_intensity", KIND_PLAIN, MH_QTY_OTHER),
    {"SpeedRecordTable", KIND_PLAIN, MH_QTY_OTHER, C_ROW_ID, NULL, 0, 1, NULL},
    {"PowerRecordTable", KIND_PLAIN, MH_QTY_OTHER, C_ROW_ID, NULL, 0, 1, NULL},
    {"StepsCadenceRecordTable", KIND_PLAIN, MH_QTY_OTHER, C_ROW_ID, NULL, 0, 1, NULL},
    {"CyclingPedalingCadenceRecordTable", KIND_PLAIN, MH_QTY_OTHER, C_ROW_ID, NULL, 0, 1, NULL},
    RECORD("heart_rate", KIND_PARENT, MH_QTY_HEART_RATE),
    POINTS("heart_rate_record_series_table", MH_QTY_HEART_RATE, C_BPM, R, "heart_rate_record_table"),
    {"sleep_stages_table", KIND_STAGE, MH_QTY_SLEEP, C_STAGE_TYPE, NULL, 0, 2, "sleep_session_record_table"},
};
const uint32_t n_table_forms = sizeof table_forms / sizeof table_forms[0];

const char *const column_names[N_COLUMN_NAMES] = {
    "row_id", "uuid", "last_modified_time", "device_info_id", "app_info_id", "recording_method", "time", "zone_offset",
    "start_time", "start_zone_offset", "end_time", "parent_key", "epoch_millis", "package_name", "app_name", "manufacturer",
    "model", "device_type", "health_data_category", "app_id_priority_order", "stage_start_time", "stage_end_time",
    "stage_type", "segment_start_time", "segment_end_time", "segment_type", "lap_start_time", "lap_end_time", "lap_length",
    "exercise_type", "systolic", "diastolic", "level", "relation_to_meal", "meal_name", "energy", "protein",
    "total_fat", "saturated_fat", "total_carbohydrate", "dietary_fiber", "sugar", "sodium", "cholesterol", "calcium",
    "iron", "potassium", "count", "distance", "elevation", "floors", "basal_metabolic_rate", "weight", "mass",
    "body_water_mass", "height", "percentage", "temperature", "rate", "beats_per_minute", "heart_rate_variability_millis",
    "vo2_milliliters_per_minute_kilogram", "volume", "flow", "result", "appearance", "protection_used"};

const char *exercise_name(int64_t type) {
  static const char *const names[] = {
      "unknown", "badminton", "baseball", "basketball", "biking", "biking_stationary", "boot_camp", "boxing", "calisthenics",
      "cricket", "dancing", "exercise_class", "fencing", "football_american", "football_australian", "frisbee", "golf",
      "guided_breathing", "gymnastics", "handball", "hiit", "hiking", "ice_hockey", "ice_skating", "martial_arts", "paddling",
      "paragliding", "pilates", "racquetball", "rock_climbing", "roller_hockey", "rowing", "rugby", "running",
      "running_treadmill", "sailing", "scuba", "skating", "skiing", "snowboarding", "snowshoeing", "soccer", "softball",
      "squash", "stair_climbing", "strength_training", "stretching", "surfing", "swimming_open_water", "swimming_pool",
      "table_tennis", "tennis", "volleyball", "walking", "water_polo", "weightlifting", "wheelchair", "yoga", "other",
      "stair_machine", "elliptical", "rowing_machine"};
  return type >= 0 && type < (int64_t)(sizeof names / sizeof names[0]) ? names[type] : "unknown";
}
