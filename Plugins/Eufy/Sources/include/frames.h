/* The bytes of the scales: CF frames of FFF4, and what is called out. */
#ifndef EUFY_FRAMES_H
#define EUFY_FRAMES_H

#include "reading.h"

#define EUFY_SERVICE 0xfff0u
#define EUFY_NOTIFY 0xfff4u
#define EUFY_WRITE 0xfff1u

/* The parameter of the registry that says how an entry's advertisements are read, and its values. */
#define EUFY_PARAM_LAYOUT 0x8000u
/* C1, P1, A1: a CF frame. */
#define EUFY_LAYOUT_FRAME 1
/* P2, P2 Pro: a CF frame of another form. */
#define EUFY_LAYOUT_PRO 2
/* C20, P3: time, state, numbers. */
#define EUFY_LAYOUT_STATE 3

/* Each reads one whole frame. MH_OK, MH_E_NO_VALUE (well formed, no weight in it), MH_E_PROTOCOL (not what the protocol
 * allows: length, checksum, range). */
int32_t eu_frame_read(mh_bytes frame, eu_reading *reading);
/* `data` is the whole manufacturer data: these scales put no company's number before it. */
int32_t eu_called_read(int layout, mh_bytes data, eu_reading *reading);

/* The data of the first structure of manufacturer data in an advertisement; 0: there is none. */
int eu_called_find(mh_bytes advertisement, mh_bytes *data);

/* The answers of two bytes: the clock is set; there is no more in the memory. */
int eu_is_clock_set(mh_bytes value);
int eu_is_memory_end(mh_bytes value);

/* The command that sets the clock to this civil time; its length. */
#define EUFY_CLOCK_LENGTH 8u
void eu_clock_command(uint8_t *command, int64_t civil_seconds);

#endif
