/* Readings without a time have no name by which they would be known again: what of the memory was handed over is kept, and
 * compared. */
#ifndef MICROLIFE_UNTIMED_H
#define MICROLIFE_UNTIMED_H

#include "reading.h"

/* How many of the memory's readings without a time were handed over by an earlier session; keeps those of this one with the unit
 * of the event. The oldest fall out of the memory's front, so what was kept is looked for at the end of what was there. */
uint32_t microlife_untimed_known(const mh_host *host, uint64_t peer, const microlife_memory *memory, int no_clock);

#endif
