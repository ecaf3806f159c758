/* Finds the one file of an archive that a reader wants, by what is in it, and inflates it piece by piece: a zip, or
 * the bare file itself. Never blocks, and needs no more memory for a longer file: it says which bytes of the source it
 * needs next.
 *
 * Names, times and permissions of entries mean nothing here. Sizes are what writers claim; the end of the deflate
 * stream is what counts, because some write sizes modulo 2^32. */
#ifndef IMPORT_ZIP_H
#define IMPORT_ZIP_H

#include <meterhost/draft/import.h>

/* How much of a file is looked at to know it. */
#define MH_ZIP_HEAD 65536u
/* What is inflated in an event before it is broken off. */
#define MH_ZIP_EVENT_BYTES (8u << 20)
/* A content that is longer is no export but a bomb: it ends there, as if cut. */
#define MH_ZIP_CONTENT_MAX (UINT64_C(1) << 38)

/* What was inflated and not read yet: bytes[start..<end]. */
typedef struct mh_window {
  uint8_t *bytes;
  size_t capacity, start, end;
  /* The offset in the content of bytes[start]. */
  uint64_t place;
  /* Nothing comes behind it. */
  int is_last;
} mh_window;

/* At least MH_ZIP_HEAD bytes; 0: no memory. */
int mh_window_start(mh_window *window, size_t capacity);
/* Makes room at the end: what was read goes. 0: no memory. */
int mh_window_grow(mh_window *window, size_t capacity);
void mh_window_free(mh_window *window);
/* `n` bytes are read. */
void mh_window_read(mh_window *window, size_t n);

enum mh_zip_step {
  /* mh_zip_pull says which bytes it needs. */
  MH_ZIP_PULL,
  /* The window has more than before, or is full. */
  MH_ZIP_CONTENT,
  /* As MH_ZIP_PULL, and the event has inflated enough. */
  MH_ZIP_REST,
  MH_ZIP_END,
  MH_ZIP_FAILED,
};

/* Why there is nothing to read. */
enum mh_zip_failure { MH_ZIP_EMPTY = 1, MH_ZIP_NOTHING, MH_ZIP_ENCRYPTED, MH_ZIP_METHOD, MH_ZIP_MEMORY };

typedef struct mh_zip mh_zip;

/* `is_wanted` looks at the first bytes of a file, at most MH_ZIP_HEAD. NULL: no memory. */
mh_zip *mh_zip_open(uint64_t size, int (*is_wanted)(const uint8_t *p, size_t n));
void mh_zip_close(mh_zip *zip);
void mh_zip_event(mh_zip *zip);
/* Bytes of the source; those that were not asked for are left. */
void mh_zip_take(mh_zip *zip, uint64_t offset, mh_bytes bytes, int is_last);
enum mh_zip_step mh_zip_next(mh_zip *zip, mh_window *window);
/* Breaks the event off, and says what to pull to go on. */
void mh_zip_rest(mh_zip *zip);
void mh_zip_pull(const mh_zip *zip, uint64_t *offset, uint64_t *length);

/* Whether what the window holds is the file that is wanted, and not yet one that is looked at. */
int mh_zip_is_reading(const mh_zip *zip);
enum mh_zip_failure mh_zip_failure(const mh_zip *zip);
/* The content's check sum or length is wrong, or it cannot be inflated on. */
int mh_zip_is_damaged(const mh_zip *zip);
/* The source ended before the content, or its directory is missing. */
int mh_zip_is_cut(const mh_zip *zip);
/* Other files of the archive that are wanted as well and were not read, and where one is. */
uint32_t mh_zip_others(const mh_zip *zip, uint64_t *place);

#endif
