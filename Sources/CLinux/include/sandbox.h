/* What a process gives up for good before it runs code that it does not trust. */
#ifndef CLINUX_SANDBOX_H
#define CLINUX_SANDBOX_H

#include <stdint.h>

/* Bytes of a stack. */
enum { CLINUX_MOST_STACK = 8 << 20 };

/* No privileges by exec, no core dumps, no tracing by others, no files written, at most so many open descriptors. Returns 0
 * or -errno. */
int clinux_give_up_rights(uint32_t descriptors);

/* SIGTERM, SIGINT, SIGHUP and SIGQUIT no longer end this process: whoever stops a whole service means its host, and this one
 * goes with it. Returns 0 or -errno. */
int clinux_outlive_requests(void);

/* The most bytes of private memory from now on. Memory that is not private to write does not count as such, and neither do
 * the kernel's tables of pages: `mapped` bytes are mapped already (clinux_mapped_bytes), `readable` more may be mapped to read,
 * and no address beyond both and a stack can be had. A build with a sanitizer, whose own map is as large as the machine's,
 * has the first limit only. Returns 0 or -errno. */
int clinux_limit_memory(uint64_t most, uint64_t mapped, uint64_t readable);

/* The version of Landlock that the kernel offers (landlock(7)), or -errno: -ENOSYS, it has none; -EOPNOTSUPP, it is switched
 * off. Changes nothing. */
int clinux_landlock_version(void);

/* Whether the kernel can filter system calls (seccomp(2)): 1, 0 or -errno. Changes nothing. */
int clinux_can_filter_calls(void);

/* Files below `readable` may be read and mapped (`count` paths, those that are not there are left out), and nothing else of the
 * file system may be touched; where the kernel knows how, no TCP port may be used and no abstract socket reached. Returns
 * the version of Landlock that the kernel has, -EOPNOTSUPP where it has none or it is switched off, or another -errno. */
int clinux_lock_files(const char *const readable[], int count);

/* How much of the kernel is left. */
enum {
  /* One object may be loaded, the offered one: its code is mapped and runs, and no other memory can be made executable. No file
   * can be named any more: what it needs is there already (clinux_load_needed). Comes first. */
  CLINUX_CALLS_LOADING = 1,
  /* What is mapped runs: memory, clocks, and descriptors that are open. What was loaded under the first filter and is hostile
   * can keep this one away. */
  CLINUX_CALLS_SERVING = 2
};

/* Any other system call ends this process: it says its number on standard error as `forbidden system call N` and exits with
 * CLINUX_FORBIDDEN_CALL. A later call can only take more away. Returns 0 or -errno. */
int clinux_filter_calls(int left);

#define CLINUX_FORBIDDEN_CALL 159

/* Under the filter of loading the next opening of a file, whatever its name, opens this descriptor: the loader's, which then
 * closes it. */
void clinux_offer_object(int descriptor);

/* "openat" for its number on this machine; NULL for those that nobody needs the name of. */
const char *clinux_call_name(int number);

#endif
