#include <string.h>

#include "reader.h"

/* Where the parts of a reader lie in its memory, each aligned. */
typedef struct segment_arrangement {
  size_t weights, planes[2], rows, crop, scratch, line, probabilities, region, region_scratch, marks, stack, patch, end;
} segment_arrangement;

static size_t place(size_t *end, size_t floats) {
  size_t here = *end;
  *end += (floats * sizeof(float) + SEGMENT_READER_ALIGNMENT - 1) / SEGMENT_READER_ALIGNMENT * SEGMENT_READER_ALIGNMENT;
  return here;
}

static segment_arrangement arrange(const segment_network *network) {
  segment_arrangement at;
  size_t crop = (size_t)network->height * network->width;
  at.end = 0;
  place(&at.end, sizeof(segment_reader) / sizeof(float) + 1);
  at.weights = place(&at.end, network->weights_size);
  at.planes[0] = place(&at.end, network->plane_size);
  at.planes[1] = place(&at.end, network->plane_size);
  at.rows = place(&at.end, network->rows_size);
  at.crop = place(&at.end, crop);
  at.scratch = place(&at.end, crop);
  at.line = place(&at.end, MH_OCR_SIDE_MAX);
  at.probabilities = place(&at.end, SEGMENT_SIDES * (size_t)network->steps * (network->n_characters + 1));
  at.region = place(&at.end, SEGMENT_REGION_HEIGHT * SEGMENT_REGION_WIDTH);
  at.region_scratch = place(&at.end, SEGMENT_REGION_HEIGHT * SEGMENT_REGION_WIDTH);
  at.marks = place(&at.end, SEGMENT_REGION_HEIGHT * SEGMENT_REGION_WIDTH / sizeof(float));
  at.stack = place(&at.end, SEGMENT_REGION_HEIGHT * SEGMENT_REGION_WIDTH / 2);
  at.patch = place(&at.end, SEGMENT_PATCH_ROWS * SEGMENT_PATCH_COLUMNS / sizeof(float));
  return at;
}

segment_status segment_reader_size(const uint8_t *bytes, size_t n, size_t *size) {
  if (bytes == NULL || size == NULL) return SEGMENT_E_ARGUMENT;
  segment_network network;
  segment_status status = segment_weights_check(bytes, n, &network);
  if (status != SEGMENT_OK) return status;
  size_t end = arrange(&network).end;
  if (end > SEGMENT_READER_MEMORY_MAX) return SEGMENT_E_LIMIT;
  *size = end;
  return SEGMENT_OK;
}

segment_status segment_reader_load(void *memory, size_t size, const uint8_t *bytes, size_t n, segment_reader **reader) {
  if (memory == NULL || reader == NULL || bytes == NULL || (uintptr_t)memory % SEGMENT_READER_ALIGNMENT != 0)
    return SEGMENT_E_ARGUMENT;
  segment_network network;
  segment_status status = segment_weights_check(bytes, n, &network);
  if (status != SEGMENT_OK) return status;
  segment_arrangement at = arrange(&network);
  if (at.end > SEGMENT_READER_MEMORY_MAX) return SEGMENT_E_LIMIT;
  if (size < at.end) return SEGMENT_E_ARGUMENT;

  uint8_t *base = memory;
  segment_reader *made = memory;
  memset(memory, 0, at.end);
  network.planes[0] = (float *)(base + at.planes[0]);
  network.planes[1] = (float *)(base + at.planes[1]);
  network.rows = (float *)(base + at.rows);
  segment_weights_pack(bytes, &network, (float *)(base + at.weights));
  made->network = network;
  made->kernel = segment_kernel_best();
  made->crop = (float *)(base + at.crop);
  made->scratch = (float *)(base + at.scratch);
  made->line = (float *)(base + at.line);
  made->probabilities = (float *)(base + at.probabilities);
  made->region = (float *)(base + at.region);
  made->region_scratch = (float *)(base + at.region_scratch);
  made->marks = base + at.marks;
  made->stack = (uint16_t *)(base + at.stack);
  made->patch = base + at.patch;
  *reader = made;
  return SEGMENT_OK;
}

float segment_reader_floor(const segment_reader *reader, uint32_t flags) {
  return (flags & MH_OCR_FRAME_STILL) != 0 ? reader->network.floor_still : reader->network.floor_live;
}
