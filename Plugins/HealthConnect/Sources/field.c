#include "include/connect.h"

#include <import/text.h>
#include <string.h>

const value *field(const mh_talk *talk, const table *table, column c) {
  static const value nothing = {VALUE_NULL, 0, 0, NULL, 0};
  int16_t index = table->columns[c];
  return index >= 0 && (uint32_t)index < talk->row.n_values ? &talk->row.values[index] : &nothing;
}

int field_integer(const mh_talk *talk, const table *table, column c, int64_t *out) {
  if (table->columns[c] >= 0 && table->columns[c] == table->alias) {
    *out = talk->row.id;
    return 1;
  }
  const value *v = field(talk, table, c);
  if (v->kind == VALUE_INTEGER) *out = v->integer;
  if (v->kind == VALUE_REAL && v->real > -9e15 && v->real < 9e15 && (double)(int64_t)v->real == v->real)
    *out = (int64_t)v->real;
  else if (v->kind != VALUE_INTEGER)
    return 0;
  return 1;
}

/* -1 and the smallest binary fraction are the platform's words for nothing. */
int field_number(const mh_talk *talk, const table *table, column c, mh_decimal *out) {
  const value *v = field(talk, table, c);
  if (v->kind == VALUE_INTEGER) {
    *out = (mh_decimal){v->integer, 0};
    return v->integer != -1;
  }
  if (v->kind != VALUE_REAL || (v->real != 0 && v->real > -1e-300 && v->real < 1e-300)) return 0;
  return mh_decimal_of_double(v->real, out);
}

size_t field_text(const mh_talk *talk, const table *table, column c, char *out, size_t most) {
  const value *v = field(talk, table, c);
  size_t used = 0;
  if (v->kind != VALUE_TEXT) return 0;
  if (talk->db.encoding <= 1) return mh_text_clean((const char *)v->p, v->n, out, most);
  int big = talk->db.encoding == 3;
  for (uint32_t i = 0; i + 2 <= v->n && used + 4 <= most; i += 2) {
    uint32_t code = (uint32_t)(v->p[i + !big] << 8 | v->p[i + big]);
    if (code >= 0xd800 && code < 0xdc00 && i + 4 <= v->n) {
      uint32_t low = (uint32_t)(v->p[i + 2 + !big] << 8 | v->p[i + 2 + big]);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 2;
      }
    }
    used += mh_text_put(code, out + used);
  }
  return used;
}

int field_time(const mh_talk *talk, const table *table, column c, int64_t *us) {
  int64_t ms;
  if (!field_integer(talk, table, c, &ms) || ms < MH_IMPORT_US_MIN / 1000 || ms > MH_IMPORT_US_MAX / 1000) return 0;
  *us = ms * 1000;
  return 1;
}
