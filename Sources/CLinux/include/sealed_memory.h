/* Memory files that nobody can change any more. */
#ifndef CLINUX_SEALED_MEMORY_H
#define CLINUX_SEALED_MEMORY_H

#include <stdint.h>

/* A new memory file, closed on exec, that can be sealed. Returns the descriptor or -errno. */
int clinux_memory_file(const char *name);

/* Forbids writing, growing, shrinking and further seals. Returns 0 or -errno. */
int clinux_seal(int descriptor);

/* Whether all of these seals are in place: 1, 0 or -errno. */
int clinux_is_sealed(int descriptor);

#endif
