#include "reader.h"

/* Whether a stroke stands beside the digits that was left out of what was read. The network may see no digit at all in a one
 * of type: 401 is 40 then. Hardly a unit or a sign of a display is as high as its digits are, and a bezel is higher. */

/* The picture of a row, with what lies above and below it: its height, its greatest width, and how much is above, in heights
 * of the digits. */
#define ROWS 48u
#define COLUMNS SEGMENT_REGION_WIDTH
#define ABOVE .25f
#define HEIGHT ((float)ROWS / (1 + 2 * ABOVE))
/* How far from the middle of a digit a stroke is at least that is none of its own, and of the next one at most; in heights
 * of the digits. */
#define OWN .55f
#define NEXT 1.2f
/* A stroke's leans are tangents; so many are tried, from the first. */
#define LEANS 7
#define LEAN .06f
#define FIRST_LEAN (-.12f)
/* Places along a stroke, and how many of them may lack ink; what is ink, and what is none, of the contrast. */
#define ALONG 20
#define LACKING 1
#define INK .5f
#define NO_INK .3f
/* How far above and below the digits a stroke that ends with them has no ink, in their height, and so many columns to its left
 * and right: a line may lean in a bezel that does not. */
#define BEYOND .17f
#define AROUND 4
/* The least thickness of a stroke, in columns. */
#define THICK 2u

typedef struct segment_band {
  const float *region;
  uint32_t columns;
  /* Grey levels: of the panel, and from there to ink. */
  float panel, ink;
} segment_band;

static float ink_at(const segment_band *band, float x, float y) {
  if (x < 0 || x > (float)(band->columns - 1) || y < 0 || y > (float)(ROWS - 1)) return 0;
  return (band->region[(uint32_t)(y + .5f) * band->columns + (uint32_t)(x + .5f)] - band->panel) / band->ink;
}

/* Whether a stroke goes through the column's middle, from the digits' upper end to their lower end and no further. */
static int is_stroke(const segment_band *band, uint32_t column, float lean) {
  int lacking = 0;
  for (int i = 0; i < ALONG && lacking <= LACKING; i++) {
    float down = .06f + .88f * (float)i / (ALONG - 1);
    float x = (float)column - lean * (down - .5f) * HEIGHT;
    lacking += ink_at(band, x, (ABOVE + down) * HEIGHT) < INK;
  }
  if (lacking > LACKING) return 0;
  for (int end = 0; end < 2; end++) {
    float down = end == 0 ? -BEYOND : 1 + BEYOND;
    for (int aside = -AROUND; aside <= AROUND; aside++)
      if (ink_at(band, (float)column + (float)aside - lean * (down - .5f) * HEIGHT, (ABOVE + down) * HEIGHT) > NO_INK) return 0;
  }
  return 1;
}

/* The panel is what there is most of beside and between the digits, ink what differs from it most. */
static int measure(segment_reader *reader, segment_band *band) {
  float *scratch = reader->region_scratch;
  uint32_t n = 0, from = (uint32_t)(ABOVE * HEIGHT);
  for (uint32_t y = from; y < ROWS - from; y++)
    for (uint32_t x = 0; x < band->columns; x++) scratch[n++] = band->region[y * band->columns + x];
  float low = segment_percentile(scratch, n, .04), high = segment_percentile(scratch, n, .96);
  band->panel = segment_percentile(scratch, n, .5);
  band->ink = band->panel - low > high - band->panel ? low - band->panel : high - band->panel;
  return band->ink > 8 || band->ink < -8;
}

/* Whether a place along x, in pixels, is near enough to a digit to be the next one, and no part of any. */
static int may_be_next(const segment_network *network, const segment_row *row, float x) {
  float digits = row->bottom - row->top, nearest = NEXT * digits;
  for (uint32_t i = 0; i < row->look.length; i++) {
    char c = network->characters[row->look.classes[i] - 1];
    if (c < '0' || c > '9') continue;
    float away = segment_place_of(network, &row->look, i) - x;
    if (away < 0) away = -away;
    nearest = away < nearest ? away : nearest;
  }
  return nearest > OWN * digits && nearest < NEXT * digits;
}

/* Marks the columns of a view in which a stroke may be a digit; returns whether there are any. */
static int mark_room(const segment_network *network, const segment_view *view, const segment_view *box, const segment_row *row,
                     uint32_t columns, uint8_t *marks) {
  int has_room = 0;
  for (uint32_t column = 0; column < columns; column++) {
    float x = view->x + view->width * ((float)column + .5f) / (float)columns;
    marks[column] = x > box->x && x < box->x + box->width && may_be_next(network, row, x);
    has_room |= marks[column];
  }
  return has_room;
}

int segment_has_unread(segment_reader *reader, const segment_picture *picture, const segment_view *box,
                       const segment_row *row) {
  float digits = row->bottom - row->top, aside = NEXT * digits;
  if (row->look.length == 0 || !(digits > 0)) return 0;
  float left = segment_place_of(&reader->network, &row->look, 0) - aside;
  float right = segment_place_of(&reader->network, &row->look, row->look.length - 1) + aside;
  segment_view view = {left, row->top - ABOVE * digits, right - left, digits * (1 + 2 * ABOVE), 0};
  float wanted = view.width * ROWS / view.height;
  segment_band band = {reader->region, wanted > COLUMNS ? COLUMNS : (uint32_t)wanted, 0, 0};
  uint8_t marks[COLUMNS];
  if (!mark_room(&reader->network, &view, box, row, band.columns, marks)) return 0;
  segment_cut(picture, &view, ROWS, band.columns, reader->line, reader->region);
  if (!measure(reader, &band)) return 0;
  for (int i = 0; i < LEANS; i++) {
    uint32_t thick = 0;
    for (uint32_t column = 0; column < band.columns; column++) {
      thick = marks[column] && is_stroke(&band, column, FIRST_LEAN + LEAN * (float)i) ? thick + 1 : 0;
      if (thick >= THICK) return 1;
    }
  }
  return 0;
}
