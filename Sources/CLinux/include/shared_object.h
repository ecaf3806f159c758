/* Shared objects that are mapped once and never unmapped: drivers. Libraries of the system are those of late_library.h. */
#ifndef CLINUX_SHARED_OBJECT_H
#define CLINUX_SHARED_OBJECT_H

/* Maps the libraries that an object in an open file needs, so that the loader looks for none when it maps the object itself,
 * and none of the object's own code has run when they are there. Returns 0, or -1 with the loader's words in why. */
int clinux_load_needed(int object, char *why, unsigned room);

/* RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE. On NULL the loader's words (at most `room` bytes, terminated) are in why. */
void *clinux_map_object(const char *path, char *why, unsigned room);

/* The address of a symbol and whether this very object defines it. *is_own 0: a library that it depends on does, and
 * `owner` holds that library's name. NULL: nobody defines it. */
void *clinux_symbol(void *object, const char *name, int *is_own, char *owner, unsigned room);

#endif
