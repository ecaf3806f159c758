/* What the decoder is compared with: the raw call of the contract, a decoder written by hand in C, and a bare
 * socket. Opaque on purpose: the contract's types stay on the C side. */
#ifndef CREFERENCE_H
#define CREFERENCE_H

#include <stdint.h>

/* Values to decode and the caller's arrays for what comes out of them; as large as the host's own. */
typedef struct bench_batch bench_batch;

/* `lengths` holds `count` lengths of values that lie one behind the other in `arena`; they are copied. NULL: no memory. */
bench_batch *bench_batch_make(const uint8_t *arena, const uint32_t *lengths, uint32_t count);
void bench_batch_free(bench_batch *batch);

/* Loads a bundle and keeps its first driver's decode function; the words say why it failed, NULL when it did not. */
const char *bench_load_bundle(const char *path);

/* Decode the whole batch: with the loaded bundle's function, and with the one that is written by hand. 0: all done. */
int32_t bench_decode_bundle(bench_batch *batch);
int32_t bench_decode_by_hand(bench_batch *batch);

/* How many records the last decode of this batch put out. */
uint64_t bench_batch_records(const bench_batch *batch);
/* NULL when both hold the same statuses, records, values and identity bytes, else which of them differs. */
const char *bench_batch_difference(const bench_batch *one, const bench_batch *other);

/* A process of our own that sends back whatever 64 bytes it gets. */
typedef struct bench_echo {
  int32_t socket;
  int32_t process;
} bench_echo;

int32_t bench_echo_start(bench_echo *out);
int32_t bench_echo_round(const bench_echo *echo);
void bench_echo_stop(const bench_echo *echo);

#endif
