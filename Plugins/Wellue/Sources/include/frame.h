/* The frame that both generations of these oximeters speak, and how frames are found in notifications. Pure.
 *
 * Lead byte, code, its complement, two bytes of a number, two of the length of the payload (low byte first), the payload,
 * CRC-8 over all of it. In an answer of the first generation the code is a status and the number a block; in one of the second
 * the code is the command, and the number's bytes are a result and the echo of the request's count. */
#ifndef WELLUE_FRAME_H
#define WELLUE_FRAME_H

#include <meterhost/driver.h>

/* Before the payload, and all around it. */
#define WELLUE_HEADER 7u
#define WELLUE_OVERHEAD 8u
/* The longest answer that is asked for has some 160 bytes of waveform; one that claims to be longer than this is noise. */
#define WELLUE_PAYLOAD_MAX 504u
#define WELLUE_FRAME_MAX (WELLUE_PAYLOAD_MAX + WELLUE_OVERHEAD)
/* The most bytes of an attribute's value (Core Specification, Vol 3 Part F 3.2.9). */
#define WELLUE_VALUE_MAX 512u

typedef struct wellue_frame {
  uint8_t code;
  /* The two bytes of the number, in their order. */
  uint8_t first;
  uint8_t second;
  uint16_t length;
  const uint8_t *payload;
} wellue_frame;

/* What stands at the beginning of some bytes. */
enum wellue_found {
  /* No frame begins here, or a damaged one. */
  WELLUE_NOISE = 0,
  /* A frame may begin here, and there is not all of it. */
  WELLUE_PART = 1,
  WELLUE_FRAME = 2,
};

/* CRC-8 with the polynomial 07, from 0, not reflected. */
uint8_t wellue_crc(const uint8_t *bytes, uint64_t n);

/* Looks at the beginning of the bytes; *out is set for WELLUE_FRAME and borrows from them. */
enum wellue_found wellue_find(const uint8_t *bytes, uint64_t n, uint8_t lead, wellue_frame *out);

/* Writes a request into out, which has room for n_payload and the overhead; how long it is. */
uint64_t wellue_write(uint8_t lead, uint8_t code, const uint8_t *payload, uint8_t n_payload, uint8_t *out);

/* Bytes of notifications that have come and are no whole frame yet. Two values fit: one in which the frame before ends, and what
 * is left of the one before it. */
typedef struct wellue_stream {
  uint16_t n;
  uint8_t bytes[WELLUE_FRAME_MAX + WELLUE_VALUE_MAX];
} wellue_stream;

/* Appends a notification: MH_OK, or MH_E_PROTOCOL for one that is too long, which is forgotten with all before it. */
int32_t wellue_append(wellue_stream *stream, mh_bytes value);

/* Hands out the next whole frame, copied into `frame`, which has WELLUE_FRAME_MAX bytes, and takes it out of the stream. 0: there
 * is none. Noise in front of it is dropped and counted. */
int wellue_next(wellue_stream *stream, uint8_t lead, uint8_t *frame, wellue_frame *out, uint32_t *n_noise);

#endif
