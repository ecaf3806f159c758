/* The parts of the zip reader: source (bytes that were pulled), directory, forward scan, stream. */
#ifndef ZIP_PARTS_H
#define ZIP_PARTS_H

#include "include/import_zip.h"

#include <zlib.h>

#define ZIP_BUFFER MH_TALK_CHUNK_MAX
#define ZIP_CANDIDATES 1024u
#define ZIP_OTHERS 15u

#define ZIP_LOCAL 0x04034b50u
#define ZIP_CENTRAL 0x02014b50u
#define ZIP_END 0x06054b50u
#define ZIP_END64 0x06064b50u
#define ZIP_LOCATOR64 0x07064b50u

#define ZIP_LOCAL_SIZE 30u
#define ZIP_CENTRAL_SIZE 46u
#define ZIP_END_SIZE 22u
#define ZIP_END64_SIZE 56u
#define ZIP_LOCATOR64_SIZE 20u
#define ZIP_TAIL (65536u + ZIP_END_SIZE)

#define ZIP_STORED 0u
#define ZIP_DEFLATED 8u
#define ZIP_FLAG_ENCRYPTED 0x1u
#define ZIP_FLAG_DESCRIPTOR 0x8u

typedef struct zip_entry {
  /* The local header, and the data behind it once it was looked at. */
  uint64_t at, data;
  uint64_t packed, size;
  /* The more of these, the earlier it is looked at. */
  uint64_t rank;
  uint32_t crc;
  uint16_t method, flags;
} zip_entry;

enum zip_phase {
  ZIP_AT_HEAD,
  ZIP_AT_TAIL,
  ZIP_AT_LOCATOR64,
  ZIP_AT_END64,
  ZIP_AT_DIRECTORY,
  ZIP_AT_LOCAL,
  ZIP_AT_PROBE,
  ZIP_AT_FORWARD,
  ZIP_AT_SEARCH,
  ZIP_AT_FORWARD_HEAD,
  ZIP_AT_FORWARD_SKIP,
  ZIP_AT_STREAM,
  ZIP_AT_OVER,
  ZIP_AT_FAILURE,
};

struct mh_zip {
  enum zip_phase phase;
  int (*is_wanted)(const uint8_t *p, size_t n);
  /* Of the source; MH_TALK_SIZE_UNKNOWN until its last byte was seen. */
  uint64_t size;
  /* Bytes of the source from `at` on. */
  uint8_t buffer[ZIP_BUFFER];
  uint64_t at;
  uint32_t n;
  uint64_t pull_at, pull_n;
  /* How far the source was used when the event began, and what the event has inflated. */
  uint64_t event_at, event_made;
  enum mh_zip_failure failure;
  int is_damaged, is_cut, is_forward;

  /* Directory. */
  uint64_t end_at, directory_at, directory_end, shift;
  zip_entry entries[ZIP_CANDIDATES];
  uint32_t n_entries;
  zip_entry last;
  int has_last, has_encrypted, has_unknown_method, has_lost;
  /* Looking at the candidates: which one, which is the one, and how many others. */
  uint32_t probe, chosen, others, after;
  uint64_t other_place;

  /* The content. */
  zip_entry entry;
  z_stream inflater;
  int is_inflating, is_over;
  uint64_t used, made;
  uint32_t crc;
};

static inline uint32_t zip_u16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t zip_u32(const uint8_t *p) { return zip_u16(p) | zip_u16(p + 2) << 16; }
static inline uint64_t zip_u64(const uint8_t *p) { return zip_u32(p) | (uint64_t)zip_u32(p + 4) << 32; }

/* Whether there are `least` bytes at an offset, or all that the source has: `*n` of them at `*p`. Otherwise they are to
 * be pulled, at most `most`. */
int zip_need(mh_zip *zip, uint64_t at, uint32_t least, uint32_t most, const uint8_t **p, uint32_t *n);

/* One step of a phase each: MH_ZIP_CONTENT with the phase changed means: go on. */
enum mh_zip_step zip_find_directory(mh_zip *zip);
enum mh_zip_step zip_read_directory(mh_zip *zip);
enum mh_zip_step zip_probe(mh_zip *zip);
enum mh_zip_step zip_forward(mh_zip *zip, mh_window *window);
enum mh_zip_step zip_fail(mh_zip *zip, enum mh_zip_failure failure);
/* Without a directory: local headers from the front. */
void zip_go_forward(mh_zip *zip);

/* Begins to read an entry whose `data` is known. 0: no memory. */
int zip_stream_start(mh_zip *zip, const zip_entry *entry);
/* Fills the window as far as it goes; MH_ZIP_CONTENT with `is_over` at the end. */
enum mh_zip_step zip_stream(mh_zip *zip, mh_window *window);
/* What came out is compared with what the directory says. */
void zip_stream_check(mh_zip *zip);
/* Inflates a whole piece at once, as far as it goes. */
uint32_t zip_stream_head(const zip_entry *entry, const uint8_t *p, uint32_t n, uint8_t *out, uint32_t most);

#endif
