#include "include/pages.h"

#include <stdlib.h>
#include <string.h>

#define NO_SLOT UINT32_MAX

int pages_start(pages *p, mh_reader *reader, const mh_entry *packed, uint64_t size) {
  memset(p, 0, sizeof *p);
  p->reader = reader;
  p->size = size;
  p->is_packed = packed != NULL;
  uint64_t blocks = size / BLOCK + 2;
  p->n_blocks = blocks < BLOCKS_MAX ? (uint32_t)blocks : BLOCKS_MAX;
  p->blocks = malloc((size_t)p->n_blocks * BLOCK);
  p->filling = NO_SLOT;
  const int is_started = packed == NULL || mh_opened_start(&p->opened, &reader->source, packed);
  return p->blocks != NULL && is_started;
}

void pages_free(pages *p) {
  mh_opened_close(&p->opened);
  free(p->blocks);
}

static uint32_t slot_of(const pages *p, uint32_t block) {
  for (uint32_t i = 0; i < p->n_blocks; i++)
    if (p->numbers[i] == block + 1) return i;
  return NO_SLOT;
}

/* The one that was used least lately. */
static uint32_t free_slot(pages *p) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < p->n_blocks; i++) {
    if (p->numbers[i] == 0) return i;
    if (p->uses[i] < p->uses[best]) best = i;
  }
  p->numbers[best] = 0;
  return best;
}

static got fill_plain(pages *p, uint32_t block) {
  uint64_t offset = (uint64_t)block * BLOCK, n = p->size - offset < BLOCK ? p->size - offset : BLOCK;
  const uint8_t *bytes = mh_reader_bytes(p->reader, offset, (uint32_t)n);
  if (bytes == NULL) return GOT_PULL;
  uint32_t slot = free_slot(p);
  memcpy(p->blocks + (size_t)slot * BLOCK, bytes, n);
  p->numbers[slot] = block + 1;
  p->lengths[slot] = (uint32_t)n;
  p->uses[slot] = ++p->clock;
  return GOT;
}

static void end_block(pages *p) {
  p->lengths[p->filling] = p->n_filled;
  p->filling = NO_SLOT;
}

/* One piece of the stream goes into the block that is being filled. */
static got unpack(pages *p) {
  if (p->is_whole || p->is_damaged) return GOT_NOTHING;
  if (p->filling == NO_SLOT) {
    uint32_t block = (uint32_t)(p->opened.made / BLOCK), old = slot_of(p, block);
    p->filling = old != NO_SLOT ? old : free_slot(p);
    p->numbers[p->filling] = block + 1;
    p->uses[p->filling] = ++p->clock;
    p->lengths[p->filling] = p->n_filled = 0;
  }
  uint32_t n = 0;
  uint8_t *to = p->blocks + (size_t)p->filling * BLOCK;
  mh_piece piece = mh_opened_read(&p->opened, &p->reader->source, to + p->n_filled, BLOCK - p->n_filled, &n);
  p->n_filled += n;
  p->lengths[p->filling] = p->n_filled;
  if (p->n_filled == BLOCK || (piece != MH_PIECE_PULL && piece != MH_PIECE_SOME)) end_block(p);
  if (piece == MH_PIECE_PULL) return GOT_PULL;
  if (piece == MH_PIECE_END) p->is_whole = 1;
  if (piece != MH_PIECE_END && piece != MH_PIECE_SOME) p->is_damaged = 1;
  return mh_reader_is_tired(p->reader) ? GOT_REST : GOT;
}

static int begin_pass(pages *p) {
  if (p->passes == PASSES_MAX) return 0;
  p->passes += 1;
  mh_entry entry = p->opened.entry;
  if (!mh_opened_start(&p->opened, &p->reader->source, &entry)) return 0;
  p->filling = NO_SLOT;
  p->is_whole = p->is_damaged = 0;
  return 1;
}

got pages_at(pages *p, uint64_t offset, uint32_t n, const uint8_t **out) {
  if (offset > p->size || n > p->size - offset || offset % BLOCK + n > BLOCK) return GOT_NOTHING;
  uint32_t block = (uint32_t)(offset / BLOCK), in = (uint32_t)(offset % BLOCK);
  for (;;) {
    uint32_t slot = slot_of(p, block);
    if (slot != NO_SLOT && p->lengths[slot] >= in + n) {
      p->uses[slot] = ++p->clock;
      *out = p->blocks + (size_t)slot * BLOCK + in;
      return GOT;
    }
    if (!p->is_packed) {
      got result = fill_plain(p, block);
      if (result != GOT) return result;
      continue;
    }
    /* Behind where the stream stands, and dropped. */
    if (slot == NO_SLOT && p->opened.made > (uint64_t)block * BLOCK && !begin_pass(p)) return GOT_NOTHING;
    got result = unpack(p);
    if (result == GOT || (result != GOT_PULL && slot_of(p, block) != NO_SLOT && p->lengths[slot_of(p, block)] >= in + n)) continue;
    return result;
  }
}

got pages_finish(pages *p) {
  while (p->is_packed && !p->is_whole && !p->is_damaged) {
    got result = unpack(p);
    if (result == GOT_PULL || result == GOT_REST) return result;
  }
  return p->is_damaged ? GOT_NOTHING : GOT;
}
