/* The notifications of a scale that calls itself SWAN, icomon or YG, and what is written to it. */
#ifndef OKOK_SWAN_H
#define OKOK_SWAN_H

#include "frame.h"

/* Service, where it is written to, what notifies. */
#define SWAN_SERVICE 0xffb0u
#define SWAN_WRITE 0xffb1u
#define SWAN_NOTIFY 0xffb2u

/* Stands where an advertised frame has the low byte of its id. */
#define SWAN_DIALECT 0xb0u

#define SWAN_COMMAND 8

/* What it wants to be told before it measures. */
enum swan_command { SWAN_BEGIN = 0xf7, SWAN_PREPARE = 0xfa, SWAN_PERSON = 0xfb };

/* Reads a notification. MH_OK; MH_E_NO_VALUE (nobody on the scale, or no weight in it); MH_E_PROTOCOL (a wrong checksum or a
 * length that is none). */
int32_t swan_read(mh_bytes data, okok_frame *frame);

/* Writes a command of three bytes into SWAN_COMMAND of them. */
void swan_put(enum swan_command command, uint8_t first, uint8_t second, uint8_t third, uint8_t *out);

#endif
