/* Shared objects that are mapped once and never unmapped: drivers. Libraries of the system are those of late_library.h. */
#ifndef CLINUX_SHARED_OBJECT_H
#define CLINUX_SHARED_OBJECT_H

/* RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE. On NULL the loader's words (at most `room` bytes, terminated) are in why. */
void *clinux_map_object(const char *path, char *why, unsigned room);

/* The address of a symbol and whether this very object defines it. *is_own 0: a library that it depends on does, and
 * `owner` holds that library's name. NULL: nobody defines it. */
void *clinux_symbol(void *object, const char *name, int *is_own, char *owner, unsigned room);

#endif
