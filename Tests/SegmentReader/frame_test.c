/* Frames and boxes that nobody should send, and some that everybody does: no access beyond the pixels, and only numbers
 * that the contract allows. Prints a checksum of all readings, equal on every processor. */
#include "../../SDK/ocr/reader.h"
#include "support.h"

static uint64_t nan_bits = 0x7fc00000u;

static float not_a_number(void) {
  float value;
  memcpy(&value, &nan_bits, 4);
  return value;
}

static int is_share(float value) { return value >= 0 && value <= 1; }

static void check_reading(const mh_ocr_reading *out, uint32_t n) {
  REQUIRE(out->struct_size == sizeof *out && out->n_rows == n && out->n_glare <= MH_OCR_GLARE_MAX);
  REQUIRE(is_share(out->sharpness) && is_share(out->glare) && out->advice <= MH_OCR_ADVICE_DARK);
  for (uint32_t i = 0; i < n; i++) {
    const mh_ocr_row_reading *row = &out->rows[i];
    REQUIRE(row->state >= MH_OCR_STATE_EMPTY && row->state <= MH_OCR_STATE_UNREADABLE && is_share(row->confidence));
    REQUIRE(row->length <= MH_OCR_TEXT_MAX);
    REQUIRE(row->state == MH_OCR_STATE_UNREADABLE || (row->state == MH_OCR_STATE_TEXT) == (row->length > 0));
    REQUIRE(row->state != MH_OCR_STATE_UNREADABLE || row->confidence == 0);
    for (uint32_t k = 0; k < row->length; k++)
      REQUIRE(is_share(row->characters[k]) && row->text[k] != 0 && row->text[k] != '?');
    for (uint32_t k = 0; k < 8; k++) REQUIRE(row->corners[k] > -1e6f && row->corners[k] < 1e6f);
  }
  for (uint32_t i = 0; i < out->n_glare; i++) REQUIRE(out->areas[i].width > 0 && out->areas[i].height > 0);
}

static uint32_t read_frame(segment_reader *reader, const uint8_t *pixels, uint32_t width, uint32_t height,
                           uint32_t stride, const mh_ocr_box *boxes, uint32_t n, uint32_t flags, int32_t wanted) {
  mh_ocr_frame frame = {.struct_size = sizeof frame, .flags = flags, .width = width, .height = height, .stride = stride,
                        .pixels = {pixels, (uint64_t)(height - 1) * stride + width}};
  mh_ocr_reading out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  int32_t status = segment_reader_read(reader, &frame, boxes, n, &out);
  REQUIRE(status == wanted);
  if (status == MH_OK) check_reading(&out, n);
  return test_checksum((const uint8_t *)&out, sizeof out);
}

/* Pixels that end with their memory: the last row has no bytes behind its width. */
static uint8_t *exact_pixels(uint64_t seed, uint32_t width, uint32_t height, uint32_t stride) {
  size_t n = (size_t)(height - 1) * stride + width;
  uint8_t *pixels = malloc(n);
  for (size_t i = 0; i < n; i++) pixels[i] = (uint8_t)(test_random(&seed) % 90 + 120);
  test_draw(pixels, stride, width, height, "12.8", width * .15f, height * .25f, height * .5f, 30);
  return pixels;
}

static uint32_t check_sizes(segment_reader *reader) {
  const uint32_t sizes[][3] = {{1, 1, 1}, {1, 300, 7}, {300, 1, 300}, {7, 9, 64}, {161, 83, 200}, {640, 48, 641}, {90, 90, 4096}};
  uint32_t sum = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    uint32_t width = sizes[i][0], height = sizes[i][1], stride = sizes[i][2];
    uint8_t *pixels = exact_pixels(i + 1, width, height, stride);
    float w = (float)width, h = (float)height;
    const mh_ocr_box boxes[] = {{0, 0, w, h},           {w * .1f, h * .1f, w * .8f, h * .8f},
                                {-w, -h, 3 * w, 3 * h}, {w - 1, h - 1, 40, 20},
                                {-500, -500, 100, 50},  {.3f, .7f, w * .55f, h * .45f},
                                {w / 2, h / 2, .01f, .01f}, {-30000, 5, 32000, 9000}};
    for (uint32_t flags = 0; flags <= MH_OCR_FRAME_STILL; flags += MH_OCR_FRAME_STILL)
      sum = sum * 31 + read_frame(reader, pixels, width, height, stride, boxes, 8, flags, MH_OK);
    free(pixels);
  }
  return sum;
}

static void check_refused(segment_reader *reader) {
  uint8_t *pixels = exact_pixels(3, 60, 40, 60);
  float infinite = 1e38f * 10;
  const mh_ocr_box wrong[] = {{not_a_number(), 0, 5, 5}, {0, not_a_number(), 5, 5}, {0, 0, not_a_number(), 5},
                              {0, 0, 5, not_a_number()}, {infinite, 0, 5, 5}, {0, 0, infinite, 5}, {0, 0, -5, 5},
                              {0, 0, 5, 0}, {0, 0, 1e9f, 5}, {-1e9f, 0, 5, 5}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    read_frame(reader, pixels, 60, 40, 60, &wrong[i], 1, 0, MH_E_ARG);
  const mh_ocr_box box = {0, 0, 50, 30};
  mh_ocr_box many[MH_OCR_ROWS_MAX + 1];
  for (uint32_t i = 0; i <= MH_OCR_ROWS_MAX; i++) many[i] = box;
  read_frame(reader, pixels, 60, 40, 60, &box, 0, 0, MH_E_ARG);
  read_frame(reader, pixels, 60, 40, 60, many, MH_OCR_ROWS_MAX + 1, 0, MH_E_ARG);
  read_frame(reader, pixels, 60, 40, 59, &box, 1, 0, MH_E_ARG);
  read_frame(reader, pixels, MH_OCR_SIDE_MAX + 1, 1, MH_OCR_SIDE_MAX + 1, &box, 1, 0, MH_E_ARG);
  mh_ocr_frame frame = {.width = 60, .height = 40, .stride = 60, .pixels = {pixels, 60 * 40 - 1}};
  mh_ocr_reading out;
  REQUIRE(segment_reader_read(reader, &frame, &box, 1, &out) == MH_E_ARG);
  frame.pixels = (mh_bytes){NULL, 60 * 40};
  REQUIRE(segment_reader_read(reader, &frame, &box, 1, &out) == MH_E_ARG);
  free(pixels);
}

/* A cell that must not be believed marks the look, and becomes what it would most probably be. */
static int doubt_is_kept(void) {
  static const float steps[] = {.1f, .7f, .1f, .1f, .1f, .05f, .15f, .7f};
  segment_look look = {.steps = 2};
  return segment_greedy(steps, 4, 3, &look) && look.doubt && look.length == 2 && look.classes[0] == 1 &&
         look.classes[1] == 2;
}

/* A row with one digit whose middle is at `place`, in a picture of 200 x 60 with a stroke in its outermost columns or
 * without. Returns what the reader says of the picture's end. */
static int cut_off(const segment_reader *reader, float place, float box_right, int stroke) {
  uint8_t pixels[200 * 60];
  memset(pixels, 200, sizeof pixels);
  for (uint32_t y = 20; stroke && y < 35; y++) memset(pixels + y * 200 + 195, 20, 5);
  segment_picture picture = {pixels, 200, 60, 200};
  segment_view box = {40, 5, box_right - 40, 50, 0};
  float step = (float)reader->network.width / (float)reader->network.steps;
  segment_row row = {.top = 10, .bottom = 50, .look = {.view = {place - step / 2, 5, 100, 50, 0}, .columns = 100,
                                                      .length = 1, .low = 20, .high = 200}};
  return segment_is_cut_off(&reader->network, &picture, &box, &row);
}

/* The same at the left, above and below: a digit at `place` of a row from `top` to `bottom`, in a box of all of the picture
 * or of one that keeps away from its end. */
static int cut_elsewhere(const segment_reader *reader, float place, float top, float bottom, int is_away) {
  uint8_t pixels[200 * 60];
  memset(pixels, 200, sizeof pixels);
  segment_picture picture = {pixels, 200, 60, 200};
  segment_view box = {0, 0, 200, 60, 0}, away = {40, 15, 120, 30, 0};
  float step = (float)reader->network.width / (float)reader->network.steps;
  segment_row row = {.top = top, .bottom = bottom, .look = {.view = {place - step / 2, 5, 100, 50, 0}, .columns = 100,
                                                           .length = 1, .low = 20, .high = 200}};
  return segment_is_cut_off(&reader->network, &picture, is_away ? &away : &box, &row);
}

/* Text of eights, with points or without, may be segments that are not lit. */
static void check_eights(const segment_reader *reader) {
  segment_network network = reader->network;
  static const char characters[] = "0123456789.";
  memcpy(network.characters, characters, sizeof characters - 1);
  segment_look look = {.length = 3, .classes = {9, 11, 9}};
  REQUIRE(segment_is_eights(&network, &look));
  look.classes[0] = 1;
  REQUIRE(!segment_is_eights(&network, &look));
  look.length = 0;
  REQUIRE(!segment_is_eights(&network, &look));
}

/* A view is as plain as what it shows, and one without any pixels is not. */
static void check_contrast(segment_reader *reader) {
  uint8_t pixels[100 * 40];
  memset(pixels, 200, sizeof pixels);
  for (uint32_t y = 0; y < 40; y++) memset(pixels + y * 100 + 50, 120, 50);
  segment_picture picture = {pixels, 100, 40, 100};
  segment_view both = {30, 5, 40, 30, 0}, left = {5, 5, 40, 30, 0}, none = {5, 5, 0, 30, 0};
  float found = segment_contrast_in(reader, &picture, &both);
  REQUIRE(found > 79 && found < 81);
  REQUIRE(segment_contrast_in(reader, &picture, &left) < 1 && segment_contrast_in(reader, &picture, &none) == 0);
}

/* How many reflections are seen on a lit display with strokes of a brightness, with a bright spot on one or without. */
static uint32_t reflections(segment_reader *reader, int strokes, int spot) {
  static uint8_t pixels[160 * 80];
  memset(pixels, 20, sizeof pixels);
  for (uint32_t y = 16; y < 64; y++)
    for (uint32_t x = 30; x < 130; x += 25) memset(pixels + y * 160 + x, strokes, 8);
  for (uint32_t y = 34; spot && y < 46; y++) memset(pixels + y * 160 + 77, 255, 12);
  mh_ocr_frame frame = {.struct_size = sizeof frame, .width = 160, .height = 80, .stride = 160, .flags = MH_OCR_FRAME_BOXES,
                        .pixels = {pixels, sizeof pixels}};
  const mh_ocr_box box = {20, 12, 120, 56};
  mh_ocr_reading out = {.struct_size = sizeof out};
  REQUIRE(segment_reader_read(reader, &frame, &box, 1, &out) == MH_OK);
  return out.n_glare;
}

/* A spot is told from strokes that are less bright; where those are as bright, one that is no wider says nothing. */
static void check_lit(segment_reader *reader) {
  REQUIRE(reflections(reader, 150, 1) == 1 && reflections(reader, 150, 0) == 0);
  REQUIRE(reflections(reader, 255, 1) == 0 && reflections(reader, 255, 0) == 0);
}

/* Whether digits between 60 and 120 of a picture of 200 x 60 are washed out, where all from `left` to `right` and from `top`
 * on is as bright as a picture can be. */
static int washed_out(segment_reader *reader, uint32_t left, uint32_t right, uint32_t top) {
  uint8_t pixels[200 * 60];
  memset(pixels, 120, sizeof pixels);
  for (uint32_t y = top; y < 60; y++) memset(pixels + y * 200 + left, 255, right - left);
  segment_picture picture = {pixels, 200, 60, 200};
  segment_row row = {.left = 60, .top = 10, .right = 120, .bottom = 50};
  return segment_is_washed_out(reader, &picture, &row);
}

/* Light as wide as a digit beside the others may hide one: at either side, but not if it is narrower, lower, further away, or
 * all over the panel. */
static void check_washed_out(segment_reader *reader) {
  REQUIRE(washed_out(reader, 122, 160, 0) && washed_out(reader, 20, 58, 0));
  REQUIRE(!washed_out(reader, 122, 134, 0) && !washed_out(reader, 46, 58, 0));
  REQUIRE(!washed_out(reader, 122, 160, 35) && !washed_out(reader, 160, 200, 0));
  REQUIRE(!washed_out(reader, 0, 200, 0) && !washed_out(reader, 0, 0, 0));
}

/* What lies beyond the picture is not known; a box that keeps away from its end has all of the number. */
static void check_border(const segment_reader *reader) {
  REQUIRE(cut_elsewhere(reader, 5, 10, 50, 0) && !cut_elsewhere(reader, 5, 10, 50, 1));
  REQUIRE(cut_elsewhere(reader, 100, 0, 40, 0) && !cut_elsewhere(reader, 100, 0, 40, 1));
  REQUIRE(cut_elsewhere(reader, 100, 20, 60, 0) && !cut_elsewhere(reader, 100, 20, 60, 1));
  REQUIRE(!cut_elsewhere(reader, 100, 10, 50, 0));
  REQUIRE(cut_off(reader, 195, 200, 0) && !cut_off(reader, 185, 200, 0));
  REQUIRE(cut_off(reader, 170, 200, 1) && !cut_off(reader, 170, 185, 1) && !cut_off(reader, 170, 200, 0));
  REQUIRE(!cut_off(reader, 120, 200, 1));
}

/* A picture of "254" whose row is turned and whose strokes lean by these tangents, and the box around it. */
#define TURNED_WIDTH 240
#define TURNED_HEIGHT 160
static segment_view turned_row(uint8_t *pixels, float turn, float lean) {
  static uint8_t upright[TURNED_WIDTH * TURNED_HEIGHT];
  memset(upright, 200, sizeof upright);
  test_draw(upright, TURNED_WIDTH, TURNED_WIDTH, TURNED_HEIGHT, "254", 50, 50, 60, 30);
  for (int y = 0; y < TURNED_HEIGHT; y++)
    for (int x = 0; x < TURNED_WIDTH; x++) {
      float down = (float)(y - 80) - turn * (float)(x - 110), right = (float)(x - 110) + lean * down;
      int from_x = (int)(right + 110.5f), from_y = (int)(down + 80.5f);
      int is_inside = from_x >= 0 && from_x < TURNED_WIDTH && from_y >= 0 && from_y < TURNED_HEIGHT;
      pixels[y * TURNED_WIDTH + x] = is_inside ? upright[from_y * TURNED_WIDTH + from_x] : 200;
    }
  float more = 60 * (turn < 0 ? -turn : turn);
  return (segment_view){35, 40 - more, 150, 80 + 2 * more, 0};
}

static segment_turn turn_of(segment_reader *reader, float turn, float lean) {
  uint8_t pixels[TURNED_WIDTH * TURNED_HEIGHT];
  segment_view box = turned_row(pixels, turn, lean), around;
  segment_picture picture = {pixels, TURNED_WIDTH, TURNED_HEIGHT, TURNED_WIDTH};
  uint32_t columns = segment_see_region(reader, &picture, &box, &around);
  segment_turn found;
  segment_measure_turn(reader, &around, columns, &found);
  return found;
}

/* A turn is measured, and a row that lies, whatever its strokes lean like on displays, has none. */
static void check_turn(segment_reader *reader) {
  static const float turns[] = {-.4f, -.25f, -.15f, 0, .15f, .25f, .4f};
  for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
    segment_turn found = turn_of(reader, turns[i], turns[i] + .1f);
    REQUIRE(found.turn > turns[i] - .05f && found.turn < turns[i] + .05f && !found.leans);
    REQUIRE(segment_is_turned(&found) == (turns[i] != 0));
  }
  for (float lean = 0; lean < .29f; lean += .07f) {
    segment_turn found = turn_of(reader, 0, lean);
    REQUIRE(!segment_is_turned(&found) && !segment_is_askew(&found));
  }
  segment_turn left = turn_of(reader, 0, -.35f), right = turn_of(reader, 0, .55f), none = {0, 0}, still = {.2f, 0};
  REQUIRE(segment_is_askew(&left) && segment_is_askew(&right) && segment_is_askew(&still) && !segment_is_askew(&none));
}

/* A turned row lies in its patch, and a place there is the place in the picture that it shows. */
static void check_patch(segment_reader *reader) {
  uint8_t pixels[TURNED_WIDTH * TURNED_HEIGHT];
  segment_view box = turned_row(pixels, .3f, .3f), around;
  segment_picture picture = {pixels, TURNED_WIDTH, TURNED_HEIGHT, TURNED_WIDTH};
  segment_turn turn = turn_of(reader, .3f, .3f);
  segment_patch patch;
  REQUIRE(segment_straighten(reader, &picture, &box, &turn, &patch));
  uint32_t columns = segment_see_region(reader, &patch.picture, &patch.box, &around);
  segment_measure_turn(reader, &around, columns, &turn);
  REQUIRE(!segment_is_turned(&turn));
  for (int k = 0; k < 60; k++) {
    int x = 20 + k * (patch.picture.width - 40) / 60, y = 10 + k * (patch.picture.height - 20) / 60;
    float at[2];
    segment_unpatch(&patch, (float)x + .5f, (float)y + .5f, at);
    if (at[0] < 2 || at[1] < 2 || at[0] > TURNED_WIDTH - 3 || at[1] > TURNED_HEIGHT - 3) continue;
    int low = 255, high = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        int grey = pixels[((int)at[1] + dy) * TURNED_WIDTH + (int)at[0] + dx];
        low = grey < low ? grey : low;
        high = grey > high ? grey : high;
      }
    int shown = patch.picture.pixels[(size_t)y * patch.picture.stride + (size_t)x];
    REQUIRE(shown >= low - 1 && shown <= high + 1);
  }
  segment_view endless = {0, 0, 30000, 8, 0};
  REQUIRE(!segment_straighten(reader, &picture, &endless, &(segment_turn){.3f, 0}, &patch));
}

/* Looks that see the digits 1 and 2 for certain, and a point between them as much as is said. */
static float other_points(const segment_reader *reader, float point, int with_point) {
  segment_reader own = *reader;
  float steps[SEGMENT_SIDES * 8 * SEGMENT_CLASSES_MAX] = {0};
  own.network.n_characters = 11;
  own.network.steps = 5;
  memcpy(own.network.characters, "0123456789.", 11);
  own.probabilities = steps;
  segment_look looks[2] = {{.steps = 5, .slot = 0}, {.steps = 5, .slot = 1}};
  for (uint32_t slot = 0; slot < 2; slot++) {
    float *at = steps + slot * 5 * 12;
    at[2] = 1, at[12] = 1, at[24 + 11] = point, at[24] = 1 - point, at[36 + 3] = 1, at[48] = 1;
  }
  segment_look text = {.length = 2, .classes = {2, 3}}, pointed = {.length = 3, .classes = {2, 11, 3}};
  float others = segment_other_points(&own, looks, 2, with_point ? &pointed : &text);
  REQUIRE(segment_is_point_doubtful(&own.network, &text, .01f) && !segment_is_point_doubtful(&own.network, &text, .005f));
  REQUIRE(segment_is_point_doubtful(&own.network, &pointed, .2f) && !segment_is_point_doubtful(&own.network, &pointed, .05f));
  return others;
}

static void check_points(const segment_reader *reader) {
  for (float point = 0; point < 1; point += .125f) {
    float without = other_points(reader, point, 0) - point, with = other_points(reader, point, 1) - (1 - point);
    REQUIRE(without > -.001f && without < .001f && with > -.001f && with < .001f);
  }
}

int main(void) {
  if (!doubt_is_kept()) return 1;
  test_file file = test_weights(11, test_small, 16, 64);
  void *memory;
  segment_reader *reader = test_open(&file, &memory);
  uint32_t sum = check_sizes(reader);
  check_refused(reader);
  check_border(reader);
  check_eights(reader);
  check_contrast(reader);
  check_lit(reader);
  check_washed_out(reader);
  check_turn(reader);
  check_patch(reader);
  check_points(reader);
  printf("frames %08x\n", (unsigned)sum);
  free(memory);
  free(file.bytes);
  return 0;
}
