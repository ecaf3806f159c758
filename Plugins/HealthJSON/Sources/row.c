#include "include/health_json.h"

#include <string.h>

void row_start(json_row *row, uint32_t depth, uint64_t place) {
  row->n_fields = row->n_text = 0;
  row->is_cut = 0;
  row->depth = depth;
  row->place = place;
}

/* "distance.qty" for a member of a member; what has a longer name is no field that anybody asks for. */
static uint8_t name_field(const mh_talk *talk, const json_row *row, char key[KEY_MAX]) {
  size_t n = 0;
  for (uint32_t depth = row->depth; depth <= talk->json.depth && depth < PATH_MAX_DEPTH; depth++) {
    size_t part = strlen(talk->path[depth]);
    if (n + part + 1 >= KEY_MAX) return 0;
    if (n > 0) key[n++] = '.';
    memcpy(key + n, talk->path[depth], part);
    n += part;
  }
  return (uint8_t)n;
}

void row_put(mh_talk *talk, json_row *row, uint8_t kind, const char *p, size_t n) {
  char key[KEY_MAX];
  uint8_t key_n = talk->json.depth < PATH_MAX_DEPTH ? name_field(talk, row, key) : 0;
  if (key_n == 0) return;
  if (row->n_fields == FIELDS_MAX || n > ROW_TEXT_MAX - row->n_text) {
    row->is_cut = 1;
    return;
  }
  row_field *field = &row->fields[row->n_fields++];
  memcpy(field->key, key, key_n);
  field->key_n = key_n;
  field->kind = kind;
  field->text = row->n_text;
  field->text_n = (uint32_t)n;
  memcpy(row->text + row->n_text, p, n);
  row->n_text += (uint32_t)n;
}

static const row_field *find(const json_row *row, const char *key) {
  size_t n = strlen(key);
  for (uint32_t i = 0; i < row->n_fields; i++)
    if (row->fields[i].key_n == n && memcmp(row->fields[i].key, key, n) == 0) return &row->fields[i];
  return NULL;
}

mh_str row_text(const json_row *row, const char *key) {
  const row_field *field = find(row, key);
  if (field == NULL) return (mh_str){NULL, 0};
  return (mh_str){row->text + field->text, field->text_n};
}

int row_number(const json_row *row, const char *key, mh_decimal *out) {
  const row_field *field = find(row, key);
  if (field == NULL) return 0;
  if (field->kind != MH_JSON_NUMBER && field->kind != MH_JSON_STRING) return -1;
  const uint32_t form = field->kind == MH_JSON_NUMBER ? MH_DECIMAL_EXPONENT : 0;
  return mh_decimal_read(row->text + field->text, field->text_n, form, out) ? 1 : -1;
}

int row_moment(const json_row *row, const char *key, mh_moment *out) {
  const row_field *field = find(row, key);
  if (field == NULL) return 0;
  const char *p = row->text + field->text;
  if (field->kind == MH_JSON_NUMBER) {
    mh_decimal number;
    *out = (mh_moment){.has_zone = 1};
    return mh_decimal_read(p, field->text_n, MH_DECIMAL_EXPONENT, &number) && mh_moment_of_number(number, &out->us) ? 1 : -1;
  }
  if (field->kind != MH_JSON_STRING || !mh_moment_read(p, field->text_n, out)) return -1;
  return out->has_zone || out->is_day ? 1 : -1;
}

uint32_t json_source(mh_talk *talk, mh_str text, mh_str key) {
  mh_named source = {.text = text, .key = key};
  if (text.n == 0) source.text = key;
  if (source.text.n == 0) source.text = (mh_str){"automation", 10};
  return mh_source_index(&talk->reader.queue, &source);
}

void json_attribute(mh_talk *talk, const json_row *row, const char *field, const char *key, const char *unit) {
  mh_decimal value;
  if (row_number(row, field, &value) != 1) return;
  mh_sample_number(&talk->reader.queue, key, value,
                          unit == NULL ? MH_IMPORT_NO_INDEX : mh_unit_word(&talk->reader.queue, unit));
}
