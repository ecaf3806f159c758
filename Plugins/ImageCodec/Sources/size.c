/* The sides of a picture: what they may be, and by how much it is divided. */
#include "include/codec.h"

int32_t image_check_size(uint64_t width, uint64_t height) {
  if (width == 0 || height == 0) return MH_E_PROTOCOL;
  if (width > MH_IMAGE_SIDE_MAX || height > MH_IMAGE_SIDE_MAX) return MH_E_DENIED;
  return width * height > MH_IMAGE_PIXELS_MAX ? MH_E_DENIED : MH_OK;
}

uint32_t image_divisor(uint32_t width, uint32_t height, uint32_t least_width, uint32_t least_height) {
  if (least_width == 0 || least_height == 0) return 1;
  uint32_t divisor = 8;
  while (divisor > 1 &&
         (image_divided(width, divisor) < least_width || image_divided(height, divisor) < least_height))
    divisor /= 2;
  return divisor;
}
