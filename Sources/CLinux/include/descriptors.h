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

#endif
