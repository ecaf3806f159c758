#include "recognize.h"

#include <segment_reader.h>
#include <stdlib.h>

#include "meters.h"
#include "stray.h"
#include "text.h"

/* The one reader of the process, and the memory that it lives in. */
static segment_reader *reader;
static void *reader_memory;

/* Every character of the contract, for rows that belong to no meter. */
static const mh_str any_character = {"0123456789.-LoHiEr ", 19};

/* A number that arithmetic on pixels bears; false for NaN. */
static int is_near(float value) {
  float most = 8.0f * (float)MH_OCR_SIDE_MAX;
  return value >= -most && value <= most;
}

static int is_box(const mh_ocr_box *box) {
  return is_near(box->x) && is_near(box->y) && is_near(box->width) && is_near(box->height) && box->width > 0 &&
         box->height > 0;
}

static int is_frame(const mh_ocr_frame *frame) {
  return frame != NULL && MH_HAS(frame, pixels) && (frame->flags & ~(MH_OCR_FRAME_STILL | MH_OCR_FRAME_BOXES)) == 0 &&
         frame->width > 0 && frame->width <= MH_OCR_SIDE_MAX && frame->height > 0 &&
         frame->height <= MH_OCR_SIDE_MAX && frame->stride >= frame->width && frame->pixels.p != NULL &&
         frame->pixels.n >= (uint64_t)(frame->height - 1) * frame->stride + frame->width;
}

/* The rows' boxes in pixels; how many there are, 0 for a frame that contradicts itself. */
static uint32_t place_rows(const display_meter *meter, const mh_ocr_frame *frame, mh_ocr_box *boxes) {
  if ((frame->flags & MH_OCR_FRAME_BOXES) != 0) {
    if (frame->boxes == NULL || frame->n_boxes == 0 || frame->n_boxes > MH_OCR_ROWS_MAX ||
        (meter != NULL && frame->n_boxes != meter->n_rows))
      return 0;
    for (uint32_t i = 0; i < frame->n_boxes; i++) {
      if (!is_box(&frame->boxes[i])) return 0;
      boxes[i] = frame->boxes[i];
    }
    return frame->n_boxes;
  }
  const mh_ocr_box *overlay = &frame->overlay;
  if (meter == NULL || !is_box(overlay)) return 0;
  for (uint32_t i = 0; i < meter->n_rows; i++) {
    const mh_ocr_box *row = &meter->rows[i].box;
    boxes[i] = (mh_ocr_box){overlay->x + row->x * overlay->width, overlay->y + row->y * overlay->height,
                            row->width * overlay->width, row->height * overlay->height};
  }
  return meter->n_rows;
}

static int can_show(mh_str characters, char c) {
  for (uint64_t i = 0; i < characters.n; i++)
    if (characters.p[i] == c) return 1;
  return 0;
}

/* A text with a character that the row has not got was not read on it, and one that no display shows was not read
 * right. What could not be read may keep a guess, for measuring. */
static void restrict_row(mh_str characters, mh_ocr_row_reading *row) {
  int is_text = row->state == MH_OCR_STATE_TEXT, is_shown = row->state != MH_OCR_STATE_EMPTY;
  if (row->length == 0 || row->length > MH_OCR_TEXT_MAX) is_shown = 0;
  for (uint32_t i = 0; is_shown && i < row->length; i++) is_shown = can_show(characters, row->text[i]);
  if (is_shown && display_may_be_shown((mh_str){row->text, row->length})) return;
  if (is_text) {
    row->state = MH_OCR_STATE_UNREADABLE;
    row->confidence = 0;
  }
  if (is_shown) return;
  row->length = 0;
  __builtin_memset(row->text, 0, sizeof row->text);
  __builtin_memset(row->characters, 0, sizeof row->characters);
}

/* Nothing of this display is believed. */
static void refuse(mh_ocr_reading *out) {
  if (out->advice == MH_OCR_ADVICE_NONE) out->advice = MH_OCR_ADVICE_ALIGN;
  for (uint32_t i = 0; i < out->n_rows; i++) {
    if (out->rows[i].state != MH_OCR_STATE_TEXT) continue;
    out->rows[i].state = MH_OCR_STATE_UNREADABLE;
    out->rows[i].confidence = 0;
  }
}

int32_t display_take_weights(mh_bytes weights) {
  size_t size = 0;
  if (weights.p == NULL || segment_reader_size(weights.p, weights.n, &size) != SEGMENT_OK) return MH_E_PROTOCOL;
  size = (size + SEGMENT_READER_ALIGNMENT - 1) / SEGMENT_READER_ALIGNMENT * SEGMENT_READER_ALIGNMENT;
  void *memory = aligned_alloc(SEGMENT_READER_ALIGNMENT, size);
  if (memory == NULL) return MH_E_MEMORY;
  segment_reader *loaded = NULL;
  if (segment_reader_load(memory, size, weights.p, weights.n, &loaded) != SEGMENT_OK) {
    free(memory);
    return MH_E_PROTOCOL;
  }
  free(reader_memory);
  reader_memory = memory;
  reader = loaded;
  return MH_OK;
}

int32_t display_recognize(uint32_t id, const mh_ocr_frame *frame, mh_ocr_reading *out) {
  if (!is_frame(frame) || out == NULL || !MH_HAS(out, areas)) return MH_E_ARG;
  const display_meter *meter = display_find(id);
  /* Meter 0 is no meter: boxes say where to read. */
  if (meter == NULL && (id != 0 || (frame->flags & MH_OCR_FRAME_BOXES) == 0)) return MH_E_NOT_FOUND;
  mh_ocr_box boxes[MH_OCR_ROWS_MAX];
  uint32_t n = place_rows(meter, frame, boxes);
  if (n == 0) return MH_E_ARG;
  if (reader == NULL) return MH_E_NOT_FOUND;
  uint32_t size = out->struct_size;
  __builtin_memset(out, 0, sizeof *out);
  out->struct_size = size;
  int32_t status = segment_reader_read(reader, frame, boxes, n, out);
  if (status != MH_OK) return status;
  out->n_rows = n;
  for (uint32_t i = 0; i < n; i++)
    restrict_row(meter == NULL ? any_character : meter->rows[i].characters, &out->rows[i]);
  /* Three rows are told from other displays by their places; fewer stand on those with more as well. */
  if ((frame->flags & MH_OCR_FRAME_BOXES) == 0 && n < DISPLAY_ROWS && display_has_stray_row(reader, frame, out))
    refuse(out);
  return MH_OK;
}
