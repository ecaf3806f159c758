/* Two drivers: one of displays, one of pictures. SHORT_TABLE, NO_FUNCTION: the first one's table is none that can be used;
 * SHORT_IMAGES: the second one's. */
#include "display.h"

#include <string.h>

MH_DRIVER_NOTE

static const void *displays(const char *id) {
  static mh_ocr table;
  table = display_table;
#ifdef SHORT_TABLE
  table.struct_size = 16;
#endif
#ifdef NO_FUNCTION
  table.recognize = NULL;
#endif
  return strcmp(id, MH_EXT_OCR_DRAFT) == 0 ? &table : NULL;
}

static const void *images(const char *id) {
  static mh_image_codec table;
  table = image_table;
#ifdef SHORT_IMAGES
  table.struct_size = 16;
#endif
  return strcmp(id, MH_EXT_IMAGE_DRAFT) == 0 ? &table : NULL;
}

#define DRIVER(name, tables)                                                                              \
  {                                                                                                       \
    .struct_size = sizeof(mh_driver), .abi_major = MH_ABI_MAJOR, .abi_minor = MH_ABI_MINOR,               \
    .layout_hash = MH_LAYOUT_HASH, .id = {name, sizeof name - 1}, .version = {"1.0.0", 5},                \
    .vendor = {"Example", 7}, .extension = tables                                                         \
  }

static const mh_driver drivers[] = {DRIVER("org.example.display", displays), DRIVER("org.example.images", images)};

int32_t mh_driver_entry(const mh_host *host, uint32_t index, const mh_driver **out, mh_str *why_not) {
  (void)why_not;
  if (!mh_host_fits(host)) return MH_REFUSED;
  display_use(host);
  if (index >= sizeof drivers / sizeof *drivers) return MH_END;
  *out = &drivers[index];
  return MH_OK;
}
