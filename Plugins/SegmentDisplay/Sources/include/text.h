/* One row's text against what the row can show. */
#ifndef SEGMENT_DISPLAY_TEXT_H
#define SEGMENT_DISPLAY_TEXT_H

#include "meters.h"

typedef enum display_find_kind {
  /* The row is empty. */
  DISPLAY_BLANK,
  /* A number that the row can show, in its range. */
  DISPLAY_NUMBER,
  /* Lo and Hi: raw holds the end of the range. */
  DISPLAY_BELOW,
  DISPLAY_ABOVE,
  /* Something that is no value: letters, dashes, every segment lit, out of the range. */
  DISPLAY_OTHER,
  /* A number with more digits or another point than the row has. */
  DISPLAY_FOREIGN,
} display_find_kind;

typedef struct display_finding {
  display_find_kind kind;
  int64_t raw;
} display_finding;

display_finding display_read_text(const display_number *number, uint32_t words, mh_str text);

/* Whether a text is what a row shows with every segment lit: eights, also behind a first digit that can only be a 1. */
int display_is_all_segments(mh_str text);

/* Whether a text that begins with a digit is a number; one that begins with a letter or with dashes may be a word. */
int display_may_be_shown(mh_str text);

#endif
