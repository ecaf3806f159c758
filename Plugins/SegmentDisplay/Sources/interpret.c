#include "interpret.h"

#include <meterhost/metrics.h>
#include <meterhost/output.h>

#include "meters.h"
#include "text.h"

/* The setting for a unit; NULL for one that the meter has not. */
static const display_setting *find_setting(const display_meter *meter, uint16_t unit) {
  if (unit == MH_UNIT_NONE) return &meter->settings[0];
  for (uint32_t i = 0; i < meter->n_settings; i++)
    if (meter->settings[i].unit == unit) return &meter->settings[i];
  return NULL;
}

static const display_finding *row_of_role(const display_meter *meter, const display_finding *found, uint16_t role) {
  for (uint32_t i = 0; i < meter->n_rows; i++)
    if (meter->rows[i].role == role) return &found[i];
  return NULL;
}

/* What no single row can tell: the diastolic pressure is the lower one. */
static int rows_agree(const display_meter *meter, const display_finding *found) {
  const display_finding *systolic = row_of_role(meter, found, MH_OCR_ROLE_SYSTOLIC);
  const display_finding *diastolic = row_of_role(meter, found, MH_OCR_ROLE_DIASTOLIC);
  return systolic == NULL || diastolic == NULL || diastolic->raw < systolic->raw;
}

/* The digit that a digit is upside down; 0 for one that is none then. */
static char turned_digit(char c) {
  switch (c) {
    case '0': case '1': case '2': case '5': case '8': return c;
    case '6': return '9';
    case '9': return '6';
    default: return 0;
  }
}

/* The text upside down, in room for MH_OCR_TEXT_MAX characters; empty where it is none then. */
static mh_str turned_text(mh_str text, char *room) {
  if (text.n > MH_OCR_TEXT_MAX) return (mh_str){room, 0};
  for (uint64_t i = 0; i < text.n; i++) {
    room[text.n - 1 - i] = turned_digit(text.p[i]);
    if (room[text.n - 1 - i] == 0) return (mh_str){room, 0};
  }
  return (mh_str){room, text.n};
}

/* Whether an oximeter shows a pair that is another one upside down: the finger's owner sees it the other way round than
 * whoever stands before them, and its two rows lie alike from both sides. The pulse changes soon. */
static int reads_both_ways(const display_meter *meter, const display_setting *setting, const mh_ocr_text *rows) {
  if (meter->n_rows != 2 || meter->rows[0].role != MH_OCR_ROLE_OXYGEN_SATURATION) return 0;
  char room[MH_OCR_TEXT_MAX];
  int differs = 0;
  for (uint32_t i = 0; i < 2; i++) {
    mh_str turned = turned_text(rows[1 - i].text, room);
    if (display_read_text(&setting->rows[i], meter->words, turned).kind != DISPLAY_NUMBER) return 0;
    differs |= turned.n != rows[i].text.n || __builtin_memcmp(turned.p, rows[i].text.p, turned.n) != 0;
  }
  return differs;
}

/* Several rows that all show eights are the self-test, even where each of them would be a value. */
static int is_self_test(const mh_ocr_text *rows, uint32_t n_rows) {
  uint32_t lit = 0;
  for (uint32_t i = 0; i < n_rows; i++) {
    if (rows[i].text.n == 0) continue;
    if (!display_is_all_segments(rows[i].text)) return 0;
    lit++;
  }
  return lit > 1;
}

static uint32_t judge(const display_meter *meter, const display_setting *setting, const mh_ocr_text *rows,
                      display_finding *found) {
  uint32_t n_of[DISPLAY_FOREIGN + 1] = {0};
  uint32_t missing = 0, blinking = 0;
  for (uint32_t i = 0; i < meter->n_rows; i++) {
    found[i] = display_read_text(&setting->rows[i], meter->words, rows[i].text);
    n_of[found[i].kind]++;
    if (found[i].kind != DISPLAY_BLANK) continue;
    missing += (meter->rows[i].flags & MH_OCR_ROW_OPTIONAL) == 0;
    blinking += (meter->rows[i].flags & MH_OCR_ROW_BLINKS) != 0;
  }
  if (n_of[DISPLAY_OTHER] > 0 || is_self_test(rows, meter->n_rows)) return MH_OCR_NOT_A_VALUE;
  if (n_of[DISPLAY_FOREIGN] > 0) return MH_OCR_WRONG_METER;
  if (n_of[DISPLAY_BLANK] == meter->n_rows && blinking == 0) return MH_OCR_NOT_A_VALUE;
  if (missing > 0) return MH_OCR_INCOMPLETE;
  return rows_agree(meter, found) && !reads_both_ways(meter, setting, rows) ? MH_OCR_VALID : MH_OCR_NOT_A_VALUE;
}

static int32_t emit(const display_meter *meter, const display_setting *setting, const mh_ocr_text *rows,
                    const display_finding *found, mh_sink *sink) {
  mh_value values[DISPLAY_ROWS];
  uint16_t n_values = 0;
  uint8_t ident[DISPLAY_ROWS * (MH_OCR_TEXT_MAX + 1u)];
  uint16_t ident_len = 0;
  for (uint32_t i = 0; i < meter->n_rows; i++) {
    const display_number *number = &setting->rows[i];
    if (i > 0) ident[ident_len++] = '\n';
    for (uint64_t at = 0; at < rows[i].text.n; at++) ident[ident_len++] = (uint8_t)rows[i].text.p[at];
    if (found[i].kind == DISPLAY_BLANK) continue;
    double scale = 1;
    for (uint16_t n = 0; n < number->decimals; n++) scale *= 10;
    values[n_values++] = (mh_value){
        .metric = number->metric,
        .unit = number->unit,
        .exp10 = (int8_t)-(int)number->decimals,
        .qualifier = found[i].kind == DISPLAY_BELOW   ? MH_QUAL_BELOW
                     : found[i].kind == DISPLAY_ABOVE ? MH_QUAL_ABOVE
                                                      : MH_QUAL_EXACT,
        .value = (double)found[i].raw / scale,
        .raw = found[i].raw,
    };
  }
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .time_kind = MH_TIME_NONE,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  return mh_sink_record(sink, &record, values, n_values, ident, ident_len);
}

int32_t display_interpret(uint32_t id, uint16_t unit, const mh_ocr_text *rows, uint32_t n_rows, uint32_t *verdict,
                          mh_sink *sink) {
  const display_meter *meter = display_find(id);
  if (meter == NULL) return MH_E_NOT_FOUND;
  const display_setting *setting = find_setting(meter, unit);
  if (setting == NULL || rows == NULL || n_rows != meter->n_rows || verdict == NULL || sink == NULL ||
      !MH_HAS(sink, ctx))
    return MH_E_ARG;
  for (uint32_t i = 0; i < n_rows; i++)
    if (rows[i].text.n > MH_OCR_TEXT_MAX || (rows[i].text.p == NULL && rows[i].text.n != 0)) return MH_E_ARG;
  display_finding found[DISPLAY_ROWS];
  *verdict = judge(meter, setting, rows, found);
  if (*verdict == MH_OCR_VALID) {
    int32_t status = emit(meter, setting, rows, found, sink);
    if (status != MH_OK) *verdict = MH_OCR_NOT_A_VALUE;
    return status;
  }
  if (*verdict == MH_OCR_INCOMPLETE) return MH_OK;
  for (uint32_t i = 0; i < meter->n_settings; i++)
    if (&meter->settings[i] != setting && judge(meter, &meter->settings[i], rows, found) == MH_OCR_VALID)
      *verdict = MH_OCR_OTHER_UNIT;
  return MH_OK;
}
