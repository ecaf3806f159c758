/* The reader's parts as functions that a measuring program can call by name. */
#include <stdlib.h>
#include <string.h>

#include "../../SDK/ocr/reader.h"

#define SHOWN __attribute__((visibility("default")))

/* NULL for a file that is none. Never freed: a program measures with one reader. */
SHOWN segment_reader *segment_evaluate_open(const uint8_t *bytes, size_t n) {
  size_t size;
  segment_reader *reader;
  if (segment_reader_size(bytes, n, &size) != SEGMENT_OK) return NULL;
  void *memory = aligned_alloc(SEGMENT_READER_ALIGNMENT, size);
  if (memory == NULL || segment_reader_load(memory, size, bytes, n, &reader) != SEGMENT_OK) return NULL;
  return reader;
}

SHOWN uint32_t segment_evaluate_classes(const segment_reader *reader) { return reader->network.n_characters + 1; }

/* Logits of a prepared input of the network's full size. Returns the steps. `plain`: without vector code. */
SHOWN uint32_t segment_evaluate_network(segment_reader *reader, const float *input, int plain, float *logits) {
  const segment_network *network = &reader->network;
  size_t stride;
  float *to = segment_network_input(network, network->width, &stride);
  for (uint32_t y = 0; y < network->height; y++)
    memcpy(to + y * stride, input + (size_t)y * network->width, network->width * sizeof(float));
  return segment_network_run(network, plain ? segment_kernel_plain : reader->kernel, network->width, logits);
}

/* What the network gets to see of a view, at its full size. Returns the columns that are not filled up. */
SHOWN uint32_t segment_evaluate_normalise(segment_reader *reader, const uint8_t *pixels, int32_t width, int32_t height,
                                          size_t stride, const float *view, float *out) {
  const segment_network *network = &reader->network;
  segment_picture picture = {pixels, width, height, stride};
  segment_view wanted = {view[0], view[1], view[2], view[3], view[4]};
  uint32_t columns = segment_columns(network, &wanted);
  float low, high;
  segment_cut(&picture, &wanted, network->height, columns, reader->line, reader->crop);
  segment_normalise(network, reader->crop, columns, 1, reader->scratch, &low, &high);
  size_t row = network->width + 2 * (size_t)network->layers[0].pad_width;
  const float *from = network->planes[0] + network->layers[0].pad_height * row + network->layers[0].pad_width;
  for (uint32_t y = 0; y < network->height; y++)
    memcpy(out + (size_t)y * network->width, from + y * row, network->width * sizeof(float));
  return columns;
}

/* One look at a view; the text goes to out (SEGMENT_TEXT_MAX + 1 bytes). Returns its probability, -1 without answer. */
SHOWN float segment_evaluate_look(segment_reader *reader, const uint8_t *pixels, int32_t width, int32_t height,
                                  size_t stride, const float *view, char *out, float *places) {
  segment_picture picture = {pixels, width, height, stride};
  segment_view wanted = {view[0], view[1], view[2], view[3], view[4]};
  segment_look look;
  if (!segment_look_at(reader, &picture, &wanted, 0, &look)) return -1;
  for (uint32_t i = 0; i < look.length; i++) out[i] = reader->network.characters[look.classes[i] - 1];
  out[look.length] = 0;
  if (places != NULL)
    for (uint32_t i = 0; i < look.length; i++) places[i] = segment_place_of(&reader->network, &look, i);
  return look.probability;
}

/* Where the digits of a loose box stand: the upper and the lower end. */
SHOWN void segment_evaluate_locate(segment_reader *reader, const uint8_t *pixels, int32_t width, int32_t height,
                                   size_t stride, const float *box, float *out) {
  segment_picture picture = {pixels, width, height, stride};
  segment_view view, loose = {box[0], box[1], box[2], box[3], 0};
  uint32_t columns = segment_see_region(reader, &picture, &loose, &view);
  segment_locate(reader, &view, columns, &out[0], &out[1]);
}

/* Rows of a frame. */
SHOWN int32_t segment_evaluate_read(segment_reader *reader, const uint8_t *pixels, uint32_t width, uint32_t height,
                                    uint32_t stride, const mh_ocr_box *boxes, uint32_t n, int still,
                                    mh_ocr_reading *out) {
  mh_ocr_frame frame = {.struct_size = sizeof frame,
                        .flags = MH_OCR_FRAME_BOXES | (still ? MH_OCR_FRAME_STILL : 0),
                        .width = width,
                        .height = height,
                        .stride = stride,
                        .n_boxes = n,
                        .boxes = boxes,
                        .pixels = {pixels, (uint64_t)(height - 1) * stride + width}};
  memset(out, 0, sizeof *out);
  out->struct_size = sizeof *out;
  return segment_reader_read(reader, &frame, boxes, n, out);
}
