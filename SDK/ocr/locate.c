#include "reader.h"

/* Finds the rows of pixels between which the digits stand. Their upright strokes change the grey level from column to
 * column; a bezel's upper and lower edge, a shadow's edge that lies, and the space between two lines of a display do
 * not. So the digits are the band with more such change inside than just above and below it. */

#define ROWS SEGMENT_REGION_HEIGHT
#define COLUMNS SEGMENT_REGION_WIDTH
/* How far beyond the box digits are looked for, in heights of the box. */
#define BEYOND .3f

static float square_root(float value) {
  float guess = value > 1 ? value : 1;
  for (int k = 0; k < 12; k++) guess = (guess + value / guess) / 2;
  return guess;
}

/* How much the grey level changes along each row; single strong edges count no more than a stroke. */
static void profile_of(const float *region, uint32_t columns, float *scratch, float *profile) {
  uint32_t n = 0;
  for (uint32_t y = 0; y < ROWS; y++)
    for (uint32_t x = 1; x + 1 < columns; x++) {
      float change = region[y * columns + x + 1] - region[y * columns + x - 1];
      scratch[n++] = change < 0 ? -change : change;
    }
  float most = segment_percentile(scratch, n, .97) * .7f, least = .15f * most;
  float sums[ROWS];
  for (uint32_t y = 0; y < ROWS; y++) {
    sums[y] = 0;
    for (uint32_t x = 0; x < columns - 2; x++) {
      float change = region[y * columns + x + 2] - region[y * columns + x];
      if (change < 0) change = -change;
      change = change > most ? most : change;
      sums[y] += change > least ? change - least : 0;
    }
  }
  for (uint32_t y = 0; y < ROWS; y++)
    profile[y] = sums[y] / 2 + (sums[y > 0 ? y - 1 : 0] + sums[y + 1 < ROWS ? y + 1 : y]) / 4;
}

static float mean_of(const float *sums, int from, int to) { return (sums[to] - sums[from]) / (float)(to - from); }

/* How well digits between two rows explain the profile, whose running sums are given. */
static float fit_of(const float *sums, int from, int to, float nominal) {
  int margin = (int)(.1f * nominal + .5f), above = from - margin, below = to + margin;
  if (above < 0) above = 0;
  if (below > (int)ROWS) below = ROWS;
  float inside = mean_of(sums, from, to);
  float upper = above < from ? mean_of(sums, above, from) : inside / 2;
  float lower = to < below ? mean_of(sums, to, below) : inside / 2;
  float more = upper > lower ? upper : lower;
  float away = ((float)(from + to) / 2 - ROWS / 2.f) / nominal;
  return (inside - .6f * more - .2f * (upper + lower)) * square_root((float)(to - from) / nominal) *
         (1 - 1.2f * away * away);
}

uint32_t segment_see_region(segment_reader *reader, const segment_picture *picture, const segment_view *box,
                            segment_view *view) {
  *view = (segment_view){box->x - .1f * box->height, box->y - BEYOND * box->height, box->width + .2f * box->height,
                         box->height * (1 + 2 * BEYOND), 0};
  float wanted = view->width * ROWS / view->height;
  uint32_t columns = wanted > COLUMNS ? COLUMNS : wanted < 16 ? 16 : (uint32_t)wanted;
  segment_cut(picture, view, ROWS, columns, reader->line, reader->region);
  return columns;
}

void segment_locate(segment_reader *reader, const segment_view *view, uint32_t columns, float *top, float *bottom) {
  float profile[ROWS], sums[ROWS + 1] = {0};
  profile_of(reader->region, columns, reader->region_scratch, profile);
  for (uint32_t y = 0; y < ROWS; y++) sums[y + 1] = sums[y] + profile[y];

  const float nominal = ROWS / (1 + 2 * BEYOND);
  int least = (int)(.42f * nominal), most = (int)(1.02f * nominal), best_from = 0, best_to = ROWS;
  float best = -1e30f;
  for (int from = 0; from < (int)ROWS; from++)
    for (int to = from + least; to <= from + most && to <= (int)ROWS; to++) {
      float fit = fit_of(sums, from, to, nominal);
      if (fit > best) best = fit, best_from = from, best_to = to;
    }
  *top = view->y + view->height * (float)best_from / ROWS;
  *bottom = view->y + view->height * (float)best_to / ROWS;
}
