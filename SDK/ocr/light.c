#include <string.h>

#include "reader.h"

#define ROWS SEGMENT_REGION_HEIGHT
/* A background this bright cannot be told from a reflection. */
#define BRIGHT 225.0f
/* Thicker than any segment, in heights of the digits. */
#define THICK .3f
/* The least part of lit segments that is saturated when their light is. */
#define STROKES .3f

/* One saturated area of the region: its rectangle, size, and the side of the largest square in it. */
typedef struct segment_blob {
  uint32_t left, top, right, bottom, size, square;
} segment_blob;

/* Takes the saturated area around a cell out of `marks` (1) and marks it with 2. */
static segment_blob take_blob(uint8_t *marks, uint16_t *stack, uint32_t columns, uint32_t start) {
  segment_blob blob = {start % columns, start / columns, start % columns, start / columns, 0, 0};
  uint32_t depth = 0;
  stack[depth++] = (uint16_t)start;
  marks[start] = 2;
  while (depth > 0) {
    uint32_t at = stack[--depth], x = at % columns, y = at / columns;
    blob.size++;
    if (x < blob.left) blob.left = x;
    if (x > blob.right) blob.right = x;
    if (y < blob.top) blob.top = y;
    if (y > blob.bottom) blob.bottom = y;
    const uint32_t near[4] = {x > 0 ? at - 1 : at, x + 1 < columns ? at + 1 : at, y > 0 ? at - columns : at,
                              y + 1 < ROWS ? at + columns : at};
    for (int k = 0; k < 4; k++)
      if (marks[near[k]] == 1) {
        marks[near[k]] = 2;
        stack[depth++] = (uint16_t)near[k];
      }
  }
  return blob;
}

/* The side of the largest square of cells marked 2 inside a blob's rectangle. */
static uint32_t largest_square(const uint8_t *marks, uint32_t columns, const segment_blob *blob) {
  uint8_t above[SEGMENT_REGION_WIDTH + 1] = {0};
  uint32_t most = 0;
  for (uint32_t y = blob->top; y <= blob->bottom; y++) {
    uint8_t corner = 0, left = 0;
    for (uint32_t x = blob->left; x <= blob->right; x++) {
      uint8_t up = above[x], side = 0;
      if (marks[y * columns + x] == 2) {
        side = left < up ? left : up;
        side = (uint8_t)((side < corner ? side : corner) + 1);
      }
      corner = up;
      above[x] = left = side;
      if (side > most) most = side;
    }
  }
  return most;
}

/* Blobs that are reflections stay marked with 3, others with 0. */
static void judge_blob(uint8_t *marks, uint32_t columns, const segment_blob *blob, int is_glare) {
  for (uint32_t y = blob->top; y <= blob->bottom; y++)
    for (uint32_t x = blob->left; x <= blob->right; x++)
      if (marks[y * columns + x] == 2) marks[y * columns + x] = is_glare ? 3 : 0;
}

static void keep_area(segment_light *light, const segment_blob *blob) {
  const segment_view *view = &light->view;
  float across = view->width / (float)light->columns, down = view->height / ROWS;
  mh_ocr_box area = {view->x + (float)blob->left * across, view->y + (float)blob->top * down,
                     (float)(blob->right - blob->left + 1) * across, (float)(blob->bottom - blob->top + 1) * down};
  if (light->n_areas < MH_OCR_GLARE_MAX) light->areas[light->n_areas++] = area;
}

static float ratio(float part, float whole) { return whole > 0 ? part / whole : 0; }

/* How wide edges are: the change over two cells that every tenth place of the digits' band exceeds, against the band's
 * contrast. One for edges that a camera draws within a cell, a tenth of that for what nobody can read. */
static float sharpness_of(const segment_light *light, const float *region, uint32_t from, uint32_t to, float *scratch) {
  uint32_t n = 0, columns = light->columns;
  for (uint32_t y = from; y < to; y++)
    for (uint32_t x = 1; x + 1 < columns; x++) {
      float change = region[y * columns + x + 1] - region[y * columns + x - 1];
      scratch[n++] = change < 0 ? -change : change;
    }
  if (n == 0) return 0;
  float edge = segment_percentile(scratch, n, .92);
  float contrast = light->high - light->low;
  if (contrast < 8) return 0;
  float sharp = 1.6f * (ratio(edge, contrast) - .06f);
  return sharp < 0 ? 0 : sharp > 1 ? 1 : sharp;
}

/* The part of what is lit, of the brighter half of the levels, that is saturated. */
static float saturated_part(const segment_light *light, const float *region, uint32_t n) {
  float middle = (light->low + light->high) / 2;
  uint32_t lit = 0, saturated = 0;
  for (uint32_t i = 0; i < n; i++) {
    lit += region[i] >= middle;
    saturated += region[i] >= SEGMENT_SATURATED;
  }
  return ratio((float)saturated, (float)lit);
}

void segment_measure_light(segment_reader *reader, const segment_view *view, uint32_t columns, float top, float bottom,
                           segment_light *light) {
  const float *region = reader->region;
  uint32_t n = ROWS * columns;
  memset(light, 0, sizeof *light);
  light->view = *view;
  light->columns = columns;
  memcpy(reader->region_scratch, region, n * sizeof(float));
  light->low = segment_percentile(reader->region_scratch, n, .02);
  light->middle = segment_percentile(reader->region_scratch, n, .5);
  light->high = segment_percentile(reader->region_scratch, n, .98);
  float row = view->height / ROWS, digits = (bottom - top) / row;
  uint32_t from = (uint32_t)((top - view->y) / row), to = (uint32_t)((bottom - view->y) / row);
  light->sharpness = sharpness_of(light, region, from, to < ROWS ? to : ROWS, reader->region_scratch);

  uint8_t *marks = reader->marks;
  memset(marks, 0, n);
  /* On a bright panel saturated pixels say nothing; on a dark one thin saturated areas are its lit segments. */
  if (light->middle >= BRIGHT) return;
  int is_dark_on_light = light->middle >= 90 && light->middle - light->low >= .2f * (light->high - light->low);
  /* Where the digits' strokes are not saturated, what is as wide as a stroke is none. */
  int is_apart = is_dark_on_light || saturated_part(light, region, n) < STROKES;
  for (uint32_t i = 0; i < n; i++) marks[i] = region[i] >= SEGMENT_SATURATED;
  for (uint32_t i = 0; i < n; i++) {
    if (marks[i] != 1) continue;
    segment_blob blob = take_blob(marks, reader->stack, columns, i);
    blob.square = largest_square(marks, columns, &blob);
    int is_glare = (float)blob.square >= (is_apart ? THICK / 3 : THICK) * digits && blob.square >= 2;
    judge_blob(marks, columns, &blob, is_glare);
    if (is_glare) keep_area(light, &blob);
  }
}

float segment_glare_in(const segment_reader *reader, const segment_light *light, const segment_view *area) {
  const segment_view *view = &light->view;
  float across = view->width / (float)light->columns, down = view->height / ROWS;
  uint32_t covered = 0, all = 0;
  for (uint32_t y = 0; y < ROWS; y++) {
    float at_y = view->y + ((float)y + .5f) * down;
    if (at_y < area->y || at_y >= area->y + area->height) continue;
    for (uint32_t x = 0; x < light->columns; x++) {
      float at_x = view->x + ((float)x + .5f) * across;
      if (at_x < area->x || at_x >= area->x + area->width) continue;
      all++;
      covered += reader->marks[y * light->columns + x] == 3;
    }
  }
  return all == 0 ? 0 : (float)covered / (float)all;
}
