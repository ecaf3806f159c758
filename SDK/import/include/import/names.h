/* Names of samples' types, sources, units and keys, each once, with the indices that samples have. */
#ifndef METERHOST_IMPORT_NAMES_H
#define METERHOST_IMPORT_NAMES_H

#include <meterhost/draft/import.h>

/* Names of a kind that are told apart; all others of that kind share one more, `other`. */
#define MH_NAMES_TYPES_MAX 1024u
#define MH_NAMES_SOURCES_MAX 4096u
#define MH_NAMES_UNITS_MAX 512u
#define MH_NAMES_KEYS_MAX 1024u
/* Bytes of all names of a kind; what comes later is `other`. */
#define MH_NAMES_POOL_MAX (4u << 20)

/* What makes a name another one: everything but its rank. */
typedef struct mh_named {
  mh_str text, key, detail;
  uint32_t flags, rank;
  uint16_t quantity;
} mh_named;

typedef struct mh_names_entry {
  uint32_t hash;
  uint32_t at;
  uint16_t text, key, detail;
  uint16_t quantity;
  uint32_t flags, rank;
} mh_names_entry;

/* The names of one kind, numbered from 0 in the order in which they were met. */
typedef struct mh_names {
  uint16_t kind;
  /* A name became `other`. */
  uint16_t is_over;
  uint32_t most;
  mh_names_entry *entries;
  uint32_t count, capacity;
  /* Index + 1 by hash; a power of two. */
  uint32_t *slots;
  uint32_t n_slots;
  uint8_t *pool;
  uint32_t n_pool, cap_pool;
  /* So many are out. */
  uint32_t told;
} mh_names;

void mh_names_start(mh_names *names, uint16_t kind, uint32_t most);
void mh_names_free(mh_names *names);
/* The index of a name, new or known; MH_IMPORT_NO_INDEX: no memory. Its texts are UTF-8; those that are too long are cut
 * behind a whole character, and one that is empty is `unknown`. */
uint32_t mh_names_index(mh_names *names, const mh_named *name);
/* The index of a name that is only a text and was met before, else MH_IMPORT_NO_INDEX. */
uint32_t mh_names_known(const mh_names *names, mh_str text);
/* Puts out those that are not out yet: MH_OK or MH_E_FULL. */
int32_t mh_names_tell(mh_names *names, mh_import_sink *sink);

#endif
