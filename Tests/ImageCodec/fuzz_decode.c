/* Bytes as the file of a picture: measured, and decoded in grey and in colour, whole and reduced, into exactly as much
 * room as the picture takes. Checksums of a PNG's chunks are mended, or hardly any change would get past them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "../../Plugins/ImageCodec/Sources/include/codec.h"

/* Larger pictures are measured, but not decoded: it would take longer, and go the same ways. */
#define PIXELS_MAX (1u << 19)

#define REQUIRE(condition)                                                        \
  do {                                                                            \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);     \
      abort();                                                                    \
    }                                                                             \
  } while (0)

static int is_refusal(int32_t status) {
  return status == MH_E_PROTOCOL || status == MH_E_UNSUPPORTED || status == MH_E_DENIED;
}

/* The picture in just the room that it takes, over bytes of `ground`; NULL when it is refused. */
static uint8_t *decode_over(mh_bytes file, mh_image *picture, uint64_t size, int ground) {
  uint8_t *pixels = malloc(size);
  REQUIRE(pixels != NULL);
  memset(pixels, ground, size);
  uint64_t n = size;
  int32_t status = image_codec.decode(file, picture, pixels, &n);
  if (status == MH_OK) {
    REQUIRE(n == size && picture->orientation >= 1 && picture->orientation <= 8);
    return pixels;
  }
  REQUIRE(is_refusal(status));
  free(pixels);
  return NULL;
}

/* Every pixel is written, and nothing of it depends on what was there before. */
static void check_decode(mh_bytes file, const mh_image *head, uint32_t format, uint32_t part) {
  mh_image wanted = {.struct_size = sizeof wanted, .format = format};
  if (part != 0) wanted.width = 1 + (head->width - 1) / part, wanted.height = 1 + (head->height - 1) / part;
  uint32_t divisor = image_divisor(head->width, head->height, wanted.width, wanted.height);
  uint32_t width = image_divided(head->width, divisor), height = image_divided(head->height, divisor);
  uint64_t size = (uint64_t)width * height * format, less = size - 1;
  mh_image first = wanted, second = wanted, narrow = wanted;
  uint8_t *pixels = decode_over(file, &first, size, 0), *again = decode_over(file, &second, size, 255);
  REQUIRE((pixels == NULL) == (again == NULL));
  if (pixels != NULL) {
    REQUIRE(first.width == width && first.height == height && memcmp(&first, &second, sizeof first) == 0);
    REQUIRE(memcmp(pixels, again, size) == 0);
    REQUIRE(image_codec.decode(file, &narrow, pixels, &less) == MH_E_FULL);
  }
  free(pixels);
  free(again);
}

static void check_file(mh_bytes file) {
  static const uint32_t formats[] = {MH_IMAGE_GREY, MH_IMAGE_RGB}, parts[] = {0, 2, 5, 8};
  mh_image head = {.struct_size = sizeof head};
  int32_t status = image_codec.measure(file, &head);
  if (status != MH_OK) {
    REQUIRE(is_refusal(status));
    return;
  }
  REQUIRE(image_check_size(head.width, head.height) == MH_OK && head.orientation >= 1 && head.orientation <= 8);
  REQUIRE(head.format == MH_IMAGE_GREY || head.format == MH_IMAGE_RGB);
  if ((uint64_t)head.width * head.height > PIXELS_MAX) return;
  for (uint32_t i = 0; i < 2; i++)
    for (uint32_t k = 0; k < 4; k++) check_decode(file, &head, formats[i], parts[k]);
}

static uint32_t big_endian(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Whether a checksum of a PNG's chunks was wrong; now none is. */
static int mend(uint8_t *bytes, size_t n) {
  int is_mended = 0;
  if (image_kind_of((mh_bytes){bytes, n}) != KIND_PNG) return 0;
  for (size_t at = 8; n - at >= 12;) {
    size_t length = big_endian(bytes + at);
    if (length > n - at - 12) break;
    uint8_t *place = bytes + at + 8 + length;
    uint32_t sum = (uint32_t)crc32(0, bytes + at + 4, (uInt)length + 4);
    is_mended |= big_endian(place) != sum;
    for (int i = 0; i < 4; i++) place[i] = (uint8_t)(sum >> (24 - 8 * i));
    at += 12 + length;
  }
  return is_mended;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  /* The file ends with its memory. */
  uint8_t *file = malloc(size + (size == 0));
  REQUIRE(file != NULL);
  if (size > 0) memcpy(file, data, size);
  /* As a block of Exif as well: in a picture, what lies behind its end is mostly the picture. */
  uint32_t orientation = exif_orientation((mh_bytes){file, size});
  REQUIRE(orientation >= 1 && orientation <= 8);
  check_file((mh_bytes){file, size});
  if (mend(file, size)) check_file((mh_bytes){file, size});
  free(file);
  return 0;
}
