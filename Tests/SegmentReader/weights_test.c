/* Files of weights that are none: a typed error, and nothing else. */
#include "support.h"

static segment_status status_of(const uint8_t *bytes, size_t n) {
  size_t size;
  return segment_reader_size(bytes, n, &size);
}

/* The bytes at the very end of their memory, at an odd address: what reads beyond them is found out. */
static segment_status status_of_copy(const uint8_t *bytes, size_t n) {
  uint8_t *copy = malloc(n + 1);
  memcpy(copy + 1, bytes, n);
  segment_status status = status_of(copy + 1, n);
  free(copy);
  return status;
}

static void check_lengths(const test_file *file) {
  for (size_t n = 0; n < file->n; n++) REQUIRE(status_of_copy(file->bytes, n) != SEGMENT_OK);
  REQUIRE(status_of_copy(file->bytes, file->n) == SEGMENT_OK);
  uint8_t *longer = calloc(1, file->n + 4);
  memcpy(longer, file->bytes, file->n);
  REQUIRE(status_of(longer, file->n + 4) == SEGMENT_E_LENGTH);
  free(longer);
}

static void check_flips(test_file *file) {
  for (size_t at = 0; at < file->n; at++)
    for (int bit = 0; bit < 8; bit++) {
      file->bytes[at] ^= (uint8_t)(1 << bit);
      REQUIRE(status_of(file->bytes, file->n) != SEGMENT_OK);
      file->bytes[at] ^= (uint8_t)(1 << bit);
    }
}

/* With a word of it changed; whatever is accepted has to be fit to read with. */
static segment_status with_word(test_file *file, size_t at, uint32_t value) {
  uint8_t kept[4];
  memcpy(kept, file->bytes + at, 4);
  for (int k = 0; k < 4; k++) file->bytes[at + (size_t)k] = (uint8_t)(value >> 8 * k);
  test_seal(file);
  segment_status status = status_of(file->bytes, file->n);
  if (status == SEGMENT_OK) test_read_boxes(file);
  memcpy(file->bytes + at, kept, 4);
  test_seal(file);
  return status;
}

/* Every field with every size that overflows something, under a right checksum. */
static void check_fields(test_file *file, uint32_t layers) {
  const uint32_t values[] = {0, 2, 7, 31, 255, 256, 257, 1000, 0x7fff, 0x10000, 0x7fffffff, 0x80000000u, 0xfffffff0u,
                             0xffffffffu};
  for (size_t at = 4; at < 64 + 36 * (size_t)layers; at += 4)
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
      uint32_t now;
      memcpy(&now, file->bytes + at, 4);
      if (now == values[k] || (at >= 24 && at < 32)) continue;
      /* Padding that leaves the sizes as they are is another network, not a wrong one. */
      segment_status status = with_word(file, at, values[k]);
      REQUIRE(status <= SEGMENT_OK);
      if (values[k] >= 1000) REQUIRE(status != SEGMENT_OK);
    }
}

static void check_numbers(test_file *file, uint32_t layers) {
  const uint32_t wrong[] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0x7f800000u, 0xff800000u, 0x49742400u, 0xc9742400u,
                            0x7f7fffffu};
  for (size_t at = 64 + 36 * (size_t)layers; at < file->n - 4; at += 4)
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
      REQUIRE(with_word(file, at, wrong[k]) == SEGMENT_E_NUMBER);
  for (size_t at = 24; at < 32; at += 4) {
    REQUIRE(with_word(file, at, 0x7fc00000u) == SEGMENT_E_NUMBER);
    REQUIRE(with_word(file, at, 0x3f800001u) == SEGMENT_E_NUMBER);
  }
}

static void check_kinds(test_file *file) {
  REQUIRE(status_of(NULL, 10) == SEGMENT_E_ARGUMENT);
  REQUIRE(with_word(file, 0, 0x5753484du + 1) == SEGMENT_E_FORMAT);
  REQUIRE(with_word(file, 4, 2) == SEGMENT_E_FORMAT);
  REQUIRE(with_word(file, 8, 4000) == SEGMENT_E_LIMIT);
  /* The same character twice, and one that cannot be printed. */
  REQUIRE(with_word(file, 32, 0x31313130u) == SEGMENT_E_SHAPE);
  REQUIRE(with_word(file, 32, 0x01323130u) == SEGMENT_E_SHAPE);
  file->bytes[file->n - 1] ^= 1;
  REQUIRE(status_of(file->bytes, file->n) == SEGMENT_E_CHECKSUM);
  file->bytes[file->n - 1] ^= 1;
}

static void check_memory(const test_file *file) {
  size_t size = 0;
  segment_reader *reader = NULL;
  REQUIRE(segment_reader_size(file->bytes, file->n, &size) == SEGMENT_OK);
  uint8_t *memory = aligned_alloc(SEGMENT_READER_ALIGNMENT, size);
  REQUIRE(segment_reader_load(memory, size - 1, file->bytes, file->n, &reader) == SEGMENT_E_ARGUMENT);
  REQUIRE(segment_reader_load(memory + 4, size, file->bytes, file->n, &reader) == SEGMENT_E_ARGUMENT);
  REQUIRE(segment_reader_load(NULL, size, file->bytes, file->n, &reader) == SEGMENT_E_ARGUMENT);
  REQUIRE(segment_reader_load(memory, size, file->bytes, file->n, NULL) == SEGMENT_E_ARGUMENT);
  REQUIRE(segment_reader_load(memory, size, file->bytes, file->n - 1, &reader) == SEGMENT_E_LENGTH);
  REQUIRE(reader == NULL);
  REQUIRE(segment_reader_load(memory, size, file->bytes, file->n, &reader) == SEGMENT_OK && reader != NULL);
  REQUIRE(segment_reader_floor(reader, 0) == .85f && segment_reader_floor(reader, MH_OCR_FRAME_STILL) == .45f);
  free(memory);
}

/* A network is refused when its layers take more columns than a narrow input has, though its full width would do. */
static void check_narrow(void) {
  test_file unpadded = test_weights(4, test_unpadded, 16, 128), exhausted = test_weights(4, test_exhausted, 16, 128);
  REQUIRE(status_of(exhausted.bytes, exhausted.n) == SEGMENT_E_SHAPE);
  test_read_boxes(&unpadded);
  free(unpadded.bytes);
  free(exhausted.bytes);
}

/* Characters beyond the end of a view leave no view that is turned inside out. Networks of these seeds find some there. */
static void check_beyond(void) {
  const uint64_t seeds[] = {58, 302};
  for (uint32_t i = 0; i < 2; i++) {
    test_file file = test_weights(seeds[i], test_wide, 16, 256);
    test_read_boxes(&file);
    free(file.bytes);
  }
}

int main(void) {
  const test_layer layers[] = {{{1, 3, 3, 3, 1, 1, 1, 2, 2}}, {{3, 4, 4, 3, 0, 1, 0, 1, 1}}, {{0}}};
  test_file file = test_weights(3, layers, 8, 16);
  check_lengths(&file);
  check_flips(&file);
  check_fields(&file, 2);
  check_numbers(&file, 2);
  check_kinds(&file);
  check_memory(&file);
  check_narrow();
  check_beyond();
  free(file.bytes);
  puts("weights");
  return 0;
}
