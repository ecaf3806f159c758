/* Frames: 'M', the maker of the frame, length (high byte first), command, payload, sum. */
#ifndef MICROLIFE_FRAME_H
#define MICROLIFE_FRAME_H

#include <meterhost/driver.h>

/* Who answers, which is how its memory is laid out. */
#define MICROLIFE_GENERATION_3 0x31u
#define MICROLIFE_GENERATION_4 0x3au

#define MICROLIFE_HISTORY 0x00u
#define MICROLIFE_VERSION 0x05u
#define MICROLIFE_CLOCK 0x0cu
#define MICROLIFE_SET_CLOCK 0x0du
/* The answer to what was done; every command above 80 is one. */
#define MICROLIFE_DONE 0x81u
/* The user whom the monitor is switched to. */
#define MICROLIFE_CURRENT_USER 0xfdu

#define MICROLIFE_HEAD 5u
/* The number of readings is one byte, and a reading has 10 bytes. */
#define MICROLIFE_FRAME_MAX 2600u
#define MICROLIFE_COMMAND_MAX 13u

/* How long the frame is that begins with these bytes: 0 while that is not known, MICROLIFE_FRAME_MAX + 1 when no frame begins so. */
uint64_t microlife_frame_length(mh_bytes bytes);
/* Whether these bytes are one whole frame of a monitor: beginning, length and sum. */
int microlife_is_frame(mh_bytes bytes);

/* Commands that read, and the one that sets the clock, are all that can be made; each returns its length. The memory's erasure (03)
 * is not among them. */
uint8_t microlife_ask(uint8_t command, uint8_t *out);
uint8_t microlife_ask_history(uint8_t user, uint8_t *out);
/* command: MICROLIFE_SET_CLOCK, or MICROLIFE_HISTORY for monitors that take the time with the question. 0: no such time. */
uint8_t microlife_tell_time(uint8_t command, int64_t civil_us, uint8_t *out);

#endif
