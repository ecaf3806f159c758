#include "include/import/window.h"

#include <stdlib.h>
#include <string.h>

int mh_window_start(mh_window *window, size_t capacity) {
  memset(window, 0, sizeof *window);
  window->bytes = malloc(capacity);
  window->capacity = window->bytes == NULL ? 0 : capacity;
  return window->bytes != NULL;
}

void mh_window_free(mh_window *window) { free(window->bytes); }

int mh_window_grow(mh_window *window, size_t capacity) {
  if (window->start > 0) {
    memmove(window->bytes, window->bytes + window->start, window->end - window->start);
    window->end -= window->start;
    window->start = 0;
  }
  if (capacity <= window->capacity) return 1;
  uint8_t *bytes = realloc(window->bytes, capacity);
  if (bytes == NULL) return 0;
  window->bytes = bytes;
  window->capacity = capacity;
  return 1;
}

void mh_window_read(mh_window *window, size_t n) {
  window->start += n;
  window->place += n;
  if (window->start == window->end) window->start = window->end = 0;
}
