/* What the bytes of an input stand for. Inputs are whole in themselves: a corpus is good for every version of a driver.
 *
 *   input    = options (1 byte) [facts] (values | session)
 *   facts    = if FUZZ_FACTS: count (1 byte, of 4) parameters of name (2) value (2); text: manufacturer, model, name;
 *              count (1 byte, of 4) keys: text name, text value
 *   values   = { slice flags (1) characteristic (2) text }            decode, one after the other
 *   session  = { opcode (1) operands }                                see session.c
 *   text     = length (1 byte) bytes; what is missing at the end of an input is zero
 *
 * Of a driver that reads exports and no meter:
 *   input    = options (1 byte) file                                  the file is all of the rest
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../bench/bench_internal.h"
#include "../bench/include/bench_import.h"

#define FUZZ_SESSION 0x01u
#define FUZZ_SMALL_ROOM 0x02u
/* Two bits: read, passive, pair, clock. */
#define FUZZ_PURPOSE_SHIFT 2
#define FUZZ_ENCRYPTED 0x10u
#define FUZZ_FACTS 0x20u
#define FUZZ_NO_TRUST 0x40u
#define FUZZ_TWICE 0x80u

/* Of files; FUZZ_SMALL_ROOM and FUZZ_TWICE stand for the same as above. */
#define FUZZ_GONE 0x01u
#define FUZZ_UNREADABLE 0x04u
/* Three bits: one of the sizes of import.c. */
#define FUZZ_CHUNK_SHIFT 3

#define FUZZ_VALUES_MAX 64u
#define FUZZ_PARAMS_MAX 4u

typedef struct fuzz_input {
  const uint8_t *p;
  size_t n;
  size_t at;
} fuzz_input;

/* What an opening points to. */
typedef struct fuzz_facts {
  mh_param params[FUZZ_PARAMS_MAX];
} fuzz_facts;

int fuzz_has_more(const fuzz_input *from);
uint8_t fuzz_byte(fuzz_input *from);
uint16_t fuzz_u16(fuzz_input *from);
mh_bytes fuzz_bytes(fuzz_input *from);

/* Sets the facts of the bench's sessions; `facts` must live as long as they do. */
void fuzz_open_facts(bench *bench, fuzz_facts *facts, uint8_t options, fuzz_input *from);
/* Plays sessions until the input ends; a number made of everything that the driver put out. */
uint64_t fuzz_session(bench *bench, uint8_t options, fuzz_input *from);
/* Reads a file; a number made of everything that the driver put out. */
uint64_t fuzz_import(const mh_import *driver, uint8_t options, fuzz_input *from);

extern const mh_crypto fuzz_crypto;

#endif
