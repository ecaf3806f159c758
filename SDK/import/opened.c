/* What is in an entry, piece by piece: zlib inflates, its end and its check sum decide. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "header.h"
#include "include/import/archive.h"

int mh_opened_start(mh_opened *opened, const mh_source *source, const mh_entry *entry) {
  opened->entry = *entry;
  opened->is_open = entry->data != 0;
  opened->is_over = 0;
  opened->at = entry->data;
  opened->made = 0;
  opened->crc = 0;
  opened->most = source->most;
  if (entry->method != ZIP_DEFLATED) return 1;
  if (opened->inflater != NULL) return inflateReset2(opened->inflater, -MAX_WBITS) == Z_OK;
  opened->inflater = calloc(1, sizeof *opened->inflater);
  if (opened->inflater == NULL) return 0;
  if (inflateInit2(opened->inflater, -MAX_WBITS) == Z_OK) return 1;
  free(opened->inflater);
  opened->inflater = NULL;
  return 0;
}

void mh_opened_close(mh_opened *opened) {
  if (opened->inflater == NULL) return;
  inflateEnd(opened->inflater);
  free(opened->inflater);
  opened->inflater = NULL;
}

static mh_piece open_entry(mh_opened *opened, mh_source *source) {
  mh_entry *entry = &opened->entry;
  const uint8_t *p;
  uint32_t n;
  if (!mh_entry_is_readable(entry)) return MH_PIECE_LOST;
  for (;;) {
    // The name, and what is read of the entry itself.
    const uint32_t most = ZIP_LOCAL_SIZE + 256 + opened->most;
    if (!mh_source_need(source, entry->at, ZIP_LOCAL_SIZE, most < MH_SOURCE_BUFFER ? most : MH_SOURCE_BUFFER, &p, &n))
      return MH_PIECE_PULL;
    if (n >= ZIP_LOCAL_SIZE && zip_u32(p) == ZIP_LOCAL) break;
    // Bytes may be missing behind it, and not before it.
    if (entry->stated != entry->at) {
      entry->at = entry->stated;
      continue;
    }
    // An offset modulo 2^32, perhaps.
    if (entry->at > source->size || source->size - entry->at < MH_ENTRY_WRAP) return MH_PIECE_LOST;
    entry->at = entry->stated += MH_ENTRY_WRAP;
  }
  entry->data = opened->at = entry->at + ZIP_LOCAL_SIZE + zip_u16(p + 26) + zip_u16(p + 28);
  opened->is_open = 1;
  return MH_PIECE_SOME;
}

/* Sizes of old archives are counted modulo 2^32. */
static mh_piece judge(const mh_opened *opened) {
  const mh_entry *entry = &opened->entry;
  if (entry->size == UINT64_MAX || entry->size == MH_ENTRY_CONTENT_MAX) return MH_PIECE_END;
  const int is_right = (uint32_t)entry->size == (uint32_t)opened->made && entry->crc == opened->crc;
  return is_right ? MH_PIECE_END : MH_PIECE_DAMAGED;
}

static mh_piece over(mh_opened *opened, mh_piece piece) {
  opened->is_over = 1;
  return piece;
}

static mh_piece made(mh_opened *opened, mh_source *source, const uint8_t *out, uint32_t n) {
  opened->crc = (uint32_t)crc32(opened->crc, out, n);
  opened->made += n;
  source->work += n;
  return opened->made >= MH_ENTRY_CONTENT_MAX ? over(opened, MH_PIECE_CUT) : MH_PIECE_SOME;
}

static mh_piece copy(mh_opened *opened, mh_source *source, const uint8_t *p, uint32_t here, uint8_t *out, uint32_t cap,
                     uint32_t *n) {
  const uint64_t left = opened->entry.size - opened->made;
  *n = here < cap ? here : cap;
  if (*n > left) *n = (uint32_t)left;
  if (*n > 0) memcpy(out, p, *n);
  opened->at += *n;
  const mh_piece piece = made(opened, source, out, *n);
  if (piece != MH_PIECE_SOME || opened->made != opened->entry.size) return piece;
  return over(opened, judge(opened));
}

/* `*has_moved`: something was used or made. */
static mh_piece unfold(mh_opened *opened, mh_source *source, const uint8_t *p, uint32_t here, uint8_t *out, uint32_t cap,
                       uint32_t *n, int *has_moved) {
  z_stream *inflater = opened->inflater;
  inflater->next_in = (Bytef *)(uintptr_t)p;
  inflater->avail_in = here;
  inflater->next_out = out;
  inflater->avail_out = cap;
  const int status = inflate(inflater, Z_NO_FLUSH);
  *n = cap - inflater->avail_out;
  opened->at += here - inflater->avail_in;
  *has_moved = *n > 0 || inflater->avail_in < here || status == Z_STREAM_END;
  const mh_piece piece = made(opened, source, out, *n);
  if (piece != MH_PIECE_SOME) return piece;
  if (status == Z_STREAM_END) return over(opened, judge(opened));
  const int is_good = status == Z_OK || status == Z_BUF_ERROR;
  return is_good ? MH_PIECE_SOME : over(opened, MH_PIECE_DAMAGED);
}

mh_piece mh_opened_read(mh_opened *opened, mh_source *source, uint8_t *out, uint32_t cap, uint32_t *n) {
  *n = 0;
  if (!opened->is_open) {
    const mh_piece piece = open_entry(opened, source);
    if (piece != MH_PIECE_SOME) return piece;
  }
  if (opened->is_over) return MH_PIECE_CUT;
  const int is_deflated = opened->entry.method == ZIP_DEFLATED;
  const uint8_t *p = NULL;
  uint32_t here = 0;
  int has_moved = 0;
  if (!mh_source_need(source, opened->at, 1, opened->most, &p, &here)) {
    // What the inflater still holds comes out without any input.
    const mh_piece piece = is_deflated ? unfold(opened, source, source->buffer, 0, out, cap, n, &has_moved) : MH_PIECE_PULL;
    return has_moved || opened->is_over ? piece : MH_PIECE_PULL;
  }
  if (!is_deflated) {
    if (here > 0 || opened->entry.size == opened->made) return copy(opened, source, p, here, out, cap, n);
  } else {
    const mh_piece piece = unfold(opened, source, p, here, out, cap, n, &has_moved);
    if (has_moved || opened->is_over) return piece;
  }
  // The source is at its end: that of a bare file, or a cut.
  return over(opened, opened->entry.size == MH_ENTRY_CONTENT_MAX ? MH_PIECE_END : MH_PIECE_CUT);
}
