#include "late_library.h"

#include <dlfcn.h>
#include <stdio.h>

static const char *load(const clinux_late_library *library) {
  void *object = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (object == NULL) return dlerror();
  for (size_t i = 0; i < library->n_functions; i++)
    if ((*library->functions[i].address = dlsym(object, library->functions[i].name)) == NULL) return dlerror();
  return library->ready == NULL ? NULL : library->ready(object);
}

const char *clinux_load_library(clinux_late_library *library) {
  static _Thread_local char problem[256];
  const char *reason = NULL;
  pthread_mutex_lock(&library->mutex);
  if (!library->is_loaded) {
    reason = load(library);
    library->is_loaded = reason == NULL;
    if (reason != NULL) snprintf(problem, sizeof problem, "%s", reason);
  }
  pthread_mutex_unlock(&library->mutex);
  return reason == NULL ? NULL : problem;
}
