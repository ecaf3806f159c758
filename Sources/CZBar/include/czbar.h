/* QR codes and barcodes in grey pictures for Swift, by libzbar.
 *
 * The library is loaded by the first picture: a machine that scans nothing need not have it. It is given pixels and never a
 * file, a camera or a window, and only the two kinds of codes below are looked for: its readers have had faults that a crafted
 * picture reaches, and each one more is a way in. Functions return 0 or more when they worked, otherwise -errno. */
#ifndef METERHOST_CZBAR_H
#define METERHOST_CZBAR_H

#include <stdint.h>

/* Loads the library; NULL when it can be used, otherwise what is wrong with it (valid until this thread's next call). Call
 * it, with success, before mh_zbar_find; any thread may. */
const char *mh_zbar_load(void);

/* Kinds of codes. Both have a check of their own: what is found is what was printed, or nothing. */
enum { MH_ZBAR_QR = 64, MH_ZBAR_CODE128 = 128 };

/* A code: what it holds are `count` bytes of the caller's from `offset` on. */
typedef struct mh_zbar_code {
  uint32_t kind;
  uint32_t offset, count;
} mh_zbar_code;

/* Looks for codes in a picture of `width * height` bytes, 0 black. Writes at most `n_codes` of them, and what they hold into
 * `content`. How many there are, or -E2BIG when they do not fit, -ENOMEM, -EINVAL for a picture without pixels. */
int mh_zbar_find(const uint8_t *pixels, uint32_t width, uint32_t height, mh_zbar_code *codes, uint32_t n_codes,
                 uint8_t *content, uint32_t n_content);

#endif
