#include "include/import/unpack.h"

#include <string.h>

enum { BLOCK, STORED_HEAD, STORED, CODE_LENGTHS, LENGTHS, SYMBOLS, COPY, ENDED, BROKEN };

#define NEEDS_MORE (-1)
#define NO_CODE (-2)

static const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                         193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                         6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

void mh_unpack_start(mh_unpack *unpack) { memset(unpack, 0, sizeof *unpack); }

/* Canonical codes from their lengths. 0: more codes than there can be, or fewer than there must be. */
static int make_code(mh_code *code, const uint8_t *lengths, uint32_t n) {
  uint16_t offsets[16];
  int left = 1;
  memset(code, 0, sizeof *code);
  for (uint32_t i = 0; i < n; i++) code->count[lengths[i]] += 1;
  if (code->count[0] == n) return 1;
  for (int length = 1; length < 16; length++) {
    left = left * 2 - code->count[length];
    if (left < 0) return 0;
  }
  if (left > 0 && n - code->count[0] != 1) return 0;
  offsets[1] = 0;
  for (int length = 1; length < 15; length++) offsets[length + 1] = (uint16_t)(offsets[length] + code->count[length]);
  for (uint32_t i = 0; i < n; i++)
    if (lengths[i] != 0) code->symbol[offsets[lengths[i]]++] = (uint16_t)i;
  uint32_t value = 0, index = 0;
  for (uint32_t length = 1; length <= MH_UNPACK_FAST; length++, value <<= 1)
    for (uint32_t i = 0; i < code->count[length]; i++, value++, index++) {
      uint32_t reversed = 0;
      for (uint32_t bit = 0; bit < length; bit++) reversed |= (value >> bit & 1) << (length - 1 - bit);
      for (uint32_t at = reversed; at < 1u << MH_UNPACK_FAST; at += 1u << length)
        code->fast[at] = (uint16_t)(code->symbol[index] << 4 | length);
    }
  return 1;
}

static int take_symbol(mh_unpack *u, const mh_code *code) {
  uint32_t fast = code->fast[u->bits & ((1u << MH_UNPACK_FAST) - 1)];
  if (fast != 0) {
    uint32_t length = fast & 15;
    if (length > u->n_bits) return NEEDS_MORE;
    u->bits >>= length;
    u->n_bits -= length;
    return (int)(fast >> 4);
  }
  int value = 0, first = 0, index = 0;
  for (uint32_t length = 1; length < 16; length++) {
    if (length > u->n_bits) return NEEDS_MORE;
    value |= (int)(u->bits >> (length - 1) & 1);
    int count = code->count[length];
    if (value - count < first) {
      u->bits >>= length;
      u->n_bits -= length;
      return code->symbol[index + (value - first)];
    }
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  return NO_CODE;
}

static int take_bits(mh_unpack *u, uint32_t n) {
  if (n > u->n_bits) return NEEDS_MORE;
  int value = (int)(u->bits & ((UINT64_C(1) << n) - 1));
  u->bits >>= n;
  u->n_bits -= n;
  return value;
}

static void refill(mh_unpack *u, const uint8_t **in, const uint8_t *end) {
  while (u->n_bits <= 56 && *in < end) {
    u->bits |= (uint64_t) * (*in)++ << u->n_bits;
    u->n_bits += 8;
    u->taken += 1;
  }
}

static void fixed_codes(mh_unpack *u) {
  for (uint32_t i = 0; i < 288; i++) u->lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  make_code(&u->literal, u->lengths, 288);
  /* Two of the 32 codes never occur, and there are only 30 distances. */
  memset(u->lengths, 5, 32);
  make_code(&u->offset, u->lengths, 32);
}

/* The head of a block. 1, 0: more bits are needed, -1: broken. */
static int begin_block(mh_unpack *u) {
  if (u->is_last) {
    u->state = ENDED;
    return 1;
  }
  if (u->n_bits < 17 && (u->n_bits < 3 || (u->bits >> 1 & 3) == 2)) return 0;
  u->is_last = (uint8_t)take_bits(u, 1);
  switch (take_bits(u, 2)) {
    case 0:
      take_bits(u, u->n_bits & 7);
      u->state = STORED_HEAD;
      return 1;
    case 1:
      fixed_codes(u);
      u->state = SYMBOLS;
      return 1;
    case 2:
      u->n_literals = (uint32_t)take_bits(u, 5) + 257;
      u->n_distances = (uint32_t)take_bits(u, 5) + 1;
      u->n_lengths = (uint32_t)take_bits(u, 4) + 4;
      u->at_length = 0;
      memset(u->lengths, 0, sizeof u->lengths);
      u->state = CODE_LENGTHS;
      return u->n_literals <= 286 && u->n_distances <= 30 ? 1 : -1;
    default: return -1;
  }
}

static int read_code_lengths(mh_unpack *u) {
  static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  while (u->at_length < u->n_lengths) {
    int length = take_bits(u, 3);
    if (length < 0) return 0;
    u->lengths[order[u->at_length++]] = (uint8_t)length;
  }
  if (!make_code(&u->literal, u->lengths, 19)) return -1;
  u->at_length = 0;
  u->state = LENGTHS;
  return 1;
}

static int end_lengths(mh_unpack *u) {
  if (u->lengths[256] == 0 || !make_code(&u->literal, u->lengths, u->n_literals)) return -1;
  if (!make_code(&u->offset, u->lengths + u->n_literals, u->n_distances)) return -1;
  u->state = SYMBOLS;
  return 1;
}

static int read_lengths(mh_unpack *u) {
  static const uint8_t extra[] = {2, 3, 7}, base[] = {3, 3, 11};
  const uint32_t all = u->n_literals + u->n_distances;
  while (u->at_length < all) {
    uint64_t bits = u->bits;
    uint32_t n_bits = u->n_bits, previous = 0;
    int symbol = take_symbol(u, &u->literal), more = 0;
    if (symbol >= 16) more = take_bits(u, extra[symbol - 16]);
    if (symbol == NEEDS_MORE || more < 0) {
      u->bits = bits;
      u->n_bits = n_bits;
      return 0;
    }
    if (symbol < 0) return -1;
    if (symbol < 16) {
      u->lengths[u->at_length++] = (uint8_t)symbol;
      continue;
    }
    uint32_t times = base[symbol - 16] + (uint32_t)more;
    if (symbol == 16 && u->at_length == 0) return -1;
    if (symbol == 16) previous = u->lengths[u->at_length - 1];
    if (times > all - u->at_length) return -1;
    memset(u->lengths + u->at_length, (int)previous, times);
    u->at_length += times;
  }
  return end_lengths(u);
}

static int read_distance(mh_unpack *u, uint32_t symbol) {
  int extra = take_bits(u, length_extra[symbol]);
  if (extra < 0) return 0;
  u->copy = length_base[symbol] + (uint32_t)extra;
  int offset = take_symbol(u, &u->offset);
  if (offset == NEEDS_MORE) return 0;
  if (offset < 0 || offset >= 30) return -1;
  extra = take_bits(u, distance_extra[offset]);
  if (extra < 0) return 0;
  u->distance = distance_base[offset] + (uint32_t)extra;
  return u->distance <= u->made && u->distance <= MH_UNPACK_WINDOW ? 1 : -1;
}

static void put(mh_unpack *u, uint8_t **out, uint8_t byte) {
  *(*out)++ = byte;
  u->window[u->position] = byte;
  u->position = (u->position + 1) & (MH_UNPACK_WINDOW - 1);
  u->made += 1;
}

static void copy(mh_unpack *u, uint8_t **out, const uint8_t *out_end) {
  uint32_t from = (u->position - u->distance) & (MH_UNPACK_WINDOW - 1);
  for (; u->copy > 0 && *out < out_end; u->copy--) {
    put(u, out, u->window[from]);
    from = (from + 1) & (MH_UNPACK_WINDOW - 1);
  }
}

/* 1: on; 0: more input; -1: broken; 2: the output is full. */
static int read_symbols(mh_unpack *u, const uint8_t **in, const uint8_t *in_end, uint8_t **out, const uint8_t *out_end) {
  for (;;) {
    copy(u, out, out_end);
    if (u->copy > 0 || *out == out_end) return 2;
    if (u->n_bits < 48) refill(u, in, in_end);
    uint64_t bits = u->bits;
    uint32_t n_bits = u->n_bits;
    int symbol = take_symbol(u, &u->literal), status = 1;
    if (symbol >= 0 && symbol < 256) {
      put(u, out, (uint8_t)symbol);
      continue;
    }
    if (symbol == 256) {
      u->state = BLOCK;
      return 1;
    }
    status = symbol == NEEDS_MORE ? 0 : symbol < 0 || symbol > 285 ? -1 : read_distance(u, (uint32_t)symbol - 257);
    if (status == 1) continue;
    u->copy = 0;
    u->bits = bits;
    u->n_bits = n_bits;
    return status;
  }
}

static int read_stored(mh_unpack *u, const uint8_t **in, const uint8_t *in_end, uint8_t **out, const uint8_t *out_end) {
  for (; u->stored > 0; u->stored--) {
    if (*out == out_end) return 2;
    if (u->n_bits > 0) {
      put(u, out, (uint8_t)take_bits(u, 8));
    } else {
      if (*in == in_end) return 0;
      u->taken += 1;
      put(u, out, *(*in)++);
    }
  }
  u->state = BLOCK;
  return 1;
}

static int begin_stored(mh_unpack *u) {
  if (u->n_bits < 32) return 0;
  uint32_t length = (uint32_t)take_bits(u, 16), check = (uint32_t)take_bits(u, 16);
  u->stored = length;
  u->state = STORED;
  return (length ^ 0xffff) == check ? 1 : -1;
}

mh_unpacked mh_unpack_run(mh_unpack *u, const uint8_t **in, const uint8_t *in_end, uint8_t **out, const uint8_t *out_end) {
  for (;;) {
    int status = -1;
    if (u->state != STORED) refill(u, in, in_end);
    switch (u->state) {
      case BLOCK: status = begin_block(u); break;
      case STORED_HEAD: status = begin_stored(u); break;
      case STORED: status = read_stored(u, in, in_end, out, out_end); break;
      case CODE_LENGTHS: status = read_code_lengths(u); break;
      case LENGTHS: status = read_lengths(u); break;
      case SYMBOLS: status = read_symbols(u, in, in_end, out, out_end); break;
      case ENDED: return MH_UNPACK_END;
      default: return MH_UNPACK_BAD;
    }
    if (status == 2) return MH_UNPACK_FULL;
    if (status < 0) {
      u->state = BROKEN;
      return MH_UNPACK_BAD;
    }
    if (status == 0 && *in == in_end) return MH_UNPACK_MORE;
  }
}

uint32_t mh_crc32(uint32_t crc, const uint8_t *p, size_t n) {
  static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                     0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  crc = ~crc;
  for (size_t i = 0; i < n; i++) {
    crc = table[(crc ^ p[i]) & 15] ^ crc >> 4;
    crc = table[(crc ^ p[i] >> 4) & 15] ^ crc >> 4;
  }
  return ~crc;
}
