/* DEFLATE (RFC 1951) in pieces of any size. All of its state is this struct, so that a copy is a place in the stream to come back
 * to: that is how pages are read out of a compressed database in any order. */
#ifndef METERHOST_IMPORT_UNPACK_H
#define METERHOST_IMPORT_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#define MH_UNPACK_WINDOW 32768u
#define MH_UNPACK_FAST 10u

typedef struct mh_code {
  /* symbol << 4 | length for codes of up to MH_UNPACK_FAST bits; 0: longer, or no code. */
  uint16_t fast[1u << MH_UNPACK_FAST];
  uint16_t count[16];
  uint16_t symbol[288];
} mh_code;

typedef enum mh_unpacked { MH_UNPACK_MORE, MH_UNPACK_FULL, MH_UNPACK_END, MH_UNPACK_BAD } mh_unpacked;

typedef struct mh_unpack {
  uint64_t bits;
  uint32_t n_bits;
  uint8_t state, is_last;
  uint32_t stored;
  uint32_t copy, distance;
  uint32_t n_literals, n_distances, n_lengths, at_length;
  uint32_t position;
  /* Bytes that went in and came out. */
  uint64_t taken, made;
  uint8_t lengths[320];
  mh_code literal, offset;
  uint8_t window[MH_UNPACK_WINDOW];
} mh_unpack;

void mh_unpack_start(mh_unpack *unpack);
/* MH_UNPACK_MORE: all of the input is used; MH_UNPACK_FULL: the output is full. Both pointers move. */
mh_unpacked mh_unpack_run(mh_unpack *unpack, const uint8_t **in, const uint8_t *in_end, uint8_t **out,
                          const uint8_t *out_end);
uint32_t mh_crc32(uint32_t crc, const uint8_t *p, size_t n);

#endif
