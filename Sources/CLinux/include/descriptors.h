/* How many descriptors this process may have open. */
#ifndef CLINUX_DESCRIPTORS_H
#define CLINUX_DESCRIPTORS_H

#include <stdint.h>
#include <sys/types.h>

/* Raises the limit of this process to what it may, at most to `most`. Children are given the limit of before: see
 * clinux_restore_descriptors. Returns 0 or -errno. */
int clinux_raise_descriptors(uint64_t most);

/* Gives a child of this process the limit that there was before it was raised; its programs may use select(2), whose sets have room for
 * 1024. Returns 0, also when nothing was raised, or -errno. */
int clinux_restore_descriptors(pid_t child);

/* The limit now; 0 when it cannot be told. */
uint64_t clinux_descriptor_limit(void);

/* The number that the next descriptor will have, or -errno: -EMFILE when there is none left. */
int clinux_next_descriptor(void);

/* Where 0, 1 or 2 is closed, something is opened that cannot be used as a standard stream: else the next socket or file would be
 * one, and what is printed would go there. Comes before anything is opened. */
void clinux_hold_standard_streams(void);

/* Whether a descriptor is known to take nothing: it is closed or was not opened to be written, or nobody is left to read. Returns
 * 0 or -errno; 0 also where that comes out only with a write. */
int clinux_cannot_write(int descriptor);

#endif
