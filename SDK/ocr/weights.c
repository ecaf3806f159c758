#include <string.h>

#include "network.h"

#define HEADER 64u
#define LAYER_HEADER 36u
#define WEIGHTS_MAX (4u << 20)
#define MAGNITUDE_MAX 1e6f

static uint32_t word(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static float number(const uint8_t *bytes) {
  uint32_t bits = word(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* CRC-32 of IEEE 802.3, as zlib's. */
static uint32_t checksum(const uint8_t *bytes, size_t n) {
  uint32_t table[16];
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t c = i;
    for (int k = 0; k < 4; k++) c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320u : c >> 1;
    table[i] = c;
  }
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < n; i++) {
    crc = table[(crc ^ bytes[i]) & 15] ^ crc >> 4;
    crc = table[(crc ^ bytes[i] >> 4) & 15] ^ crc >> 4;
  }
  return ~crc;
}

static segment_status check_characters(const uint8_t *place, segment_network *network) {
  for (uint32_t i = 0; i < SEGMENT_CHARACTERS_MAX; i++) {
    char c = (char)place[i];
    if (i >= network->n_characters ? c != 0 : c <= ' ' || c > '~') return SEGMENT_E_SHAPE;
    for (uint32_t k = 0; k < i && c != 0; k++)
      if (network->characters[k] == c) return SEGMENT_E_SHAPE;
    network->characters[i] = c;
  }
  return SEGMENT_OK;
}

static segment_status check_layer(segment_layer *layer, uint32_t inputs, uint32_t height, uint32_t width) {
  if (layer->inputs == 0 || layer->outputs == 0 || layer->kernel_height == 0 || layer->kernel_width == 0 ||
      layer->pool_height == 0 || layer->pool_width == 0 || layer->relu > 1)
    return SEGMENT_E_SHAPE;
  if (layer->inputs > SEGMENT_CHANNELS_MAX || layer->outputs > SEGMENT_CHANNELS_MAX ||
      layer->kernel_height > SEGMENT_KERNEL_MAX || layer->kernel_width > SEGMENT_KERNEL_MAX ||
      layer->pool_height > SEGMENT_POOL_MAX || layer->pool_width > SEGMENT_POOL_MAX)
    return SEGMENT_E_LIMIT;
  /* A kernel that sees nothing but padding has no meaning. */
  if (layer->inputs != inputs || layer->pad_height >= layer->kernel_height || layer->pad_width >= layer->kernel_width ||
      height + 2 * layer->pad_height < layer->kernel_height || width + 2 * layer->pad_width < layer->kernel_width)
    return SEGMENT_E_SHAPE;
  layer->height = height;
  layer->width = width;
  layer->out_height = (height + 2 * layer->pad_height - layer->kernel_height + 1) / layer->pool_height;
  layer->out_width = (width + 2 * layer->pad_width - layer->kernel_width + 1) / layer->pool_width;
  if (layer->out_height == 0 || layer->out_width == 0) return SEGMENT_E_SHAPE;
  return layer->out_width > SEGMENT_WIDTH_MAX || layer->out_height > SEGMENT_HEIGHT_MAX ? SEGMENT_E_LIMIT : SEGMENT_OK;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* The layers' headers; counts what the file and the memory hold. */
static segment_status check_layers(const uint8_t *place, segment_network *network, size_t *numbers) {
  uint32_t inputs = 1, height = network->height, width = network->width;
  *numbers = 0;
  for (uint32_t i = 0; i < network->n_layers; i++, place += LAYER_HEADER) {
    segment_layer *layer = &network->layers[i];
    uint32_t *fields[] = {&layer->inputs,     &layer->outputs,   &layer->kernel_height,
                          &layer->kernel_width, &layer->pad_height, &layer->pad_width,
                          &layer->relu,       &layer->pool_height, &layer->pool_width};
    for (uint32_t k = 0; k < 9; k++) *fields[k] = word(place + 4 * k);
    segment_status status = check_layer(layer, inputs, height, width);
    if (status != SEGMENT_OK) return status;
    size_t taps = (size_t)layer->inputs * layer->kernel_height * layer->kernel_width;
    *numbers += layer->outputs * (taps + 1);
    size_t groups = (layer->outputs + SEGMENT_GROUP - 1) / SEGMENT_GROUP;
    network->weights_size += groups * SEGMENT_GROUP * (taps + 1);
    if (*numbers > WEIGHTS_MAX) return SEGMENT_E_LIMIT;
    size_t channels = i == 0 ? 1 : (layer->inputs + SEGMENT_GROUP - 1) / SEGMENT_GROUP * SEGMENT_GROUP;
    size_t plane = channels * (height + 2 * layer->pad_height) * (width + 2 * layer->pad_width);
    size_t rows = (size_t)layer->pool_height * layer->out_width * layer->pool_width * SEGMENT_GROUP;
    network->plane_size = larger(network->plane_size, plane);
    network->rows_size = larger(network->rows_size, rows);
    inputs = layer->outputs, height = layer->out_height, width = layer->out_width;
  }
  if (height != 1 || inputs != network->n_characters + 1) return SEGMENT_E_SHAPE;
  if (width > SEGMENT_STEPS_MAX) return SEGMENT_E_LIMIT;
  network->steps = width;
  size_t last = (inputs + SEGMENT_GROUP - 1) / SEGMENT_GROUP * SEGMENT_GROUP * width;
  network->plane_size = larger(network->plane_size, last);
  return network->plane_size > WEIGHTS_MAX / 2 ? SEGMENT_E_LIMIT : SEGMENT_OK;
}

/* Whether every layer has columns left of the narrowest input that the network is run with. No layer makes fewer of a
 * wider one: so all have of every width up to the full one, and none needs more room than that. */
static int bears_narrow_input(const segment_network *network) {
  uint32_t width = segment_network_width(network, SEGMENT_COLUMNS_MIN);
  for (uint32_t i = 0; i < network->n_layers; i++) {
    const segment_layer *layer = &network->layers[i];
    uint32_t padded = width + 2 * layer->pad_width;
    if (padded < layer->kernel_width) return 0;
    width = (padded - layer->kernel_width + 1) / layer->pool_width;
    if (width == 0) return 0;
  }
  return 1;
}

segment_status segment_weights_check(const uint8_t *bytes, size_t n, segment_network *network) {
  memset(network, 0, sizeof *network);
  if (n < HEADER + 4) return SEGMENT_E_LENGTH;
  if (memcmp(bytes, "MHSW", 4) != 0 || word(bytes + 4) != 1) return SEGMENT_E_FORMAT;
  network->height = word(bytes + 8), network->width = word(bytes + 12);
  network->n_characters = word(bytes + 16), network->n_layers = word(bytes + 20);
  network->floor_live = number(bytes + 24), network->floor_still = number(bytes + 28);
  if (network->height > SEGMENT_HEIGHT_MAX || network->width > SEGMENT_WIDTH_MAX ||
      network->n_characters > SEGMENT_CHARACTERS_MAX || network->n_layers > SEGMENT_LAYERS_MAX)
    return SEGMENT_E_LIMIT;
  if (network->height < 8 || network->width < 16 || network->n_characters == 0 || network->n_layers == 0)
    return SEGMENT_E_SHAPE;
  if (n < HEADER + (size_t)network->n_layers * LAYER_HEADER + 4) return SEGMENT_E_LENGTH;
  size_t numbers;
  segment_status status = check_layers(bytes + HEADER, network, &numbers);
  if (status != SEGMENT_OK) return status;
  if (!bears_narrow_input(network)) return SEGMENT_E_SHAPE;
  size_t start = HEADER + (size_t)network->n_layers * LAYER_HEADER;
  if (n != start + numbers * 4 + 4) return SEGMENT_E_LENGTH;
  if (checksum(bytes, n - 4) != word(bytes + n - 4)) return SEGMENT_E_CHECKSUM;
  status = check_characters(bytes + 32, network);
  if (status != SEGMENT_OK) return status;
  /* Written so that not-a-number fails as well. */
  if (!(network->floor_live >= 0 && network->floor_live <= 1 && network->floor_still >= 0 && network->floor_still <= 1))
    return SEGMENT_E_NUMBER;
  for (size_t i = 0; i < numbers; i++) {
    float value = number(bytes + start + 4 * i);
    if (!(value > -MAGNITUDE_MAX && value < MAGNITUDE_MAX)) return SEGMENT_E_NUMBER;
  }
  return SEGMENT_OK;
}

static void pack_layer(const uint8_t *weights, const uint8_t *biases, const segment_layer *layer, float *to) {
  size_t kernel = (size_t)layer->kernel_height * layer->kernel_width, taps = layer->inputs * kernel;
  for (uint32_t first = 0; first < layer->outputs; first += SEGMENT_GROUP) {
    for (uint32_t o = first; o < first + SEGMENT_GROUP; o++)
      *to++ = o < layer->outputs ? number(biases + (size_t)o * 4) : 0;
    for (uint32_t block = 0; block < layer->inputs; block += SEGMENT_BLOCK)
      for (size_t k = 0; k < kernel; k++)
        for (uint32_t i = block; i < block + SEGMENT_BLOCK && i < layer->inputs; i++)
          for (uint32_t o = first; o < first + SEGMENT_GROUP; o++)
            *to++ = o < layer->outputs ? number(weights + (o * taps + i * kernel + k) * 4) : 0;
  }
}

void segment_weights_pack(const uint8_t *bytes, segment_network *network, float *memory) {
  const uint8_t *place = bytes + HEADER + (size_t)network->n_layers * LAYER_HEADER;
  for (uint32_t i = 0; i < network->n_layers; i++) {
    segment_layer *layer = &network->layers[i];
    size_t taps = (size_t)layer->inputs * layer->kernel_height * layer->kernel_width;
    size_t groups = (layer->outputs + SEGMENT_GROUP - 1) / SEGMENT_GROUP;
    const uint8_t *biases = place + layer->outputs * taps * 4;
    pack_layer(place, biases, layer, memory);
    layer->weights = memory;
    memory += groups * SEGMENT_GROUP * (taps + 1);
    place = biases + (size_t)layer->outputs * 4;
  }
}
