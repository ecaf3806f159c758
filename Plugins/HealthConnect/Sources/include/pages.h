/* Pages of a database that lies in the source as it is or packed in an archive.
 *
 * A packed stream only goes forward. Readers ask for pages in rising order, so that one pass over the stream serves them all; what is
 * asked for behind where it stands and is not kept any more begins another pass. */
#ifndef CONNECT_PAGES_H
#define CONNECT_PAGES_H

#include <import/archive.h>
#include <import/reader.h>

#define BLOCK 65536u
/* 16 MiB: a database up to this size is unpacked once. */
#define BLOCKS_MAX 256u
#define SIZE_MAX_DB (UINT64_C(2) << 30)
/* Passes over a packed database. Every level of its trees takes one, and every round of tables. */
#define PASSES_MAX 14u

typedef enum got { GOT, GOT_PULL, GOT_REST, GOT_NOTHING } got;

typedef struct pages {
  mh_reader *reader;
  uint8_t is_packed, is_damaged, is_whole;
  uint32_t passes;
  mh_opened opened;
  uint64_t size;
  uint32_t n_blocks, clock;
  uint8_t *blocks;
  /* Of a slot: its block + 1, bytes in it, when it was used. */
  uint32_t numbers[BLOCKS_MAX], lengths[BLOCKS_MAX], uses[BLOCKS_MAX];
  uint32_t filling, n_filled;
} pages;

int pages_start(pages *pages, mh_reader *reader, const mh_entry *packed, uint64_t size);
void pages_free(pages *pages);
/* `n` bytes at an offset that do not cross a block. GOT_NOTHING: they are not there, or no pass is left. */
got pages_at(pages *pages, uint64_t offset, uint32_t n, const uint8_t **out);
/* Reads a packed stream to its end, where its check sum is. GOT: it is right. */
got pages_finish(pages *pages);

#endif
