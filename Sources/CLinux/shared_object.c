#define _GNU_SOURCE
#include "shared_object.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

void *clinux_map_object(const char *path, char *why, unsigned room) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!object) {
    const char *words = dlerror();
    snprintf(why, room, "%s", words ? words : "the loader gave no reason");
  }
  return object;
}

void *clinux_symbol(void *object, const char *name, int *is_own, char *owner, unsigned room) {
  void *address = dlsym(object, name);
  *is_own = 0;
  snprintf(owner, room, "?");
  if (!address) return NULL;
  Dl_info info;
  struct link_map *definer = NULL, *own = NULL;
  if (!dladdr1(address, &info, (void **)&definer, RTLD_DL_LINKMAP) || !definer) return address;
  if (dlinfo(object, RTLD_DI_LINKMAP, &own) != 0) return address;
  *is_own = definer == own;
  snprintf(owner, room, "%s", definer->l_name ? definer->l_name : "?");
  return address;
}
