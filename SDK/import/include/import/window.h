/* What was read of a content and not used yet, in one piece, for readers that look at whole elements. */
#ifndef METERHOST_IMPORT_WINDOW_H
#define METERHOST_IMPORT_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* bytes[start..<end]. */
typedef struct mh_window {
  uint8_t *bytes;
  size_t capacity, start, end;
  /* The offset in the content of bytes[start]. */
  uint64_t place;
  /* Nothing comes behind it. */
  int is_last;
} mh_window;

/* 0: no memory. */
int mh_window_start(mh_window *window, size_t capacity);
/* Makes room at the end: what was used goes. 0: no memory. */
int mh_window_grow(mh_window *window, size_t capacity);
void mh_window_free(mh_window *window);
/* `n` bytes are used. */
void mh_window_read(mh_window *window, size_t n);

#endif
