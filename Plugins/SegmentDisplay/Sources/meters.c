/* The table of meters. Boxes are fractions of the overlay, which is the display's window. They come from public
 * descriptions and pictures, loose enough for what was not measured on a meter; ranges are those that the makers state,
 * or narrower. Plugins/SegmentDisplay/overlays.py draws the overlays from this table. */
#include "meters.h"

#include <meterhost/metrics.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

/* What a row can show: letters and dashes too, so that an error code is read as what it is. */
#define WITH_POINT TEXT("0123456789.-LoHiEr")
#define WHOLE TEXT("0123456789-Er")

#define ROW(row_role, row_flags, set, x, y, width, height) \
  { .role = row_role, .flags = row_flags, .box = {x, y, width, height}, .characters = set }

#define QUANTITY(name, in, digits, places, from, to) \
  { .metric = name, .unit = in, .whole = digits, .decimals = places, .low = from, .high = to }

/* One value in mg/dL, or mmol/L with a point; both ends of the range as the meter words them. */
#define GLUCOMETER(meter, window, x, y, width, height, low_mg, high_mg, low_mmol, high_mmol)                        \
  {                                                                                                                 \
    .id = meter, .n_rows = 1, .n_settings = 2, .words = 1, .aspect = window,                                        \
    .rows = {ROW(MH_OCR_ROLE_VALUE, 0, WITH_POINT, x, y, width, height)},                                           \
    .settings =                                                                                                     \
        {                                                                                                           \
            {.unit = MH_UNIT_MG_PER_DL,                                                                             \
             .rows = {QUANTITY(MH_METRIC_BLOOD_GLUCOSE, MH_UNIT_MG_PER_DL, 3, 0, low_mg, high_mg)}},                \
            {.unit = MH_UNIT_MMOL_PER_L,                                                                            \
             .rows = {QUANTITY(MH_METRIC_BLOOD_GLUCOSE, MH_UNIT_MMOL_PER_L, 2, 1, low_mmol, high_mmol)}},           \
        },                                                                                                          \
    .overlay = TEXT(#meter ".svg"),                                                                                 \
  }

/* Systolic, diastolic and pulse below each other, in mmHg. */
#define BLOOD_PRESSURE(meter, window, systolic_row, diastolic_row, pulse_row, high_sys, high_dia, high_pulse)       \
  {                                                                                                                 \
    .id = meter, .n_rows = 3, .n_settings = 1, .aspect = window,                                                    \
    .rows = {systolic_row, diastolic_row, pulse_row},                                                               \
    .settings = {{.unit = MH_UNIT_MMHG,                                                                             \
                  .rows = {QUANTITY(MH_METRIC_SYSTOLIC, MH_UNIT_MMHG, 3, 0, 60, high_sys),                          \
                           QUANTITY(MH_METRIC_DIASTOLIC, MH_UNIT_MMHG, 3, 0, 40, high_dia),                         \
                           QUANTITY(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, 3, 0, 40, high_pulse)}}},                  \
    .overlay = TEXT(#meter ".svg"),                                                                                 \
  }
#define SYSTOLIC(x, y, width, height) ROW(MH_OCR_ROLE_SYSTOLIC, 0, WHOLE, x, y, width, height)
#define DIASTOLIC(x, y, width, height) ROW(MH_OCR_ROLE_DIASTOLIC, 0, WHOLE, x, y, width, height)
/* The pulse has to be there: where it may be missing, a display that lies a row too high in the overlay is one with
 * the diastolic pressure as the systolic one. */
#define PULSE(x, y, width, height) ROW(MH_OCR_ROLE_PULSE, 0, WHOLE, x, y, width, height)

/* One value in degrees Fahrenheit, or Celsius. The L and H of a thermometer say that nothing was measured. */
#define THERMOMETER(meter, window, x, y, width, height, low_f, high_f, low_c, high_c)                               \
  {                                                                                                                 \
    .id = meter, .n_rows = 1, .n_settings = 2, .aspect = window,                                                    \
    .rows = {ROW(MH_OCR_ROLE_VALUE, 0, WITH_POINT, x, y, width, height)},                                           \
    .settings =                                                                                                     \
        {                                                                                                           \
            {.unit = MH_UNIT_FAHRENHEIT,                                                                            \
             .rows = {QUANTITY(MH_METRIC_BODY_TEMPERATURE, MH_UNIT_FAHRENHEIT, 3, 1, low_f, high_f)}},              \
            {.unit = MH_UNIT_CELSIUS,                                                                               \
             .rows = {QUANTITY(MH_METRIC_BODY_TEMPERATURE, MH_UNIT_CELSIUS, 2, 1, low_c, high_c)}},                 \
        },                                                                                                          \
    .overlay = TEXT(#meter ".svg"),                                                                                 \
  }

/* The weight in kilograms, or pounds. It blinks when it has settled. */
#define SCALE(meter, window, x, y, width, height, low_kg, high_kg, low_lb, high_lb)                                 \
  {                                                                                                                 \
    .id = meter, .n_rows = 1, .n_settings = 2, .aspect = window,                                                    \
    .rows = {ROW(MH_OCR_ROLE_VALUE, MH_OCR_ROW_BLINKS, WITH_POINT, x, y, width, height)},                           \
    .settings =                                                                                                     \
        {                                                                                                           \
            {.unit = MH_UNIT_KILOGRAM,                                                                              \
             .rows = {QUANTITY(MH_METRIC_BODY_WEIGHT, MH_UNIT_KILOGRAM, 3, 1, low_kg, high_kg)}},                   \
            {.unit = MH_UNIT_POUND,                                                                                 \
             .rows = {QUANTITY(MH_METRIC_BODY_WEIGHT, MH_UNIT_POUND, 3, 1, low_lb, high_lb)}},                      \
        },                                                                                                          \
    .overlay = TEXT(#meter ".svg"),                                                                                 \
  }

/* Saturation above the pulse rate. */
#define OXIMETER(meter, window, saturation_row, pulse_row, low_pulse, high_pulse)                                   \
  {                                                                                                                 \
    .id = meter, .n_rows = 2, .n_settings = 1, .aspect = window,                                                    \
    .rows = {saturation_row, pulse_row},                                                                            \
    .settings = {{.unit = MH_UNIT_PERCENT,                                                                          \
                  .rows = {QUANTITY(MH_METRIC_SPO2, MH_UNIT_PERCENT, 3, 0, 35, 100),                                \
                           QUANTITY(MH_METRIC_PULSE, MH_UNIT_PER_MINUTE, 3, 0, low_pulse, high_pulse)}}},           \
    .overlay = TEXT(#meter ".svg"),                                                                                 \
  }
#define SATURATION(x, y, width, height) ROW(MH_OCR_ROLE_OXYGEN_SATURATION, 0, WHOLE, x, y, width, height)
#define PULSE_RATE(x, y, width, height) ROW(MH_OCR_ROLE_PULSE, 0, WHOLE, x, y, width, height)

const display_meter display_meters[] = {
    /* Dr Morepen GlucoOne BG-03 */
    GLUCOMETER(10001, 1.15f, .12f, .26f, .76f, .48f, 20, 600, 11, 333),
    /* OneTouch UltraMini */
    GLUCOMETER(10002, 1.25f, .14f, .20f, .72f, .52f, 20, 600, 11, 333),
    /* OneTouch Select Simple */
    GLUCOMETER(10003, 1.30f, .10f, .22f, .70f, .56f, 20, 600, 11, 333),
    /* Accu-Chek Active */
    GLUCOMETER(10004, 1.20f, .12f, .30f, .76f, .46f, 10, 600, 6, 333),
    /* Accu-Chek Performa */
    GLUCOMETER(10005, 1.10f, .12f, .28f, .76f, .44f, 10, 600, 6, 333),
    /* Contour TS */
    GLUCOMETER(10006, 1.05f, .10f, .30f, .80f, .42f, 10, 600, 6, 333),
    /* Omron M2 (HEM-7121-E) */
    BLOOD_PRESSURE(10101, .72f, SYSTOLIC(.26f, .08f, .64f, .26f), DIASTOLIC(.26f, .40f, .64f, .26f),
                   PULSE(.40f, .72f, .50f, .20f), 260, 215, 180),
    /* Omron RS2 (HEM-6161-E), wrist */
    BLOOD_PRESSURE(10102, .82f, SYSTOLIC(.24f, .07f, .66f, .27f), DIASTOLIC(.24f, .39f, .66f, .27f),
                   PULSE(.42f, .72f, .48f, .20f), 260, 215, 180),
    /* A&D UA-611 */
    BLOOD_PRESSURE(10103, .75f, SYSTOLIC(.30f, .06f, .62f, .27f), DIASTOLIC(.30f, .38f, .62f, .27f),
                   PULSE(.42f, .70f, .50f, .22f), 279, 200, 180),
    /* Beurer BM 28 */
    BLOOD_PRESSURE(10104, .80f, SYSTOLIC(.28f, .16f, .62f, .24f), DIASTOLIC(.28f, .43f, .62f, .24f),
                   PULSE(.40f, .70f, .50f, .20f), 260, 199, 180),
    /* Beurer BC 28, wrist */
    BLOOD_PRESSURE(10105, .85f, SYSTOLIC(.26f, .15f, .64f, .25f), DIASTOLIC(.26f, .43f, .64f, .25f),
                   PULSE(.42f, .71f, .48f, .20f), 260, 199, 180),
    /* Microlife BP B2 Basic */
    BLOOD_PRESSURE(10106, .70f, SYSTOLIC(.22f, .10f, .68f, .25f), DIASTOLIC(.22f, .39f, .68f, .25f),
                   PULSE(.36f, .69f, .54f, .20f), 255, 200, 199),
    /* Zewa 11110 */
    THERMOMETER(10201, 2.60f, .08f, .12f, .72f, .76f, 896, 1092, 320, 429),
    /* Omron MC-246 */
    THERMOMETER(10202, 2.40f, .08f, .12f, .72f, .76f, 896, 1076, 320, 420),
    /* Omron HN-289 */
    SCALE(10301, 2.20f, .06f, .12f, .74f, .76f, 50, 1500, 110, 3307),
    /* Beurer GS 10 */
    SCALE(10302, 2.00f, .06f, .14f, .74f, .72f, 50, 1800, 110, 3968),
    /* Contec CMS50DL */
    OXIMETER(10401, .90f, SATURATION(.20f, .08f, .66f, .38f), PULSE_RATE(.20f, .54f, .66f, .38f), 30, 250),
    /* Nonin Onyx Vantage 9590 */
    OXIMETER(10402, 1.00f, SATURATION(.18f, .08f, .64f, .38f), PULSE_RATE(.18f, .54f, .64f, .38f), 20, 300),
};

const uint32_t display_meter_count = sizeof display_meters / sizeof display_meters[0];

const display_meter *display_find(uint32_t id) {
  for (uint32_t i = 0; i < display_meter_count; i++)
    if (display_meters[i].id == id) return &display_meters[i];
  return NULL;
}

int32_t display_layout(uint32_t id, mh_ocr_layout *out) {
  if (out == NULL || !MH_HAS(out, overlay)) return MH_E_ARG;
  const display_meter *meter = display_find(id);
  if (meter == NULL) return MH_E_NOT_FOUND;
  out->n_rows = meter->n_rows;
  out->aspect = meter->aspect;
  out->reserved = 0;
  out->rows = meter->rows;
  out->overlay = meter->overlay;
  return MH_OK;
}
