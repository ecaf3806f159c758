#include "stray.h"

/* How far away the middle of a neighbour is, in the height of this row's digits: displays have their rows so far apart. */
static const float pitches[] = {1.3f, 1.65f, 2.0f};
/* The box in which it is looked for, in the same measure: how high it is, and how much wider than this row on each side. */
#define HEIGHT 1.4f
#define WIDER .7f
/* What is read with less is a part of the housing, or print. */
#define SURE .5f
/* Digits that belong to the same row of things are as high as this, in the height of the meter's own; dates and units are
 * less than half as high. */
#define ALIKE .62f
/* How far a neighbour may reach into this row, in the height of its digits. */
#define OVERLAP .25f

/* In the middle of a row, which may be turned. */
static float top_of(const mh_ocr_row_reading *row) { return (row->corners[1] + row->corners[3]) / 2; }
static float bottom_of(const mh_ocr_row_reading *row) { return (row->corners[5] + row->corners[7]) / 2; }

static uint32_t digits_in(const mh_ocr_row_reading *row) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < row->length && i < MH_OCR_TEXT_MAX; i++) n += row->text[i] >= '0' && row->text[i] <= '9';
  return n;
}

/* Whether what was read beside a row is another row of such digits, and not the row itself. */
static int is_row_like(const mh_ocr_row_reading *found, const mh_ocr_row_reading *row, int below) {
  float height = bottom_of(row) - top_of(row), own = bottom_of(found) - top_of(found);
  if (found->state != MH_OCR_STATE_TEXT || found->confidence < SURE || digits_in(found) < 2) return 0;
  if (own < ALIKE * height || height < ALIKE * own) return 0;
  return below ? top_of(found) > bottom_of(row) - OVERLAP * height : bottom_of(found) < top_of(row) + OVERLAP * height;
}

static int is_beside(segment_reader *reader, const mh_ocr_frame *frame, const mh_ocr_row_reading *row, int below) {
  mh_ocr_frame live = *frame;
  live.flags = SEGMENT_READER_TYPE;
  float left = row->corners[0], right = row->corners[2], height = bottom_of(row) - top_of(row);
  for (uint32_t i = 0; i < sizeof pitches / sizeof *pitches; i++) {
    float middle = (top_of(row) + bottom_of(row)) / 2 + (below ? pitches[i] : -pitches[i]) * height;
    mh_ocr_box beside = {left - WIDER * height, middle - HEIGHT / 2 * height, right - left + 2 * WIDER * height,
                         HEIGHT * height};
    mh_ocr_reading found;
    __builtin_memset(&found, 0, sizeof found);
    found.struct_size = sizeof found;
    if (segment_reader_read(reader, &live, &beside, 1, &found) == MH_OK && is_row_like(&found.rows[0], row, below))
      return 1;
  }
  return 0;
}

int display_has_stray_row(segment_reader *reader, const mh_ocr_frame *frame, const mh_ocr_reading *read) {
  const mh_ocr_row_reading *first = &read->rows[0], *last = &read->rows[read->n_rows - 1];
  return (first->state == MH_OCR_STATE_TEXT && is_beside(reader, frame, first, 0)) ||
         (last->state == MH_OCR_STATE_TEXT && is_beside(reader, frame, last, 1));
}
