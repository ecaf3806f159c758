/* The orientation of a picture: Exif 2.32, chapter 4.6. Every offset comes from the file and is checked against its
 * block before it is followed. */
#include "include/codec.h"

#include <string.h>

#define TAG_ORIENTATION 0x0112u
#define TYPE_SHORT 3u
#define ENTRY_SIZE 12u

static uint32_t number(const uint8_t *p, uint32_t size, int is_big) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < size; i++) value = value << 8 | p[is_big ? i : size - 1 - i];
  return value;
}

uint32_t exif_orientation(mh_bytes tiff) {
  if (tiff.n < 8) return 1;
  const int is_big = tiff.p[0] == 'M';
  if (memcmp(tiff.p, is_big ? "MM\0*" : "II*\0", 4) != 0) return 1;
  const uint64_t first = number(tiff.p + 4, 4, is_big);
  if (first < 8 || first + 2 > tiff.n) return 1;
  const uint32_t count = number(tiff.p + first, 2, is_big);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t at = first + 2 + (uint64_t)i * ENTRY_SIZE;
    if (at + ENTRY_SIZE > tiff.n) return 1;
    const uint8_t *entry = tiff.p + at;
    if (number(entry, 2, is_big) != TAG_ORIENTATION) continue;
    if (number(entry + 2, 2, is_big) != TYPE_SHORT || number(entry + 4, 4, is_big) != 1) return 1;
    const uint32_t value = number(entry + 8, 2, is_big);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

uint32_t jpeg_orientation(mh_bytes file) {
  uint64_t at = 2;
  while (at + 4 <= file.n && file.p[at] == 0xff) {
    const uint8_t marker = file.p[at + 1];
    // Fill bytes, and markers without a segment.
    if (marker == 0xff) {
      at++;
      continue;
    }
    if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    // The scan begins, or the file ends: behind it are no Exif blocks of this picture.
    if (marker == 0xda || marker == 0xd9 || marker == 0) return 1;
    const uint64_t length = (uint64_t)file.p[at + 2] << 8 | file.p[at + 3];
    if (length < 2 || at + 2 + length > file.n) return 1;
    const uint8_t *body = file.p + at + 4;
    if (marker == 0xe1 && length >= 8 && memcmp(body, "Exif\0", 6) == 0)
      return exif_orientation((mh_bytes){body + 6, length - 8});
    at += 2 + length;
  }
  return 1;
}
