/* What a driver must leave as it was: the state of the process around it. */
#ifndef CLINUX_PROCESS_STATE_H
#define CLINUX_PROCESS_STATE_H

#include <stdint.h>

typedef struct clinux_process_state {
  /* Bytes that malloc has handed out and nobody has given back. */
  uint64_t heap;
  /* A fingerprint of the environment. */
  uint64_t environment;
  /* How many descriptors are open, and threads run; 0: not known. */
  uint32_t descriptors;
  uint32_t threads;
  /* fegetround(3). */
  int32_t rounding;
  char locale[128];
} clinux_process_state;

/* A descriptor to look at this process with, open before files are out of reach. Returns it or -errno. */
int clinux_open_process_status(void);

/* A descriptor to ask for the size of this process with, open before files are out of reach. Returns it or -errno. */
int clinux_open_memory_status(void);

/* How many bytes of addresses this process has mapped, whatever lies behind them. Returns them or -errno. */
int64_t clinux_mapped_bytes(int status);

/* Fills the state. `status` may be negative: threads are not counted then. */
void clinux_look_at_process(int status, clinux_process_state *state);

/* Bytes that malloc has handed out and nobody has given back. */
uint64_t clinux_heap_in_use(void);

/* Gives free memory of malloc's back to the system, wherever it lies, when there is at least so much of it. Returns 1 when
 * some was given back. */
int clinux_return_free_memory(uint64_t least);

/* Lets go of the pages of the program's own file that nobody writes: code and constants. What is used is mapped again from the
 * system's cache, without the disk as long as the cache has it; what served the start alone is not counted as this process's any more.
 * Returns how many bytes of addresses it told the system of. */
uint64_t clinux_return_program_text(void);

/* Has malloc keep little of what is freed: large pieces are mapped and unmapped one by one, however large the last one was, and
 * threads share `arenas` heaps. Comes first: it tells only what is allocated later. Returns 1, or 0 where malloc knows no such settings. */
int clinux_keep_little_memory(int arenas);

#endif
