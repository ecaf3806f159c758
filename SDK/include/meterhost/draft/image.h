/* DRAFT: turning files of pictures into pixels, and pixels into files, in a worker (rule R24). Not part of the frozen
 * contract; the id carries the word draft, and driver.h does not include this file (rule R4). */
#ifndef METERHOST_IMAGE_H
#define METERHOST_IMAGE_H

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of mh_driver.extension. */
#define MH_EXT_IMAGE_DRAFT "meterhost.image/1-draft"

/* The longest file, the longest side, and the most pixels of a picture; a decoder refuses more before it reserves
 * memory for it. */
#define MH_IMAGE_FILE_MAX 33554432u
#define MH_IMAGE_SIDE_MAX 16384u
#define MH_IMAGE_PIXELS_MAX 50000000u

/* One byte a pixel. */
#define MH_IMAGE_GREY 1u
/* Three bytes a pixel: red, green, blue. */
#define MH_IMAGE_RGB 3u

/* A picture without padding: rows of width * format bytes from the top. */
typedef struct mh_image {
  uint32_t struct_size;
  uint32_t width;
  uint32_t height;
  /* MH_IMAGE_GREY or MH_IMAGE_RGB. */
  uint32_t format;
  /* How to turn the pixels so that they stand upright (Exif 2.32, tag 0112): 1 to 8, 1 as they are. */
  uint32_t orientation;
  uint32_t reserved;
} mh_image;

/* All functions: MH_E_PROTOCOL for a file that is damaged, MH_E_UNSUPPORTED for a kind that this decoder does not know,
 * MH_E_DENIED for one above the limits. */
typedef struct mh_image_codec {
  uint32_t struct_size;
  uint32_t reserved;
  /* What the file's head says; `format` is the one that loses nothing. */
  int32_t (*measure)(mh_bytes file, mh_image *out);
  /* Decodes into `pixels`. In: out->format is what is wanted, out->width and out->height the least that is enough
   * (0: all of it; a decoder may halve a larger picture some times for speed), *n the room. Out: the picture, *n its
   * bytes. A file that ends early is MH_E_PROTOCOL: half a picture is none. */
  int32_t (*decode)(mh_bytes file, mh_image *out, uint8_t *pixels, uint64_t *n);
  /* Encodes as JPEG (ISO/IEC 10918-1), quality 1 to 100. In: *n is the room. Out: the length; MH_E_FULL when it does
   * not fit. */
  int32_t (*encode)(const mh_image *image, mh_bytes pixels, uint32_t quality, uint8_t *file, uint64_t *n);
} mh_image_codec;

#ifdef __cplusplus
}
#endif
#endif
