/* Finds the one file of a source that a reader wants by what is in it, and reads it into a window: an entry of an archive,
 * whatever its name, or the bare file itself. Needs no more memory for a longer file. */
#ifndef METERHOST_IMPORT_CONTENT_H
#define METERHOST_IMPORT_CONTENT_H

#include "archive.h"
#include "window.h"

/* How much of a file is looked at to know it. The window has at least so much room. */
#define MH_CONTENT_HEAD 65536u
/* What is inflated in an event before it is broken off. */
#define MH_CONTENT_EVENT_BYTES (8u << 20)
/* The largest entries of an archive; others are not looked at. */
#define MH_CONTENT_CANDIDATES 1024u

typedef enum mh_content_step {
  /* The source says which bytes are needed. */
  MH_CONTENT_PULL,
  /* The window has more than before, or is full. */
  MH_CONTENT_MORE,
  /* As MH_CONTENT_PULL, and the event has inflated enough. */
  MH_CONTENT_REST,
  MH_CONTENT_END,
  MH_CONTENT_FAILED,
} mh_content_step;

/* Why there is nothing to read. */
typedef enum mh_content_failure {
  MH_CONTENT_EMPTY = 1,
  MH_CONTENT_NOTHING,
  MH_CONTENT_ENCRYPTED,
  MH_CONTENT_METHOD,
  MH_CONTENT_MEMORY
} mh_content_failure;

typedef struct mh_candidate {
  mh_entry entry;
  /* The more of these, the earlier it is looked at. */
  uint64_t rank;
} mh_candidate;

typedef struct mh_content {
  uint8_t phase;
  /* The check sum or length is wrong, or it cannot be inflated on; it ends before its end, or the directory is missing. */
  uint8_t is_damaged, is_cut;
  uint8_t has_last, is_probing, has_encrypted, has_unknown_method, has_lost;
  mh_content_failure failure;
  int (*is_wanted)(const uint8_t *p, size_t n);
  mh_source source;
  mh_archive archive;
  mh_opened opened;
  mh_candidate candidates[MH_CONTENT_CANDIDATES], last;
  uint32_t n_candidates;
  /* The candidate that is looked at, the one that is wanted, how many were looked at behind it. */
  uint32_t probe, chosen, after;
  /* Other files of the archive that are wanted as well and were not read, and where one is. */
  uint32_t others;
  uint64_t other_place;
  /* The first bytes of the candidate. */
  uint32_t n_head;
  uint8_t head[MH_CONTENT_HEAD];
} mh_content;

/* `is_wanted` looks at the first bytes of a file, at most MH_CONTENT_HEAD. NULL: no memory. */
mh_content *mh_content_open(uint64_t size, int (*is_wanted)(const uint8_t *p, size_t n));
void mh_content_close(mh_content *content);
mh_content_step mh_content_next(mh_content *content, mh_window *window);
/* Breaks the event off; the source says what to pull to go on. */
void mh_content_rest(mh_content *content);
/* Whether what the window holds is the file that is wanted, and not yet one that is looked at. */
int mh_content_is_reading(const mh_content *content);

#endif
