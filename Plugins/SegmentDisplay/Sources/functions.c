#include "functions.h"

#include <meterhost/draft/ocr.h>
#include <meterhost/functions.h>

#include "interpret.h"
#include "meters.h"

/* Texts of a meter's rows, and the verdict and first value that must come of them. */
typedef struct display_vector {
  const char *name;
  uint32_t meter;
  uint16_t unit;
  const char *rows[DISPLAY_ROWS];
  uint32_t verdict;
  int64_t raw;
} display_vector;

static const display_vector vectors[] = {
    {"glucose", 10001, MH_UNIT_NONE, {"106"}, MH_OCR_VALID, 106},
    {"glucose in mmol/L", 10001, MH_UNIT_MMOL_PER_L, {"5.6"}, MH_OCR_VALID, 56},
    {"glucose above the range", 10004, MH_UNIT_NONE, {"Hi"}, MH_OCR_VALID, 600},
    {"glucose in the other unit", 10001, MH_UNIT_NONE, {"5.6"}, MH_OCR_OTHER_UNIT, 0},
    {"self-test of a glucometer", 10002, MH_UNIT_NONE, {"888"}, MH_OCR_NOT_A_VALUE, 0},
    {"blood pressure", 10101, MH_UNIT_NONE, {"128", "82", "66"}, MH_OCR_VALID, 128},
    {"diastolic above systolic", 10101, MH_UNIT_NONE, {"82", "128", "66"}, MH_OCR_NOT_A_VALUE, 0},
    {"diastolic missing", 10103, MH_UNIT_NONE, {"128", "", "66"}, MH_OCR_INCOMPLETE, 0},
    {"temperature", 10201, MH_UNIT_NONE, {"98.6"}, MH_OCR_VALID, 986},
    {"temperature without its point", 10201, MH_UNIT_NONE, {"986"}, MH_OCR_WRONG_METER, 0},
    {"weight", 10301, MH_UNIT_NONE, {"72.4"}, MH_OCR_VALID, 724},
    {"oximeter", 10401, MH_UNIT_NONE, {"98", "71"}, MH_OCR_VALID, 98},
    {"oximeter that reads upside down", 10401, MH_UNIT_NONE, {"98", "68"}, MH_OCR_NOT_A_VALUE, 0},
};

/* Whether a vector gives what it should. */
static int holds(const display_vector *vector) {
  mh_record record;
  mh_value values[DISPLAY_ROWS];
  uint8_t arena[MH_SINK_ARENA_MIN];
  mh_sink sink;
  __builtin_memset(&sink, 0, sizeof sink);
  sink.struct_size = (uint32_t)sizeof sink;
  sink.records = &record;
  sink.cap_records = 1;
  sink.values = values;
  sink.cap_values = DISPLAY_ROWS;
  sink.arena = arena;
  sink.cap_arena = sizeof arena;
  sink.act = mh_test_act;
  const display_meter *meter = display_find(vector->meter);
  if (meter == NULL) return 0;
  mh_ocr_text rows[DISPLAY_ROWS];
  for (uint32_t i = 0; i < meter->n_rows; i++)
    rows[i].text = (mh_str){vector->rows[i], __builtin_strlen(vector->rows[i])};
  uint32_t verdict = 0;
  if (display_interpret(vector->meter, vector->unit, rows, meter->n_rows, &verdict, &sink) != MH_OK) return 0;
  if (verdict != vector->verdict || sink.n_records != (verdict == MH_OCR_VALID)) return 0;
  return verdict != MH_OCR_VALID || values[0].raw == vector->raw;
}

static int32_t self_test(char *report, uint64_t *n) {
  for (uint32_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    if (!holds(&vectors[i])) {
      int32_t status = mh_put_text(report, n, vectors[i].name);
      return status == MH_OK ? MH_E_PROTOCOL : status;
    }
  return mh_put_text(report, n, "every text means what it should");
}

const mh_extension_function display_functions[DISPLAY_FUNCTIONS] = {
    {"self_test", "i32(out_text)", (void (*)(void))self_test},
};
