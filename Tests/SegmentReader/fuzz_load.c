/* Bytes as a file of weights, and readings with what is accepted. Checksum and length are mended, or hardly any input
 * would get past them. */
#include "support.h"

#define HEADER 64u
#define LAYER 36u
/* What a reading takes, in products: more would be slow, and finds nothing else. */
#define WORK_MAX 3000000u

static uint32_t word(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

/* The length that the headers ask for; 0 for headers that no input of the fuzzer could satisfy. */
static size_t wanted_length(const uint8_t *data, size_t size) {
  if (size < HEADER || word(data + 20) > SEGMENT_LAYERS_MAX) return 0;
  size_t end = HEADER + (size_t)word(data + 20) * LAYER, numbers = 0;
  if (size < end) return 0;
  for (size_t at = HEADER; at < end; at += LAYER) {
    size_t taps = 1;
    const size_t fields[] = {0, 8, 12};
    for (int k = 0; k < 3; k++) taps *= word(data + at + fields[k]) & 0xfff;
    numbers += (word(data + at + 4) & 0xfff) * (taps + 1);
    if (numbers > 20000) return 0;
  }
  return end + 4 * numbers + 4;
}

/* The bytes with the length that their headers ask for; numbers that are missing are drawn. */
static test_file mended(const uint8_t *data, size_t size) {
  size_t wanted = wanted_length(data, size);
  test_file file = {malloc((wanted > size ? wanted : size) + 1), wanted != 0 ? wanted : size};
  REQUIRE(file.bytes != NULL);
  memcpy(file.bytes, data, size);
  uint64_t seed = size;
  for (size_t at = size & ~(size_t)3; at + 4 <= file.n; at += 4) {
    float value = test_uniform(&seed, -.5f, .5f);
    memcpy(file.bytes + at, &value, sizeof value);
  }
  if (file.n >= 4) test_seal(&file);
  return file;
}

static uint64_t work_of(const test_file *file) {
  segment_network network;
  REQUIRE(segment_weights_check(file->bytes, file->n, &network) == SEGMENT_OK);
  uint64_t work = 0;
  for (uint32_t i = 0; i < network.n_layers; i++) {
    const segment_layer *layer = &network.layers[i];
    work += (uint64_t)layer->height * layer->width * layer->inputs * layer->kernel_height * layer->kernel_width *
            (layer->outputs + SEGMENT_GROUP - 1);
  }
  return work;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test_file file = mended(data, size);
  size_t needed;
  if (segment_reader_size(file.bytes, file.n, &needed) == SEGMENT_OK && work_of(&file) < WORK_MAX)
    test_read_boxes(&file);
  free(file.bytes);
  return 0;
}
