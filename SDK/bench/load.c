/* Finding a driver: in a file, or linked into the test. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_internal.h"

const mh_driver *bench_find(bench_entry entry, uint32_t index) {
  const mh_driver *driver = NULL;
  mh_str why_not = {NULL, 0};
  int32_t status = entry(&bench_host, index, &driver, &why_not);
  if (status == MH_OK && driver != NULL && driver->struct_size >= sizeof(mh_driver) && driver->bluetooth != NULL &&
      driver->abi_major == MH_ABI_MAJOR)
    return driver;
  if (status == MH_REFUSED && why_not.n != 0)
    fprintf(stderr, "bench: the bundle refuses: %.*s\n", (int)why_not.n, why_not.p);
  else
    fprintf(stderr, "bench: the bundle has no driver %u of contract %s (status %d)\n", index, MH_ABI_TEXT, status);
  exit(70);
}

const mh_driver *bench_load(const char *library, uint32_t index) {
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
  return bench_find(symbol.function, index);
}
