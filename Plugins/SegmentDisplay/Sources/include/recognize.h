/* Reading a meter's rows in one frame. */
#ifndef SEGMENT_DISPLAY_RECOGNIZE_H
#define SEGMENT_DISPLAY_RECOGNIZE_H

#include <meterhost/draft/ocr.h>

/* What mh_ocr.recognize is. */
int32_t display_recognize(uint32_t meter, const mh_ocr_frame *frame, mh_ocr_reading *out);

/* Takes the recogniser's weights, borrowed for the process: MH_E_PROTOCOL when they are none. */
int32_t display_take_weights(mh_bytes weights);

#endif
