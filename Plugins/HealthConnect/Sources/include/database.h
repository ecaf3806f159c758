/* The file format of SQLite 3 (sqlite.org/fileformat2.html), as far as reading whole tables needs it: tables' b-trees, records, and
 * the names of columns. Nothing of SQL is run, indices and views are never looked at. */
#ifndef CONNECT_DATABASE_H
#define CONNECT_DATABASE_H

#include "pages.h"

/* A row's bytes that are looked at; what lies behind them is absent. */
#define PAYLOAD_MAX 262144u
#define COLUMNS_MAX 256u
#define HEADER_SIZE 100u

typedef struct database {
  pages pages;
  uint32_t page_size, usable, n_pages;
  /* 1 UTF-8, 2 UTF-16LE, 3 UTF-16BE. */
  uint32_t encoding, user_version;
} database;

typedef enum value_kind { VALUE_NULL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_BLOB } value_kind;

typedef struct value {
  value_kind kind;
  int64_t integer;
  double real;
  const uint8_t *p;
  uint32_t n;
} value;

typedef struct row {
  int64_t id;
  uint32_t n_values;
  value values[COLUMNS_MAX];
  /* The first value that is not there whole; n_values: none. */
  uint32_t cut_from;
  uint8_t payload[PAYLOAD_MAX];
} row;

/* 1: it is a database; 0: not. */
int database_start(database *db, const uint8_t header[HEADER_SIZE]);
got database_page(database *db, uint32_t number, const uint8_t **page);
/* What a page is: 5 inner, 13 leaf, 0 neither. */
uint32_t page_kind(const uint8_t *page, uint32_t number);
uint32_t page_cells(const database *db, const uint8_t *page, uint32_t number);
/* A child of an inner page, cells and then the last one; 0: none. */
uint32_t page_child(const database *db, const uint8_t *page, uint32_t number, uint32_t index);
/* A row of a leaf. GOT_NOTHING: damaged. `with_overflow`: also what of it lies on other pages. */
got page_row(database *db, uint32_t number, uint32_t index, int with_overflow, row *out);

/* The names of the columns that rows have, in their order, out of a CREATE TABLE statement. */
typedef struct columns {
  uint32_t n;
  /* The column that is another name of the row's id; UINT32_MAX: none. */
  uint32_t alias;
  struct {
    uint32_t at, n;
  } names[COLUMNS_MAX];
} columns;
int columns_read(const char *sql, uint32_t n, columns *out);

#endif
