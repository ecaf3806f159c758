/* The meters whose displays this bundle reads: where their rows lie, and what these can show. */
#ifndef SEGMENT_DISPLAY_METERS_H
#define SEGMENT_DISPLAY_METERS_H

#include <meterhost/draft/ocr.h>

#define DISPLAY_ROWS 3u
#define DISPLAY_SETTINGS 2u

/* A number as a row shows it: at most `whole` digits, no leading zeros, `decimals` digits after the point. The range
 * counts in units of the last digit. */
typedef struct display_number {
  uint16_t metric;
  uint16_t unit;
  uint16_t whole;
  uint16_t decimals;
  int32_t low;
  int32_t high;
} display_number;

/* What the rows show when the meter is set to one of its units. */
typedef struct display_setting {
  uint16_t unit;
  display_number rows[DISPLAY_ROWS];
} display_setting;

/* `words`: below and above its range the meter says Lo and Hi instead of a value. */
typedef struct display_meter {
  uint32_t id;
  uint16_t n_rows;
  uint16_t n_settings;
  uint32_t words;
  float aspect;
  mh_ocr_row rows[DISPLAY_ROWS];
  display_setting settings[DISPLAY_SETTINGS];
  mh_str overlay;
} display_meter;

extern const display_meter display_meters[];
extern const uint32_t display_meter_count;

/* NULL for a meter that is not in the table. */
const display_meter *display_find(uint32_t id);

/* What mh_ocr.layout is. */
int32_t display_layout(uint32_t id, mh_ocr_layout *out);

#endif
