/* The licence of the keyed test meter: lines of text and a MAC over them.
 *
 * A real maker would sign with a private key; the MAC stands here for whatever a bundle checks, and its key is in this
 * public file. It proves the way, not a right.
 */
#include <string.h>

#include "protocol.h"

#define HEADING "meterhost-licence 1\n"
#define LONGEST 1024u
#define BLOCK 64u

static const uint8_t licence_key[BLOCK] = "a public key for the test licence of the keyed test meter";

/* HMAC-SHA-256 (RFC 2104) from the host's SHA-256: the key is the driver's own and none that the host keeps. */
static int32_t licence_mac(const mh_crypto *crypto, const uint8_t *text, uint64_t n, uint8_t *out) {
  uint8_t inner[BLOCK + LONGEST], outer[BLOCK + 32];
  for (uint32_t i = 0; i < BLOCK; i++) {
    inner[i] = licence_key[i] ^ 0x36u;
    outer[i] = licence_key[i] ^ 0x5cu;
  }
  memcpy(inner + BLOCK, text, n);
  mh_bytes first = {inner, BLOCK + n}, second = {outer, sizeof outer};
  int32_t status = crypto->sha256(crypto->ctx, first, outer + BLOCK);
  return status == MH_OK ? crypto->sha256(crypto->ctx, second, out) : status;
}

/* The value of the line that starts with `name`, between `p` and `end`; NULL when there is none. */
static const char *line_value(const char *p, const char *end, const char *name, uint64_t *n) {
  uint64_t length = strlen(name);
  while (p < end) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (stop == NULL) return NULL;
    if ((uint64_t)(stop - p) > length && memcmp(p, name, length) == 0) {
      *n = (uint64_t)(stop - p) - length;
      return p + length;
    }
    p = stop + 1;
  }
  return NULL;
}

static int nibble(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static int number(const char *p, int n) {
  int value = 0;
  for (int i = 0; i < n; i++) {
    if (p[i] < '0' || p[i] > '9') return -1;
    value = value * 10 + (p[i] - '0');
  }
  return value;
}

/* Days since 1970-01-01 of YYYY-MM-DD, or INT64_MIN (H. Hinnant, chrono-compatible date algorithms). */
static int64_t day_of(const char *p, uint64_t n) {
  if (n != 10 || p[4] != '-' || p[7] != '-') return INT64_MIN;
  int year = number(p, 4), month = number(p + 5, 2), day = number(p + 8, 2);
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31) return INT64_MIN;
  int march_year = year - (month <= 2), era = march_year / 400, year_of_era = march_year - era * 400;
  int day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  return (int64_t)era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

const char *keyed_licence_problem(const mh_crypto *crypto, const uint8_t *bytes, uint64_t n, int64_t unix_us) {
  static const char damaged[] = "The licence file is damaged. Ask for a new one.";
  const char *text = (const char *)bytes, *end = text + n;
  if (n > LONGEST || n < sizeof HEADING - 1 || memcmp(text, HEADING, sizeof HEADING - 1) != 0) return damaged;
  uint64_t mac_n = 0, product_n = 0, expiry_n = 0, licensee_n = 0;
  const char *mac = line_value(text, end, "mac: ", &mac_n);
  if (mac == NULL || mac_n != 64 || mac + 65 != end) return damaged;
  const char *mac_line = mac - 5;
  uint8_t expected[32];
  if (licence_mac(crypto, bytes, (uint64_t)(mac_line - text), expected) != MH_OK) return damaged;
  int differs = 0;
  for (int i = 0; i < 32; i++) {
    int high = nibble(mac[2 * i]), low = nibble(mac[2 * i + 1]);
    if (high < 0 || low < 0) return damaged;
    differs |= (high << 4 | low) ^ expected[i];
  }
  if (differs != 0) return damaged;
  const char *product = line_value(text, mac_line, "product: ", &product_n);
  if (product == NULL || product_n != sizeof KEYED_PRODUCT - 1 || memcmp(product, KEYED_PRODUCT, product_n) != 0)
    return "The licence is for another product. Ask for one for the keyed test meter.";
  if (line_value(text, mac_line, "licensee: ", &licensee_n) == NULL) return damaged;
  const char *expiry = line_value(text, mac_line, "expires: ", &expiry_n);
  int64_t last_day = expiry == NULL ? INT64_MIN : day_of(expiry, expiry_n);
  if (last_day == INT64_MIN) return damaged;
  /* Good to the end of its last day, in UTC. */
  if (unix_us >= (last_day + 1) * INT64_C(86400000000)) return "The licence has expired. Ask for a new one.";
  return NULL;
}
