#define _GNU_SOURCE
#include "shared_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* A file of an ELF64 object, as it lies there. */
struct object_file {
  const unsigned char *bytes;
  uint64_t size;
};

static const void *part(const struct object_file *file, uint64_t start, uint64_t size) {
  return start <= file->size && size <= file->size - start ? file->bytes + start : NULL;
}

static const Elf64_Phdr *segment(const struct object_file *file, unsigned index) {
  const Elf64_Ehdr *head = part(file, 0, sizeof *head);
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || index >= head->e_phnum || head->e_phoff % 8 != 0) return NULL;
  return part(file, head->e_phoff + (uint64_t)index * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
}

/* Where a text of an address lies in the file; NULL: nowhere, or without an end. Of segments that overlap the last one wins, as in
 * the loader. */
static const char *text(const struct object_file *file, uint64_t address) {
  const Elf64_Phdr *at;
  const char *result = NULL;
  for (unsigned index = 0; (at = segment(file, index)) != NULL; index++) {
    if (at->p_type != PT_LOAD || address < at->p_vaddr || address - at->p_vaddr >= at->p_filesz) continue;
    uint64_t start = at->p_offset + (address - at->p_vaddr);
    const char *found = part(file, start, 1);
    result = found && memchr(found, 0, file->size - start) ? found : NULL;
  }
  return result;
}

static const Elf64_Dyn *dynamic(const struct object_file *file, uint64_t *count) {
  const Elf64_Phdr *at;
  for (unsigned index = 0; (at = segment(file, index)) != NULL; index++) {
    if (at->p_type != PT_DYNAMIC || at->p_offset % 8 != 0) continue;
    *count = at->p_filesz / sizeof(Elf64_Dyn);
    return part(file, at->p_offset, at->p_filesz);
  }
  return NULL;
}

static int load_needed(const struct object_file *file, char *why, unsigned room) {
  uint64_t count = 0, strings = 0;
  const Elf64_Dyn *entries = dynamic(file, &count);
  /* What stands behind the end of the table nobody reads, the verifier and the loader neither. */
  for (uint64_t i = 0; entries && i < count && entries[i].d_tag != DT_NULL; i++)
    if (entries[i].d_tag == DT_STRTAB) strings = entries[i].d_un.d_ptr;
  for (uint64_t i = 0; entries && i < count && entries[i].d_tag != DT_NULL; i++) {
    const char *name = entries[i].d_tag == DT_NEEDED ? text(file, strings + entries[i].d_un.d_val) : NULL;
    /* A path is no system library: it may be the bundle itself, whose first instruction is to run confined. */
    if (!name || strchr(name, '/') || dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) continue;
    const char *words = dlerror();
    snprintf(why, room, "%s", words ? words : "the loader gave no reason");
    return -1;
  }
  return 0;
}

int clinux_load_needed(int object, char *why, unsigned room) {
  struct stat facts;
  if (fstat(object, &facts) < 0 || facts.st_size <= 0) return 0;
  struct object_file file = {mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, object, 0), (uint64_t)facts.st_size};
  /* What is no object at all, the loader says better. */
  if (file.bytes == MAP_FAILED) return 0;
  int result = load_needed(&file, why, room);
  munmap((void *)file.bytes, file.size);
  return result;
}

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
