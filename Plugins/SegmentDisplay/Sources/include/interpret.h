/* What agreed texts of a meter's rows mean. */
#ifndef SEGMENT_DISPLAY_INTERPRET_H
#define SEGMENT_DISPLAY_INTERPRET_H

#include <meterhost/draft/ocr.h>

/* What mh_ocr.interpret is. */
int32_t display_interpret(uint32_t meter, uint16_t unit, const mh_ocr_text *rows, uint32_t n_rows, uint32_t *verdict,
                          mh_sink *sink);

#endif
