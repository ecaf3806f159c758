/* What the reader's parts share. */
#ifndef SEGMENT_READER_PARTS_H
#define SEGMENT_READER_PARTS_H

#include "network.h"

/* The most characters of a row that are told apart; more is no display's text. */
#define SEGMENT_TEXT_MAX MH_OCR_TEXT_MAX
#define SEGMENT_SIDES 12u

typedef struct segment_picture {
  const uint8_t *pixels;
  int32_t width, height;
  size_t stride;
} segment_picture;

/* What is cut out: a rectangle turned by `angle` (radians, clockwise) around its middle. */
typedef struct segment_view {
  float x, y, width, height, angle;
} segment_view;

/* What a look gave. */
typedef struct segment_look {
  segment_view view;
  uint32_t columns, steps;
  /* Grey levels between which the crop lies. */
  float low, high;
  uint32_t length;
  uint8_t classes[SEGMENT_TEXT_MAX];
  float characters[SEGMENT_TEXT_MAX];
  /* Where each character is: its first and last step. */
  uint8_t first[SEGMENT_TEXT_MAX], last[SEGMENT_TEXT_MAX];
  /* The probability of exactly this text. */
  float probability;
  uint32_t slot;
  /* Whether a cell must not be believed. */
  uint32_t doubt;
} segment_look;

struct segment_reader {
  segment_network network;
  segment_kernel kernel;
  /* The crop before it is made even, height x width, and room to sort it; one line of a picture; a look's steps; the place
   * where digits are looked for, and room to sort it. */
  float *crop, *scratch, *line, *probabilities, *region, *region_scratch;
  /* What is saturated in the region, and room to follow it. */
  uint8_t *marks;
  uint16_t *stack;
  /* A turned row's surroundings, straightened. */
  uint8_t *patch;
  /* Whether rows may have digits as no segment display draws them. */
  int reads_type;
};

/* crop.c */

/* Cuts a view out of a picture: the network's height times *columns grey levels, row after row. */
void segment_cut(const segment_picture *picture, const segment_view *view, uint32_t height, uint32_t columns,
                 float *line, float *out);

/* As bytes, rounded. */
void segment_cut_bytes(const segment_picture *picture, const segment_view *view, uint32_t height, uint32_t columns,
                       uint8_t *out);

/* How many columns a view has at the network's height. */
uint32_t segment_columns(const segment_network *network, const segment_view *view);

/* The grey level below which `part` of n values lie, as numpy's percentile. Reorders the values. */
float segment_percentile(float *values, uint32_t n, double part);

/* Fills the network's input with a crop made even; *low and *high are its 2nd and 98th percentile. Returns the width
 * to run the network with. `scratch` has the crop's size. */
uint32_t segment_normalise(const segment_network *network, const float *crop, uint32_t columns, int full, float *scratch,
                           float *low, float *high);

/* decode.c */

/* Logits to probabilities, in place. */
void segment_softmax(float *steps, uint32_t n_steps, uint32_t classes);

/* The greedy text. Cells of the class `doubt` (0: there is none) become what they would most probably be, and the look is
 * marked. Returns 0 when the text is longer than a text may be. */
int segment_greedy(const float *probabilities, uint32_t classes, uint32_t doubt, segment_look *look);

/* The probability of a text over all ways to align it with the steps (Graves et al. 2006, 4.1). */
double segment_text_probability(const float *probabilities, uint32_t steps, uint32_t classes, const uint8_t *text,
                                uint32_t length);

/* locate.c */

/* The picture in which digits are looked for. */
#define SEGMENT_REGION_HEIGHT 64u
#define SEGMENT_REGION_WIDTH 192u

/* Fills the reader's region with what lies in and around a box. Returns its columns. */
uint32_t segment_see_region(segment_reader *reader, const segment_picture *picture, const segment_view *box,
                            segment_view *view);

/* Between which heights of the region the digits stand. */
void segment_locate(segment_reader *reader, const segment_view *view, uint32_t columns, float *top, float *bottom);

/* turn.c */

/* How a row is turned. */
typedef struct segment_turn {
  /* The tangent; clockwise is positive. */
  float turn;
  /* Whether its strokes lean further than displays have them. */
  int leans;
} segment_turn;

/* Of what the reader's region holds. */
void segment_measure_turn(segment_reader *reader, const segment_view *view, uint32_t columns, segment_turn *turn);

/* Whether the row has to be straightened before it is read. */
int segment_is_turned(const segment_turn *turn);

/* Whether a row that is turned no further than this may be read as it lies. */
int segment_is_little_turned(const segment_turn *turn);

/* Whether a row that is read as it is is turned, or its strokes lean further than displays have them: nothing was learned of
 * such rows. */
int segment_is_askew(const segment_turn *turn);

#define SEGMENT_PATCH_ROWS 160u
#define SEGMENT_PATCH_COLUMNS 1024u

/* A picture of a turned row's surroundings in which it stands upright, where it comes from, and the row's box in it. */
typedef struct segment_patch {
  segment_picture picture;
  segment_view view, box;
  float across, down, sine, cosine;
} segment_patch;

/* Fills the reader's patch with what lies in and around a box. Returns 0 for a box too long for it. */
int segment_straighten(segment_reader *reader, const segment_picture *picture, const segment_view *box,
                       const segment_turn *turn, segment_patch *patch);

/* The place in the picture of a place in the patch: x, y. */
void segment_unpatch(const segment_patch *patch, float x, float y, float *out);

/* light.c */

/* From this grey level on nothing is told from what is still brighter. */
#define SEGMENT_SATURATED 249.0f

/* The light on a row and around it. */
typedef struct segment_light {
  segment_view view;
  uint32_t columns, n_areas;
  /* Grey levels: the darkest, the usual, the brightest. */
  float low, middle, high, sharpness;
  mh_ocr_box areas[MH_OCR_GLARE_MAX];
} segment_light;

/* Of the region, with digits between two heights. */
void segment_measure_light(segment_reader *reader, const segment_view *view, uint32_t columns, float top, float bottom,
                           segment_light *light);

/* The part of an area that reflections cover, of the region measured last. */
float segment_glare_in(const segment_reader *reader, const segment_light *light, const segment_view *area);

/* look.c */

/* Grey levels between the darkest and the brightest of a view, but for a few pixels; 0 of a view without any. */
float segment_contrast_in(segment_reader *reader, const segment_picture *picture, const segment_view *view);

/* The part of a view that is as bright as a picture can be. */
float segment_saturated_in(segment_reader *reader, const segment_picture *picture, const segment_view *view);

/* One look at a view; `slot` (below SEGMENT_SIDES) of the reader's probabilities holds its steps afterwards. Returns 0
 * when there is no answer; then the look's probability is 0. */
int segment_look_at(segment_reader *reader, const segment_picture *picture, const segment_view *view, uint32_t slot,
                    segment_look *look);

/* The class of a character; 0 when the network does not know it. */
uint32_t segment_class_of(const segment_network *network, char character);

/* Where a look saw a character: the middle, along x, of an upright view. */
float segment_place_of(const segment_network *network, const segment_look *look, uint32_t index);

/* Of another look's text, in the steps of this one. */
float segment_look_again(const segment_reader *reader, const segment_look *look, const segment_look *other);

/* point.c */

/* The part of what all looks make of a text's digits that has its point elsewhere, or has one more or less. */
float segment_other_points(const segment_reader *reader, const segment_look *looks, uint32_t n, const segment_look *text);

/* Whether that is too much to believe the text's point, or that it has none. */
int segment_is_point_doubtful(const segment_network *network, const segment_look *text, float other_points);

/* row.c */

/* What a row shows. */
typedef struct segment_row {
  uint32_t state;
  segment_look look;
  /* That the text is right, and how many of how many looks gave it. */
  float confidence;
  uint32_t agreeing, looks;
  /* What is left for the same digits with other points. */
  float other_points;
  /* Where the digits stand; where the row is turned, in its patch. */
  float left, top, right, bottom;
  segment_turn turn;
  /* How high the digits are, in pixels of the picture. */
  float digits;
  /* The digits' place in the picture: x and y of the corners, clockwise from the upper left. */
  float corners[8];
  segment_light light;
  /* The number goes on beside the box, or beyond the picture. */
  int is_part;
  /* The part of the row that reflections cover. */
  float glare;
  uint32_t advice;
} segment_row;

/* How much is left above and below the digits, in their height, and to the left and the right of the box, in its height:
 * what the network reads best. */
#define SEGMENT_MARGIN .1f
#define SEGMENT_ASIDE .15f

void segment_read_row(segment_reader *reader, const segment_picture *picture, const segment_view *box, int still,
                      segment_row *row);

/* Whether light that swallows whatever is there lies beside a row's digits, as wide as one of them. Where it is on them
 * too, all of the panel is white, and this says no. */
int segment_is_washed_out(segment_reader *reader, const segment_picture *picture, const segment_row *row);

/* Whether nothing but eights is seen: all segments of all digits. */
int segment_is_eights(const segment_network *network, const segment_look *look);

/* shape.c */

/* Whether a row that was read has digits as no segment display draws them. Uses the reader's region. */
int segment_is_type(segment_reader *reader, const segment_picture *picture, const segment_row *row);

/* unread.c */

/* Whether a stroke as high as the digits stands in the box that none of them was read from. Uses the reader's region. */
int segment_has_unread(segment_reader *reader, const segment_picture *picture, const segment_view *box, const segment_row *row);

/* border.c */

/* Whether more than a small part of the box lies beyond the picture. */
int segment_is_outside(const segment_picture *picture, const segment_view *box);

/* Looks for more digits of the same number beside the box, where the first look left no room for them. */
int segment_is_beside(segment_reader *reader, const segment_picture *picture, const segment_view *first,
                      const segment_row *row);

/* Whether the digits go on where the picture ends, so that nobody can know the whole number. A box that keeps away from
 * the picture's end has all of them. */
int segment_is_cut_off(const segment_network *network, const segment_picture *picture, const segment_view *box,
                       const segment_row *row);

#endif
