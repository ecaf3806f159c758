#include "include/import/text.h"

#include <string.h>

size_t mh_text_character(const uint8_t *p, size_t n) {
  if (p[0] < 0x80) return 1;
  const size_t size = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
  if (size == 0 || size > n) return 0;
  for (size_t i = 1; i < size; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  const int is_overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
  const int is_outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
  return is_overlong || is_outside ? 0 : size;
}

size_t mh_text_put(uint32_t code, char *out) {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = 0xfffd;
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  const size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
  out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | code);
  return n;
}

size_t mh_text_clean(const char *from, size_t n, char *to, size_t most) {
  const uint8_t *p = (const uint8_t *)from;
  size_t used = 0;
  for (size_t i = 0; i < n;) {
    const size_t size = mh_text_character(p + i, n - i), wide = size == 0 ? 3 : size;
    if (used + wide > most) break;
    if (size == 0)
      memcpy(to + used, "\xef\xbf\xbd", 3);
    else if (size == 1)
      to[used] = p[i] < 0x20 || p[i] == 0x7f ? ' ' : (char)p[i];
    else
      memcpy(to + used, p + i, size);
    used += wide;
    i += size == 0 ? 1 : size;
  }
  return used;
}

uint32_t mh_text_cut(const char *p, uint64_t n, uint32_t most) {
  if (n <= most) return (uint32_t)n;
  uint32_t length = most;
  while (length > 0 && ((uint8_t)p[length] & 0xc0) == 0x80) length--;
  return length;
}

const uint8_t *mh_text_find(const uint8_t *p, size_t n, const char *needle, size_t length) {
  const uint8_t *end = p + n;
  while ((size_t)(end - p) >= length) {
    p = memchr(p, needle[0], (size_t)(end - p) - length + 1);
    if (p == NULL) return NULL;
    if (memcmp(p, needle, length) == 0) return p;
    p++;
  }
  return NULL;
}
