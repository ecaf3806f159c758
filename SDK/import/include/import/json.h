/* A scanner of JSON that is fed in pieces: RFC 8259, strict, without a tree and without recursion.
 *
 * The caller keeps the bytes; the scanner keeps only the token that it is in. What an automation posts can be cut at any byte, so
 * every state is a value that can be copied: a copy is a place to come back to. */
#ifndef METERHOST_IMPORT_JSON_H
#define METERHOST_IMPORT_JSON_H

#include <stddef.h>
#include <stdint.h>

/* Nested deeper is refused. */
#define MH_JSON_DEPTH_MAX 64u
/* Longer strings are cut, and say so. */
#define MH_JSON_TEXT_MAX 1024u

typedef enum mh_json_token {
  /* The piece is used up. */
  MH_JSON_MORE,
  MH_JSON_OBJECT,
  MH_JSON_OBJECT_END,
  MH_JSON_ARRAY,
  MH_JSON_ARRAY_END,
  MH_JSON_KEY,
  MH_JSON_STRING,
  /* `text` is the number as it is written. */
  MH_JSON_NUMBER,
  MH_JSON_TRUE,
  MH_JSON_FALSE,
  MH_JSON_NULL,
  /* Not JSON, or nested too deep. It stays so. */
  MH_JSON_BAD
} mh_json_token;

typedef struct mh_json {
  /* One bit a level, 1: an object; the innermost is the lowest. */
  uint64_t objects;
  uint32_t depth;
  uint8_t state;
  /* Inside a string: a key; digits of \u that are still missing; a high surrogate that waits. */
  uint8_t is_key;
  uint8_t hex_left;
  /* The token was longer than MH_JSON_TEXT_MAX. */
  uint8_t is_cut;
  uint16_t code, high;
  uint32_t length;
  char text[MH_JSON_TEXT_MAX];
} mh_json;

void mh_json_start(mh_json *json);
/* The next token of [*at, end); *at moves behind what was used. A number that is the whole
 * document never ends, and is nothing that an export is. */
mh_json_token mh_json_next(mh_json *json, const uint8_t **at, const uint8_t *end);
/* Whether exactly one whole value was read. */
int mh_json_is_whole(const mh_json *json);

#endif
