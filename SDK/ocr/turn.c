#include <string.h>

#include "reader.h"

/* How a row is turned, and how its strokes lean. Bars that lie change the grey level from line to line, strokes that stand
 * from column to column. Summed up along lines of some direction these changes add up where it is theirs, and cancel each
 * other out where it is not: the direction with the most in its sums is the bars', or the strokes'. */

#define ROWS SEGMENT_REGION_HEIGHT
#define COLUMNS SEGMENT_REGION_WIDTH
/* Tangents from -.6 to .6. */
#define SLOPES 25
#define STEP .05f
/* What is left out above, below and at the sides: the place of neighbours, and of the housing. */
#define ASIDE_ROWS 10u
#define ASIDE_COLUMNS 4u
/* From this tangent on a row is read straightened. Training turns a row further now and then only, and what is lost first is
 * the point. */
#define TURNED .08f
/* Up to this tangent training has some rows turned. */
#define LITTLE .25f
/* How level a straightened row has to be: one that is still turned has no turn that can be measured. */
#define LEVEL .15f
/* How far strokes lean to the left and to the right on displays, and in training: in steps. */
#define LEFT_MOST (-2)
#define RIGHT_MOST 6
/* By how much a turn explains bars and strokes together better than none does, and a lean beyond these the strokes. */
#define PLAINLY 1.35
#define LEANING 1.25f
/* The least part of an upright box that the box of a turned row is, along it and across: the row lies in a box that was drawn
 * around it, or is turned in the box of one that is upright. */
#define LONG .8f
#define HIGH .75f
/* A straightened picture: pixels of its box's height, and how much lies beside, and above, in that height. */
#define PATCH_BOX 80.0f
#define BESIDE .9f
#define ABOVE .45f
/* No pixel of it is smaller than this, in those of the picture. */
#define LEAST_PIXEL .5f
/* As many sums as lines of the steepest direction cross the region. */
#define SUMS (COLUMNS + 2 * ROWS)

/* Changes of the grey level, less the least of them. Single strong edges count no more than a stroke. */
static void keep_strokes(float *changes, uint32_t n, float *scratch) {
  for (uint32_t i = 0; i < n; i++) scratch[i] = changes[i] < 0 ? -changes[i] : changes[i];
  float most = segment_percentile(scratch, n, .97) * .7f, least = .15f * most;
  for (uint32_t i = 0; i < n; i++) {
    float size = changes[i] < 0 ? -changes[i] : changes[i];
    size = (size > most ? most : size) - least;
    changes[i] = size <= 0 ? 0 : changes[i] < 0 ? -size : size;
  }
}

/* Changes in lines, one after the other, and how far a slope of one moves each line against the one before it. */
typedef struct segment_field {
  const float *changes;
  uint32_t lines, length;
  float scale;
} segment_field;

static float energy_of(const segment_field *field, float slope) {
  float sums[SUMS];
  memset(sums, 0, sizeof sums);
  for (uint32_t k = 0; k < field->lines; k++) {
    float moved = slope * field->scale * ((float)k - (float)field->lines / 2) + (float)ROWS + .5f;
    if (!(moved >= 0) || moved + (float)field->length > (float)SUMS) continue;
    float *to = sums + (uint32_t)moved;
    const float *from = field->changes + (size_t)k * field->length;
    for (uint32_t i = 0; i < field->length; i++) to[i] += from[i];
  }
  float energy = 0;
  for (uint32_t i = 0; i < SUMS; i++) energy += sums[i] * sums[i];
  return energy;
}

static float slope_at(int i) { return (float)(i - SLOPES / 2) * STEP; }

static void try_slopes(const segment_field *field, float *energies) {
  for (int i = 0; i < SLOPES; i++) energies[i] = energy_of(field, slope_at(i));
}

/* The slope of a peak, between the tried ones too. */
static float peak_at(const float *energies, int best) {
  if (best == 0 || best == SLOPES - 1) return slope_at(best);
  float before = energies[best - 1], after = energies[best + 1], bend = before - 2 * energies[best] + after;
  float more = bend < 0 ? .5f * (before - after) / bend : 0;
  return slope_at(best) + STEP * (more > .5f ? .5f : more < -.5f ? -.5f : more);
}

static int most_in(const float *energies, int from, int to) {
  int best = from < 0 ? 0 : from;
  for (int i = best; i <= to && i < SLOPES; i++)
    if (energies[i] > energies[best]) best = i;
  return best;
}

/* The strokes' slope where the bars have this one, and the display's strokes lean as displays have them. */
static int lean_for(const float *strokes, int bar) { return most_in(strokes, bar + LEFT_MOST, bar + RIGHT_MOST); }

static void find_turn(const float *bars, const float *strokes, segment_turn *turn) {
  int level = SLOPES / 2, best = level;
  double most = 0;
  for (int i = 0; i < SLOPES; i++) {
    double both = (double)bars[i] * strokes[lean_for(strokes, i)];
    if (both > most) most = both, best = i;
  }
  /* Rounded signs, and a single one, have a turn that nobody sees. */
  if (most <= PLAINLY * (double)bars[level] * strokes[lean_for(strokes, level)]) best = level;
  int lean = lean_for(strokes, best), free = most_in(strokes, 0, SLOPES - 1);
  turn->turn = peak_at(bars, best);
  turn->leans = free < best + LEFT_MOST || free > best + RIGHT_MOST ? strokes[free] > LEANING * strokes[lean] : 0;
}

void segment_measure_turn(segment_reader *reader, const segment_view *view, uint32_t columns, segment_turn *turn) {
  memset(turn, 0, sizeof *turn);
  if (columns <= 2 * ASIDE_COLUMNS + 2) return;
  const float *region = reader->region;
  float cell = view->width / (float)columns, line = view->height / ROWS;
  if (!(cell > 0) || !(line > 0)) return;
  /* Every second column shows bars as well, every second line strokes. */
  float changes[(ROWS - 2 * ASIDE_ROWS) * COLUMNS / 2], bars[SLOPES], strokes[SLOPES];
  uint32_t n = 0, high = ROWS - 2 * ASIDE_ROWS, wide = columns - 2 * ASIDE_COLUMNS;
  for (uint32_t k = 0; k < wide / 2; k++)
    for (uint32_t y = ASIDE_ROWS; y < ASIDE_ROWS + high; y++) {
      const float *above = region + (y - 1) * columns + ASIDE_COLUMNS + 2 * k, *below = above + 2 * columns;
      changes[n++] = below[0] - above[0] + below[1] - above[1];
    }
  keep_strokes(changes, n, reader->region_scratch);
  try_slopes(&(segment_field){changes, wide / 2, high, -2 * cell / line}, bars);
  n = 0;
  for (uint32_t k = 0; k < high / 2; k++)
    for (uint32_t x = ASIDE_COLUMNS; x < ASIDE_COLUMNS + wide; x++) {
      const float *at = region + (ASIDE_ROWS + 2 * k) * columns + x, *below = at + columns;
      changes[n++] = at[1] - at[-1] + below[1] - below[-1];
    }
  keep_strokes(changes, n, reader->region_scratch);
  try_slopes(&(segment_field){changes, high / 2, wide, 2 * line / cell}, strokes);
  find_turn(bars, strokes, turn);
}

/* The angle of a tangent of this size. */
static float angle_of(float tangent) {
  float square = tangent * tangent;
  return tangent * (1 - square * (1 / 3.f - square * (.2f - square / 7)));
}

int segment_is_turned(const segment_turn *turn) { return turn->turn > TURNED || turn->turn < -TURNED; }

int segment_is_little_turned(const segment_turn *turn) { return turn->turn < LITTLE && turn->turn > -LITTLE; }

int segment_is_askew(const segment_turn *turn) { return turn->turn > LEVEL || turn->turn < -LEVEL || turn->leans; }

/* The box of a row in an upright one around it: as long and as high as a turned rectangle in it can be, but not less than
 * what a box that is loose above and below leaves of it. */
static segment_view box_inside(const segment_view *box, float sine, float cosine) {
  float tilt = sine < 0 ? -sine : sine, both = cosine * cosine - tilt * tilt;
  float width = (box->width * cosine - box->height * tilt) / both, height = (box->height * cosine - box->width * tilt) / both;
  if (width < LONG * box->width) width = LONG * box->width;
  if (height < HIGH * box->height) height = HIGH * box->height;
  if (height > box->height) height = box->height;
  return (segment_view){box->x + (box->width - width) / 2, box->y + (box->height - height) / 2, width, height, 0};
}

int segment_straighten(segment_reader *reader, const segment_picture *picture, const segment_view *box,
                       const segment_turn *turn, segment_patch *patch) {
  float angle = angle_of(turn->turn);
  patch->sine = angle - angle * angle * angle / 6 + angle * angle * angle * angle * angle / 120;
  patch->cosine = 1 - angle * angle / 2 + angle * angle * angle * angle / 24;
  segment_view inside = box_inside(box, patch->sine, patch->cosine);
  float beside = BESIDE * inside.height, above = ABOVE * inside.height;
  segment_view view = {inside.x - beside, inside.y - above, inside.width + 2 * beside, inside.height + 2 * above, angle};
  float pixel = inside.height / PATCH_BOX;
  if (pixel < view.width / SEGMENT_PATCH_COLUMNS) pixel = view.width / SEGMENT_PATCH_COLUMNS;
  if (pixel < LEAST_PIXEL) pixel = LEAST_PIXEL;
  uint32_t columns = (uint32_t)(view.width / pixel), rows = (uint32_t)(view.height / pixel);
  if (columns < 16 || rows < 16 || rows > SEGMENT_PATCH_ROWS || columns > SEGMENT_PATCH_COLUMNS) return 0;
  segment_cut_bytes(picture, &view, rows, columns, reader->patch);
  float across = view.width / (float)columns, down = view.height / (float)rows;
  patch->picture = (segment_picture){reader->patch, (int32_t)columns, (int32_t)rows, columns};
  patch->view = view;
  patch->across = across;
  patch->down = down;
  patch->box = (segment_view){beside / across, above / down, inside.width / across, inside.height / down, 0};
  return 1;
}

void segment_unpatch(const segment_patch *patch, float x, float y, float *out) {
  float u = x * patch->across - patch->view.width / 2, v = y * patch->down - patch->view.height / 2;
  out[0] = patch->view.x + patch->view.width / 2 + u * patch->cosine - v * patch->sine;
  out[1] = patch->view.y + patch->view.height / 2 + u * patch->sine + v * patch->cosine;
}
