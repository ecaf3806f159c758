#include "include/import/archive.h"

#include <string.h>

enum { TAIL, LOCATOR, END64, DIRECTORY, HEADERS, OVER };

#define LOCAL_HEADER 30u
#define CENTRAL_HEADER 46u
#define END_RECORD 22u
#define LOCATOR_RECORD 20u
#define END64_RECORD 56u
#define HAS_DESCRIPTOR 8u
#define ENCRYPTED 1u
#define EXTRA_MAX 4096u

static uint32_t u16(const uint8_t *p) { return (uint32_t)(p[0] | p[1] << 8); }
static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }
static uint64_t u64(const uint8_t *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

void mh_archive_start(mh_archive *archive) { memset(archive, 0, sizeof *archive); }

/* The end record is behind everything but its comment. */
static mh_found find_end(mh_archive *archive, mh_reader *reader) {
  uint64_t size = reader->size, n = size < MH_READER_BUFFER ? size : MH_READER_BUFFER;
  if (size == MH_TALK_SIZE_UNKNOWN || n < END_RECORD) {
    archive->state = HEADERS;
    archive->is_cut = 1;
    return MH_FOUND_ENTRY;
  }
  const uint8_t *tail = mh_reader_bytes(reader, size - n, (uint32_t)n);
  if (tail == NULL) return MH_FOUND_PULL;
  for (uint64_t i = n - END_RECORD + 1; i-- > 0;) {
    if (u32(tail + i) != 0x06054b50 || u16(tail + i + 20) + i + END_RECORD != n) continue;
    archive->at = u32(tail + i + 16);
    archive->end = archive->at + u32(tail + i + 12);
    uint64_t record = size - n + i;
    archive->state = DIRECTORY;
    if (i >= LOCATOR_RECORD && u32(tail + i - LOCATOR_RECORD) == 0x07064b50) {
      archive->at = u64(tail + i - LOCATOR_RECORD + 8);
      archive->state = END64;
    }
    if (archive->at > record || (archive->state == DIRECTORY && archive->end > record)) break;
    return MH_FOUND_ENTRY;
  }
  archive->state = HEADERS;
  archive->is_cut = 1;
  archive->at = 0;
  return MH_FOUND_ENTRY;
}

static mh_found read_end64(mh_archive *archive, mh_reader *reader) {
  if (archive->at + END64_RECORD <= reader->size) {
    const uint8_t *record = mh_reader_bytes(reader, archive->at, END64_RECORD);
    if (record == NULL) return MH_FOUND_PULL;
    uint64_t size = u64(record + 40), offset = u64(record + 48);
    if (u32(record) == 0x06064b50 && offset <= archive->at && size <= archive->at - offset) {
      archive->at = offset;
      archive->end = offset + size;
      archive->state = DIRECTORY;
      return MH_FOUND_ENTRY;
    }
  }
  archive->state = HEADERS;
  archive->is_cut = 1;
  archive->at = 0;
  return MH_FOUND_ENTRY;
}

/* Sizes and offsets beyond 32 bits: the extra field 1 has those whose own field is full, in this order. */
static void read_extra(mh_entry *entry, const uint8_t *p, uint32_t n, int is_central) {
  for (uint32_t i = 0; i + 4 <= n && u16(p + i + 2) <= n - i - 4; i += 4 + u16(p + i + 2)) {
    if (u16(p + i) != 1) continue;
    const uint8_t *field = p + i + 4, *end = field + u16(p + i + 2);
    if (entry->size == UINT32_MAX && end - field >= 8) entry->size = u64(field), field += 8;
    if (entry->packed == UINT32_MAX && end - field >= 8) entry->packed = u64(field), field += 8;
    if (is_central && entry->header == UINT32_MAX && end - field >= 8) entry->header = u64(field);
  }
}

static void read_fields(mh_entry *entry, const uint8_t *p) {
  entry->flags = (uint16_t)u16(p);
  entry->method = (uint16_t)u16(p + 2);
  entry->crc = u32(p + 8);
  entry->packed = u32(p + 12);
  entry->size = u32(p + 16);
}

static void read_name(mh_entry *entry, const uint8_t *p, uint32_t n) {
  entry->name_n = (uint16_t)(n <= MH_ENTRY_NAME_MAX ? n : 0);
  memcpy(entry->name, p, entry->name_n);
}

static mh_found next_central(mh_archive *archive, mh_reader *reader, mh_entry *entry) {
  if (archive->end - archive->at < CENTRAL_HEADER) return MH_FOUND_END;
  const uint8_t *head = mh_reader_bytes(reader, archive->at, CENTRAL_HEADER);
  if (head == NULL) return MH_FOUND_PULL;
  uint32_t name_n = u16(head + 28), extra_n = u16(head + 30), comment_n = u16(head + 32);
  uint64_t all = (uint64_t)CENTRAL_HEADER + name_n + extra_n + comment_n;
  if (u32(head) != 0x02014b50 || all > archive->end - archive->at) {
    archive->is_cut = 1;
    return MH_FOUND_END;
  }
  uint32_t looked_at = CENTRAL_HEADER + name_n + (extra_n < EXTRA_MAX ? extra_n : 0);
  if (name_n > 4096) looked_at = CENTRAL_HEADER;
  head = mh_reader_bytes(reader, archive->at, looked_at);
  if (head == NULL) return MH_FOUND_PULL;
  memset(entry, 0, sizeof *entry);
  read_fields(entry, head + 8);
  entry->header = u32(head + 42);
  if (looked_at > CENTRAL_HEADER) {
    read_name(entry, head + CENTRAL_HEADER, name_n);
    read_extra(entry, head + CENTRAL_HEADER + name_n, looked_at - CENTRAL_HEADER - name_n, 1);
  }
  archive->at += all;
  return MH_FOUND_ENTRY;
}

/* The head of an entry at its own place. */
static mh_found read_local(mh_reader *reader, uint64_t at, mh_entry *entry) {
  if (reader->size == MH_TALK_SIZE_UNKNOWN || at > reader->size || reader->size - at < LOCAL_HEADER) return MH_FOUND_END;
  const uint8_t *head = mh_reader_bytes(reader, at, LOCAL_HEADER);
  if (head == NULL) return MH_FOUND_PULL;
  uint32_t name_n = u16(head + 26), extra_n = u16(head + 28), looked_at = LOCAL_HEADER + name_n;
  if (u32(head) != 0x04034b50 || reader->size - at < looked_at + extra_n) return MH_FOUND_END;
  if (extra_n < EXTRA_MAX) looked_at += extra_n;
  if (name_n > 4096) looked_at = LOCAL_HEADER;
  head = mh_reader_bytes(reader, at, looked_at);
  if (head == NULL) return MH_FOUND_PULL;
  memset(entry, 0, sizeof *entry);
  read_fields(entry, head + 6);
  entry->header = at;
  entry->data = at + LOCAL_HEADER + name_n + extra_n;
  if (looked_at > LOCAL_HEADER) {
    read_name(entry, head + LOCAL_HEADER, name_n);
    read_extra(entry, head + LOCAL_HEADER + name_n, looked_at - LOCAL_HEADER - name_n, 0);
  }
  if ((entry->flags & HAS_DESCRIPTOR) != 0) entry->packed = entry->size = UINT64_MAX;
  return MH_FOUND_ENTRY;
}

static mh_found next_local(mh_archive *archive, mh_reader *reader, mh_entry *entry) {
  mh_found found = read_local(reader, archive->at, entry);
  if (found == MH_FOUND_END) return archive->at == 0 ? MH_FOUND_NONE : MH_FOUND_END;
  if (found == MH_FOUND_PULL) return found;
  /* Behind a stream of unknown length nothing can be found without unpacking it: it is the last that is given. */
  archive->at = entry->packed > reader->size - entry->data ? reader->size : entry->data + entry->packed;
  return MH_FOUND_ENTRY;
}

mh_found mh_archive_next(mh_archive *archive, mh_reader *reader, mh_entry *entry) {
  for (;;) {
    mh_found found = MH_FOUND_END;
    switch (archive->state) {
      case TAIL: found = find_end(archive, reader); break;
      case END64: found = read_end64(archive, reader); break;
      case DIRECTORY: return next_central(archive, reader, entry);
      case HEADERS: return next_local(archive, reader, entry);
      default: return found;
    }
    if (found == MH_FOUND_PULL) return found;
  }
}

int mh_entry_is_readable(const mh_entry *entry) {
  return (entry->flags & ENCRYPTED) == 0 && (entry->method == 0 || entry->method == 8) &&
         (entry->method == 8 || entry->packed != UINT64_MAX);
}

void mh_opened_start(mh_opened *opened, const mh_entry *entry) {
  opened->entry = *entry;
  opened->is_open = 0;
  opened->at = 0;
  opened->crc = 0;
  mh_unpack_start(&opened->unpack);
}

static mh_piece open_entry(mh_opened *opened, mh_reader *reader) {
  mh_entry local;
  mh_found found = read_local(reader, opened->entry.header, &local);
  if (found == MH_FOUND_PULL) return MH_PIECE_PULL;
  if (found != MH_FOUND_ENTRY || !mh_entry_is_readable(&opened->entry)) return MH_PIECE_DAMAGED;
  opened->entry.data = opened->at = local.data;
  opened->is_open = 1;
  return MH_PIECE_SOME;
}

/* Packed bytes that are left, or that the source still has. */
static uint64_t left(const mh_opened *opened, const mh_reader *reader) {
  uint64_t used = opened->at - opened->entry.data, behind = reader->size - opened->at;
  if (opened->entry.packed == UINT64_MAX) return behind;
  uint64_t rest = opened->entry.packed > used ? opened->entry.packed - used : 0;
  return rest < behind ? rest : behind;
}

/* Sizes of old archives are counted modulo 2^32. */
static mh_piece judge(const mh_opened *opened) {
  const mh_entry *entry = &opened->entry;
  if (entry->size == UINT64_MAX) return MH_PIECE_END;
  int fits = (uint32_t)entry->size == (uint32_t)opened->unpack.made;
  return fits && entry->crc == opened->crc ? MH_PIECE_END : MH_PIECE_DAMAGED;
}

static mh_piece read_plain(mh_opened *opened, mh_reader *reader, uint8_t *out, uint32_t cap, uint32_t *n) {
  uint64_t rest = left(opened, reader);
  if (rest == 0) return judge(opened);
  uint32_t most = cap < 4096 ? cap : 4096;
  if (rest < most) most = (uint32_t)rest;
  const uint8_t *p = mh_reader_bytes(reader, opened->at, most);
  if (p == NULL) return MH_PIECE_PULL;
  memcpy(out, p, most);
  opened->at += most;
  opened->unpack.made += most;
  opened->crc = mh_crc32(opened->crc, out, most);
  *n = most;
  return MH_PIECE_SOME;
}

mh_piece mh_opened_read(mh_opened *opened, mh_reader *reader, uint8_t *out, uint32_t cap, uint32_t *n) {
  *n = 0;
  if (!opened->is_open) {
    mh_piece piece = open_entry(opened, reader);
    if (piece != MH_PIECE_SOME) return piece;
  }
  if (opened->entry.method == 0) return read_plain(opened, reader, out, cap, n);
  uint64_t rest = left(opened, reader);
  const uint8_t *p = rest == 0 ? reader->buffer : mh_reader_bytes(reader, opened->at, 1), *start = p;
  if (p == NULL) return MH_PIECE_PULL;
  uint64_t here = rest == 0 ? 0 : reader->offset + reader->n - opened->at;
  uint8_t *q = out;
  mh_unpacked result = mh_unpack_run(&opened->unpack, &p, p + (here < rest ? here : rest), &q, out + cap);
  opened->at += (uint64_t)(p - start);
  *n = (uint32_t)(q - out);
  opened->crc = mh_crc32(opened->crc, out, *n);
  reader->work += *n;
  if (result == MH_UNPACK_END) return judge(opened);
  if (result == MH_UNPACK_BAD) return MH_PIECE_DAMAGED;
  if (result == MH_UNPACK_MORE && *n == 0 && rest == here) return MH_PIECE_DAMAGED;
  return MH_PIECE_SOME;
}
