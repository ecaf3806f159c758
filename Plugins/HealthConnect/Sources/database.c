#include "include/database.h"

#include <string.h>

#define INNER 5u
#define LEAF 13u

static uint32_t be16(const uint8_t *p) { return (uint32_t)(p[0] << 8 | p[1]); }
static uint32_t be32(const uint8_t *p) { return be16(p) << 16 | be16(p + 2); }

int database_start(database *db, const uint8_t header[HEADER_SIZE]) {
  uint32_t size = be16(header + 16);
  if (memcmp(header, "SQLite format 3", 16) != 0) return 0;
  db->page_size = size == 1 ? 65536 : size;
  if (db->page_size < 512 || (db->page_size & (db->page_size - 1)) != 0) return 0;
  db->usable = db->page_size - header[20];
  db->encoding = be32(header + 56);
  db->user_version = be32(header + 60);
  db->n_pages = (uint32_t)(db->pages.size / db->page_size);
  return db->usable >= 480;
}

got database_page(database *db, uint32_t number, const uint8_t **page) {
  if (number == 0 || number > db->n_pages) return GOT_NOTHING;
  return pages_at(&db->pages, (uint64_t)(number - 1) * db->page_size, db->page_size, page);
}

static const uint8_t *head_of(const uint8_t *page, uint32_t number) { return page + (number == 1 ? HEADER_SIZE : 0); }

uint32_t page_kind(const uint8_t *page, uint32_t number) {
  uint32_t kind = *head_of(page, number);
  return kind == INNER || kind == LEAF ? kind : 0;
}

uint32_t page_cells(const database *db, const uint8_t *page, uint32_t number) {
  uint32_t n = be16(head_of(page, number) + 3), used = (number == 1 ? HEADER_SIZE : 0) + 12;
  return n <= (db->usable - used) / 2 ? n : 0;
}

/* A varint of up to 9 bytes. 0: it goes beyond the end. */
static int varint(const uint8_t **at, const uint8_t *end, uint64_t *out) {
  uint64_t result = 0;
  for (int i = 0; i < 9; i++) {
    if (*at >= end) return 0;
    uint8_t byte = *(*at)++;
    if (i == 8) {
      *out = result << 8 | byte;
      return 1;
    }
    result = result << 7 | (byte & 0x7f);
    if (byte < 0x80) break;
  }
  *out = result;
  return 1;
}

uint32_t page_child(const database *db, const uint8_t *page, uint32_t number, uint32_t index) {
  const uint8_t *head = head_of(page, number);
  if (index == page_cells(db, page, number)) return be32(head + 8);
  uint32_t at = be16(head + 12 + 2 * index);
  return at + 4 <= db->usable ? be32(page + at) : 0;
}

static int64_t integer_of(const uint8_t *p, uint32_t n) {
  uint64_t value = n > 0 && p[0] >= 0x80 ? UINT64_MAX : 0;
  for (uint32_t i = 0; i < n; i++) value = value << 8 | p[i];
  return (int64_t)value;
}

static uint32_t size_of(uint64_t type) {
  static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  if (type < 12) return sizes[type];
  uint64_t n = (type - 12) / 2;
  return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void read_value(value *out, uint64_t type, const uint8_t *p, uint32_t n) {
  memset(out, 0, sizeof *out);
  out->p = p;
  out->n = n;
  if (type == 7) {
    uint64_t bits = (uint64_t)integer_of(p, 8);
    out->kind = VALUE_REAL;
    memcpy(&out->real, &bits, sizeof out->real);
  } else if (type >= 1 && type <= 9) {
    out->kind = VALUE_INTEGER;
    out->integer = type >= 8 ? (int64_t)type - 8 : integer_of(p, n);
  } else if (type >= 12) {
    out->kind = type % 2 == 0 ? VALUE_BLOB : VALUE_TEXT;
  }
}

static int read_record(row *out, uint32_t n) {
  const uint8_t *at = out->payload, *end = at + n;
  uint64_t header, type;
  out->n_values = 0;
  if (!varint(&at, end, &header) || header > n) return 0;
  const uint8_t *head_end = out->payload + header;
  uint64_t body = header;
  while (at < head_end && out->n_values < COLUMNS_MAX) {
    if (!varint(&at, head_end, &type)) return 0;
    uint32_t size = size_of(type);
    value *v = &out->values[out->n_values++];
    if (body + size <= n)
      read_value(v, type, out->payload + body, size);
    else
      memset(v, 0, sizeof *v);
    body += size;
    if (body <= n) out->cut_from = out->n_values;
  }
  return 1;
}

/* Follows the chain of pages on which the rest of a row lies. Where it leads nowhere the row is cut. */
static got read_overflow(database *db, row *out, uint32_t next, uint32_t *have, uint32_t want) {
  while (*have < want) {
    const uint8_t *page;
    got result = database_page(db, next, &page);
    if (result == GOT_PULL || result == GOT_REST) return result;
    if (result == GOT_NOTHING) return GOT;
    uint32_t n = db->usable - 4 < want - *have ? db->usable - 4 : want - *have;
    next = be32(page);
    memcpy(out->payload + *have, page + 4, n);
    *have += n;
  }
  return GOT;
}

got page_row(database *db, uint32_t number, uint32_t index, int with_overflow, row *out) {
  const uint8_t *page;
  got result = database_page(db, number, &page);
  if (result != GOT) return result;
  if (page_kind(page, number) != LEAF || index >= page_cells(db, page, number)) return GOT_NOTHING;
  uint32_t at = be16(head_of(page, number) + 8 + 2 * index);
  const uint8_t *p = page + at, *end = page + db->usable;
  uint64_t size, id;
  if (at >= db->usable || !varint(&p, end, &size) || !varint(&p, end, &id)) return GOT_NOTHING;
  uint64_t most = db->usable - 35, least = (db->usable - 12) * 32 / 255 - 23, local = size;
  if (size > most) {
    local = least + (size - least) % (db->usable - 4);
    if (local > most) local = least;
  }
  if (local > (uint64_t)(end - p) || (size > local && local + 4 > (uint64_t)(end - p))) return GOT_NOTHING;
  uint32_t have = (uint32_t)(local < PAYLOAD_MAX ? local : PAYLOAD_MAX);
  uint32_t want = (uint32_t)(size < PAYLOAD_MAX ? size : PAYLOAD_MAX);
  memcpy(out->payload, p, have);
  out->id = (int64_t)id;
  out->cut_from = 0;
  if (with_overflow && want > have) {
    result = read_overflow(db, out, be32(p + local), &have, want);
    if (result != GOT) return result;
  }
  return read_record(out, have) ? GOT : GOT_NOTHING;
}
