/* Weights and pictures for the reader's tests, from a seed. */
#ifndef SEGMENT_TEST_SUPPORT_H
#define SEGMENT_TEST_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../SDK/ocr/reader.h"

#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);        \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

/* The same numbers everywhere (xorshift). */
uint32_t test_random(uint64_t *seed);
float test_uniform(uint64_t *seed, float low, float high);

/* The shape of a small network; terminated by outputs == 0. in, out, kernel, padding, relu, pooling as in the file. */
typedef struct test_layer {
  uint32_t fields[9];
} test_layer;

extern const test_layer test_small[], test_shipped[], test_odd[], test_wide[], test_unpadded[], test_exhausted[];

typedef struct test_file {
  uint8_t *bytes;
  size_t n;
} test_file;

/* A file of weights with a right checksum; free its bytes. */
test_file test_weights(uint64_t seed, const test_layer *layers, uint32_t height, uint32_t width);
uint32_t test_checksum(const uint8_t *bytes, size_t n);
void test_seal(test_file *file);
test_file test_read_file(const char *path);

/* A reader of a file; free what it returns in *memory. */
segment_reader *test_open(const test_file *file, void **memory);

/* Reads narrow and wide boxes of a picture, live and still, with weights that were accepted. */
void test_read_boxes(const test_file *file);

/* Digits drawn into a picture: dark on light, or the other way round. */
void test_draw(uint8_t *pixels, size_t stride, uint32_t width, uint32_t height, const char *digits, float x, float y,
               float size, uint8_t ink);

#endif
