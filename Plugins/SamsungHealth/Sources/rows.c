/* The rows of one table: its pieces, its preamble and its header. */
#include "include/samsung.h"

#include <string.h>

void samsung_begin_table(mh_talk *talk, const mh_entry *entry, samsung_table table) {
  mh_csv_start(&talk->csv);
  talk->table = table;
  talk->n_rows = 0;
  talk->has_header = 0;
  talk->n_window = talk->at_window = 0;
  talk->end_of_table = TABLE_GOES_ON;
  if (entry != NULL && !mh_opened_start(&talk->opened, &talk->reader.source, entry)) talk->end_of_table = TABLE_DAMAGED;
}

/* "com.samsung.shealth.sleep,6040004,2": the name of the table, a version. */
static int is_preamble(const mh_talk *talk) {
  size_t n;
  const char *first = mh_csv_field(&talk->csv, 0, &n);
  if (n < 12 || memcmp(first, "com.samsung.", 12) != 0) return 0;
  const char *second = mh_csv_field(&talk->csv, 1, &n);
  return n == 0 || (*second >= '0' && *second <= '9');
}

int samsung_is_data(mh_talk *talk, int is_told) {
  size_t n;
  const char *first = mh_csv_field(&talk->csv, 0, &n);
  talk->n_rows += 1;
  if (talk->csv.n_fields == 1 && n == 0) return 0;
  if (talk->n_rows == 1 && is_preamble(talk)) {
    if (talk->table == TABLE_NONE) talk->table = samsung_table_of(first, n);
    /* It may be written with other separators than the rows. */
    talk->csv.separator = 0;
    return 0;
  }
  if (talk->has_header) return 1;
  talk->has_header = 1;
  if (samsung_read_header(talk)) return 0;
  if (is_told) mh_queue_refuse(&talk->reader.queue, MH_REFUSED_FORM, MH_IMPORT_NO_INDEX, talk->n_rows);
  talk->table = TABLE_NONE;
  return 0;
}

int samsung_next_row(mh_talk *talk, mh_step *step) {
  const uint8_t *at = talk->window + talk->at_window, *end = talk->window + talk->n_window;
  const int is_row = mh_csv_next(&talk->csv, &at, end);
  talk->at_window = (uint32_t)(at - talk->window);
  *step = MH_STEP_ON;
  if (is_row) return 1;
  if (talk->end_of_table != TABLE_GOES_ON) {
    *step = MH_STEP_DONE;
    /* The row in which a damaged table ends is none. */
    return talk->end_of_table == TABLE_WHOLE && mh_csv_finish(&talk->csv);
  }
  uint32_t n = 0;
  const mh_piece piece = mh_opened_read(&talk->opened, &talk->reader.source, talk->window, sizeof talk->window, &n);
  talk->n_window = n;
  talk->at_window = 0;
  if (piece == MH_PIECE_PULL) *step = MH_STEP_PULL;
  if (piece == MH_PIECE_END) talk->end_of_table = TABLE_WHOLE;
  if (piece != MH_PIECE_PULL && piece != MH_PIECE_SOME && piece != MH_PIECE_END) talk->end_of_table = TABLE_DAMAGED;
  return 0;
}
