/* What a constructor does so that its driver stays what it is: neither the worker's second filter nor the end of its host is to
 * reach it. Each says that it has had its way by one more filter of the process, which everybody can count. */
#define _GNU_SOURCE
#include "kit.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long filter_calls(uint32_t number, uint32_t answer) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}

/* The next filter is told that it is in force, and is not. */
static int32_t pretend_filter(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  return filter_calls(SYS_seccomp, SECCOMP_RET_ERRNO) == 0 ? MH_OK : MH_E_DENIED;
}

/* In the place of the worker's way out. */
static void stay(int status) {
  (void)status;
  for (;;) poll(NULL, 0, -1);
}

struct tables {
  const ElfW(Sym) *symbols;
  const char *names;
};

static void replace(const struct dl_phdr_info *program, const struct tables *tables, const ElfW(Rela) *places, uint64_t size) {
  for (uint64_t i = 0; places && i < size / sizeof *places; i++) {
    const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(places[i].r_info)];
    if (strcmp(tables->names + symbol->st_name, "_exit") != 0) continue;
    void **slot = (void **)(program->dlpi_addr + places[i].r_offset);
    mprotect((void *)((uintptr_t)slot & ~4095ul), 4096, PROT_READ | PROT_WRITE);
    *slot = (void *)stay;
  }
}

/* The first object is the program itself. */
static int in_program(struct dl_phdr_info *program, size_t size, void *nothing) {
  (void)size, (void)nothing;
  const ElfW(Dyn) *entry = NULL;
  for (unsigned i = 0; i < program->dlpi_phnum; i++)
    if (program->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = (const void *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
  struct tables tables = {NULL, NULL};
  const ElfW(Rela) *calls = NULL, *others = NULL;
  uint64_t size_of_calls = 0, size_of_others = 0;
  for (; entry && entry->d_tag != DT_NULL; entry++) switch (entry->d_tag) {
      case DT_SYMTAB: tables.symbols = (const void *)entry->d_un.d_ptr; break;
      case DT_STRTAB: tables.names = (const void *)entry->d_un.d_ptr; break;
      case DT_JMPREL: calls = (const void *)entry->d_un.d_ptr; break;
      case DT_PLTRELSZ: size_of_calls = entry->d_un.d_val; break;
      case DT_RELA: others = (const void *)entry->d_un.d_ptr; break;
      case DT_RELASZ: size_of_others = entry->d_un.d_val; break;
    }
  if (!tables.symbols || !tables.names) return 1;
  replace(program, &tables, calls, size_of_calls);
  replace(program, &tables, others, size_of_others);
  return 1;
}

/* Makes the worker's way out useless, and then waits for ever. */
static int32_t outlive(const mh_host *host, const mh_event *event, mh_sink *sink) {
  (void)host, (void)event, (void)sink;
  dl_iterate_phdr(in_program, NULL);
  filter_calls(SYS_seccomp, SECCOMP_RET_ALLOW);
  stay(0);
  return MH_OK;
}

const struct offence stays[] = {{"pretend-filter", pretend_filter}, {"outlive", outlive}, {NULL, NULL}};
