#define _GNU_SOURCE
#include "sandbox.h"

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Never raises what somebody has lowered already. */
static int limit(int resource, uint64_t most) {
  struct rlimit before;
  if (getrlimit(resource, &before) < 0) return -errno;
  if (before.rlim_max != RLIM_INFINITY && before.rlim_max < most) most = before.rlim_max;
  struct rlimit both = {most, most};
  return setrlimit(resource, &both) < 0 ? -errno : 0;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

int clinux_limit_memory(uint64_t most, uint64_t mapped, uint64_t readable) {
  int error = limit(RLIMIT_DATA, most);
#ifndef SANITIZED
  if (!error) error = limit(RLIMIT_AS, mapped + most + CLINUX_MOST_STACK + readable);
#else
  (void)mapped, (void)readable;
#endif
  return error;
}

int clinux_give_up_rights(uint32_t descriptors) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
  int error = clinux_keep_memory_private();
  if (!error) error = limit(RLIMIT_FSIZE, 0);
  if (!error) error = limit(RLIMIT_NOFILE, descriptors);
  if (!error) error = limit(RLIMIT_MSGQUEUE, 0);
  if (!error) error = limit(RLIMIT_STACK, CLINUX_MOST_STACK);
  return error;
}

int clinux_outlive_requests(void) {
  static const int requests[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  struct sigaction action = {.sa_handler = SIG_IGN};
  for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++)
    if (sigaction(requests[i], &action, NULL) < 0) return -errno;
  return 0;
}

/* The kernel's struct as of version 6; older kernels take its beginning. */
struct ruleset {
  uint64_t files, ports, scopes;
};

static uint64_t file_rights(int version) {
  int bits = version < 2 ? 13 : version < 3 ? 14 : version < 5 ? 15 : 16;
  return (1ULL << bits) - 1;
}

static int allow_reading(int ruleset, const char *path) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return errno == ENOENT ? 0 : -errno;
  struct stat kind;
  struct landlock_path_beneath_attr rule = {LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE, place};
  int error = fstat(place, &kind) < 0 ? -errno : 0;
  if (!error && S_ISDIR(kind.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (!error && syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0) error = -errno;
  close(place);
  return error;
}

int clinux_landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? -errno : (int)version;
}

int clinux_lock_files(const char *const readable[], int count) {
  int version = clinux_landlock_version();
  if (version < 1) return -EOPNOTSUPP;
  struct ruleset rules = {file_rights(version), version < 4 ? 0 : 3, version < 6 ? 0 : 3};
  size_t size = version < 4 ? 8 : version < 6 ? 16 : sizeof rules;
  int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (ruleset < 0) return -errno;
  int error = 0;
  for (int i = 0; i < count && !error; i++) error = allow_reading(ruleset, readable[i]);
  if (!error && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) error = -errno;
  if (!error && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0) error = -errno;
  close(ruleset);
  return error ? error : version;
}
