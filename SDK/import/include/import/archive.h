/* Zip files: which entries there are, and what is in one, inflated in pieces. Names, times and permissions mean nothing here, and
 * nothing is ever written under a name. Sizes are what writers claim: the end of the deflate stream is what counts, because
 * some write sizes modulo 2^32. Whoever reads archives links zlib. */
#ifndef METERHOST_IMPORT_ARCHIVE_H
#define METERHOST_IMPORT_ARCHIVE_H

#include "source.h"

#define MH_ENTRY_NAME_MAX 256u
/* A content that is longer is no export but a bomb: it ends there, as if cut. */
#define MH_ENTRY_CONTENT_MAX (UINT64_C(1) << 38)
/* 4 GiB: what writers without zip64 lose of an offset. */
#define MH_ENTRY_WRAP (UINT64_C(1) << 32)

typedef struct mh_entry {
  /* Of its local header, also as the directory states it; of its bytes, 0 as long as nobody has looked. */
  uint64_t at, stated, data;
  /* Both are UINT64_MAX where only the stream itself knows. */
  uint64_t packed, size;
  uint32_t crc;
  uint16_t method, flags;
} mh_entry;

/* Empty when it is longer. */
typedef struct mh_entry_name {
  uint32_t n;
  char text[MH_ENTRY_NAME_MAX];
} mh_entry_name;

typedef enum mh_found {
  /* The source says which bytes are needed. */
  MH_FOUND_PULL,
  MH_FOUND_ENTRY,
  MH_FOUND_END,
  /* The source is no archive. */
  MH_FOUND_NONE
} mh_found;

typedef struct mh_archive {
  uint8_t state;
  /* Where no header is, the next one is looked for byte by byte. */
  uint8_t is_searching;
  /* The directory is missing: entries come from their own headers. Or it breaks off: entries are missing. */
  uint8_t is_forward, is_cut;
  /* The directory has given one. */
  uint8_t has_entry;
  /* Of the next header or record, and the end of the directory; what stands before the archive; where the end record says
   * that the directory begins. */
  uint64_t at, end, shift, stated;
} mh_archive;

void mh_archive_start(mh_archive *archive, int is_searching);
/* The next entry; `name` may be NULL. Behind one whose length its header does not tell, there is another only for a search. */
mh_found mh_archive_next(mh_archive *archive, mh_source *source, mh_entry *entry, mh_entry_name *name);
/* Without a directory: the next header is behind an offset. */
void mh_archive_go_on(mh_archive *archive, uint64_t at);
/* Gives the directory up: entries come from their own headers, from the front. */
void mh_archive_leave_directory(mh_archive *archive);

int mh_entry_is_encrypted(const mh_entry *entry);
/* Stored or deflated, not encrypted, and with an end that can be found. */
int mh_entry_is_readable(const mh_entry *entry);

struct z_stream_s;

/* What is in an entry, in pieces. */
typedef struct mh_opened {
  mh_entry entry;
  uint8_t is_open, is_over;
  /* The offset of the next packed byte; how many bytes came out. */
  uint64_t at, made;
  uint32_t crc;
  /* The most of a pull. */
  uint32_t most;
  struct z_stream_s *inflater;
} mh_opened;

typedef enum mh_piece {
  MH_PIECE_PULL,
  MH_PIECE_SOME,
  /* Whole, and its check sum is right. */
  MH_PIECE_END,
  /* Its header is not where it should be. */
  MH_PIECE_LOST,
  /* The source, or what an entry may hold, is at its end. */
  MH_PIECE_CUT,
  /* It cannot be inflated, or its check sum or length is wrong. */
  MH_PIECE_DAMAGED
} mh_piece;

/* Zeroed before the first start; begins another one as well. 0: no memory. */
int mh_opened_start(mh_opened *opened, const mh_source *source, const mh_entry *entry);
void mh_opened_close(mh_opened *opened);
/* Up to `cap` bytes: *n of them, whatever is returned. */
mh_piece mh_opened_read(mh_opened *opened, mh_source *source, uint8_t *out, uint32_t cap, uint32_t *n);

#endif
