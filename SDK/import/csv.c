#include "include/import/csv.h"

#include <string.h>

enum { FRESH, FIELD, QUOTED, QUOTE, READY };
enum { UNKNOWN, UTF8, UTF16LE, UTF16BE };

void mh_csv_start(mh_csv *csv) { memset(csv, 0, sizeof *csv); }

static void begin_row(mh_csv *csv) {
  csv->n_fields = csv->n_text = 0;
  csv->is_cut = 0;
  csv->fields[0] = 0;
  csv->state = FRESH;
}

static void put(mh_csv *csv, uint8_t byte) {
  if (csv->n_fields >= MH_CSV_FIELDS) return;
  if (csv->n_text - csv->fields[csv->n_fields] >= MH_CSV_FIELD_MAX || csv->n_text == MH_CSV_TEXT)
    csv->is_cut = 1;
  else
    csv->text[csv->n_text++] = (char)byte;
}

static void end_field(mh_csv *csv) {
  if (csv->n_fields >= MH_CSV_FIELDS) {
    csv->is_cut = 1;
    return;
  }
  csv->n_fields += 1;
  csv->fields[csv->n_fields] = csv->n_text;
}

/* The first line tells: a semicolon or tab before any comma separates. */
static int separates(mh_csv *csv, uint8_t byte) {
  if (csv->separator != 0) return byte == csv->separator;
  if (byte != ',' && byte != ';' && byte != '\t') return 0;
  csv->separator = byte;
  return 1;
}

static int byte_in(mh_csv *csv, uint8_t byte) {
  switch (csv->state) {
    case QUOTED:
      if (byte == '"')
        csv->state = QUOTE;
      else
        put(csv, byte);
      return 0;
    case QUOTE:
      if (byte == '"') {
        put(csv, byte);
        csv->state = QUOTED;
        return 0;
      }
      csv->state = FIELD;
      break;
    case FRESH:
      if (byte == '"') {
        csv->state = QUOTED;
        return 0;
      }
      csv->state = FIELD;
      break;
    default: break;
  }
  if (separates(csv, byte)) {
    end_field(csv);
    csv->state = FRESH;
    return 0;
  }
  if (byte != '\n') {
    if (byte != '\r') put(csv, byte);
    return 0;
  }
  end_field(csv);
  csv->state = READY;
  return 1;
}

static int code_in(mh_csv *csv, uint32_t code) {
  if (code < 0x80) return byte_in(csv, (uint8_t)code);
  if (code < 0x800) {
    byte_in(csv, (uint8_t)(0xc0 | code >> 6));
  } else {
    if (code < 0x10000) {
      byte_in(csv, (uint8_t)(0xe0 | code >> 12));
    } else {
      byte_in(csv, (uint8_t)(0xf0 | code >> 18));
      byte_in(csv, (uint8_t)(0x80 | (code >> 12 & 0x3f)));
    }
    byte_in(csv, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
  }
  return byte_in(csv, (uint8_t)(0x80 | (code & 0x3f)));
}

static int utf16_in(mh_csv *csv, uint8_t byte) {
  if (!csv->has_half) {
    csv->half = byte;
    csv->has_half = 1;
    return 0;
  }
  csv->has_half = 0;
  uint16_t unit = (uint16_t)(csv->encoding == UTF16LE ? csv->half | byte << 8 : csv->half << 8 | byte);
  if (unit >= 0xd800 && unit < 0xdc00) {
    csv->high = unit;
    return 0;
  }
  if (unit >= 0xdc00 && unit < 0xe000) {
    uint32_t code = csv->high == 0 ? 0xfffd : 0x10000u + ((uint32_t)(csv->high - 0xd800) << 10) + (unit - 0xdc00u);
    csv->high = 0;
    return code_in(csv, code);
  }
  csv->high = 0;
  return code_in(csv, unit);
}

/* The first bytes: a mark goes, what is none is text. 1: the encoding is known. */
static void find_encoding(mh_csv *csv, uint8_t byte) {
  csv->mark[csv->n_mark++] = byte;
  const uint8_t *m = csv->mark;
  if (csv->n_mark == 2 && m[0] == 0xff && m[1] == 0xfe) csv->encoding = UTF16LE;
  if (csv->n_mark == 2 && m[0] == 0xfe && m[1] == 0xff) csv->encoding = UTF16BE;
  if (csv->n_mark == 3 && m[0] == 0xef && m[1] == 0xbb && m[2] == 0xbf) csv->encoding = UTF8;
  if (csv->encoding != UNKNOWN || (csv->n_mark < 3 && m[0] >= 0xef)) return;
  csv->encoding = UTF8;
  for (uint8_t i = 0; i < csv->n_mark; i++) byte_in(csv, m[i]);
}

int mh_csv_next(mh_csv *csv, const uint8_t **at, const uint8_t *end) {
  if (csv->state == READY) begin_row(csv);
  while (*at < end) {
    uint8_t byte = *(*at)++;
    int is_ready = 0;
    if (csv->encoding == UNKNOWN) {
      find_encoding(csv, byte);
      is_ready = csv->state == READY;
    } else {
      is_ready = csv->encoding == UTF8 ? byte_in(csv, byte) : utf16_in(csv, byte);
    }
    if (is_ready) return 1;
  }
  return 0;
}

int mh_csv_finish(mh_csv *csv) {
  if (csv->state == READY || (csv->n_fields == 0 && csv->n_text == 0)) return 0;
  end_field(csv);
  csv->state = READY;
  return 1;
}

const char *mh_csv_field(const mh_csv *csv, uint32_t index, size_t *n) {
  *n = index < csv->n_fields ? csv->fields[index + 1] - csv->fields[index] : 0;
  return csv->text + (index < csv->n_fields ? csv->fields[index] : 0);
}
