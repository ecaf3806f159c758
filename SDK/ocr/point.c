#include <string.h>

#include "reader.h"

/* Whether a text's points are as certain as its digits. A point is the smallest sign of a display, and the same digits with
 * another point are another number, which no format may tell from the right one. So every other place of a point is a text
 * to be asked for: what the looks leave it must be next to nothing. */

/* What may be left for other places of a point. Where none is read less may be: a point that is there is missed more often
 * than one is seen where none is. */
#define LEFT_WITHOUT .008f
#define LEFT_WITH .1f

static float of_all(const segment_reader *reader, const segment_look *looks, uint32_t n, const segment_look *text) {
  float sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += segment_look_again(reader, &looks[i], text);
  return sum;
}

/* The digits of a text, without its points. */
static void drop_points(const segment_look *text, uint8_t point, segment_look *digits) {
  digits->length = 0;
  for (uint32_t i = 0; i < text->length; i++)
    if (text->classes[i] != point) digits->classes[digits->length++] = text->classes[i];
}

/* The text with one point, in front of the digit at `place`. */
static void put_point(const segment_look *digits, uint8_t point, uint32_t place, segment_look *text) {
  memcpy(text->classes, digits->classes, place);
  text->classes[place] = point;
  memcpy(text->classes + place + 1, digits->classes + place, digits->length - place);
  text->length = digits->length + 1;
}

static int is_same(const segment_look *one, const segment_look *other) {
  return one->length == other->length && memcmp(one->classes, other->classes, one->length) == 0;
}

float segment_other_points(const segment_reader *reader, const segment_look *looks, uint32_t n, const segment_look *text) {
  uint8_t point = (uint8_t)segment_class_of(&reader->network, '.');
  if (point == 0 || text->length == 0) return 0;
  float own = of_all(reader, looks, n, text), others = 0;
  segment_look digits, other;
  drop_points(text, point, &digits);
  if (!is_same(&digits, text)) others += of_all(reader, looks, n, &digits);
  for (uint32_t place = 1; place < digits.length && digits.length < SEGMENT_TEXT_MAX; place++) {
    put_point(&digits, point, place, &other);
    if (!is_same(&other, text)) others += of_all(reader, looks, n, &other);
  }
  return others > 0 ? others / (others + own) : 0;
}

int segment_is_point_doubtful(const segment_network *network, const segment_look *text, float other_points) {
  uint32_t point = segment_class_of(network, '.');
  int has_point = 0;
  for (uint32_t i = 0; i < text->length; i++) has_point |= text->classes[i] == point;
  return other_points > (has_point ? LEFT_WITH : LEFT_WITHOUT);
}
