/* Rows of RFC 4180 in pieces: quotes, quoted line ends, comma, semicolon or tab; UTF-8 with or without a mark, UTF-16 with one. */
#ifndef METERHOST_IMPORT_CSV_H
#define METERHOST_IMPORT_CSV_H

#include <stddef.h>
#include <stdint.h>

#define MH_CSV_FIELDS 160u
/* Longer fields are cut: none of them holds a number. */
#define MH_CSV_FIELD_MAX 1024u
#define MH_CSV_TEXT 32768u

typedef struct mh_csv {
  uint8_t state, encoding, separator;
  /* Bytes of the mark; a byte of UTF-16 that waits for its other, a high surrogate. */
  uint8_t n_mark, half, has_half;
  uint16_t high;
  /* A field was cut, or the row has more than there is room for. */
  uint8_t is_cut;
  uint8_t mark[3];
  uint32_t n_fields, n_text;
  uint32_t fields[MH_CSV_FIELDS + 1];
  char text[MH_CSV_TEXT];
} mh_csv;

void mh_csv_start(mh_csv *csv);
/* 1: a row is ready, which stays until the next call; 0: the piece is used up. */
int mh_csv_next(mh_csv *csv, const uint8_t **at, const uint8_t *end);
/* A last row without a line end. 1: there is one. */
int mh_csv_finish(mh_csv *csv);
const char *mh_csv_field(const mh_csv *csv, uint32_t index, size_t *n);

#endif
