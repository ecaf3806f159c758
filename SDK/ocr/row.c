#include <string.h>

#include "reader.h"

/* How far from the middle of the first and the last character a closer look ends, in heights of the digits. */
#define CLOSER .85f
/* The least width of one, in heights of the digits. */
#define LEAST_CLOSER .5f
/* So many of the sides have to agree before a vote is believed. */
#define AGREEING 8u

/* The part of a cell that may be covered by reflections. */
#define COVERED .05f
/* The part of a digit's place that is as bright as a picture can be where light swallows it, and of the digits' own place
 * where the panel is white. */
#define WASHED_OUT .75f
#define WHITE .4f
/* Boxes below this side, in pixels, hold nothing that could be read. */
#define LEAST 6.0f
/* Digits lower than these pixels are smaller than any in training: too little is left of what tells them apart. */
#define SMALL 15.0f
/* What is less sure is nothing that looks like digits. */
#define SEEN .3f
/* Grey levels: a panel without any ink, and one in the dark. */
#define FAINT 10.0f
#define DARK 40.0f
/* Grey levels between the panel and segments that may be not lit. */
#define GHOST 48.0f
#define BLURRED .12f
#define SURELY_EMPTY .8f

/* How a side differs from the view that is voted on: moves and growth in parts of the height, and a turn. */
typedef struct segment_side {
  float right, down, grow, angle;
} segment_side;

static const segment_side sides[SEGMENT_SIDES] = {
    {0, 0, 0, 0},           {.06f, 0, .04f, 0},      {-.06f, 0, .04f, 0},      {0, .05f, .03f, 0},
    {0, -.05f, .03f, 0},    {0, 0, .1f, 0},          {0, 0, -.05f, 0},         {.08f, .03f, .05f, .02f},
    {-.08f, -.03f, .05f, .02f}, {.03f, 0, .04f, -.035f}, {-.03f, 0, .04f, .035f}, {0, .02f, .07f, -.02f},
};

/* The second look of a live frame. */
static const segment_side second_look = {.02f, .01f, .06f, 0};

static segment_view turned(const segment_view *base, const segment_side *side) {
  float height = base->height, more = side->grow * height;
  return (segment_view){base->x + side->right * height - more / 2, base->y + side->down * height - more / 2,
                        base->width + more, height + more, side->angle};
}

static int same_text(const segment_look *a, const segment_look *b) {
  return a->doubt == b->doubt && a->length == b->length && memcmp(a->classes, b->classes, a->length) == 0;
}

/* The view around the characters that a look found, never wider than the look's own. That one stays where they lie in
 * columns that were filled up, beyond its end. */
static segment_view closer(const segment_network *network, const segment_look *look, float digits) {
  segment_view view = look->view;
  if (look->length == 0) return view;
  float left = segment_place_of(network, look, 0) - CLOSER * digits;
  float right = segment_place_of(network, look, look->length - 1) + CLOSER * digits;
  if (left < view.x) left = view.x;
  if (right > view.x + view.width) right = view.x + view.width;
  if (!(right - left >= LEAST_CLOSER * digits)) return view;
  view.x = left;
  view.width = right - left;
  return view;
}

/* The text that the looks together find most probable, its confidence and who gave it. */
static void vote(const segment_reader *reader, const segment_look *looks, uint32_t n, segment_row *row) {
  float most = -1;
  for (uint32_t i = 0; i < n; i++) {
    int known = 0;
    for (uint32_t k = 0; k < i; k++) known |= same_text(&looks[i], &looks[k]);
    if (known || looks[i].steps == 0) continue;
    float sum = 0;
    uint32_t agreeing = 0;
    const segment_look *best = &looks[i];
    for (uint32_t k = 0; k < n; k++) {
      sum += segment_look_again(reader, &looks[k], &looks[i]);
      if (looks[k].steps == 0 || !same_text(&looks[i], &looks[k])) continue;
      agreeing++;
      if (looks[k].probability > best->probability) best = &looks[k];
    }
    if (sum <= most) continue;
    most = sum;
    row->look = *best;
    row->confidence = sum / (float)n;
    row->agreeing = agreeing;
  }
  row->looks = n;
}

static void place_row(const segment_network *network, const segment_view *box, segment_row *row) {
  float digits = row->bottom - row->top;
  row->left = box->x;
  row->right = box->x + box->width;
  if (row->look.length == 0) return;
  row->left = segment_place_of(network, &row->look, 0) - .4f * digits;
  row->right = segment_place_of(network, &row->look, row->look.length - 1) + .4f * digits;
}

/* Where digits may stand beside those that were read: a reflection there may hide one. */
static int is_dazzled(const segment_reader *reader, const segment_row *row) {
  float digits = row->bottom - row->top, cell = .6f * digits, left = row->left - cell, right = row->right + cell;
  for (float x = left; x < right; x += cell / 4) {
    segment_view area = {x, row->top, cell, digits, 0};
    if (segment_glare_in(reader, &row->light, &area) > COVERED) return 1;
  }
  return 0;
}

int segment_is_washed_out(segment_reader *reader, const segment_picture *picture, const segment_row *row) {
  float digits = row->bottom - row->top, cell = .6f * digits;
  segment_view text = {row->left, row->top, row->right - row->left, digits, 0};
  if (segment_saturated_in(reader, picture, &text) >= WHITE) return 0;
  for (float away = .9f; away < 1.4f; away += .2f) {
    segment_view left = {row->left - away * cell, row->top, cell, digits, 0};
    segment_view right = {row->right + (away - 1) * cell, row->top, cell, digits, 0};
    if (segment_saturated_in(reader, picture, &left) >= WASHED_OUT ||
        segment_saturated_in(reader, picture, &right) >= WASHED_OUT)
      return 1;
  }
  return 0;
}

int segment_is_eights(const segment_network *network, const segment_look *look) {
  for (uint32_t i = 0; i < look->length; i++) {
    char c = network->characters[look->classes[i] - 1];
    if (c != '8' && c != '.') return 0;
  }
  return look->length > 0;
}

/* Whether nothing but eights is seen, and hardly: segments that are not lit show a little on many displays. */
static int is_ghost(segment_reader *reader, const segment_picture *picture, const segment_row *row) {
  if (!segment_is_eights(&reader->network, &row->look)) return 0;
  segment_view text = {row->left, row->top, row->right - row->left, row->bottom - row->top, 0};
  return segment_contrast_in(reader, picture, &text) < GHOST;
}

static void refuse(segment_row *row) {
  row->state = MH_OCR_STATE_UNREADABLE;
  if (row->advice == MH_OCR_ADVICE_NONE) row->advice = MH_OCR_ADVICE_ALIGN;
}

/* What the row is, and what the person can do about it. */
static void judge(segment_reader *reader, const segment_picture *picture, const segment_view *box, segment_row *row) {
  float digits = row->bottom - row->top;
  segment_view area = {row->left, row->top, row->right - row->left, digits, 0};
  row->glare = segment_glare_in(reader, &row->light, &area);
  int doubt = row->look.steps == 0 || row->look.doubt || is_ghost(reader, picture, row) ||
              segment_is_point_doubtful(&reader->network, &row->look, row->other_points);
  int empty = row->look.length == 0, faint = row->light.high - row->light.low < FAINT;
  row->state = empty ? MH_OCR_STATE_EMPTY : MH_OCR_STATE_TEXT;
  if (row->light.high < DARK || (faint && row->light.middle < DARK)) row->advice = MH_OCR_ADVICE_DARK;
  if (is_dazzled(reader, row) || (!empty && segment_is_washed_out(reader, picture, row))) {
    row->advice = MH_OCR_ADVICE_GLARE;
    row->state = MH_OCR_STATE_UNREADABLE;
  } else if (row->is_part) {
    row->advice = MH_OCR_ADVICE_ALIGN;
    row->state = MH_OCR_STATE_UNREADABLE;
  } else if (doubt || (empty && !faint && row->confidence < SURELY_EMPTY)) {
    if (row->advice == MH_OCR_ADVICE_NONE)
      row->advice = row->light.sharpness < BLURRED ? MH_OCR_ADVICE_BLUR : MH_OCR_ADVICE_ALIGN;
    row->state = MH_OCR_STATE_UNREADABLE;
  } else if (row->advice == MH_OCR_ADVICE_NONE && !empty && row->light.sharpness < BLURRED) {
    row->advice = MH_OCR_ADVICE_BLUR;
  }
  if (row->state == MH_OCR_STATE_TEXT && !reader->reads_type &&
      (segment_is_type(reader, picture, row) || segment_has_unread(reader, picture, box, row)))
    refuse(row);
}

/* The looks at a row whose digits were found, and their vote. */
static void look_around(segment_reader *reader, const segment_picture *picture, const segment_view *box,
                        const segment_view *first, int still, segment_row *row) {
  segment_look looks[SEGMENT_SIDES];
  uint32_t n = still ? SEGMENT_SIDES : 2;
  segment_look_at(reader, picture, first, 0, &looks[0]);
  segment_view base = closer(&reader->network, &looks[0], row->bottom - row->top);
  for (uint32_t i = still ? 0 : 1; i < n; i++) {
    segment_view view = turned(&base, still ? &sides[i] : &second_look);
    segment_look_at(reader, picture, &view, i, &looks[i]);
  }
  vote(reader, looks, n, row);
  row->other_points = segment_other_points(reader, looks, n, &row->look);
  row->is_part = segment_is_cut_off(&reader->network, picture, box, row) || segment_is_beside(reader, picture, first, row);
  if (still && row->agreeing < AGREEING) row->confidence *= .5f * (float)row->agreeing / AGREEING;
  place_row(&reader->network, first, row);
  judge(reader, picture, box, row);
}

/* Reads a row whose box is upright as it is. */
static void read_upright(segment_reader *reader, const segment_picture *picture, const segment_view *box,
                         const segment_view *around, uint32_t columns, int still, segment_row *row) {
  segment_locate(reader, around, columns, &row->top, &row->bottom);
  segment_measure_light(reader, around, columns, row->top, row->bottom, &row->light);
  float digits = row->bottom - row->top;
  float aside = SEGMENT_ASIDE * box->height;
  segment_view first = {box->x - aside, row->top - SEGMENT_MARGIN * digits, box->width + 2 * aside,
                        digits * (1 + 2 * SEGMENT_MARGIN), 0};
  look_around(reader, picture, box, &first, still, row);
}

/* What lies in the patch lies in the picture somewhere else. Beyond the picture nothing is known. */
static void leave_patch(const segment_picture *picture, const segment_patch *patch, segment_row *row) {
  for (uint32_t i = 0; i < 4; i++) {
    float *corner = row->corners + 2 * i;
    segment_unpatch(patch, corner[0], corner[1], corner);
    if (corner[0] < 0 || corner[1] < 0 || corner[0] > (float)picture->width || corner[1] > (float)picture->height) refuse(row);
  }
  for (uint32_t i = 0; i < row->light.n_areas; i++) {
    mh_ocr_box *area = &row->light.areas[i];
    float middle[2];
    segment_unpatch(patch, area->x + area->width / 2, area->y + area->height / 2, middle);
    area->width *= patch->across;
    area->height *= patch->down;
    area->x = middle[0] - area->width / 2;
    area->y = middle[1] - area->height / 2;
  }
}

static void keep_corners(segment_row *row) {
  const float corners[8] = {row->left, row->top, row->right, row->top, row->right, row->bottom, row->left, row->bottom};
  memcpy(row->corners, corners, sizeof corners);
}

/* Reads a turned row straightened. Returns 0 where it cannot be, or shows nothing that looks like digits then: its bars may
 * be so few that their turn was mistaken. */
static int read_straightened(segment_reader *reader, const segment_picture *picture, const segment_view *box, int still,
                             segment_row *row) {
  segment_patch patch;
  segment_turn turn = row->turn;
  if (!segment_straighten(reader, picture, box, &turn, &patch)) return 0;
  segment_view around;
  uint32_t columns = segment_see_region(reader, &patch.picture, &patch.box, &around);
  segment_measure_turn(reader, &around, columns, &row->turn);
  read_upright(reader, &patch.picture, &patch.box, &around, columns, still, row);
  int is_nothing = row->look.steps == 0 || row->look.doubt || row->look.length == 0 || row->confidence < SEEN;
  if (is_nothing && segment_is_little_turned(&turn)) return 0;
  row->digits = (row->bottom - row->top) * patch.down;
  keep_corners(row);
  leave_patch(picture, &patch, row);
  return 1;
}

static void read_as_it_lies(segment_reader *reader, const segment_picture *picture, const segment_view *box, int still,
                            segment_row *row) {
  segment_view around;
  uint32_t columns = segment_see_region(reader, picture, box, &around);
  segment_measure_turn(reader, &around, columns, &row->turn);
  read_upright(reader, picture, box, &around, columns, still, row);
  row->digits = row->bottom - row->top;
  keep_corners(row);
}

static void begin(const segment_view *box, segment_row *row) {
  memset(row, 0, sizeof *row);
  row->left = box->x, row->right = box->x + box->width;
  row->top = box->y, row->bottom = box->y + box->height;
  keep_corners(row);
  row->advice = MH_OCR_ADVICE_NONE;
}

void segment_read_row(segment_reader *reader, const segment_picture *picture, const segment_view *box, int still,
                      segment_row *row) {
  begin(box, row);
  if (box->height < LEAST || box->width < LEAST || segment_is_outside(picture, box)) {
    refuse(row);
    return;
  }
  segment_view around;
  uint32_t columns = segment_see_region(reader, picture, box, &around);
  segment_measure_turn(reader, &around, columns, &row->turn);
  int is_straightened = segment_is_turned(&row->turn) && read_straightened(reader, picture, box, still, row);
  if (!is_straightened) {
    begin(box, row);
    read_as_it_lies(reader, picture, box, still, row);
    if (segment_is_little_turned(&row->turn)) row->turn.turn = 0;
  }
  if (row->state == MH_OCR_STATE_TEXT && (row->digits < SMALL || segment_is_askew(&row->turn))) refuse(row);
}
