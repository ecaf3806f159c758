/* The network of a weights file, and how it is run. */
#ifndef SEGMENT_NETWORK_H
#define SEGMENT_NETWORK_H

#include "exact.h"
#include "segment_reader.h"

/* Above these a file is refused; they keep every product of sizes far from overflow. */
#define SEGMENT_LAYERS_MAX 16u
#define SEGMENT_CHANNELS_MAX 256u
#define SEGMENT_KERNEL_MAX 7u
#define SEGMENT_POOL_MAX 4u
#define SEGMENT_HEIGHT_MAX 64u
#define SEGMENT_WIDTH_MAX 512u
#define SEGMENT_CHARACTERS_MAX 32u
#define SEGMENT_STEPS_MAX 128u
/* The fewest columns of a view. */
#define SEGMENT_COLUMNS_MIN 8u
#define SEGMENT_CLASSES_MAX (SEGMENT_CHARACTERS_MAX + 1u)

/* Channels of an activation lie in blocks; a kernel makes a group of two blocks at once. */
#define SEGMENT_BLOCK 8u
#define SEGMENT_GROUP 16u

typedef struct segment_layer {
  uint32_t inputs, outputs, kernel_height, kernel_width, pad_height, pad_width, relu, pool_height, pool_width;
  /* Of the picture that comes in at full width, without padding, and of the one that goes out. */
  uint32_t height, width, out_height, out_width;
  /* For each group: SEGMENT_GROUP biases, then the weights as [block][row][column][channel of the block][output]. */
  const float *weights;
} segment_layer;

typedef struct segment_network {
  uint32_t height, width, steps, n_characters, n_layers;
  float floor_live, floor_still;
  char characters[SEGMENT_CHARACTERS_MAX];
  segment_layer layers[SEGMENT_LAYERS_MAX];
  /* Where layers read and write in turn, padding included, and one group's rows before pooling. */
  float *planes[2];
  float *rows;
  size_t plane_size, rows_size, weights_size;
} segment_network;

/* Checks the file and fills the network but for its pointers; the sizes count floats. */
segment_status segment_weights_check(const uint8_t *bytes, size_t n, segment_network *network);

/* Lays the weights of a checked file out as the kernels read them. */
void segment_weights_pack(const uint8_t *bytes, segment_network *network, float *memory);

/* One row of one group: `width` columns of SEGMENT_GROUP sums each into out. `in` is the padded picture's first value
 * that the row sees. */
typedef struct segment_strip {
  const float *in;
  /* Floats from column to column, row to row, block to block. */
  size_t step, row, block;
  uint32_t inputs, kernel_height, kernel_width, width;
  const float *weights;
  float *out;
} segment_strip;

typedef void (*segment_kernel)(const segment_strip *strip);

void segment_kernel_plain(const segment_strip *strip);
/* The fastest that this processor has; the plain one where there is none. */
segment_kernel segment_kernel_best(void);

/* Where the first layer's input of `width` columns goes: row y begins at y * *stride; the padding around it is zero. */
float *segment_network_input(const segment_network *network, uint32_t width, size_t *stride);

/* The narrowest input that does instead of the full width when only the first `columns` are not constant: never fewer
 * than these, and no fewer for more of them. */
uint32_t segment_network_width(const segment_network *network, uint32_t columns);

/* logits: steps times (n_characters + 1), class 0 is the blank. How many steps an input of `width` columns gives; 0
 * when a number is not finite. */
uint32_t segment_network_run(const segment_network *network, segment_kernel kernel, uint32_t width, float *logits);

#endif
