/* Calls a C function whose parameters are known at run time only. libffi's types are globals that Swift 6 refuses, so
 * they stay in here. */
#ifndef CFFI_H
#define CFFI_H

#include <stdint.h>

/* The most parameters of a C function: two for each buffer of a signature. */
#define CFFI_MOST 64u

/* What a parameter is in C. */
#define CFFI_INT32 0u
#define CFFI_UINT32 1u
#define CFFI_INT64 2u
#define CFFI_UINT64 3u
#define CFFI_DOUBLE 4u
#define CFFI_POINTER 5u
/* struct { const void *p; uint64_t n; } by value: mh_str and mh_bytes. */
#define CFFI_SLICE 6u

/* One parameter. `first` holds its bits, least significant first; of a slice the address, with its length in `second`. */
typedef struct cffi_parameter {
  uint64_t first;
  uint64_t second;
  uint32_t kind;
  uint32_t reserved;
} cffi_parameter;

/* Calls `function`, which returns int32_t. Returns 0, or -1 without a call when a kind is unknown or there are too many
 * parameters. */
int32_t cffi_call(void (*function)(void), cffi_parameter *parameters, uint32_t count, int32_t *result);

#endif
