/* A driver of displays that does what it is told to: the meter's number says which offence it commits, and where. Meter 1
 * behaves. Its rows are a value and a pulse; in a frame it reads the value "120" and no pulse. */
#include "display.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const mh_host *services;

void display_use(const mh_host *host) { services = host; }

#define BAD_NUMBER __builtin_nanf("")
#define CHARACTERS {"0123456789.-LoHi", 16}

static const mh_ocr_row rows[] = {
    {.role = MH_OCR_ROLE_VALUE, .box = {0.1f, 0.1f, 0.8f, 0.4f}, .characters = CHARACTERS},
    {.role = MH_OCR_ROLE_PULSE,
     .flags = MH_OCR_ROW_OPTIONAL | MH_OCR_ROW_BLINKS,
     .box = {0.1f, 0.6f, 0.4f, 0.3f},
     .characters = {"0123456789", 10}},
};

static void spin(void) {
  for (volatile unsigned turns = 0;; turns++) {
  }
}

/* The asset "offence" says what to do wrong; without "weights" nothing works. */
static int32_t load(void) {
  mh_bytes offence = {NULL, 0};
  const int32_t told = services->asset(services->ctx, (mh_str){"offence", 7}, &offence);
  if (told == MH_OK && offence.n == 4 && memcmp(offence.p, "spin", 4) == 0) spin();
  if (told == MH_OK && offence.n == 5 && memcmp(offence.p, "abort", 5) == 0) abort();
  if (told == MH_OK && offence.n == 6 && memcmp(offence.p, "status", 6) == 0) return 77;
  mh_bytes weights = {NULL, 0};
  const int32_t found = services->asset(services->ctx, (mh_str){"weights", 7}, &weights);
  if (found != MH_OK) {
    services->log(services->ctx, MH_LOG_ERROR, (mh_str){"weights is not there", 20});
    return found;
  }
  return weights.n == 4 ? MH_OK : MH_E_PROTOCOL;
}

static int32_t layout(uint32_t meter, mh_ocr_layout *out) {
  static mh_ocr_row changed[2];
  static const mh_ocr_row many[9];
  memcpy(changed, rows, sizeof rows);
  *out = (mh_ocr_layout){.struct_size = sizeof *out, .n_rows = 2, .aspect = 1.5f, .rows = rows, .overlay = {"frame", 5}};
  switch (meter) {
    case LAYOUT_UNKNOWN: return MH_E_NOT_FOUND;
    case LAYOUT_STATUS: return 5;
    case LAYOUT_MANY: out->n_rows = 9, out->rows = many; return MH_OK;
    case LAYOUT_BILLIONS: out->n_rows = UINT32_MAX; return MH_OK;
    case LAYOUT_NONE: out->n_rows = 0; return MH_OK;
    case LAYOUT_NULL: out->rows = NULL; return MH_OK;
    case LAYOUT_ASPECT: out->aspect = BAD_NUMBER; return MH_OK;
    case LAYOUT_NAMELESS: out->overlay.n = 0; return MH_OK;
    case LAYOUT_LONG_NAME: out->overlay.n = UINT64_MAX; return MH_OK;
    case LAYOUT_STRANGE_OVERLAY: out->overlay = (mh_str){"other", 5}; return MH_OK;
    case LAYOUT_BEHIND: memset(out + 1, 0, 8); return MH_OK;
    case LAYOUT_SPIN: spin(); return MH_OK;
    case LAYOUT_BOX: changed[1].box.width = BAD_NUMBER; break;
    case LAYOUT_OUTSIDE: changed[1].box.x = 0.7f; break;
    case LAYOUT_FLAT: changed[1].box.height = 0; break;
    case LAYOUT_ROLE: changed[0].role = 99; break;
    case LAYOUT_FLAGS: changed[0].flags = 4; break;
    case LAYOUT_CHARACTERS: changed[0].characters = (mh_str){"01a", 3}; break;
    case LAYOUT_TWICE: changed[0].characters = (mh_str){"011", 3}; break;
    case LAYOUT_SILENT: changed[0].characters.n = 0; break;
    default: return MH_OK;
  }
  out->rows = changed;
  return MH_OK;
}

static void read_well(const mh_ocr_frame *frame, mh_ocr_reading *out) {
  const uint32_t count = frame->flags & MH_OCR_FRAME_BOXES ? frame->n_boxes : 2;
  memset((char *)out + 4, 0, sizeof *out - 4);
  out->n_rows = count;
  out->sharpness = 0.75f;
  for (uint32_t i = 0; i < count; i++) {
    mh_ocr_row_reading *row = &out->rows[i];
    row->state = MH_OCR_STATE_EMPTY;
    row->confidence = 1;
    if (i > 0) continue;
    row->state = MH_OCR_STATE_TEXT;
    row->length = 3;
    memcpy(row->text, "120", 3);
    row->confidence = 0.5f;
    /* What the host handed over came whole: the pixels' mean is what it should be. */
    uint64_t sum = 0;
    for (uint64_t p = 0; p < frame->pixels.n; p++) sum += frame->pixels.p[p];
    row->characters[0] = (float)(sum / frame->pixels.n) / 255;
    row->characters[1] = frame->flags & MH_OCR_FRAME_STILL ? 1 : 0;
    row->characters[2] = 1;
    const float corners[8] = {1, 2, 3, 2, 3, 4, 1, 4};
    memcpy(row->corners, corners, sizeof corners);
  }
}

static int32_t recognize(uint32_t meter, const mh_ocr_frame *frame, mh_ocr_reading *out) {
  if (frame->pixels.n < (uint64_t)(frame->height - 1) * frame->stride + frame->width) return MH_E_ARG;
  read_well(frame, out);
  mh_ocr_row_reading *row = &out->rows[0];
  switch (meter) {
    case READ_NAN: row->confidence = BAD_NUMBER; break;
    case READ_ABOVE_ONE: row->confidence = 1.5f; break;
    case READ_CHARACTER: row->characters[2] = -1; break;
    case READ_LONG: row->length = 17; break;
    case READ_ROWS: out->n_rows = 9; break;
    case READ_FEW_ROWS: out->n_rows = 1; break;
    case READ_STATE: row->state = 4; break;
    case READ_STRANGE: memcpy(row->text, "1\x1b[", 3); break;
    case READ_NOTHING: row->length = 0; break;
    case READ_EMPTY_TEXT: row->state = MH_OCR_STATE_EMPTY; break;
    case READ_CORNERS: row->corners[3] = BAD_NUMBER; break;
    case READ_FAR: row->corners[3] = 1e9f; break;
    case READ_GLARES: out->n_glare = 17; break;
    case READ_GLARE_AREA: out->n_glare = 1, out->areas[0].width = -1; break;
    case READ_GLARE: out->glare = INFINITY; break;
    case READ_SHARPNESS: out->sharpness = BAD_NUMBER; break;
    case READ_ADVICE: out->advice = 9; break;
    case READ_BEHIND: memset(out + 1, 0, 8); break;
    case READ_STATUS: return 3;
    case READ_REFUSED: return MH_E_ARG;
    case READ_CHANGES: {
      static uint32_t reads;
      out->sharpness = reads++ % 2 == 0 ? .25f : .75f;
      break;
    }
    case READ_SPIN: spin(); break;
    case READ_ABORT: abort();
    case READ_GREEDY:
      /* Touched, or a compiler may leave it out. */
      for (volatile char *more; (more = malloc(1 << 20)) != NULL;)
        for (int i = 0; i < 1 << 20; i += 4096) more[i] = 1;
      abort();
    default: break;
  }
  return MH_OK;
}

static int32_t put(mh_sink *sink, mh_record record) {
  const mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MG_PER_DL, .raw = 120, .value = 120};
  return mh_sink_record(sink, &record, &value, 1, NULL, 0);
}

static int32_t interpret(uint32_t meter, uint16_t unit, const mh_ocr_text *texts, uint32_t n_rows, uint32_t *verdict,
                         mh_sink *sink) {
  if (n_rows != 2 || (unit != MH_UNIT_NONE && unit != MH_UNIT_MG_PER_DL)) return MH_E_ARG;
  mh_record record = {.kind = MH_KIND_MEASUREMENT,
                      .device_seq = MH_SEQ_NONE,
                      .utc_offset_s = MH_OFFSET_UNKNOWN,
                      .ident_class = MH_IDENT_LIVE};
  *verdict = texts[0].text.n == 0 ? MH_OCR_INCOMPLETE : texts[0].text.p[0] == '-' ? MH_OCR_NOT_A_VALUE : MH_OCR_VALID;
  switch (meter) {
    case VERDICT_RECORD: put(sink, record); *verdict = MH_OCR_NOT_A_VALUE; return MH_OK;
    case VERDICT_NO_RECORD: return MH_OK;
    case VERDICT_UNKNOWN: *verdict = 9; return MH_OK;
    case VERDICT_NONE: *verdict = 0; return MH_OK;
    case VERDICT_TIME: record.time_kind = MH_TIME_UTC; break;
    case VERDICT_STORED: record.ident_class = MH_IDENT_STORED; break;
    case VERDICT_PROVISIONAL: record.flags = MH_REC_PROVISIONAL; break;
    case VERDICT_DEVICE: record.kind = MH_KIND_DEVICE_INFO; break;
    case VERDICT_NUMBER: {
      const mh_value value = {.metric = MH_METRIC_BLOOD_GLUCOSE, .unit = MH_UNIT_MG_PER_DL, .raw = 120, .value = 12};
      return mh_sink_record(sink, &record, &value, 1, NULL, 0);
    }
    case VERDICT_EMPTY_RECORD: return mh_sink_record(sink, &record, NULL, 0, NULL, 0);
    case VERDICT_COUNTS: put(sink, record); sink->n_records = UINT64_MAX; return MH_OK;
    case VERDICT_FULL: return MH_E_FULL;
    case VERDICT_ACT: {
      const int32_t taken = mh_sink_act(sink, (mh_action){.kind = MH_DO_FINISH});
      return taken == MH_OK ? 1 : put(sink, record);
    }
    case VERDICT_WRONG_METER: *verdict = MH_OCR_WRONG_METER; return MH_OK;
    case VERDICT_OTHER_UNIT: *verdict = MH_OCR_OTHER_UNIT; return MH_OK;
    case VERDICT_SPIN: spin(); break;
    case VERDICT_CHANGES: {
      static uint32_t asked;
      if (asked++ % 2 == 1) *verdict = MH_OCR_INCOMPLETE;
      break;
    }
    default: break;
  }
  return *verdict == MH_OCR_VALID ? put(sink, record) : MH_OK;
}

const mh_ocr display_table = {
    .struct_size = sizeof display_table,
    .load = load,
    .layout = layout,
    .recognize = recognize,
    .interpret = interpret,
};
