#include "include/import/decimal.h"

#include <string.h>

#define DIGITS_MAX 18

static const int64_t powers[] = {1,
                                 10,
                                 100,
                                 1000,
                                 10000,
                                 100000,
                                 1000000,
                                 10000000,
                                 100000000,
                                 1000000000,
                                 10000000000,
                                 100000000000,
                                 1000000000000,
                                 10000000000000,
                                 100000000000000,
                                 1000000000000000,
                                 10000000000000000,
                                 100000000000000000,
                                 1000000000000000000};

/* Equal numbers look equal: no zeros behind the point. */
static mh_decimal trimmed(int64_t mantissa, int exponent) {
  while (exponent < 0 && mantissa % 10 == 0 && mantissa != 0) {
    mantissa /= 10;
    exponent += 1;
  }
  if (mantissa == 0) exponent = 0;
  return (mh_decimal){mantissa, (int16_t)exponent};
}

int mh_decimal_fit(mh_decimal *value, int most) {
  int exponent = value->exponent;
  int64_t mantissa = value->mantissa;
  for (; exponent > most; exponent--)
    if (__builtin_mul_overflow(mantissa, 10, &mantissa)) return 0;
  for (; exponent < -most; exponent++) mantissa = exponent + 1 == -most ? (mantissa + (mantissa < 0 ? -5 : 5)) / 10 : mantissa / 10;
  *value = trimmed(mantissa, exponent);
  return 1;
}

static int read_exponent(const char *p, size_t n, size_t *at, int *exponent) {
  size_t i = *at + 1;
  int sign = i < n && p[i] == '-' ? -1 : 1, value = 0;
  if (i < n && (p[i] == '-' || p[i] == '+')) i++;
  size_t start = i;
  for (; i < n && p[i] >= '0' && p[i] <= '9'; i++)
    if (value < 10000) value = value * 10 + (p[i] - '0');
  if (i == start) return 0;
  *exponent += sign * value;
  *at = i;
  return 1;
}

int mh_decimal_read(const char *p, size_t n, uint32_t form, mh_decimal *out) {
  size_t i = 0, start;
  int negative = n > 0 && p[0] == '-', digits = 0, exponent = 0, round = -1, has_point = 0;
  const int is_bare = (form & MH_DECIMAL_BARE_POINT) != 0;
  int64_t mantissa = 0;
  if (n > 4096) return 0;
  i = start = (size_t)negative;
  const size_t first = start;
  for (; i < n; i++) {
    if (p[i] == '.' && !has_point && (is_bare || i > start)) {
      has_point = 1;
      start = i + 1;
      continue;
    }
    if (p[i] < '0' || p[i] > '9') break;
    if (digits < DIGITS_MAX) {
      mantissa = mantissa * 10 + (p[i] - '0');
      if (mantissa != 0) digits += 1;
      exponent -= has_point;
    } else if (!has_point && (form & MH_DECIMAL_EXACT) != 0) {
      return 0;
    } else {
      if (round < 0) round = p[i] >= '5';
      exponent += !has_point;
    }
  }
  if (is_bare ? i == first + (size_t)has_point : i == start) return 0;
  if (i < n && (form & MH_DECIMAL_EXPONENT) != 0 && (p[i] == 'e' || p[i] == 'E') && !read_exponent(p, n, &i, &exponent))
    return 0;
  mantissa += round > 0;
  if (i != n || (mantissa != 0 && (exponent < -400 || exponent > 400))) return 0;
  *out = trimmed(negative ? -mantissa : mantissa, exponent);
  return 1;
}

mh_decimal mh_decimal_shift(mh_decimal value, int places) {
  return trimmed(value.mantissa, value.mantissa == 0 ? 0 : value.exponent - places);
}

int mh_decimal_times(mh_decimal value, int64_t factor, int places, mh_decimal *out) {
  int64_t product;
  if (__builtin_mul_overflow(value.mantissa, factor, &product)) return 0;
  *out = trimmed(product, product == 0 ? 0 : value.exponent - places);
  return 1;
}

/* 10^0 to 10^22 are whole binary fractions, and so is a mantissa below 2^53: one division then rounds once, and gives what
 * reading the decimal would give (Clinger 1990). So a candidate that comes back is the number itself. */
static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

int mh_decimal_of_double(double value, mh_decimal *out) {
  double size = value < 0 ? -value : value;
  if (!(size < 1e15)) return 0;
  if (size < 1e-7) {
    *out = (mh_decimal){0, 0};
    return size == 0;
  }
  int last = -1;
  for (int places = 0; places <= 22; places++) {
    double scaled = size * exact[places];
    if (scaled >= 1e15) break;
    int64_t candidate = (int64_t)(scaled + 0.5);
    last = places;
    if ((double)candidate / exact[places] == size) {
      *out = trimmed(value < 0 ? -candidate : candidate, -places);
      return 1;
    }
  }
  if (last < 0) return 0;
  int64_t rounded = (int64_t)(size * exact[last] + 0.5);
  *out = trimmed(value < 0 ? -rounded : rounded, -last);
  return 1;
}

int mh_decimal_whole(mh_decimal value, int places, int64_t *out) {
  int exponent = value.exponent + places;
  if (exponent >= 0) return exponent <= 18 && !__builtin_mul_overflow(value.mantissa, powers[exponent], out);
  *out = exponent < -18 ? 0 : value.mantissa / powers[-exponent];
  return 1;
}

int mh_decimal_add(mh_decimal *sum, mh_decimal other) {
  const int64_t most = INT64_C(999999999999999999);
  while (sum->exponent != other.exponent) {
    mh_decimal *longer = sum->exponent > other.exponent ? sum : &other;
    if (longer->mantissa > most / 10 || longer->mantissa < -most / 10) return 0;
    longer->mantissa *= 10;
    longer->exponent -= 1;
  }
  const int64_t total = sum->mantissa + other.mantissa;
  if (total > most || total < -most) return 0;
  sum->mantissa = total;
  return 1;
}
