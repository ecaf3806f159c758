/* The extension table: checks what the host hands over, and picks the decoder by the first bytes of the file. */
#include "include/codec.h"

#include <string.h>

enum image_kind image_kind_of(mh_bytes file) {
  static const uint8_t jpeg[] = {0xff, 0xd8, 0xff};
  static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  if (file.n >= sizeof jpeg && memcmp(file.p, jpeg, sizeof jpeg) == 0) return KIND_JPEG;
  if (file.n >= sizeof png && memcmp(file.p, png, sizeof png) == 0) return KIND_PNG;
  return KIND_UNKNOWN;
}

static int32_t check_file(mh_bytes file, const mh_image *out) {
  if (out == NULL || !MH_HAS(out, orientation) || (file.p == NULL && file.n != 0)) return MH_E_ARG;
  if (file.n > MH_IMAGE_FILE_MAX) return MH_E_DENIED;
  return MH_OK;
}

static int32_t measure(mh_bytes file, mh_image *out) {
  const int32_t status = check_file(file, out);
  if (status != MH_OK) return status;
  switch (image_kind_of(file)) {
    case KIND_JPEG: return jpeg_measure(file, out);
    case KIND_PNG: return png_measure(file, out);
    default: return MH_E_UNSUPPORTED;
  }
}

static int32_t decode(mh_bytes file, mh_image *out, uint8_t *pixels, uint64_t *n) {
  const int32_t status = check_file(file, out);
  if (status != MH_OK) return status;
  if (n == NULL || (pixels == NULL && *n != 0)) return MH_E_ARG;
  if (out->format != MH_IMAGE_GREY && out->format != MH_IMAGE_RGB) return MH_E_ARG;
  switch (image_kind_of(file)) {
    case KIND_JPEG: return jpeg_decode(file, out, pixels, n);
    case KIND_PNG: return png_decode(file, out, pixels, n);
    default: return MH_E_UNSUPPORTED;
  }
}

static int32_t encode(const mh_image *image, mh_bytes pixels, uint32_t quality, uint8_t *file, uint64_t *n) {
  if (image == NULL || !MH_HAS(image, orientation) || n == NULL || (file == NULL && *n != 0)) return MH_E_ARG;
  if (image->format != MH_IMAGE_GREY && image->format != MH_IMAGE_RGB) return MH_E_ARG;
  if (image->orientation < 1 || image->orientation > 8 || quality < 1 || quality > 100) return MH_E_ARG;
  const int32_t status = image_check_size(image->width, image->height);
  if (status != MH_OK) return status == MH_E_DENIED ? MH_E_DENIED : MH_E_ARG;
  if (pixels.p == NULL || pixels.n != (uint64_t)image->width * image->height * image->format) return MH_E_ARG;
  return jpeg_encode(image, pixels, quality, file, n);
}

const mh_image_codec image_codec = {
    .struct_size = sizeof(mh_image_codec),
    .measure = measure,
    .decode = decode,
    .encode = encode,
};
