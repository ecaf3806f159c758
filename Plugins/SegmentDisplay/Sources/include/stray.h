/* Digits where the meter has none. */
#ifndef SEGMENT_DISPLAY_STRAY_H
#define SEGMENT_DISPLAY_STRAY_H

#include <segment_reader.h>

/* Whether digits as high as the meter's own stand above its first row or below its last one: then the display is another
 * meter's, or does not lie where it is looked for, and a row of it would be taken for what it is not. */
int display_has_stray_row(segment_reader *reader, const mh_ocr_frame *frame, const mh_ocr_reading *read);

#endif
