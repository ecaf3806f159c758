#include "include/apple.h"

#include <string.h>

static int is_blank(uint8_t c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

typedef struct known_name {
  const char *text;
  uint8_t length, which;
} known_name;

#define NAME(text, which) \
  { text, sizeof(text) - 1, which }

static const known_name names[] = {
    NAME("type", A_TYPE), NAME("sourceName", A_SOURCE), NAME("device", A_DEVICE), NAME("unit", A_UNIT),
    NAME("value", A_VALUE), NAME("creationDate", A_CREATED), NAME("startDate", A_START), NAME("endDate", A_END),
    NAME("key", A_KEY), NAME("workoutActivityType", A_ACTIVITY), NAME("duration", A_DURATION),
    NAME("durationUnit", A_DURATION_UNIT), NAME("totalDistance", A_DISTANCE),
    NAME("totalDistanceUnit", A_DISTANCE_UNIT), NAME("totalEnergyBurned", A_ENERGY),
    NAME("totalEnergyBurnedUnit", A_ENERGY_UNIT), NAME("date", A_DATE), NAME("sum", A_SUM), NAME("average", A_AVERAGE),
    NAME("minimum", A_MINIMUM), NAME("maximum", A_MAXIMUM), NAME("uuid", A_UUID), NAME("dateComponents", A_DAY),
    NAME("activeEnergyBurned", A_RING_ENERGY), NAME("activeEnergyBurnedUnit", A_RING_ENERGY_UNIT),
    NAME("appleExerciseTime", A_RING_EXERCISE), NAME("appleStandHours", A_RING_STAND)};

static enum apple_attribute which_of(const uint8_t *p, size_t n) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].length == n && names[i].text[0] == (char)p[0] && memcmp(names[i].text, p, n) == 0)
      return (enum apple_attribute)names[i].which;
  return A_COUNT;
}

/* The names that records have, each with what follows it, so that none of them has to be looked for. A_COUNT with
 * a length: one that means nothing here. */
static enum apple_attribute common(const uint8_t *p, size_t left, size_t *length) {
#define TRY(text, which) \
  if (left >= sizeof(text) - 1 && memcmp(p, text, sizeof(text) - 1) == 0) return *length = sizeof(text) - 1, which
  switch (*p) {
    case 't': TRY("type=\"", A_TYPE); break;
    case 'u': TRY("unit=\"", A_UNIT); break;
    case 'v': TRY("value=\"", A_VALUE); break;
    case 'k': TRY("key=\"", A_KEY); break;
    case 'd': TRY("device=\"", A_DEVICE); break;
    case 'c': TRY("creationDate=\"", A_CREATED); break;
    case 'e': TRY("endDate=\"", A_END); break;
    case 's':
      TRY("startDate=\"", A_START);
      TRY("sourceName=\"", A_SOURCE);
      TRY("sourceVersion=\"", A_COUNT);
      break;
    default: break;
  }
#undef TRY
  return A_COUNT;
}

static void put(apple_tag *tag, enum apple_attribute which, const uint8_t *p, const uint8_t *end) {
  if (which == A_COUNT) return;
  if (apple_has(tag, which)) tag->is_broken = 1;
  tag->seen |= 1u << which;
  tag->values[which] = (mh_bytes){p, (uint64_t)(end - p)};
}

/* A name with blanks in it, or one that is not common: what stands before the sign. Returns the quote of its
 * value, the `>` before which there is none, or NULL at the end of what there is. */
static const uint8_t *odd_name(apple_tag *tag, const uint8_t *p, const uint8_t *end, enum apple_attribute *which) {
  *which = A_COUNT;
  for (const uint8_t *name = p; p < end; p++) {
    if (*p == '>') return p;
    if (*p != '=') continue;
    const uint8_t *name_end = p;
    while (name_end > name && is_blank(name_end[-1])) name_end--;
    *which = name_end > name ? which_of(name, (size_t)(name_end - name)) : A_COUNT;
    while (p + 1 < end && is_blank(p[1])) p++;
    if (p + 1 == end) return NULL;
    if (p[1] == '"' || p[1] == '\'') return p + 1;
    tag->is_broken |= *which != A_COUNT;
    name = p + 1;
  }
  return NULL;
}

const uint8_t *apple_attributes(apple_tag *tag, const uint8_t *p, const uint8_t *end) {
  tag->seen = 0;
  tag->is_broken = 0;
  while (p < end) {
    if (is_blank(*p)) {
      p++;
      continue;
    }
    size_t length = 0;
    enum apple_attribute which = common(p, (size_t)(end - p), &length);
    const uint8_t *value = p + length;
    if (length == 0) {
      const uint8_t *quote = odd_name(tag, p, end, &which);
      if (quote == NULL || *quote == '>') return quote;
      value = quote + 1;
    }
    const uint8_t *stop = memchr(value, value[-1], (size_t)(end - value));
    if (stop == NULL) return NULL;
    put(tag, which, value, stop);
    p = stop + 1;
  }
  return NULL;
}

static size_t put_character(uint8_t *out, uint32_t code) {
  if (code == 0) code = 0xfffd;
  return mh_text_put(code < 0x20 || code == 0x7f ? ' ' : code, (char *)out);
}

/* The character of an entity that begins with `&`, and its length; 0: none begins here. */
static size_t entity(const uint8_t *p, size_t n, uint32_t *code) {
  static const struct {
    const char *text;
    uint8_t length, code;
  } named[] = {{"&amp;", 5, '&'}, {"&lt;", 4, '<'}, {"&gt;", 4, '>'}, {"&quot;", 6, '"'}, {"&apos;", 6, '\''}};
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
    if (n < named[i].length || memcmp(p, named[i].text, named[i].length) != 0) continue;
    *code = named[i].code;
    return named[i].length;
  }
  if (n < 4 || p[1] != '#') return 0;
  const uint32_t base = (p[2] | 0x20) == 'x' ? 16 : 10;
  uint32_t value = 0;
  size_t at = base == 16 ? 3 : 2;
  const size_t first = at;
  for (; at < n && at < first + 8 && p[at] != ';'; at++) {
    const uint32_t lower = p[at] | 0x20u;
    uint32_t digit = p[at] - (uint32_t)'0';
    if (digit > 9) digit = lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
    if (digit >= base) return 0;
    value = value * base + digit;
  }
  if (at == first || at == n || p[at] != ';') return 0;
  *code = value;
  return at + 1;
}

uint32_t apple_controls(mh_bytes raw) {
  uint32_t n = 0;
  for (uint64_t i = 0; i < raw.n; i++) n += raw.p[i] < 0x20 && !is_blank(raw.p[i]);
  return n;
}

mh_str apple_text(mh_bytes raw, uint8_t *out) {
  size_t used = 0;
  for (uint64_t i = 0; i < raw.n && used + 4 <= APPLE_TEXT_MAX;) {
    const uint8_t *p = raw.p + i;
    uint32_t code = p[0] < 0x20 || p[0] == 0x7f ? ' ' : p[0];
    const size_t left = raw.n - i;
    size_t size = p[0] == '&' ? entity(p, left, &code) : 0;
    if (size == 0) {
      size = mh_text_character(p, left);
      if (size > 1) {
        memcpy(out + used, p, size);
        used += size;
        i += size;
        continue;
      }
      if (size == 0) code = 0xfffd, size = 1;
    }
    used += put_character(out + used, code);
    i += size;
  }
  return (mh_str){(const char *)out, used};
}
