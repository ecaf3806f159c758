#include <string.h>

#include "reader.h"

/* Whether the box, or the picture, ends where the number does not: a part of a number is a wrong number. */

/* How far beyond the box the widest look goes, in heights of the box; a digit as far away as this many times the distance
 * of others belongs to the same number. */
#define BESIDE .6f
#define PITCH 1.1f
/* The part of the box that may lie beyond the picture. */
#define OUTSIDE .25f
/* How far from the picture's edge the middle of a whole digit is at least, in its height. */
#define BORDER .24f
/* Boxes that end so near to where the picture ends, in their height, may not have all of the number. */
#define NEAR .2f
/* How much of the row's contrast lies in pixels that belong to a digit and to what is beside it. */
#define INKED .4f
/* Half of a digit's width at most, in its height. */
#define HALF .45f

/* How far apart digits of a text stand at most, with some room; of a single one as displays usually have them. */
static float pitch_of(const segment_network *network, const segment_look *text, float digits) {
  float most = 0;
  for (uint32_t i = 1; i < text->length; i++) {
    float away = segment_place_of(network, text, i) - segment_place_of(network, text, i - 1);
    if (away > most) most = away;
  }
  return text->length > 1 ? PITCH * most : .75f * digits;
}

/* Whether a wider look reads the same text with a digit more beside it: then the box shows a part of a number. */
static int is_part(const segment_network *network, const segment_look *wide, const segment_look *text, float digits) {
  if (text->length == 0 || wide->length <= text->length) return 0;
  float pitch = pitch_of(network, text, digits);
  for (uint32_t from = 0; from + text->length <= wide->length; from++) {
    if (memcmp(wide->classes + from, text->classes, text->length) != 0) continue;
    uint32_t to = from + text->length;
    for (uint32_t side = 0; side < 2; side++) {
      /* Over a point, to the next digit. */
      uint32_t inner = side == 0 ? from : to - 1, outer = inner;
      do {
        if (side == 0 ? outer == 0 : outer + 1 == wide->length) break;
        outer += side == 0 ? (uint32_t)-1 : 1;
      } while (network->characters[wide->classes[outer] - 1] == '.');
      char c = network->characters[wide->classes[outer] - 1];
      if (outer == inner || c < '0' || c > '9' || wide->characters[outer] < .5f) continue;
      float away = segment_place_of(network, wide, outer) - segment_place_of(network, wide, inner);
      if ((away < 0 ? -away : away) < pitch) return 1;
    }
  }
  return 0;
}

/* Whether something between two places along x differs as a digit of the row would. */
static int is_inked(segment_reader *reader, const segment_picture *picture, const segment_row *row, float left,
                    float right) {
  segment_view zone = {left, row->top, right - left, row->bottom - row->top, 0};
  return segment_contrast_in(reader, picture, &zone) > INKED * (row->look.high - row->look.low);
}

int segment_is_beside(segment_reader *reader, const segment_picture *picture, const segment_view *first,
                      const segment_row *row) {
  const segment_network *network = &reader->network;
  if (row->look.length == 0 || row->look.doubt) return 0;
  float digits = row->bottom - row->top, pitch = pitch_of(network, &row->look, digits);
  float more = (BESIDE - SEGMENT_ASIDE) / (1 + 2 * SEGMENT_MARGIN) * first->height;
  segment_view beside = *first;
  float left = segment_place_of(network, &row->look, 0), end = first->x + first->width;
  float right = segment_place_of(network, &row->look, row->look.length - 1);
  if (left - first->x < pitch + .15f * digits && is_inked(reader, picture, row, first->x - more, left - HALF * digits)) {
    beside.x -= more;
    beside.width += more;
  }
  if (end - right < pitch + .55f * digits && is_inked(reader, picture, row, right + HALF * digits, end + more))
    beside.width += more;
  segment_look wide;
  return beside.width > first->width && segment_look_at(reader, picture, &beside, 0, &wide) &&
         is_part(network, &wide, &row->look, digits);
}

int segment_is_outside(const segment_picture *picture, const segment_view *box) {
  float right = box->x + box->width, bottom = box->y + box->height;
  float x = box->x < 0 ? 0 : box->x, y = box->y < 0 ? 0 : box->y;
  if (right > (float)picture->width) right = (float)picture->width;
  if (bottom > (float)picture->height) bottom = (float)picture->height;
  return !(right - x >= (1 - OUTSIDE) * box->width && bottom - y >= (1 - OUTSIDE) * box->height);
}

/* Whether the picture's outermost pixels beside the row go up and down, as through a digit and not along a panel. */
static int is_edge_inked(const segment_picture *picture, const segment_row *row, int32_t column) {
  float digits = row->bottom - row->top;
  int32_t from = (int32_t)(row->top + .06f * digits), to = (int32_t)(row->bottom - .06f * digits);
  if (from < 0) from = 0;
  if (to > picture->height) to = picture->height;
  uint8_t least = 255, most = 0;
  for (int32_t y = from; y < to; y++) {
    uint8_t grey = picture->pixels[(size_t)y * picture->stride + (size_t)column];
    least = grey < least ? grey : least;
    most = grey > most ? grey : most;
  }
  return (float)most - (float)least > INKED * (row->look.high - row->look.low);
}

int segment_is_cut_off(const segment_network *network, const segment_picture *picture, const segment_view *box,
                       const segment_row *row) {
  if (row->look.length == 0) return 0;
  float width = (float)picture->width, height = (float)picture->height, near = NEAR * box->height;
  float digits = row->bottom - row->top, next = pitch_of(network, &row->look, digits) + .3f * digits;
  if (box->y < near && row->top < .02f * digits) return 1;
  if (box->y + box->height > height - near && row->bottom > height - .02f * digits) return 1;
  float first = segment_place_of(network, &row->look, 0);
  if (box->x < near && (first < BORDER * digits || (first < next && is_edge_inked(picture, row, 1)))) return 1;
  float last = width - segment_place_of(network, &row->look, row->look.length - 1);
  return box->x + box->width > width - near &&
         (last < BORDER * digits || (last < next && is_edge_inked(picture, row, picture->width - 2)));
}
