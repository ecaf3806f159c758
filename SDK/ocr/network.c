#include "network.h"

#include <string.h>

/* The padding that the layer behind `index` wants around its input; none behind the last. */
static void padding_after(const segment_network *network, uint32_t index, uint32_t *rows, uint32_t *columns) {
  int last = index + 1 == network->n_layers;
  *rows = last ? 0 : network->layers[index + 1].pad_height;
  *columns = last ? 0 : network->layers[index + 1].pad_width;
}

/* Columns that a layer makes of `width`, before pooling. */
static uint32_t columns_of(const segment_layer *layer, uint32_t width) {
  return width + 2 * layer->pad_width - layer->kernel_width + 1;
}

uint32_t segment_network_width(const segment_network *network, uint32_t columns) {
  /* How far the last layer sees, from end to end in columns of the input; the outer half of it counts for little. */
  uint32_t reach = 0, scale = 1;
  for (uint32_t i = 0; i < network->n_layers; i++) {
    reach += (network->layers[i].kernel_width - 1) * scale;
    scale *= network->layers[i].pool_width;
  }
  uint64_t width = (uint64_t)columns + reach / 4 + scale;
  width = (width + 7) / 8 * 8;
  return width < network->width ? (uint32_t)width : network->width;
}

float *segment_network_input(const segment_network *network, uint32_t width, size_t *stride) {
  const segment_layer *first = &network->layers[0];
  *stride = width + 2 * (size_t)first->pad_width;
  size_t size = (first->height + 2 * (size_t)first->pad_height) * *stride;
  memset(network->planes[0], 0, size * sizeof(float));
  return network->planes[0] + first->pad_height * *stride + first->pad_width;
}

/* The largest of each pooling window, and zero instead of what lies below it; not-a-number goes to zero too, on every
 * processor. */
static void pool_row(const segment_layer *layer, const float *rows, size_t row, uint32_t width, float *first,
                     float *second) {
  for (uint32_t x = 0; x < width; x++) {
    const float *window = rows + (size_t)x * layer->pool_width * SEGMENT_GROUP;
    float best[SEGMENT_GROUP];
    memcpy(best, window, sizeof best);
    for (uint32_t py = 0; py < layer->pool_height; py++)
      for (uint32_t px = py == 0; px < layer->pool_width; px++) {
        const float *other = window + py * row + (size_t)px * SEGMENT_GROUP;
        for (uint32_t o = 0; o < SEGMENT_GROUP; o++) best[o] = best[o] > other[o] ? best[o] : other[o];
      }
    if (layer->relu)
      for (uint32_t o = 0; o < SEGMENT_GROUP; o++) best[o] = best[o] > 0 ? best[o] : 0;
    memcpy(first + (size_t)x * SEGMENT_BLOCK, best, SEGMENT_BLOCK * sizeof(float));
    memcpy(second + (size_t)x * SEGMENT_BLOCK, best + SEGMENT_BLOCK, SEGMENT_BLOCK * sizeof(float));
  }
}

/* Returns how many columns go out. */
static uint32_t run_layer(const segment_network *network, uint32_t index, segment_kernel kernel, uint32_t width,
                          const float *in, float *out) {
  const segment_layer *layer = &network->layers[index];
  uint32_t pad_rows, pad_columns, out_width = columns_of(layer, width) / layer->pool_width;
  padding_after(network, index, &pad_rows, &pad_columns);
  size_t out_row = (out_width + 2 * (size_t)pad_columns) * SEGMENT_BLOCK;
  size_t out_block = (layer->out_height + 2 * (size_t)pad_rows) * out_row;
  uint32_t groups = (layer->outputs + SEGMENT_GROUP - 1) / SEGMENT_GROUP;
  memset(out, 0, groups * 2 * out_block * sizeof(float));

  segment_strip strip = {.step = index == 0 ? 1 : SEGMENT_BLOCK,
                         .inputs = layer->inputs,
                         .kernel_height = layer->kernel_height,
                         .kernel_width = layer->kernel_width,
                         .width = out_width * layer->pool_width};
  strip.row = (width + 2 * (size_t)layer->pad_width) * strip.step;
  strip.block = (layer->height + 2 * (size_t)layer->pad_height) * strip.row;
  size_t group_weights = SEGMENT_GROUP * (1 + (size_t)layer->inputs * layer->kernel_height * layer->kernel_width);
  size_t scratch_row = (size_t)strip.width * SEGMENT_GROUP;
  for (uint32_t g = 0; g < groups; g++) {
    strip.weights = layer->weights + g * group_weights;
    float *place = out + 2 * g * out_block + pad_rows * out_row + pad_columns * SEGMENT_BLOCK;
    for (uint32_t y = 0; y < layer->out_height; y++, place += out_row) {
      for (uint32_t p = 0; p < layer->pool_height; p++) {
        strip.in = in + ((size_t)y * layer->pool_height + p) * strip.row;
        strip.out = network->rows + p * scratch_row;
        kernel(&strip);
      }
      pool_row(layer, network->rows, scratch_row, out_width, place, place + out_block);
    }
  }
  return out_width;
}

uint32_t segment_network_run(const segment_network *network, segment_kernel kernel, uint32_t width, float *logits) {
  for (uint32_t i = 0; i < network->n_layers; i++)
    width = run_layer(network, i, kernel, width, network->planes[i % 2], network->planes[(i + 1) % 2]);
  const float *out = network->planes[network->n_layers % 2];
  uint32_t classes = network->n_characters + 1;
  for (uint32_t t = 0; t < width; t++)
    for (uint32_t c = 0; c < classes; c++) {
      float value = out[((size_t)(c / SEGMENT_BLOCK) * width + t) * SEGMENT_BLOCK + c % SEGMENT_BLOCK];
      if (!(value > -1e30f && value < 1e30f)) return 0;
      logits[t * classes + c] = value;
    }
  return width;
}
