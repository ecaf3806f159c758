/* UTF-8 that comes from outside: what is a character, where to cut, what to show. */
#ifndef METERHOST_IMPORT_TEXT_H
#define METERHOST_IMPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes a well-formed character has at `p`; 0: none begins there. `n` is at least 1. */
size_t mh_text_character(const uint8_t *p, size_t n);
/* Writes a character, at most 4 bytes, and returns how many: U+FFFD for what is no code point. */
size_t mh_text_put(uint32_t code, char *out);
/* Copies at most `most` bytes and whole characters: controls become blanks, what is no character U+FFFD. */
size_t mh_text_clean(const char *from, size_t n, char *to, size_t most);
/* The most bytes, at most `most`, that end behind a whole character. */
uint32_t mh_text_cut(const char *p, uint64_t n, uint32_t most);
/* Where `needle` begins first, or NULL. */
const uint8_t *mh_text_find(const uint8_t *p, size_t n, const char *needle, size_t length);

#endif
