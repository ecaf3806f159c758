#include <string.h>

#include "reader.h"

/* Whether digits are drawn as no segment display draws them. The network has learned to doubt them, and takes some digits of
 * type and of pixels for other ones all the same: a one with a flag for a seven, an open five for a six. So a cell of
 * seven segments is laid over each digit that was read, where it explains the picture best, and what segments cannot be is
 * looked for: lit for a part of their length, or aslant. A seven's bar goes all the way across, as wide as the other digits
 * are; a one's flag does not. */

/* The picture of one digit: its side in cells, and in heights of the row's digits. */
#define SIDE 40u
#define AROUND 1.4f
#define DIGIT ((float)SIDE / AROUND)
/* Places along a segment that are looked at. */
#define ALONG 4
/* The cells that are tried first: how many, and how far apart in heights of a digit; leans are tangents. */
#define LEANS 4
#define LEAN .07f
#define WIDTHS 5
#define WIDTH .08f
#define PLACES 5
#define PLACE .05f
/* A cell that explains a digit less well than this says nothing about it, and this well for certain. Both are the difference
 * between what has to be lit and what must not be, of the picture's contrast. */
#define EXPLAINED .5f
#define WELL .55f
#define SURELY .7f
/* A segment whose faintest place has less than this of the digit's usual ink is lit for a part of its length. */
#define BROKEN .25f
/* The part of the other digits' width that a seven's bar has at least, if it is level and if it is slanted, and the seven's
 * cell: bars may end where the strokes at their ends would begin. A slanted one that is as wide as other digits is no flag. */
#define SHORT .68f
#define SHORT_SLANTED .84f
#define NARROW .9f
#define NOT_WIDER .95f
/* The same in heights of the digit, where no other digit is there to go by. */
#define SHORT_ALONE .34f
#define NOT_WIDER_ALONE .56f
/* How much lower a flag begins than it ends, in heights of the digit. */
#define DROP .05f
/* The width that strokes add to a cell, which goes from middle to middle. */
#define STROKE .12f

enum { A = 1, B = 2, C = 4, D = 8, E = 16, F = 32, G = 64 };

/* The segments of a digit, and how some displays show it. Of `whole` it is known that type and pixels break them where they
 * are taken for this digit. `bar` is how far down the bar lies that shows the digit's width. */
typedef struct segment_sign {
  uint8_t lit, other, whole;
  float bar;
} segment_sign;

static const segment_sign signs[10] = {
    {A | B | C | D | E | F, 0, 0, 0},         {0, 0, 0, 0},
    {A | B | D | E | G, 0, E, 0},             {A | B | C | D | G, 0, 0, 0},
    {B | C | F | G, 0, 0, .5f},               {A | C | D | F | G, 0, G, 1},
    {A | C | D | E | F | G, C | D | E | F | G, E, 1}, {A | B | C, A | B | C | F, 0, 0},
    {A | B | C | D | E | F | G, 0, E | F, 0}, {A | B | C | D | F | G, A | B | C | F | G, C, 0},
};

/* Where segments begin and end, in a cell of one by one. */
static const float ends[7][4] = {{0, 0, 1, 0}, {1, 0, 1, .5f}, {1, .5f, 1, 1},  {0, 1, 1, 1},
                                 {0, .5f, 0, 1}, {0, 0, 0, .5f}, {0, .5f, 1, .5f}};

/* A cell of seven segments: the middle of its strokes, how high it begins, and how far its strokes lean to the right. */
typedef struct segment_cell {
  float x, y, width, height, lean;
} segment_cell;

/* What was measured of a digit; lengths are in its height. */
typedef struct segment_shape {
  int digit;
  float fit, width, reach, drop;
  int is_broken;
} segment_shape;

static float grey_at(const float *patch, float x, float y) {
  const float most = (float)SIDE - 1.001f;
  x = x < 0 ? 0 : x > most ? most : x;
  y = y < 0 ? 0 : y > most ? most : y;
  uint32_t column = (uint32_t)x, row = (uint32_t)y;
  float right = x - (float)column, down = y - (float)row;
  const float *at = patch + row * SIDE + column;
  return (at[0] * (1 - right) + at[1] * right) * (1 - down) + (at[SIDE] * (1 - right) + at[SIDE + 1] * right) * down;
}

/* The ink at a place of the cell, and `aside` of it along x. */
static float ink_at(const float *patch, const segment_cell *cell, float across, float down, float aside) {
  float lower = (down - .5f) * cell->height;
  return grey_at(patch, cell->x + (across - .5f) * cell->width + aside - cell->lean * lower, cell->y + down * cell->height);
}

/* The ink of one segment, from its first fifth to its last. */
static void ink_along(const float *patch, const segment_cell *cell, int segment, float *ink) {
  const float *end = ends[segment];
  for (int i = 0; i < ALONG; i++) {
    float part = .2f + .6f * (float)i / (ALONG - 1);
    ink[i] = ink_at(patch, cell, end[0] + part * (end[2] - end[0]), end[1] + part * (end[3] - end[1]), 0);
  }
}

/* How well the cell with these segments lit explains the picture: the mean of what is lit, less that of what must not be: the
 * other segments, the two holes, and what lies around. */
static float fit_of(const float *patch, const segment_cell *cell, uint8_t lit) {
  float on = 0, off = 0, aside = .17f * cell->height, ink[ALONG];
  int n_on = 0;
  for (int k = 0; k < 7; k++) {
    int is_lit = lit >> k & 1;
    ink_along(patch, cell, k, ink);
    for (int i = 0; i < ALONG; i++)
      if (is_lit)
        on += ink[i];
      else
        off += ink[i];
    n_on += is_lit ? ALONG : 0;
  }
  off += 2 * ink_at(patch, cell, .5f, .25f, 0) + 2 * ink_at(patch, cell, .5f, .75f, 0);
  for (int k = 0; k < 5; k++)
    off += ink_at(patch, cell, 0, .25f * (float)k, -aside) + ink_at(patch, cell, 1, .25f * (float)k, aside);
  for (int k = 0; k < 3; k++)
    off += ink_at(patch, cell, .2f + .3f * (float)k, -.17f, 0) + ink_at(patch, cell, .2f + .3f * (float)k, 1.17f, 0);
  return on / (float)n_on - off / (float)(7 * ALONG - n_on + 20);
}

static int is_cell(const segment_cell *cell) {
  return cell->width >= .14f * DIGIT && cell->height >= .63f * DIGIT && cell->lean >= -.15f && cell->lean <= .35f;
}

/* Moves a cell to where it explains the picture better, step by smaller step. */
static float improve(const float *patch, uint8_t lit, float fit, segment_cell *cell) {
  float step = .0525f * DIGIT;
  for (int round = 0; round < 10; round++) {
    float before = fit;
    for (int k = 0; k < 10; k++) {
      segment_cell moved = *cell;
      float by = k % 2 == 0 ? -step : step;
      float *fields[5] = {&moved.x, &moved.y, &moved.width, &moved.height, &moved.lean};
      *fields[k / 2] += k / 2 == 4 ? .04f * by : by;
      if (!is_cell(&moved)) continue;
      float found = fit_of(patch, &moved, lit);
      if (found > fit) fit = found, *cell = moved;
    }
    if (fit <= before) step *= .6f;
  }
  return fit;
}

/* The cell that explains a digit best, and how well. Whether digits are darker or brighter than the panel is found, too: the
 * patch is inverted where less is ink. */
static float find_cell(float *patch, const segment_sign *sign, segment_cell *cell) {
  segment_cell best[2] = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
  float most[2] = {-2, -2};
  for (int lean = 0; lean < LEANS; lean++)
    for (int width = 0; width < WIDTHS; width++)
      for (int x = -PLACES; x <= PLACES; x++) {
        segment_cell tried = {SIDE / 2.f + PLACE * DIGIT * (float)x, (SIDE - DIGIT) / 2 + .07f * DIGIT,
                              (.2f + WIDTH * (float)width) * DIGIT, .86f * DIGIT, LEAN * (float)lean};
        float fit = fit_of(patch, &tried, sign->lit);
        if (fit > most[0]) most[0] = fit, best[0] = tried;
        if (-fit > most[1]) most[1] = -fit, best[1] = tried;
      }
  int is_inverted = most[1] > most[0];
  for (uint32_t i = 0; is_inverted && i < SIDE * SIDE; i++) patch[i] = 1 - patch[i];
  *cell = best[is_inverted];
  float fit = improve(patch, sign->lit, most[is_inverted], cell);
  if (sign->other == 0) return fit;
  segment_cell other = best[is_inverted];
  float found = improve(patch, sign->other, fit_of(patch, &other, sign->other), &other);
  if (found <= fit) return fit;
  *cell = other;
  return found;
}

/* Cuts out what lies around a digit and makes it even, from 0 to 1. */
static void cut_digit(segment_reader *reader, const segment_picture *picture, const segment_row *row, uint32_t index) {
  float digits = row->bottom - row->top, side = AROUND * digits, *patch = reader->region;
  segment_view view = {segment_place_of(&reader->network, &row->look, index) - side / 2, row->top - (side - digits) / 2, side,
                       side, 0};
  segment_cut(picture, &view, SIDE, SIDE, reader->line, patch);
  memcpy(reader->region_scratch, patch, SIDE * SIDE * sizeof(float));
  float low = segment_percentile(reader->region_scratch, SIDE * SIDE, .05);
  float high = segment_percentile(reader->region_scratch, SIDE * SIDE, .95), spread = high - low > 8 ? high - low : 8;
  for (uint32_t i = 0; i < SIDE * SIDE; i++) {
    float value = (patch[i] - (low + high) / 2) / spread + .5f;
    patch[i] = value < 0 ? 0 : value > 1 ? 1 : value;
  }
}

/* How far ink goes along a bar, to the left or to the right of the right stroke. */
static float reach_of(const float *patch, const segment_cell *cell, float bar, float side, float limit) {
  float reach = 0;
  for (int k = 0; k < 50; k++) {
    float away = .02f * (float)k, most = 0;
    for (int i = -1; i < 3; i++) {
      float found = ink_at(patch, cell, 1, bar + .05f * (float)i, side * away * cell->height);
      most = found > most ? found : most;
    }
    if (most < limit) break;
    reach = away;
  }
  return reach;
}

/* How wide the bar is, with the right stroke, and how much lower its upper edge is at its left end. */
static void measure_bar(const float *patch, const segment_cell *cell, int digit, segment_shape *shape) {
  float bar = signs[digit].bar, ink[ALONG], level = 0, aside = -.5f * cell->width;
  ink_along(patch, cell, digit == 2 ? 1 : 2, ink);
  for (int i = 0; i < ALONG; i++) level += ink[i] / ALONG;
  float holes = ink_at(patch, cell, 1, bar == .5f ? .25f : .75f, aside) + ink_at(patch, cell, 1, bar == 0 ? .7f : .3f, aside);
  float limit = (level + holes / 2) / 2;
  shape->reach = reach_of(patch, cell, bar, -1, limit);
  float edges[2];
  for (int k = 0; k < 2; k++) {
    float away = (k == 0 ? .2f : .75f) * shape->reach * cell->height;
    int i = 0;
    while (i < 33 && ink_at(patch, cell, 1, -.25f + .02f * (float)i, -away) < limit) i++;
    edges[k] = .02f * (float)i;
  }
  shape->drop = edges[1] - edges[0];
  shape->reach += reach_of(patch, cell, bar, 1, limit);
}

/* Whether a segment that is whole on displays is lit for a part of its length. */
static int is_broken(segment_reader *reader, const segment_cell *cell, const segment_sign *sign) {
  float all[7 * ALONG], least = 1;
  uint32_t n = 0;
  /* Of a digit that is shown in two ways, what both have. */
  uint8_t lit = sign->other != 0 ? sign->lit & sign->other : sign->lit;
  for (int k = 0; k < 7; k++) {
    if ((lit >> k & 1) == 0) continue;
    ink_along(reader->region, cell, k, all + n);
    for (uint32_t i = n; (sign->whole >> k & 1) != 0 && i < n + ALONG; i++) least = all[i] < least ? all[i] : least;
    n += ALONG;
  }
  return n > 0 && sign->whole != 0 && least < BROKEN * segment_percentile(all, n, .5);
}

static void see_digit(segment_reader *reader, const segment_picture *picture, const segment_row *row, uint32_t index,
                      segment_shape *shape) {
  const segment_sign *sign = &signs[shape->digit];
  segment_cell cell;
  cut_digit(reader, picture, row, index);
  shape->fit = find_cell(reader->region, sign, &cell);
  shape->width = cell.width / cell.height;
  shape->is_broken = shape->fit >= WELL && is_broken(reader, &cell, sign);
  measure_bar(reader->region, &cell, shape->digit, shape);
  if (shape->reach <= .2f) shape->reach = shape->width + STROKE;
}

/* Usual widths of a row's digits but sevens. Returns 0 where there is none; then they are the greatest of its other sevens. */
static int measure_others(const segment_shape *shapes, uint32_t n, uint32_t seven, float *reach, float *width) {
  float reaches[SEGMENT_TEXT_MAX], widths[SEGMENT_TEXT_MAX];
  uint32_t found = 0;
  *reach = *width = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (i == seven || shapes[i].fit <= EXPLAINED) continue;
    if (shapes[i].digit != 7) {
      reaches[found] = shapes[i].reach, widths[found++] = shapes[i].width;
    } else {
      *reach = shapes[i].reach > *reach ? shapes[i].reach : *reach;
      *width = shapes[i].width > *width ? shapes[i].width : *width;
    }
  }
  if (found == 0) return 0;
  *reach = segment_percentile(reaches, found, .5);
  *width = segment_percentile(widths, found, .5);
  return 1;
}

/* Whether what was read as a seven may be a one with a flag. Where the cell explains it for certain one sign is enough. */
static int may_be_one(const segment_shape *shapes, uint32_t n, uint32_t index) {
  const segment_shape *seven = &shapes[index];
  if (seven->digit != 7 || seven->fit < EXPLAINED) return 0;
  float reach, width;
  int has_others = measure_others(shapes, n, index, &reach, &width), is_slanted = seven->drop >= DROP;
  float least = is_slanted ? SHORT_SLANTED : SHORT;
  int is_short = seven->reach < least * reach && seven->width < NARROW * width, is_no_wider = seven->reach < NOT_WIDER * reach;
  if (!has_others) {
    is_no_wider = is_short || seven->reach < NOT_WIDER_ALONE;
    is_short = is_short || (seven->reach < SHORT_ALONE && seven->width < SHORT_ALONE);
  }
  return (is_short && is_slanted) || (seven->fit > SURELY && (is_short || (is_slanted && is_no_wider)));
}

/* The digit that a row shows at a place; -1 of another sign. */
static int digit_at(const segment_reader *reader, const segment_row *row, uint32_t index) {
  char character = reader->network.characters[row->look.classes[index] - 1];
  return character >= '0' && character <= '9' ? character - '0' : -1;
}

int segment_is_type(segment_reader *reader, const segment_picture *picture, const segment_row *row) {
  segment_shape shapes[SEGMENT_TEXT_MAX];
  int has_type = 0, has_seven = 0;
  for (uint32_t i = 0; i < row->look.length; i++) has_seven |= digit_at(reader, row, i) == 7;
  for (uint32_t i = 0; i < row->look.length && !has_type; i++) {
    memset(&shapes[i], 0, sizeof shapes[i]);
    shapes[i].digit = digit_at(reader, row, i);
    /* A one says nothing, and what can only tell how wide digits are is needed where there is a seven. */
    if (shapes[i].digit < 0 || shapes[i].digit == 1 || (signs[shapes[i].digit].whole == 0 && !has_seven)) continue;
    see_digit(reader, picture, row, i, &shapes[i]);
    has_type = shapes[i].is_broken;
  }
  for (uint32_t i = 0; i < row->look.length && !has_type; i++) has_type = may_be_one(shapes, row->look.length, i);
  return has_type;
}
