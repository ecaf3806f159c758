/* Zip files: which entries there are, and what is in one. Names are only compared, nothing is ever written under them. */
#ifndef METERHOST_IMPORT_ARCHIVE_H
#define METERHOST_IMPORT_ARCHIVE_H

#include "reader.h"
#include "unpack.h"

#define MH_ENTRY_NAME_MAX 256u

typedef struct mh_entry {
  /* Of its local header; of its bytes, once it is open. */
  uint64_t header, data;
  /* `packed` is UINT64_MAX where only the stream itself knows. */
  uint64_t packed, size;
  uint32_t crc;
  uint16_t method, flags, name_n;
  char name[MH_ENTRY_NAME_MAX];
} mh_entry;

typedef enum mh_found { MH_FOUND_PULL, MH_FOUND_ENTRY, MH_FOUND_END, MH_FOUND_NONE } mh_found;

typedef struct mh_archive {
  uint8_t state;
  /* The directory is missing: entries come from their own headers, and the file was cut. */
  uint8_t is_cut;
  uint64_t at, end;
} mh_archive;

void mh_archive_start(mh_archive *archive);
/* The next entry; MH_FOUND_NONE: the source is no zip file. An entry whose name is too long has an empty one. */
mh_found mh_archive_next(mh_archive *archive, mh_reader *reader, mh_entry *entry);

/* What is in an entry, in pieces. `unpack.made` is where it stands. */
typedef struct mh_opened {
  mh_entry entry;
  uint8_t is_open;
  /* The offset of the next packed byte. */
  uint64_t at;
  uint32_t crc;
  mh_unpack unpack;
} mh_opened;

typedef enum mh_piece { MH_PIECE_PULL, MH_PIECE_SOME, MH_PIECE_END, MH_PIECE_DAMAGED } mh_piece;

int mh_entry_is_readable(const mh_entry *entry);
void mh_opened_start(mh_opened *opened, const mh_entry *entry);
/* Up to `cap` bytes; *n of them. MH_PIECE_END: whole, and its check sum is right. MH_PIECE_DAMAGED: cut, broken or wrong; *n bytes are
 * still given. */
mh_piece mh_opened_read(mh_opened *opened, mh_reader *reader, uint8_t *out, uint32_t cap, uint32_t *n);

#endif
