/* Finds packets in what comes: they may be cut anywhere, and several may come at once. */
#ifndef FINGER_OXIMETER_SPLITTER_H
#define FINGER_OXIMETER_SPLITTER_H

#include "model.h"

/* Room for a whole packet and the byte behind it, and for something to go on with. */
#define FO_SPLITTER_ROOM 64u

typedef struct fo_splitter {
  uint8_t bytes[FO_SPLITTER_ROOM];
  uint32_t n;
} fo_splitter;

/* The next packet, at the splitter's start; 0 when bytes of `rest` are used up and no packet is whole. Takes from `rest`
 * what it needs. n_skipped counts the bytes that belong to none. */
uint32_t fo_splitter_next(fo_splitter *splitter, const fo_model *model, mh_bytes *rest, int is_end, uint64_t *n_skipped);

/* Done with a packet of so many bytes. */
void fo_splitter_drop(fo_splitter *splitter, uint32_t count);

#endif
