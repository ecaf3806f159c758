/* Libraries that are loaded when they are first needed: a program that does not need one does not have it installed, and does
 * not wait for what it brings along. */
#ifndef CLINUX_LATE_LIBRARY_H
#define CLINUX_LATE_LIBRARY_H

#include <pthread.h>
#include <stddef.h>

/* A function of the library and where its address goes. */
typedef struct clinux_late_function {
  const char *name;
  void **address;
} clinux_late_function;

typedef struct clinux_late_library {
  /* Its file, such as libcurl.so.4. */
  const char *file;
  const clinux_late_function *functions;
  size_t n_functions;
  /* Called once, with the loaded object, when all functions have their addresses: NULL when the library can be used,
   * otherwise what is wrong with it. May be NULL. */
  const char *(*ready)(void *object);
  pthread_mutex_t mutex;
  int is_loaded;
} clinux_late_library;

/* A library whose functions are an array of clinux_late_function. */
#define CLINUX_LATE_LIBRARY(file, functions, ready)                                                                    \
  {file, functions, sizeof(functions) / sizeof *(functions), ready, PTHREAD_MUTEX_INITIALIZER, 0}

/* Loads the library unless that was done; NULL when it can be used, otherwise what is wrong with it (valid until this
 * thread's next call). Any thread may call it. */
const char *clinux_load_library(clinux_late_library *library);

#endif
