/* A decoder of a file of its own kind: 'P', the offence, width and height (two bytes each, the lower first), then nothing.
 * A picture's pixels are 7; an encoded one is FF D8 and its size. */
#include "display.h"

#include <stdlib.h>
#include <string.h>

enum {
  DAMAGED = 1, LENGTH, FORMAT, ORIENTATION, SPIN, ABORT, GROWN, BEHIND, STATUS, HALF, SHORT
};

static uint32_t number(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }

static int32_t measure(mh_bytes file, mh_image *out) {
  if (file.n > MH_IMAGE_FILE_MAX) return MH_E_DENIED;
  if (file.n == 0 || file.p[0] != 'P') return MH_E_UNSUPPORTED;
  if (file.n < 6) return MH_E_PROTOCOL;
  out->width = number(file.p + 2);
  out->height = number(file.p + 4);
  out->format = MH_IMAGE_RGB;
  out->orientation = file.p[1] == ORIENTATION ? 9 : 6;
  return MH_OK;
}

static int32_t decode(mh_bytes file, mh_image *out, uint8_t *pixels, uint64_t *n) {
  const uint32_t wanted = out->format;
  const int32_t status = measure(file, out);
  if (status != MH_OK) return status;
  out->format = wanted;
  if (file.p[1] == HALF) out->width /= 2, out->height /= 2;
  const uint64_t count = (uint64_t)out->width * out->height * wanted;
  if (count > *n) return MH_E_FULL;
  memset(pixels, 7, count);
  *n = count;
  switch (file.p[1]) {
    case DAMAGED: return MH_E_PROTOCOL;
    case LENGTH: *n = UINT64_MAX; break;
    case SHORT: *n = count - 1; break;
    case FORMAT: out->format = wanted == MH_IMAGE_RGB ? MH_IMAGE_GREY : MH_IMAGE_RGB; break;
    case GROWN: out->width += 1; break;
    case BEHIND: memset(out + 1, 0, 8); break;
    case STATUS: return 4;
    case SPIN:
      for (volatile unsigned turns = 0;; turns++) {
      }
    case ABORT: abort();
    default: break;
  }
  return MH_OK;
}

static int32_t encode(const mh_image *image, mh_bytes pixels, uint32_t quality, uint8_t *file, uint64_t *n) {
  if (pixels.n != (uint64_t)image->width * image->height * image->format || *n < 8) return MH_E_ARG;
  const uint8_t head[7] = {quality == 13 ? 0 : 0xff, 0xd8, (uint8_t)image->width, (uint8_t)image->height,
                           (uint8_t)image->format, pixels.p[0], (uint8_t)quality};
  memcpy(file, head, sizeof head);
  *n = quality == 14 ? *n + 1 : sizeof head;
  return MH_OK;
}

const mh_image_codec image_table = {
    .struct_size = sizeof image_table, .measure = measure, .decode = decode, .encode = encode};
