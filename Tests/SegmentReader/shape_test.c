/* Digits of segments pass, in whatever light and width; what no segments draw does not. Prints what was decided, equal on
 * every processor. */
#include "../../SDK/ocr/reader.h"
#include "support.h"

#define WIDTH 240
#define HEIGHT 90
#define LEFT 30.0f
#define TOP 20.0f
#define SIZE 50.0f
/* From digit to digit. */
#define PITCH (SIZE * .74f)

/* A picture, and the grey levels of its panel and its digits. */
typedef struct test_panel {
  uint8_t pixels[WIDTH * HEIGHT];
  uint8_t panel, ink;
} test_panel;

static void clear(test_panel *display, uint8_t panel, uint8_t ink) {
  memset(display->pixels, panel, sizeof display->pixels);
  display->panel = panel, display->ink = ink;
}

/* A rectangle of a digit's place, in hundredths of its height. */
static void paint(test_panel *display, uint32_t place, int x, int y, int width, int height, uint8_t grey) {
  int left = (int)(LEFT + PITCH * (float)place) + x * (int)SIZE / 100, top = (int)TOP + y * (int)SIZE / 100;
  for (int line = top; line < top + height * (int)SIZE / 100; line++)
    memset(display->pixels + line * WIDTH + left, grey, (size_t)(width * (int)SIZE / 100));
}

/* Digits of seven segments, whose bars end within the strokes at their ends, as on most displays. */
static void write(test_panel *display, const char *digits, uint32_t place) {
  /* Bits: a b c d e f g. */
  static const uint8_t lit[10] = {0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f};
  static const int segments[7][4] = {{4, 0, 44, 14}, {38, 2, 14, 46}, {38, 52, 14, 46}, {4, 86, 44, 14},
                                     {0, 52, 14, 46}, {0, 2, 14, 46},  {4, 43, 44, 14}};
  for (; *digits != 0; digits++, place++)
    for (int k = 0; k < 7; k++) {
      const int *at = segments[k];
      if ((lit[*digits - '0'] >> k & 1) != 0) paint(display, place, at[0], at[1], at[2], at[3], display->ink);
    }
}

/* A one with a flag that falls to the left in steps of pixels, or lies level. */
static void flagged_one(test_panel *display, uint32_t place, int is_level) {
  paint(display, place, 24, 0, 14, 100, display->ink);
  paint(display, place, 12, is_level ? 0 : 8, 14, 14, display->ink);
  if (!is_level) paint(display, place, 4, 16, 10, 14, display->ink);
}

/* A reader that knows digits, and what it has read: this text, a space where nothing was. */
static segment_row row_of(segment_reader *own, const segment_reader *reader, const char *text) {
  *own = *reader;
  own->network.n_characters = 11;
  memcpy(own->network.characters, "0123456789.", 11);
  own->network.steps = own->network.width;
  segment_row row = {.left = LEFT, .right = WIDTH, .top = TOP, .bottom = TOP + SIZE};
  row.look.view = (segment_view){0, 0, WIDTH, HEIGHT, 0};
  row.look.columns = own->network.width;
  for (uint32_t place = 0; text[place] != 0; place++) {
    if (text[place] == ' ') continue;
    float middle = LEFT + PITCH * (float)place + .26f * SIZE;
    row.look.classes[row.look.length] = (uint8_t)(text[place] - '0' + 1);
    row.look.first[row.look.length] = row.look.last[row.look.length] = (uint8_t)(middle / WIDTH * (float)own->network.width);
    row.look.length++;
  }
  return row;
}

/* Whether the digits, read as this text, are drawn as no display draws them. */
static int is_type(const segment_reader *reader, const test_panel *display, const char *text) {
  segment_reader own;
  segment_row row = row_of(&own, reader, text);
  segment_picture picture = {display->pixels, WIDTH, HEIGHT, WIDTH};
  return segment_is_type(&own, &picture, &row);
}

/* Whether something as high as digits was left out of this text. */
static int has_unread(const segment_reader *reader, const test_panel *display, const char *text) {
  segment_reader own;
  segment_row row = row_of(&own, reader, text);
  segment_picture picture = {display->pixels, WIDTH, HEIGHT, WIDTH};
  segment_view box = {4, 12, WIDTH - 8, HEIGHT - 24, 0};
  return segment_has_unread(&own, &picture, &box, &row);
}

/* Dark digits and lit ones, as faint as on a bad day. */
static const uint8_t greys[][2] = {{200, 30}, {20, 230}, {120, 90}, {60, 85}};
#define LIGHTS (sizeof greys / sizeof greys[0])

static uint32_t check_segments(const segment_reader *reader) {
  static const char *const texts[] = {"97", "71", "17", "7", "77", "11", "2568", "3407", "1", "889", "7040"};
  test_panel display;
  uint32_t passed = 0;
  for (size_t light = 0; light < LIGHTS; light++)
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
      clear(&display, greys[light][0], greys[light][1]);
      write(&display, texts[i], 0);
      REQUIRE(!is_type(reader, &display, texts[i]));
      passed++;
    }
  return passed;
}

/* Each text as it is taken for sevens; `1` are ones with a flag, which are read as sevens. */
static uint32_t check_flags(const segment_reader *reader) {
  static const char *const texts[] = {"91", "19", "71", "17", "1", "11", "117", "2301", "5160"};
  test_panel display;
  uint32_t refused = 0;
  for (size_t light = 0; light < LIGHTS; light++)
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
      for (int is_level = 0; is_level < 2; is_level++) {
        char taken[8] = {0}, digit[2] = {0};
        clear(&display, greys[light][0], greys[light][1]);
        for (uint32_t place = 0; texts[i][place] != 0; place++) {
          taken[place] = digit[0] = texts[i][place];
          if (digit[0] == '1')
            taken[place] = '7', flagged_one(&display, place, is_level);
          else
            write(&display, digit, place);
        }
        REQUIRE(is_type(reader, &display, taken));
        refused++;
      }
  return refused;
}

/* A segment that is lit for a part of its length: an open five is no six, and an open three no eight. */
static uint32_t check_broken(const segment_reader *reader) {
  test_panel display;
  uint32_t refused = 0;
  for (size_t light = 0; light < LIGHTS; light++) {
    clear(&display, greys[light][0], greys[light][1]);
    write(&display, "45", 0);
    paint(&display, 1, 0, 80, 14, 14, display.ink);
    REQUIRE(is_type(reader, &display, "46"));
    clear(&display, greys[light][0], greys[light][1]);
    write(&display, "38", 0);
    paint(&display, 1, 0, 22, 16, 18, display.panel);
    REQUIRE(is_type(reader, &display, "38"));
    refused += 2;
  }
  return refused;
}

/* A one that was left out: `1` in what is shown, a space in what was read. */
static uint32_t check_left_out(const segment_reader *reader) {
  static const char *const texts[][2] = {{"401", "40 "}, {"140", " 40"}, {"416", "4 6"}, {"21", "2 "}, {"18", " 8"}};
  test_panel display;
  uint32_t refused = 0;
  for (size_t light = 0; light < LIGHTS; light++)
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
      for (int kind = 0; kind < 3; kind++) {
        clear(&display, greys[light][0], greys[light][1]);
        for (uint32_t place = 0; texts[i][0][place] != 0; place++) {
          char digit[2] = {texts[i][0][place], 0};
          if (digit[0] == '1' && kind < 2)
            flagged_one(&display, place, kind);
          else
            write(&display, digit, place);
        }
        REQUIRE(has_unread(reader, &display, texts[i][1]));
        REQUIRE(kind < 2 || !has_unread(reader, &display, texts[i][0]));
        refused++;
      }
  return refused;
}

/* What stands beside the digits of a display and is none: a bezel, which is higher than they are, and units, which are lower. */
static uint32_t check_beside(const segment_reader *reader) {
  test_panel display;
  uint32_t passed = 0;
  for (size_t light = 0; light < LIGHTS; light++)
    for (int kind = 0; kind < 3; kind++) {
      clear(&display, greys[light][0], greys[light][1]);
      write(&display, "63", 0);
      if (kind == 0) paint(&display, 2, 10, -40, 20, 180, display.ink);
      if (kind == 1) paint(&display, 2, 10, 40, 12, 60, display.ink), paint(&display, 2, 40, 55, 12, 45, display.ink);
      if (kind == 2) paint(&display, 2, 0, -40, 250, 36, display.ink);
      REQUIRE(!has_unread(reader, &display, "63"));
      passed++;
    }
  return passed;
}

int main(void) {
  test_file file = test_weights(11, test_small, 16, 64);
  void *memory;
  segment_reader *reader = test_open(&file, &memory);
  uint32_t passed = check_segments(reader), flags = check_flags(reader), broken = check_broken(reader);
  uint32_t left_out = check_left_out(reader), beside = check_beside(reader);
  printf("shapes %u %u %u, unread %u %u\n", (unsigned)passed, (unsigned)flags, (unsigned)broken, (unsigned)left_out,
         (unsigned)beside);
  free(memory);
  free(file.bytes);
  return 0;
}
