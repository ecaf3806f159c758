/* Whether text is UTF-8 (RFC 3629). */
#include "bench_internal.h"

int bench_is_utf8(const uint8_t *p, uint64_t n) {
  for (uint64_t i = 0; i < n;) {
    uint8_t first = p[i++];
    if (first < 0x80) continue;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || n - i < (uint64_t)more) return 0;
    uint8_t second = p[i];
    /* Overlong forms, surrogates, and what lies above U+10FFFF (RFC 3629 4). */
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
      return 0;
    for (int k = 0; k < more; k++)
      if ((p[i + (uint64_t)k] & 0xc0) != 0x80) return 0;
    i += (uint64_t)more;
  }
  return 1;
}
