/* Bytes as a file of weights. The checksum is mended, or hardly any input would get past it. */
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test_file file = {malloc(size + 1), size};
  memcpy(file.bytes, data, size);
  if (size >= 4) test_seal(&file);
  size_t needed;
  if (segment_reader_size(file.bytes, size, &needed) == SEGMENT_OK) {
    void *memory = aligned_alloc(SEGMENT_READER_ALIGNMENT, needed);
    segment_reader *reader;
    REQUIRE(segment_reader_load(memory, needed, file.bytes, size, &reader) == SEGMENT_OK);
    uint8_t pixels[64 * 32];
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(i * 37);
    mh_ocr_frame frame = {.width = 64, .height = 32, .stride = 64, .pixels = {pixels, sizeof pixels}};
    mh_ocr_box box = {3, 2, 50, 24};
    mh_ocr_reading out = {.struct_size = sizeof out};
    REQUIRE(segment_reader_read(reader, &frame, &box, 1, &out) == MH_OK);
    free(memory);
  }
  free(file.bytes);
  return 0;
}
