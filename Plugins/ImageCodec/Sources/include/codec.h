/* The parts of the image codec. All of them answer with results of the contract: MH_E_PROTOCOL for a damaged file,
 * MH_E_UNSUPPORTED for a kind that is not decoded, MH_E_DENIED above a limit. */
#ifndef IMAGE_CODEC_H
#define IMAGE_CODEC_H

#include <meterhost/draft/image.h>
#include <meterhost/driver.h>

enum image_kind { KIND_UNKNOWN, KIND_JPEG, KIND_PNG };

/* What the first bytes say. */
enum image_kind image_kind_of(mh_bytes file);

/* MH_OK for sides that a picture may have. */
int32_t image_check_size(uint64_t width, uint64_t height);

/* The largest of 1, 2, 4 and 8 by which the picture can be divided and still has `least` (0: all of it). */
uint32_t image_divisor(uint32_t width, uint32_t height, uint32_t least_width, uint32_t least_height);

/* A side divided, a last part of it included. */
static inline uint32_t image_divided(uint32_t side, uint32_t divisor) { return (side + divisor - 1) / divisor; }

/* Exif 2.32: tag 0112 of a TIFF block, 1 when it has none or is damaged. Says nothing about the picture, so it never
 * fails. */
uint32_t exif_orientation(mh_bytes tiff);
/* The same of the first Exif block of a JPEG file. */
uint32_t jpeg_orientation(mh_bytes file);

int32_t jpeg_measure(mh_bytes file, mh_image *out);
int32_t jpeg_decode(mh_bytes file, mh_image *out, uint8_t *pixels, uint64_t *n);
int32_t jpeg_encode(const mh_image *image, mh_bytes pixels, uint32_t quality, uint8_t *file, uint64_t *n);

int32_t png_measure(mh_bytes file, mh_image *out);
int32_t png_decode(mh_bytes file, mh_image *out, uint8_t *pixels, uint64_t *n);

/* Takes the rows of a picture from the top and puts them, divided, into the host's pixels. */
typedef struct row_sink {
  uint32_t width, height;
  /* MH_IMAGE_GREY or MH_IMAGE_RGB. */
  uint32_t format;
  uint32_t divisor;
  uint8_t *pixels;
  /* One row of sums, when divided. */
  uint32_t *sums;
  uint32_t rows_taken;
} row_sink;

/* Wants room for the sums only; `pixels` has room for the whole divided picture. */
int32_t row_sink_begin(row_sink *sink);
/* `row` has 1 (grey), 2 (grey, alpha), 3 (red, green, blue) or 4 (and alpha) bytes a pixel. What is transparent shows
 * white. */
void row_sink_take(row_sink *sink, const uint8_t *row, uint32_t channels);
void row_sink_end(row_sink *sink);

extern const mh_image_codec image_codec;

#endif
