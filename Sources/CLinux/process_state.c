#define _GNU_SOURCE
#include "process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <link.h>
#include <locale.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_descriptors = 256 };

int clinux_open_process_status(void) {
  int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  return status < 0 ? -errno : status;
}

int clinux_open_memory_status(void) {
  int status = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  return status < 0 ? -errno : status;
}

int64_t clinux_mapped_bytes(int status) {
  char text[128];
  ssize_t count = pread(status, text, sizeof text - 1, 0);
  if (count <= 0) return count < 0 ? -errno : -EIO;
  text[count] = 0;
  return (int64_t)strtoull(text, NULL, 10) * sysconf(_SC_PAGESIZE);
}

static uint32_t thread_count(int status) {
  char text[4096];
  if (status < 0 || lseek(status, 0, SEEK_SET) < 0) return 0;
  ssize_t count = read(status, text, sizeof text - 1);
  if (count <= 0) return 0;
  text[count] = 0;
  const char *line = strstr(text, "\nThreads:");
  return line ? (uint32_t)strtoul(line + sizeof "\nThreads:" - 1, NULL, 10) : 0;
}

static uint64_t environment_print(void) {
  uint64_t print = 0xcbf29ce484222325u;
  for (char **entry = environ; entry && *entry; entry++)
    for (const char *at = *entry;; at++) {
      print = (print ^ (unsigned char)*at) * 0x100000001b3u;
      if (!*at) break;
    }
  return print;
}

uint64_t clinux_heap_in_use(void) {
  struct mallinfo2 heap = mallinfo2();
  return (uint64_t)heap.uordblks + (uint64_t)heap.hblkhd;
}

int clinux_return_free_memory(uint64_t least) { return (uint64_t)mallinfo2().fordblks >= least ? malloc_trim(0) : 0; }

/* Whether the loader has written into code, which would be lost with its pages. */
static int has_written_code(const struct dl_phdr_info *object) {
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[index];
    if (part->p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + part->p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL))) return 1;
  }
  return 0;
}

/* The first object is the program itself, and the walk ends with it. */
static int unmap_unwritten(struct dl_phdr_info *object, size_t size, void *bytes) {
  (void)size;
  if (has_written_code(object)) return 1;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[index];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
    /* Whole pages: what lies in one with something else stays. */
    uintptr_t begin = (object->dlpi_addr + part->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_filesz) & ~(page - 1);
    if (end > begin && madvise((void *)begin, end - begin, MADV_DONTNEED) == 0) *(uint64_t *)bytes += end - begin;
  }
  return 1;
}

uint64_t clinux_return_program_text(void) {
  uint64_t bytes = 0;
  dl_iterate_phdr(unmap_unwritten, &bytes);
  return bytes;
}

int clinux_keep_little_memory(int arenas) {
  const int large = 1 << 20;
  return mallopt(M_MMAP_THRESHOLD, large) && mallopt(M_TRIM_THRESHOLD, large) && mallopt(M_ARENA_MAX, arenas);
}

void clinux_look_at_process(int status, clinux_process_state *state) {
  memset(state, 0, sizeof *state);
  state->heap = clinux_heap_in_use();
  state->environment = environment_print();
  state->threads = thread_count(status);
  state->rounding = fegetround();
  struct stat kind;
  for (int descriptor = 0; descriptor < most_descriptors; descriptor++)
    if (fstat(descriptor, &kind) == 0) state->descriptors++;
  const char *locale = setlocale(LC_ALL, NULL);
  if (locale) strncpy(state->locale, locale, sizeof state->locale - 1);
}
