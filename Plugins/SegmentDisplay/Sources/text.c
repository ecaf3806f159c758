#include "text.h"

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits with at most one point, which has a digit on each side. At most MH_OCR_TEXT_MAX characters: 10^16 fits. */
typedef struct decimal {
  int64_t raw;
  uint32_t whole;
  uint32_t decimals;
} decimal;

static int read_decimal(mh_str text, decimal *out) {
  int has_point = 0;
  *out = (decimal){0, 0, 0};
  for (uint64_t i = 0; i < text.n; i++) {
    if (text.p[i] == '.' && !has_point) {
      has_point = 1;
      continue;
    }
    if (!is_digit(text.p[i])) return 0;
    out->raw = out->raw * 10 + (text.p[i] - '0');
    *(has_point ? &out->decimals : &out->whole) += 1;
  }
  return out->whole > 0 && has_point == (out->decimals > 0);
}

static int is_word(mh_str text, char first, char second) {
  return text.n == 2 && text.p[0] == first && text.p[1] == second;
}

int display_is_all_segments(mh_str text) {
  uint32_t eights = 0;
  for (uint64_t i = 0; i < text.n; i++) {
    if (text.p[i] == '8')
      eights++;
    else if (text.p[i] != '.' && !(text.p[i] == '1' && i == 0))
      return 0;
  }
  return eights > 0 && text.n > 1;
}

int display_may_be_shown(mh_str text) {
  mh_str rest = text;
  if (rest.n > 1 && rest.p[0] == '-' && is_digit(rest.p[1])) rest.p++, rest.n--;
  if (rest.n == 0 || !(is_digit(rest.p[0]) || rest.p[0] == '.')) return 1;
  decimal found;
  return read_decimal(rest, &found);
}

display_finding display_read_text(const display_number *number, uint32_t words, mh_str text) {
  if (text.n == 0) return (display_finding){DISPLAY_BLANK, 0};
  /* A reader without letters sees L0 and H1: whatever is not the very word is no value. */
  if (words && is_word(text, 'L', 'o')) return (display_finding){DISPLAY_BELOW, number->low};
  if (words && is_word(text, 'H', 'i')) return (display_finding){DISPLAY_ABOVE, number->high};
  decimal found;
  if (text.n > MH_OCR_TEXT_MAX || !read_decimal(text, &found)) return (display_finding){DISPLAY_OTHER, 0};
  int has_leading_zero = found.whole > 1 && text.p[0] == '0';
  if (found.decimals != number->decimals || found.whole > number->whole || has_leading_zero)
    return (display_finding){display_is_all_segments(text) ? DISPLAY_OTHER : DISPLAY_FOREIGN, 0};
  if (found.raw < number->low || found.raw > number->high) return (display_finding){DISPLAY_OTHER, 0};
  return (display_finding){DISPLAY_NUMBER, found.raw};
}
