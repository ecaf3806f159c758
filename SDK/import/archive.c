#include "include/import/archive.h"

#include <string.h>

#include "header.h"

enum { TAIL, LOCATOR64, END64, PLACE, STATED, DIRECTORY, LOCAL, SEARCH };

#define CENTRAL 0x02014b50u
#define END 0x06054b50u
#define CENTRAL_SIZE 46u
#define END_SIZE 22u
#define END64_SIZE 56u
#define LOCATOR64_SIZE 20u
#define TAIL_MAX (65536u + END_SIZE)
/* What is looked through at once for a header. */
#define LOOK 65536u

void mh_archive_start(mh_archive *archive, int is_searching) {
  memset(archive, 0, sizeof *archive);
  archive->is_searching = (uint8_t)is_searching;
}

static mh_found go(mh_archive *archive, uint8_t state) {
  archive->state = state;
  return MH_FOUND_ENTRY;
}

void mh_archive_leave_directory(mh_archive *archive) {
  archive->is_cut = archive->is_forward = 1;
  archive->at = 0;
  archive->state = LOCAL;
}

static mh_found leave(mh_archive *archive) {
  mh_archive_leave_directory(archive);
  return MH_FOUND_ENTRY;
}

void mh_archive_go_on(mh_archive *archive, uint64_t at) { archive->at = at; }

/* The end record, its comment and nothing else stand at the end. */
static mh_found read_tail(mh_archive *archive, mh_source *source) {
  if (source->size == MH_TALK_SIZE_UNKNOWN) return leave(archive);
  const uint32_t wanted = source->size < TAIL_MAX ? (uint32_t)source->size : TAIL_MAX;
  const uint8_t *p;
  uint32_t n;
  if (!mh_source_need(source, source->size - wanted, wanted, wanted, &p, &n)) return MH_FOUND_PULL;
  for (uint32_t back = END_SIZE; back <= n; back++) {
    const uint8_t *end = p + n - back;
    if (zip_u32(end) != END || zip_u16(end + 20) + END_SIZE > back) continue;
    const uint64_t record = source->size - back, length = zip_u32(end + 12), stated = zip_u32(end + 16);
    archive->end = record;
    archive->at = length <= record ? record - length : stated;
    // Something may stand before the archive; a whole number of wraps is none.
    archive->stated = stated;
    archive->shift = archive->at - stated;
    if (archive->shift % MH_ENTRY_WRAP == 0) archive->shift = 0;
    return go(archive, LOCATOR64);
  }
  return leave(archive);
}

static mh_found read_locator(mh_archive *archive, mh_source *source) {
  if (archive->end < LOCATOR64_SIZE) return go(archive, PLACE);
  const uint8_t *p;
  uint32_t n;
  const uint64_t at = archive->end - LOCATOR64_SIZE;
  if (!mh_source_need(source, at, LOCATOR64_SIZE, LOCATOR64_SIZE, &p, &n)) return MH_FOUND_PULL;
  if (n < LOCATOR64_SIZE || zip_u32(p) != 0x07064b50u) return go(archive, PLACE);
  archive->end = zip_u64(p + 8);
  return archive->end > at ? leave(archive) : go(archive, END64);
}

static mh_found read_end64(mh_archive *archive, mh_source *source) {
  const uint8_t *p;
  uint32_t n;
  if (!mh_source_need(source, archive->end, END64_SIZE, END64_SIZE, &p, &n)) return MH_FOUND_PULL;
  if (n < END64_SIZE || zip_u32(p) != 0x06064b50u) return leave(archive);
  const uint64_t start = zip_u64(p + 48), length = zip_u64(p + 40);
  if (start > archive->end || length > archive->end - start) return leave(archive);
  archive->at = start;
  archive->end = start + length;
  archive->shift = 0;
  return go(archive, DIRECTORY);
}

/* 1: a signature stands at an offset; 0: it does not; -1: that cannot be told yet. */
static int stands(mh_source *source, uint64_t at, uint32_t signature) {
  const uint8_t *p;
  uint32_t n;
  if (!mh_source_need(source, at, 4, source->most, &p, &n)) return -1;
  return n >= 4 && zip_u32(p) == signature;
}

/* The end record says twice where the directory begins, and either may be wrong. */
static mh_found check_place(mh_archive *archive, mh_source *source) {
  const int is_here = archive->at >= archive->end ? 1 : stands(source, archive->at, CENTRAL);
  if (is_here < 0) return MH_FOUND_PULL;
  return go(archive, is_here == 0 && archive->stated != archive->at ? STATED : DIRECTORY);
}

static mh_found check_stated(mh_archive *archive, mh_source *source) {
  const int is_there = stands(source, archive->stated, CENTRAL);
  if (is_there < 0) return MH_FOUND_PULL;
  if (is_there == 0) return go(archive, DIRECTORY);
  archive->at = archive->stated;
  archive->shift = 0;
  return go(archive, DIRECTORY);
}

/* Sizes and offsets beyond 32 bits: the extra field 1 has those whose own field is all ones, in this order. */
static void read_extra(mh_entry *entry, const uint8_t *p, uint32_t n, int is_central) {
  while (n >= 4) {
    const uint32_t id = zip_u16(p), length = zip_u16(p + 2);
    if (length > n - 4) return;
    if (id == 1) {
      const uint8_t *field = p + 4, *end = field + length;
      uint64_t *const fields[] = {&entry->size, &entry->packed, &entry->at};
      for (uint32_t i = 0; i < (is_central ? 3u : 2u); i++) {
        if (*fields[i] != UINT32_MAX || end - field < 8) continue;
        *fields[i] = zip_u64(field);
        field += 8;
      }
      return;
    }
    p += 4 + length;
    n -= 4 + length;
  }
}

static void read_fields(mh_entry *entry, const uint8_t *p) {
  *entry = (mh_entry){.flags = (uint16_t)zip_u16(p), .method = (uint16_t)zip_u16(p + 2), .crc = zip_u32(p + 8),
                      .packed = zip_u32(p + 12), .size = zip_u32(p + 16)};
}

static void read_name(mh_entry_name *name, const uint8_t *p, uint32_t n) {
  if (name == NULL) return;
  name->n = n <= MH_ENTRY_NAME_MAX ? n : 0;
  memcpy(name->text, p, name->n);
}

/* The next record of the directory, or its end. */
static mh_found next_central(mh_archive *archive, mh_source *source, mh_entry *entry, mh_entry_name *name) {
  const uint8_t *p;
  uint32_t n;
  const uint64_t left = archive->at < archive->end ? archive->end - archive->at : 0;
  if (left < CENTRAL_SIZE) return MH_FOUND_END;
  const uint32_t most = left < source->most ? (uint32_t)left : source->most;
  if (!mh_source_need(source, archive->at, CENTRAL_SIZE, most, &p, &n)) return MH_FOUND_PULL;
  if (n < CENTRAL_SIZE || zip_u32(p) != CENTRAL) {
    archive->is_cut = 1;
    if (archive->has_entry) return MH_FOUND_END;
    mh_archive_leave_directory(archive);
    return mh_archive_next(archive, source, entry, name);
  }
  const uint32_t name_n = zip_u16(p + 28), extra = zip_u16(p + 30), whole = CENTRAL_SIZE + name_n + extra + zip_u16(p + 32);
  if (!mh_source_need(source, archive->at, whole, most, &p, &n)) return MH_FOUND_PULL;
  // What reaches beyond the directory is its last record, and others are missing.
  archive->is_cut |= (uint8_t)(whole > left);
  if (n < whole) return MH_FOUND_END;
  read_fields(entry, p + 8);
  entry->at = zip_u32(p + 42);
  read_name(name, p + CENTRAL_SIZE, name_n);
  read_extra(entry, p + CENTRAL_SIZE + name_n, extra, 1);
  entry->stated = entry->at;
  entry->at += archive->shift;
  archive->at += whole;
  archive->has_entry = 1;
  return MH_FOUND_ENTRY;
}

/* The header of an entry at its own place, or the end of what there is. */
static mh_found next_local(mh_archive *archive, mh_source *source, mh_entry *entry, mh_entry_name *name) {
  const uint8_t *p;
  uint32_t n;
  const uint64_t at = archive->at;
  if (!mh_source_need(source, at, ZIP_LOCAL_SIZE, LOOK, &p, &n)) return MH_FOUND_PULL;
  if (n < ZIP_LOCAL_SIZE || zip_u32(p) != ZIP_LOCAL) {
    if (archive->is_searching) return go(archive, SEARCH);
    return at == 0 ? MH_FOUND_NONE : MH_FOUND_END;
  }
  const uint32_t name_n = zip_u16(p + 26), extra = zip_u16(p + 28), whole = ZIP_LOCAL_SIZE + name_n + extra;
  if (!mh_source_need(source, at, whole, LOOK, &p, &n)) return MH_FOUND_PULL;
  read_fields(entry, p + 6);
  if (n >= whole) {
    read_name(name, p + ZIP_LOCAL_SIZE, name_n);
    read_extra(entry, p + ZIP_LOCAL_SIZE + name_n, extra, 0);
  } else if (name != NULL) {
    name->n = 0;
  }
  entry->at = entry->stated = at;
  entry->data = at + whole;
  const int is_known = (entry->flags & ZIP_HAS_DESCRIPTOR) == 0 && entry->packed != UINT32_MAX &&
                       entry->packed <= UINT64_MAX - entry->data;
  archive->at = is_known ? entry->data + entry->packed : archive->is_searching ? entry->data : source->size;
  if ((entry->flags & ZIP_HAS_DESCRIPTOR) != 0) entry->packed = entry->size = UINT64_MAX;
  return MH_FOUND_ENTRY;
}

/* Whatever stands here: the next header behind it. */
static mh_found search(mh_archive *archive, mh_source *source) {
  static const uint8_t signature[4] = {'P', 'K', 3, 4};
  const uint8_t *p;
  uint32_t n;
  if (!mh_source_need(source, archive->at, ZIP_LOCAL_SIZE, LOOK, &p, &n)) return MH_FOUND_PULL;
  if (n < ZIP_LOCAL_SIZE) return MH_FOUND_END;
  for (uint32_t i = 0; i + sizeof signature <= n; i++) {
    const uint8_t *found = memchr(p + i, 'P', n - i - (sizeof signature - 1));
    if (found == NULL) break;
    i = (uint32_t)(found - p);
    if (memcmp(found, signature, sizeof signature) != 0) continue;
    archive->at += i;
    // A header that the source does not hold whole is none.
    return source->size - archive->at < ZIP_LOCAL_SIZE ? MH_FOUND_END : go(archive, LOCAL);
  }
  source->work += n;
  archive->at += n - (sizeof signature - 1);
  return MH_FOUND_ENTRY;
}

mh_found mh_archive_next(mh_archive *archive, mh_source *source, mh_entry *entry, mh_entry_name *name) {
  for (;;) {
    mh_found found = MH_FOUND_END;
    switch (archive->state) {
      case TAIL: found = read_tail(archive, source); break;
      case LOCATOR64: found = read_locator(archive, source); break;
      case END64: found = read_end64(archive, source); break;
      case PLACE: found = check_place(archive, source); break;
      case STATED: found = check_stated(archive, source); break;
      case DIRECTORY: return next_central(archive, source, entry, name);
      case LOCAL:
        found = next_local(archive, source, entry, name);
        if (archive->state == LOCAL) return found;
        break;
      default: found = search(archive, source);
    }
    if (found == MH_FOUND_PULL || (found == MH_FOUND_END && archive->state == SEARCH)) return found;
  }
}

int mh_entry_is_encrypted(const mh_entry *entry) { return (entry->flags & ZIP_ENCRYPTED) != 0; }

int mh_entry_is_readable(const mh_entry *entry) {
  if (mh_entry_is_encrypted(entry)) return 0;
  return entry->method == ZIP_DEFLATED || (entry->method == ZIP_STORED && entry->size != UINT64_MAX);
}
