/* Rows of any kind of pixel into the host's picture. */
#include "include/codec.h"

#include <stdlib.h>
#include <string.h>

int32_t row_sink_begin(row_sink *sink) {
  sink->rows_taken = 0;
  sink->sums = NULL;
  if (sink->divisor == 1) return MH_OK;
  sink->sums = calloc((size_t)image_divided(sink->width, sink->divisor) * sink->format, sizeof *sink->sums);
  return sink->sums == NULL ? MH_E_MEMORY : MH_OK;
}

void row_sink_end(row_sink *sink) {
  free(sink->sums);
  sink->sums = NULL;
}

/* Over white. */
static uint8_t over(uint8_t value, uint32_t alpha) { return (uint8_t)((value * alpha + 255 * (255 - alpha) + 127) / 255); }

/* ITU-R BT.601, as JPEG weighs its colours. */
static uint8_t luma(const uint8_t *rgb) { return (uint8_t)((77u * rgb[0] + 150u * rgb[1] + 29u * rgb[2] + 128u) >> 8); }

static void put_pixel(uint8_t *out, uint32_t format, const uint8_t *in, uint32_t channels) {
  uint8_t rgb[3];
  const uint32_t alpha = channels == 2 ? in[1] : channels == 4 ? in[3] : 255;
  for (uint32_t i = 0; i < 3; i++) rgb[i] = over(in[channels < 3 ? 0 : i], alpha);
  if (format == MH_IMAGE_RGB)
    memcpy(out, rgb, 3);
  else
    *out = channels < 3 ? rgb[0] : luma(rgb);
}

/* Writes the sums of a row of cells that is full, or the last. */
static void flush(row_sink *sink, uint32_t rows) {
  const uint32_t columns = image_divided(sink->width, sink->divisor);
  const uint64_t y = (sink->rows_taken - 1) / sink->divisor;
  uint8_t *out = sink->pixels + y * columns * sink->format;
  for (uint32_t x = 0; x < columns; x++) {
    const uint32_t left = sink->width - x * sink->divisor;
    const uint32_t cell = (left < sink->divisor ? left : sink->divisor) * rows;
    for (uint32_t i = 0; i < sink->format; i++) {
      uint32_t *sum = &sink->sums[x * sink->format + i];
      *out++ = (uint8_t)((*sum + cell / 2) / cell);
      *sum = 0;
    }
  }
}

void row_sink_take(row_sink *sink, const uint8_t *row, uint32_t channels) {
  const uint32_t format = sink->format;
  if (sink->divisor == 1) {
    uint8_t *out = sink->pixels + (uint64_t)sink->rows_taken * sink->width * format;
    for (uint32_t x = 0; x < sink->width; x++) put_pixel(out + x * format, format, row + x * channels, channels);
    sink->rows_taken++;
    return;
  }
  for (uint32_t x = 0; x < sink->width; x++) {
    uint8_t pixel[3];
    put_pixel(pixel, format, row + x * channels, channels);
    for (uint32_t i = 0; i < format; i++) sink->sums[x / sink->divisor * format + i] += pixel[i];
  }
  sink->rows_taken++;
  const uint32_t rows = (sink->rows_taken - 1) % sink->divisor + 1;
  if (rows == sink->divisor || sink->rows_taken == sink->height) flush(sink, rows);
}
