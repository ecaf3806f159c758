/* What rows of all tables have. */
#include "include/connect.h"

#include <string.h>

uint32_t connect_type(mh_talk *talk, const table_form *form) {
  return mh_type_index(&talk->reader.queue, form->quantity, (mh_str){form->name, strlen(form->name)}, (mh_str){NULL, 0});
}

void connect_refuse(mh_talk *talk, const table *table, uint32_t reason) {
  mh_queue_refuse(&talk->reader.queue, reason, connect_type(talk, table->form), (uint64_t)talk->row.id);
}

void connect_uuid(mh_talk *talk, const uint8_t *uuid, int64_t ms) {
  static const char hex[] = "0123456789abcdef";
  char text[64];
  size_t n = 0;
  for (int i = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[n++] = '-';
    text[n++] = hex[uuid[i] >> 4];
    text[n++] = hex[uuid[i] & 15];
  }
  /* A point of a series: the moment too. */
  if (ms > 0) {
    char digits[20];
    size_t m = 0;
    for (; ms > 0; ms /= 10) digits[m++] = (char)('0' + ms % 10);
    text[n++] = '/';
    while (m > 0) text[n++] = digits[--m];
  }
  mh_sample_id(&talk->reader.queue, text, n);
}

int32_t connect_offset(const mh_talk *talk, const table *table, column c) {
  int64_t seconds;
  if (!field_integer(talk, table, c, &seconds) || seconds > MH_IMPORT_OFFSET_MAX || seconds < -MH_IMPORT_OFFSET_MAX)
    return MH_IMPORT_NO_OFFSET;
  return (int32_t)seconds;
}

int connect_number(mh_talk *talk, const table *table, mh_decimal *out) {
  const table_form *form = table->form;
  if (!field_number(talk, table, form->value, out)) {
    connect_refuse(talk, table, field(talk, table, form->value)->kind == VALUE_NULL ? MH_REFUSED_VALUE : MH_REFUSED_SENTINEL);
    return 0;
  }
  /* Watts: 86,400 J a day, 4,184 J a kilocalorie. */
  if (form->value == C_BASAL_RATE && !mh_decimal_times(*out, 2065, 2, out)) {
    connect_refuse(talk, table, MH_REFUSED_VALUE);
    return 0;
  }
  *out = mh_decimal_shift(*out, form->shift);
  return 1;
}

