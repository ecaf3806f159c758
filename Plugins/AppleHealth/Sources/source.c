#include "include/apple.h"

#include <string.h>

/* The device's text is `<<HKDevice: 0x28..>, name:.., software:..>`, with entities. The address changes with each
 * export and within one, the software with each update: neither tells one source from another. */
static mh_bytes without_address(mh_bytes raw) {
  static const char *const starts[] = {"&lt;&lt;HKDevice: 0x", "<<HKDevice: 0x"};
  for (size_t i = 0; i < 2; i++) {
    const size_t n = strlen(starts[i]);
    if (raw.n < n || memcmp(raw.p, starts[i], n) != 0) continue;
    // The address ends with its bracket and a comma.
    const uint8_t *p = raw.p + n, *end = raw.p + raw.n;
    const uint8_t *comma = memchr(p, ',', (size_t)(end - p));
    p = comma == NULL ? end : comma + 1;
    if (p < end && *p == ' ') p++;
    return (mh_bytes){p, (uint64_t)(end - p)};
  }
  return raw;
}

static const char software[] = ", software:";
#define SOFTWARE (sizeof software - 1)

static mh_bytes without_software(mh_bytes raw) {
  const uint8_t *found = mh_text_find(raw.p, raw.n, software, SOFTWARE);
  if (found != NULL) raw.n = (uint64_t)(found - raw.p);
  return raw;
}

/* The same device, when what follows in the text is the software or nothing. */
static int is_recent(const apple_recent_source *slot, mh_bytes name, mh_bytes device) {
  if (slot->name == 0 || slot->name != name.n || memcmp(slot->text, name.p, name.n) != 0) return 0;
  if (device.n < slot->rest || memcmp(slot->text + slot->name, device.p, slot->rest) != 0) return 0;
  const uint64_t left = device.n - slot->rest;
  return left == 0 || (left >= SOFTWARE && memcmp(device.p + slot->rest, software, SOFTWARE) == 0);
}

static int has(mh_str text, const char *word) {
  return mh_text_find((const uint8_t *)text.p, text.n, word, strlen(word)) != NULL;
}

static uint32_t kind_of(mh_str name, mh_str device) {
  if (has(device, "Watch") || has(name, "Watch")) return MH_SOURCE_WATCH;
  const int is_phone = has(device, "iPhone") || has(device, "iPod") || has(name, "iPhone") || has(name, "iPod");
  return is_phone ? MH_SOURCE_PHONE : 0;
}

/* One writer has several spellings of a name: no-break spaces and typographic quotes in one, plain ones in the
 * other. */
static mh_str key_of(mh_str name, uint8_t *out) {
  static const struct {
    const char *text;
    uint8_t length, plain;
  } spellings[] = {
      {"\xc2\xa0", 2, ' '}, {"\xe2\x80\xaf", 3, ' '}, {"\xe2\x80\x98", 3, '\''}, {"\xe2\x80\x99", 3, '\''}};
  size_t used = 0;
  for (uint64_t i = 0; i < name.n;) {
    uint8_t c = (uint8_t)name.p[i];
    size_t size = 1;
    for (size_t k = 0; k < sizeof spellings / sizeof spellings[0]; k++)
      if (name.n - i >= spellings[k].length && memcmp(name.p + i, spellings[k].text, spellings[k].length) == 0)
        c = spellings[k].plain, size = spellings[k].length;
    i += size;
    if (c == ' ' && (used == 0 || out[used - 1] == ' ')) continue;
    out[used++] = c;
  }
  while (used > 0 && out[used - 1] == ' ') used--;
  return (mh_str){(const char *)out, used};
}

static uint32_t find(mh_talk *talk, mh_bytes raw_name, mh_bytes raw_device) {
  const mh_str name = apple_text(raw_name, talk->text), device = apple_text(raw_device, talk->more);
  uint8_t key[APPLE_TEXT_MAX + 8];
  mh_str detail = device;
  // Of what the brackets had around them, the last one is left.
  if (raw_device.n > 0 && detail.n > 0 && detail.p[detail.n - 1] == '>') detail.n -= 1;
  const mh_named source = {.text = name, .key = key_of(name, key), .detail = detail, .flags = kind_of(name, detail)};
  return mh_names_index(&talk->queue.sources, &source);
}

uint32_t apple_source_index(mh_talk *talk, const apple_tag *tag) {
  const mh_bytes nothing = {(const uint8_t *)"", 0};
  const mh_bytes name = apple_has(tag, A_SOURCE) ? tag->values[A_SOURCE] : nothing;
  mh_bytes device = apple_has(tag, A_DEVICE) ? without_address(tag->values[A_DEVICE]) : nothing;
  const uint32_t at = (uint32_t)(name.n * 31 + (name.n > 0 ? name.p[name.n - 1] + name.p[0] * 7u : 0) +
                                 (device.n > 8 ? device.p[5] * 3u + device.p[8] : 0)) %
                      APPLE_RECENT_SOURCES;
  apple_recent_source *slot = &talk->recent_sources[at];
  if (is_recent(slot, name, device)) return slot->index;
  device = without_software(device);
  const uint32_t index = find(talk, name, device);
  if (index == MH_IMPORT_NO_INDEX) {
    talk->queue.has_failed = 1;
    return index;
  }
  slot->name = 0;
  if (name.n + device.n > sizeof slot->text) return index;
  if (name.n > 0) memcpy(slot->text, name.p, name.n);
  if (device.n > 0) memcpy(slot->text + name.n, device.p, device.n);
  slot->name = (uint32_t)name.n;
  slot->rest = (uint32_t)device.n;
  slot->index = index;
  return index;
}
