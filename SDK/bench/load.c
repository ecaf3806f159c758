/* Finding a driver: in a file, or linked into the test. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_internal.h"
#include "include/bench_import.h"

/* What the entry hands out for this host; NULL: no driver, and why is on standard error. */
static const mh_driver *ask_entry(bench_entry entry, uint32_t index) {
  const mh_driver *driver = NULL;
  mh_str why_not = {NULL, 0};
  int32_t status = entry(&bench_host, index, &driver, &why_not);
  if (status == MH_OK && driver != NULL && driver->struct_size >= sizeof(mh_driver) &&
      driver->abi_major == MH_ABI_MAJOR)
    return driver;
  if (status == MH_REFUSED && why_not.n != 0)
    fprintf(stderr, "bench: the bundle refuses: %.*s\n", (int)why_not.n, why_not.p);
  else
    fprintf(stderr, "bench: the bundle has no driver %u of contract %s (status %d)\n", index, MH_ABI_TEXT, status);
  return NULL;
}

static bench_entry load_entry(const char *library) {
  void *bundle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (bundle == NULL) {
    fprintf(stderr, "bench: %s\n", dlerror());
    exit(70);
  }
  union {
    void *object;
    bench_entry function;
  } symbol = {dlsym(bundle, "mh_driver_entry")};
  if (symbol.object == NULL) {
    fprintf(stderr, "bench: %s exports no mh_driver_entry\n", library);
    exit(70);
  }
  return symbol.function;
}

const mh_driver *bench_find_any(bench_entry entry, uint32_t index) {
  const mh_driver *driver = ask_entry(entry, index);
  if (driver == NULL) exit(70);
  return driver;
}

const mh_driver *bench_load_any(const char *library, uint32_t index) {
  return bench_find_any(load_entry(library), index);
}

const mh_driver *bench_find(bench_entry entry, uint32_t index) {
  const mh_driver *driver = bench_find_any(entry, index);
  if (driver->bluetooth != NULL) return driver;
  fprintf(stderr, "bench: the driver %u reads no meter\n", index);
  exit(70);
}

const mh_driver *bench_load(const char *library, uint32_t index) { return bench_find(load_entry(library), index); }

const mh_import *bench_import_of(const mh_driver *driver) {
  return driver->extension == NULL ? NULL : driver->extension(MH_EXT_IMPORT_DRAFT);
}

const mh_import *bench_import_load(const char *library, uint32_t index) {
  const mh_import *import = bench_import_of(bench_load_any(library, index));
  if (import != NULL) return import;
  fprintf(stderr, "bench: the driver %u of %s reads no exports\n", index, library);
  exit(70);
}
