#include "czbar.h"

#include <errno.h>
#include <late_library.h>
#include <stddef.h>
#include <string.h>

/* Of libzbar's headers, what is used: of its stable interface (libzbar.so.0), so that nobody needs them to build. */
typedef struct zbar_image_scanner_s zbar_image_scanner_t;
typedef struct zbar_image_s zbar_image_t;
typedef struct zbar_symbol_s zbar_symbol_t;
typedef void zbar_image_cleanup_handler_t(zbar_image_t *image);

enum { ALL_KINDS = 0, CONFIG_ENABLE = 0 };
/* Rows of bytes, one a pixel: `Y800`. */
static const unsigned long grey = 'Y' | '8' << 8 | '0' << 16 | '0' << 24;

#define MH_ZBAR_FUNCTIONS(X)                                                                                           \
  X(zbar_image_scanner_t *, zbar_image_scanner_create, (void))                                                         \
  X(void, zbar_image_scanner_destroy, (zbar_image_scanner_t *))                                                        \
  X(int, zbar_image_scanner_set_config, (zbar_image_scanner_t *, int, int, int))                                       \
  X(int, zbar_image_scanner_request_dbus, (zbar_image_scanner_t *, int))                                               \
  X(int, zbar_scan_image, (zbar_image_scanner_t *, zbar_image_t *))                                                    \
  X(zbar_image_t *, zbar_image_create, (void))                                                                         \
  X(void, zbar_image_destroy, (zbar_image_t *))                                                                        \
  X(void, zbar_image_set_format, (zbar_image_t *, unsigned long))                                                      \
  X(void, zbar_image_set_size, (zbar_image_t *, unsigned, unsigned))                                                   \
  X(void, zbar_image_set_data, (zbar_image_t *, const void *, unsigned long, zbar_image_cleanup_handler_t *))          \
  X(const zbar_symbol_t *, zbar_image_first_symbol, (const zbar_image_t *))                                            \
  X(const zbar_symbol_t *, zbar_symbol_next, (const zbar_symbol_t *))                                                  \
  X(int, zbar_symbol_get_type, (const zbar_symbol_t *))                                                                \
  X(const char *, zbar_symbol_get_data, (const zbar_symbol_t *))                                                       \
  X(unsigned, zbar_symbol_get_data_length, (const zbar_symbol_t *))

static struct {
#define X(result, name, arguments) result(*name) arguments;
  MH_ZBAR_FUNCTIONS(X)
#undef X
} library;

#define X(result, name, arguments) {#name, (void **)&library.name},
static const clinux_late_function functions[] = {MH_ZBAR_FUNCTIONS(X)};
#undef X

static clinux_late_library late = CLINUX_LATE_LIBRARY("libzbar.so.0", functions, NULL);

const char *mh_zbar_load(void) { return clinux_load_library(&late); }

/* A scanner for the two kinds only. */
static zbar_image_scanner_t *open_scanner(void) {
  zbar_image_scanner_t *scanner = library.zbar_image_scanner_create();
  if (scanner == NULL) return NULL;
  /* It can tell the message bus what it has read: that would be a key. */
  library.zbar_image_scanner_request_dbus(scanner, 0);
  library.zbar_image_scanner_set_config(scanner, ALL_KINDS, CONFIG_ENABLE, 0);
  library.zbar_image_scanner_set_config(scanner, MH_ZBAR_QR, CONFIG_ENABLE, 1);
  library.zbar_image_scanner_set_config(scanner, MH_ZBAR_CODE128, CONFIG_ENABLE, 1);
  return scanner;
}

/* Copies what was found. */
static int collect(const zbar_image_t *image, mh_zbar_code *codes, uint32_t n_codes, uint8_t *content,
                   uint32_t n_content) {
  uint32_t found = 0, used = 0;
  for (const zbar_symbol_t *symbol = library.zbar_image_first_symbol(image); symbol != NULL;
       symbol = library.zbar_symbol_next(symbol)) {
    const int kind = library.zbar_symbol_get_type(symbol);
    /* Parts of a message that is spread over several codes are of another kind. */
    if (kind != MH_ZBAR_QR && kind != MH_ZBAR_CODE128) continue;
    const unsigned count = library.zbar_symbol_get_data_length(symbol);
    const char *data = library.zbar_symbol_get_data(symbol);
    if (count == 0 || data == NULL) continue;
    if (found == n_codes || count > n_content - used) return -E2BIG;
    memcpy(content + used, data, count);
    codes[found++] = (mh_zbar_code){.kind = (uint32_t)kind, .offset = used, .count = count};
    used += count;
  }
  return (int)found;
}

int mh_zbar_find(const uint8_t *pixels, uint32_t width, uint32_t height, mh_zbar_code *codes, uint32_t n_codes,
                 uint8_t *content, uint32_t n_content) {
  if (width == 0 || height == 0) return -EINVAL;
  zbar_image_scanner_t *scanner = open_scanner();
  zbar_image_t *image = library.zbar_image_create();
  int result = -ENOMEM;
  if (scanner != NULL && image != NULL) {
    library.zbar_image_set_format(image, grey);
    library.zbar_image_set_size(image, width, height);
    /* Without a handler the pixels stay the caller's. */
    library.zbar_image_set_data(image, pixels, (unsigned long)width * height, NULL);
    result = library.zbar_scan_image(scanner, image) < 0 ? -EIO : collect(image, codes, n_codes, content, n_content);
  }
  if (image != NULL) library.zbar_image_destroy(image);
  if (scanner != NULL) library.zbar_image_scanner_destroy(scanner);
  return result;
}
