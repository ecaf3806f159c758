#include "include/import_text.h"

#include <string.h>

#define DIGITS_MAX 18
#define EXPONENT_MAX 18
/* Above it an exponent says nothing more: the number is refused anyway. */
#define EXPONENT_READ_MAX 10000

static int read_exponent(const uint8_t *p, const uint8_t *end, int32_t *out) {
  const int is_negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p == end) return 0;
  int32_t value = 0;
  for (; p < end; p++) {
    const unsigned digit = (unsigned)*p - '0';
    if (digit > 9) return 0;
    if (value < EXPONENT_READ_MAX) value = value * 10 + (int32_t)digit;
  }
  *out = is_negative ? -value : value;
  return 1;
}

/* Brings the exponent into its range, as long as that loses nothing but digits behind the 18th place. */
static int fit(int64_t mantissa, int32_t exponent, mh_exact *out) {
  if (mantissa == 0) {
    *out = (mh_exact){0, 0};
    return 1;
  }
  while (exponent < 0 && mantissa % 10 == 0) {
    mantissa /= 10;
    exponent += 1;
  }
  while (exponent < -EXPONENT_MAX) {
    mantissa /= 10;
    if (mantissa == 0) return 0;
    exponent += 1;
  }
  if (exponent > EXPONENT_MAX) return 0;
  *out = (mh_exact){mantissa, exponent};
  return 1;
}

int mh_exact_read(const uint8_t *p, size_t n, mh_exact *out) {
  const uint8_t *end = p + n;
  const int is_negative = p < end && *p == '-';
  if (is_negative) p++;
  int64_t mantissa = 0;
  int32_t exponent = 0, written = 0, digits = 0;
  int has_digit = 0, has_point = 0;
  for (; p < end; p++) {
    const unsigned digit = (unsigned)*p - '0';
    if (digit <= 9) {
      has_digit = 1;
      if (digits == DIGITS_MAX) {
        if (!has_point) return 0;
        continue;
      }
      mantissa = mantissa * 10 + (int64_t)digit;
      if (mantissa != 0) digits += 1;
      if (has_point && exponent > -EXPONENT_READ_MAX) exponent -= 1;
    } else if (*p == '.' && !has_point) {
      has_point = 1;
    } else {
      break;
    }
  }
  if (!has_digit) return 0;
  if (p < end && ((*p | 0x20) != 'e' || !read_exponent(p + 1, end, &written))) return 0;
  return fit(is_negative ? -mantissa : mantissa, exponent + written, out);
}

int mh_exact_add(mh_exact *sum, mh_exact other) {
  const int64_t most = INT64_C(999999999999999999);
  while (sum->exponent != other.exponent) {
    mh_exact *longer = sum->exponent > other.exponent ? sum : &other;
    if (longer->mantissa > most / 10 || longer->mantissa < -most / 10) return 0;
    longer->mantissa *= 10;
    longer->exponent -= 1;
  }
  const int64_t total = sum->mantissa + other.mantissa;
  if (total > most || total < -most) return 0;
  sum->mantissa = total;
  return 1;
}
