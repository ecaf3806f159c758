/* The vector code gives the plain code's bits, and both the bits that were recorded on any other processor: prints a
 * checksum of everything that it computed, which the script compares. */
#include "support.h"

static float logits[2][SEGMENT_STEPS_MAX * SEGMENT_CLASSES_MAX];

/* A convolution as the definition says it, in double precision. */
static double defined(const test_file *file, const segment_layer *layer, const float *input, uint32_t width, uint32_t o,
                      uint32_t y, uint32_t x) {
  const uint8_t *weights = file->bytes + 64 + 36;
  double sum = 0;
  float w;
  for (uint32_t ky = 0; ky < layer->kernel_height; ky++)
    for (uint32_t kx = 0; kx < layer->kernel_width; kx++) {
      int64_t at_y = (int64_t)y + ky - layer->pad_height, at_x = (int64_t)x + kx - layer->pad_width;
      if (at_y < 0 || at_x < 0 || at_y >= layer->height || at_x >= width) continue;
      memcpy(&w, weights + 4 * ((size_t)(o * layer->kernel_height + ky) * layer->kernel_width + kx), 4);
      sum += (double)w * input[at_y * width + at_x];
    }
  memcpy(&w, weights + 4 * ((size_t)layer->outputs * layer->kernel_height * layer->kernel_width + o), 4);
  return sum + w;
}

static void fill_input(const segment_network *network, const float *values, uint32_t width) {
  size_t stride;
  float *input = segment_network_input(network, width, &stride);
  for (uint32_t y = 0; y < network->height; y++) memcpy(input + y * stride, values + (size_t)y * width, width * 4);
}

/* One layer alone against its definition: two rows come out, and pooling keeps the larger values. */
static void check_definition(void) {
  const test_layer layers[] = {{{1, 13, 7, 5, 0, 2, 0, 2, 1}}, {{0}}};
  test_file file = test_weights(5, layers, 8, 50);
  void *memory;
  segment_reader *reader = test_open(&file, &memory);
  uint64_t seed = 77;
  float input[8 * 50];
  for (int i = 0; i < 8 * 50; i++) input[i] = test_uniform(&seed, -2, 2);
  fill_input(&reader->network, input, 50);
  REQUIRE(segment_network_run(&reader->network, reader->kernel, 50, logits[0]) == 50);
  for (uint32_t x = 0; x < 50; x++)
    for (uint32_t o = 0; o < 13; o++) {
      double upper = defined(&file, &reader->network.layers[0], input, 50, o, 0, x);
      double lower = defined(&file, &reader->network.layers[0], input, 50, o, 1, x);
      double off = logits[0][x * 13 + o] - (upper > lower ? upper : lower);
      REQUIRE(off < 1e-4 && off > -1e-4);
    }
  free(memory);
  free(file.bytes);
}

static uint32_t check_equal(uint64_t seed, const test_layer *layers, uint32_t height, uint32_t width) {
  test_file file = test_weights(seed, layers, height, width);
  void *memory;
  segment_reader *reader = test_open(&file, &memory);
  const segment_network *network = &reader->network;
  float *values = malloc((size_t)height * width * 4);
  uint32_t sum = 0;
  for (uint32_t narrow = 0; narrow < 3; narrow++) {
    uint32_t columns = width - narrow * 7, classes = network->n_characters + 1;
    for (uint32_t i = 0; i < height * columns; i++) values[i] = test_uniform(&seed, -2, 2);
    fill_input(network, values, columns);
    uint32_t steps = segment_network_run(network, segment_kernel_plain, columns, logits[0]);
    fill_input(network, values, columns);
    REQUIRE(steps > 0 && segment_network_run(network, segment_kernel_best(), columns, logits[1]) == steps);
    REQUIRE(memcmp(logits[0], logits[1], (size_t)steps * classes * 4) == 0);
    sum = sum * 31 + test_checksum((const uint8_t *)logits[0], (size_t)steps * classes * 4);
  }
  free(values);
  free(memory);
  free(file.bytes);
  return sum;
}

/* What the training's engine makes of some inputs: "MHSV", their count, steps and classes, and for each its pixels (v
 * stands for v / 63.75 - 2) and its logits. */
static void check_vectors(const char *weights, const char *vectors) {
  test_file file = test_read_file(weights), known = test_read_file(vectors);
  REQUIRE(file.bytes != NULL && known.bytes != NULL);
  void *memory;
  segment_reader *reader = test_open(&file, &memory);
  const segment_network *network = &reader->network;
  uint32_t head[3], classes = network->n_characters + 1, pixels = network->height * network->width;
  REQUIRE(known.n > 16 && memcmp(known.bytes, "MHSV", 4) == 0);
  memcpy(head, known.bytes + 4, sizeof head);
  size_t each = pixels + (size_t)network->steps * classes * 4;
  REQUIRE(head[0] > 0 && head[1] == network->steps && head[2] == classes && known.n == 16 + head[0] * each);
  float *values = malloc(pixels * sizeof(float));
  for (uint32_t k = 0; k < head[0]; k++) {
    const uint8_t *place = known.bytes + 16 + k * each;
    for (uint32_t i = 0; i < pixels; i++) values[i] = (float)place[i] / 63.75f - 2;
    fill_input(network, values, network->width);
    REQUIRE(segment_network_run(network, reader->kernel, network->width, logits[0]) == network->steps);
    memcpy(logits[1], place + pixels, (size_t)network->steps * classes * 4);
    for (uint32_t i = 0; i < network->steps * classes; i++) {
      float off = logits[0][i] - logits[1][i];
      REQUIRE(off < 2e-3f && off > -2e-3f);
    }
  }
  free(values);
  free(memory);
  free(file.bytes);
  free(known.bytes);
}

int main(int count, char **words) {
  check_definition();
  uint32_t sum = 0;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    sum = sum * 31 + check_equal(seed, test_small, 16, 64);
    sum = sum * 31 + check_equal(seed, test_odd, 33, 97);
  }
  sum = sum * 31 + check_equal(9, test_shipped, 40, 176);
  if (count == 3) check_vectors(words[1], words[2]);
  printf("network %08x\n", (unsigned)sum);
  return 0;
}
