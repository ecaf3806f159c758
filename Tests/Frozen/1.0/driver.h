/* A driver that uses all that the contract offers: every table, service, event, action, flag and field. A copy of it is
 * kept beside the headers of every frozen version, and today's host must run each copy as it ran the first (rule R4).
 *
 * Its meter speaks packets of 12 bytes, numbers little-endian: flags (2), sequence (2), seconds since 1970 (4), mantissa
 * (2), exponent (1), user (1). Flags: bit 0 has a note, 1 control solution, 2 provisional, 3 clock suspect, 4 held, 5
 * tombstone, 6 names its user, 7 rounded, 8 and 9 the qualifier, 10 and 11 the kind of time, 12 and 13 the class of the
 * identity, 14 context of a reading. Two bytes instead: so many packets at once. One byte: the event fails with it. */
#ifndef FROZEN_DRIVER_H
#define FROZEN_DRIVER_H

#include <meterhost/driver.h>
#include <string.h>

#define PACKET 12u
#define CHARACTERISTIC 0x2a18u
/* The service whose data the meter puts into advertisements. */
#define SERVICE 0x181du
/* decode asks the host for something, which it may not. */
#define FORBIDDEN 0x2a1bu
#define NUMBERS 24u
#define FACTS 4u

/* A protocol fact for the test: numbers, and a text when there is one. */
typedef struct fact {
  int64_t numbers[NUMBERS];
  char text[128];
  uint16_t n;
  uint16_t text_n;
} fact;

struct mh_session {
  const mh_host *host;
  uint64_t peer;
  /* What the event has to tell yet: facts, and packets of a flood. */
  fact facts[FACTS];
  uint32_t n_facts;
  uint32_t next;
  uint64_t left;
  fact opening;
  uint16_t handle;
};

static inline mh_str words(const char *text) { return (mh_str){text, strlen(text)}; }
static inline mh_bytes bytes(const void *p, uint64_t n) { return (mh_bytes){p, n}; }
static inline uint16_t u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t u32(const uint8_t *p) { return u16(p) | (uint32_t)u16(p + 2) << 16; }

/* driver_output.c. The sink is unchanged unless they are MH_OK. */
int32_t put_fact(const fact *fact, mh_sink *sink);
int32_t put_packet(mh_bytes packet, int64_t arrival, uint32_t group, unsigned notes, mh_sink *sink);
int32_t put_serial_number(mh_bytes text, mh_sink *sink);
int32_t decode(const mh_open *opening, mh_bytes arena, mh_slice *slices, uint64_t n, mh_sink *sink, uint64_t *n_done);

/* driver_services.c: every service of the host, with what it answered. */
void use_host(const mh_session *session, fact *out);
void use_crypto(const mh_session *session, fact *out);

#endif
