/* Inflates gzip (RFC 1952) as it comes, by zlib. */
#ifndef CINFLATE_H
#define CINFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct cinflate cinflate;

/* What a step has come to. */
#define CINFLATE_MORE 0    /* it goes on, with more input or with more room */
#define CINFLATE_END 1     /* a member has ended, and with it perhaps the content; another one may follow */
#define CINFLATE_DAMAGED 2 /* the input is no gzip, or its checksum or length is wrong */
#define CINFLATE_BROKEN 3  /* there is no memory */

/* A stream at its beginning; NULL when there is no memory. Memory: about 40 KiB, whatever comes. */
cinflate *cinflate_new(void);
void cinflate_free(cinflate *stream);

/* Takes up to `length` bytes of input and writes up to `room` bytes; *used and *made say how many. Behind the end of a member input
 * begins the next one. At most 4 GiB at once. inflate(), zlib.h. */
int32_t cinflate_step(cinflate *stream, const uint8_t *input, size_t length, uint8_t *out, size_t room, size_t *used,
                      size_t *made);

#endif
