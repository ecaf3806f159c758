#include <string.h>

#include "reader.h"

/* The farthest from the picture's origin that arithmetic on a box has to bear. */
#define FAR (8.0f * (float)MH_OCR_SIDE_MAX)

static int is_near(float value) { return value >= -FAR && value <= FAR; }

static int is_box(const mh_ocr_box *box) {
  return is_near(box->x) && is_near(box->y) && is_near(box->width) && is_near(box->height) && box->width > 0 &&
         box->height > 0;
}

static int is_frame(const mh_ocr_frame *frame) {
  return frame != NULL && frame->width > 0 && frame->width <= MH_OCR_SIDE_MAX && frame->height > 0 &&
         frame->height <= MH_OCR_SIDE_MAX && frame->stride >= frame->width && frame->pixels.p != NULL &&
         frame->pixels.n >= (uint64_t)(frame->height - 1) * frame->stride + frame->width;
}

static void fill_row(const segment_network *network, const segment_row *row, mh_ocr_row_reading *out) {
  memset(out, 0, sizeof *out);
  memcpy(out->corners, row->corners, sizeof out->corners);
  out->state = (uint16_t)row->state;
  out->confidence = row->confidence > 1 ? 1 : row->confidence;
  if (row->state == MH_OCR_STATE_UNREADABLE) out->confidence = 0;
  if (row->state == MH_OCR_STATE_EMPTY) return;
  out->length = (uint16_t)row->look.length;
  for (uint32_t i = 0; i < row->look.length; i++) {
    out->text[i] = network->characters[row->look.classes[i] - 1];
    out->characters[i] = row->look.characters[i] > 1 ? 1 : row->look.characters[i];
  }
}

/* Glare is what the person can do most about, then where the meter is held. */
static uint32_t rank_of(uint32_t advice) {
  switch (advice) {
    case MH_OCR_ADVICE_GLARE: return 4;
    case MH_OCR_ADVICE_DARK: return 3;
    case MH_OCR_ADVICE_BLUR: return 2;
    case MH_OCR_ADVICE_ALIGN: return 1;
    default: return 0;
  }
}

static void add_light(const segment_row *row, mh_ocr_reading *out) {
  if (rank_of(row->advice) > rank_of(out->advice)) out->advice = row->advice;
  if (row->light.sharpness < out->sharpness) out->sharpness = row->light.sharpness;
  if (row->glare > out->glare) out->glare = row->glare;
  for (uint32_t i = 0; i < row->light.n_areas && out->n_glare < MH_OCR_GLARE_MAX; i++)
    out->areas[out->n_glare++] = row->light.areas[i];
}

int32_t segment_reader_read(segment_reader *reader, const mh_ocr_frame *frame, const mh_ocr_box *boxes, uint32_t n,
                            mh_ocr_reading *out) {
  if (reader == NULL || !is_frame(frame) || boxes == NULL || out == NULL || n == 0 || n > MH_OCR_ROWS_MAX)
    return MH_E_ARG;
  for (uint32_t i = 0; i < n; i++)
    if (!is_box(&boxes[i])) return MH_E_ARG;
  segment_picture picture = {frame->pixels.p, (int32_t)frame->width, (int32_t)frame->height, frame->stride};
  uint32_t size = out->struct_size;
  memset(out, 0, sizeof *out);
  out->struct_size = size;
  out->n_rows = n;
  out->sharpness = 1;
  reader->reads_type = (frame->flags & SEGMENT_READER_TYPE) != 0;
  for (uint32_t i = 0; i < n; i++) {
    segment_view box = {boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height, 0};
    segment_row row;
    segment_read_row(reader, &picture, &box, (frame->flags & MH_OCR_FRAME_STILL) != 0, &row);
    add_light(&row, out);
    fill_row(&reader->network, &row, &out->rows[i]);
  }
  return MH_OK;
}
