/* Bytes as a frame: sizes, boxes, then pixels, repeated where they are too few. */
#include "support.h"

static segment_reader *reader;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void *memory;
  if (reader == NULL) {
    test_file file = test_weights(11, test_small, 16, 64);
    reader = test_open(&file, &memory);
    free(file.bytes);
  }
  if (size < 24) return 0;
  uint32_t width = 1 + data[0] % 200, height = 1 + data[1] % 120, stride = width + data[2] % 9;
  uint32_t n = 1 + data[3] % MH_OCR_ROWS_MAX, flags = data[4] % 16 == 0 ? MH_OCR_FRAME_STILL : 0;
  mh_ocr_box boxes[MH_OCR_ROWS_MAX];
  for (uint32_t i = 0; i < n; i++) {
    uint8_t raw[sizeof boxes[0]];
    for (size_t k = 0; k < sizeof raw; k++) raw[k] = data[(5 + i * sizeof raw + k) % size];
    memcpy(&boxes[i], raw, sizeof raw);
    if (data[4] / 16 % 2 == 0)
      boxes[i] = (mh_ocr_box){(float)raw[0] - 60, (float)raw[1] - 40, (float)raw[2] / 2 + 1, (float)raw[3] / 3 + 1};
  }
  size_t bytes = (size_t)(height - 1) * stride + width;
  uint8_t *pixels = malloc(bytes);
  for (size_t i = 0; i < bytes; i++) pixels[i] = data[(24 + i) % size];
  mh_ocr_frame frame = {.flags = flags, .width = width, .height = height, .stride = stride, .pixels = {pixels, bytes}};
  mh_ocr_reading out = {.struct_size = sizeof out};
  segment_reader_read(reader, &frame, boxes, n, &out);
  free(pixels);
  return 0;
}
