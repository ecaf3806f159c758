#include "support.h"

uint32_t test_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (uint32_t)(*seed >> 16);
}

float test_uniform(uint64_t *seed, float low, float high) {
  return low + (high - low) * (float)(test_random(seed) >> 8) / 16777216.0f;
}

const test_layer test_small[] = {{{1, 4, 3, 3, 1, 1, 1, 4, 2}},
                                 {{4, 9, 3, 3, 1, 1, 1, 4, 2}},
                                 {{9, 5, 1, 1, 0, 0, 0, 1, 1}},
                                 {{0}}};
const test_layer test_shipped[] = {{{1, 12, 3, 3, 1, 1, 1, 2, 2}},  {{12, 28, 3, 3, 1, 1, 1, 2, 2}},
                                   {{28, 48, 3, 3, 1, 1, 1, 1, 1}}, {{48, 48, 3, 3, 1, 1, 1, 2, 1}},
                                   {{48, 64, 3, 3, 1, 1, 1, 1, 1}}, {{64, 80, 5, 3, 0, 1, 1, 1, 1}},
                                   {{80, 80, 1, 5, 0, 2, 1, 1, 1}}, {{80, 80, 1, 5, 0, 2, 1, 1, 1}},
                                   {{80, 20, 1, 1, 0, 0, 0, 1, 1}}, {{0}}};
/* Sizes that are no multiple of anything, and layers without relu. */
const test_layer test_odd[] = {{{1, 3, 5, 7, 2, 3, 0, 3, 1}},
                               {{3, 17, 2, 2, 0, 1, 1, 1, 3}},
                               {{17, 33, 7, 3, 1, 0, 0, 1, 1}},
                               {{33, 12, 6, 1, 0, 0, 0, 1, 1}},
                               {{0}}};

/* The last layer sees so far beyond a narrow view that characters by chance are found there. */
const test_layer test_wide[] = {{{1, 4, 3, 7, 1, 3, 1, 4, 1}}, {{4, 4, 3, 7, 1, 3, 1, 4, 1}},
                                {{4, 8, 1, 7, 0, 3, 1, 1, 4}}, {{8, 8, 1, 7, 0, 3, 1, 1, 1}},
                                {{8, 8, 1, 7, 0, 3, 1, 1, 1}}, {{8, 20, 1, 1, 0, 0, 0, 1, 1}},
                                {{0}}};
/* Each layer takes six columns: of the narrowest input two layers leave four, and a third would take more than that. */
const test_layer test_unpadded[] = {{{1, 3, 3, 7, 1, 0, 1, 4, 1}}, {{3, 12, 3, 7, 1, 0, 0, 4, 1}}, {{0}}};
const test_layer test_exhausted[] = {{{1, 3, 3, 7, 1, 0, 1, 4, 1}},
                                     {{3, 3, 3, 7, 1, 0, 1, 4, 1}},
                                     {{3, 12, 1, 7, 0, 0, 0, 1, 1}},
                                     {{0}}};

static void put(test_file *file, uint32_t value) {
  for (int k = 0; k < 4; k++) file->bytes[file->n++] = (uint8_t)(value >> 8 * k);
}

static void put_number(test_file *file, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  put(file, bits);
}

uint32_t test_checksum(const uint8_t *bytes, size_t n) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; k++) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

void test_seal(test_file *file) {
  uint32_t crc = test_checksum(file->bytes, file->n - 4);
  for (int k = 0; k < 4; k++) file->bytes[file->n - 4 + (size_t)k] = (uint8_t)(crc >> 8 * k);
}

test_file test_weights(uint64_t seed, const test_layer *layers, uint32_t height, uint32_t width) {
  uint32_t n = 0, classes = 0;
  size_t numbers = 0;
  for (; layers[n].fields[1] != 0; n++) {
    const uint32_t *f = layers[n].fields;
    numbers += (size_t)f[1] * ((size_t)f[0] * f[2] * f[3] + 1);
    classes = f[1];
  }
  test_file file = {malloc(64 + 36 * n + 4 * numbers + 4), 0};
  REQUIRE(file.bytes != NULL);
  memcpy(file.bytes, "MHSW", 4);
  file.n = 4;
  put(&file, 1), put(&file, height), put(&file, width), put(&file, classes - 1), put(&file, n);
  put_number(&file, .85f), put_number(&file, .45f);
  const char characters[] = "0123456789.-LoHiEr?ABCDFG";
  for (uint32_t i = 0; i < 32; i++) file.bytes[file.n++] = i < classes - 1 ? (uint8_t)characters[i] : 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < 9; k++) put(&file, layers[i].fields[k]);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t *f = layers[i].fields;
    uint32_t taps = f[0] * f[2] * f[3];
    float size = 3.4f / (float)(taps > 9 ? taps / 9 + 9 : taps);
    for (uint32_t k = 0; k < f[1] * taps; k++) put_number(&file, test_uniform(&seed, -size, size));
    for (uint32_t k = 0; k < f[1]; k++) put_number(&file, test_uniform(&seed, -.2f, .2f));
  }
  file.n += 4;
  test_seal(&file);
  return file;
}

test_file test_read_file(const char *path) {
  test_file file = {NULL, 0};
  FILE *in = fopen(path, "rb");
  if (in == NULL) return file;
  fseek(in, 0, SEEK_END);
  file.n = (size_t)ftell(in);
  rewind(in);
  file.bytes = malloc(file.n + 1);
  REQUIRE(file.bytes != NULL && fread(file.bytes, 1, file.n, in) == file.n);
  fclose(in);
  return file;
}

segment_reader *test_open(const test_file *file, void **memory) {
  size_t size = 0;
  segment_reader *reader = NULL;
  REQUIRE(segment_reader_size(file->bytes, file->n, &size) == SEGMENT_OK);
  *memory = aligned_alloc(SEGMENT_READER_ALIGNMENT, size);
  REQUIRE(*memory != NULL);
  REQUIRE(segment_reader_load(*memory, size, file->bytes, file->n, &reader) == SEGMENT_OK);
  return reader;
}

void test_read_boxes(const test_file *file) {
  static uint8_t pixels[120 * 80];
  static const mh_ocr_box boxes[] = {{6, 4, 8, 70}, {20, 2, 30, 76}, {3, 20, 112, 24}, {-4, 30, 120, 7}, {0, 0, 120, 80}};
  uint64_t seed = 8;
  for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(test_random(&seed) % 200);
  test_draw(pixels, 120, 120, 80, "28", 40, 22, 20, 250);
  void *memory;
  segment_reader *reader = test_open(file, &memory);
  for (uint32_t still = 0; still <= MH_OCR_FRAME_STILL; still += MH_OCR_FRAME_STILL) {
    uint32_t n = sizeof boxes / sizeof boxes[0];
    mh_ocr_frame frame = {.struct_size = sizeof frame, .flags = still, .width = 120, .height = 80, .stride = 120,
                          .pixels = {pixels, sizeof pixels}};
    mh_ocr_reading out = {.struct_size = sizeof out};
    REQUIRE(segment_reader_read(reader, &frame, boxes, n, &out) == MH_OK);
    for (uint32_t i = 0; i < n; i++) REQUIRE(out.rows[i].corners[2] > out.rows[i].corners[0]);
  }
  free(memory);
}

static void fill(uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, float x0, float y0, float x1, float y1,
                 uint8_t ink) {
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      if ((float)x >= x0 && (float)x < x1 && (float)y >= y0 && (float)y < y1) pixels[y * stride + x] = ink;
}

void test_draw(uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, const char *digits, float x, float y,
               float size, uint8_t ink) {
  /* Bits: a b c d e f g. */
  static const uint8_t lit[10] = {0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f};
  float wide = size * .52f, thick = size * .14f, gap = size * .015f;
  for (; *digits != 0; digits++) {
    if (*digits == '.') {
      fill(pixels, stride, width, height, x - size * .16f, y + size - thick, x - size * .02f, y + size, ink);
      continue;
    }
    uint8_t on = lit[*digits - '0'];
    float middle = y + (size - thick) / 2, half = size / 2, right = x + wide - thick;
    const float bars[7][4] = {{x + thick + gap, y, right - gap, y + thick},
                              {right, y + gap, x + wide, y + half - gap},
                              {right, y + half + gap, x + wide, y + size - gap},
                              {x + thick + gap, y + size - thick, right - gap, y + size},
                              {x, y + half + gap, x + thick, y + size - gap},
                              {x, y + gap, x + thick, y + half - gap},
                              {x + thick + gap, middle, right - gap, middle + thick}};
    for (int k = 0; k < 7; k++)
      if ((on >> k & 1) != 0)
        fill(pixels, stride, width, height, bars[k][0], bars[k][1], bars[k][2], bars[k][3], ink);
    x += wide + size * .22f;
  }
}
