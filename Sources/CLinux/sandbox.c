#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_stack = 8 << 20 };

/* Never raises what somebody has lowered already. */
static int limit(int resource, uint64_t most) {
  struct rlimit before;
  if (getrlimit(resource, &before) < 0) return -errno;
  if (before.rlim_max != RLIM_INFINITY && before.rlim_max < most) most = before.rlim_max;
  struct rlimit both = {most, most};
  return setrlimit(resource, &both) < 0 ? -errno : 0;
}

int clinux_limit_memory(uint64_t most) { return limit(RLIMIT_DATA, most); }

int clinux_give_up_rights(uint32_t descriptors) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
  int error = limit(RLIMIT_CORE, 0);
  if (!error) error = limit(RLIMIT_FSIZE, 0);
  if (!error) error = limit(RLIMIT_NOFILE, descriptors);
  if (!error) error = limit(RLIMIT_MSGQUEUE, 0);
  if (!error) error = limit(RLIMIT_STACK, most_stack);
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

/* A masked argument that has to have a value. Only its lower half is looked at: all of these are ints. */
struct condition {
  uint32_t argument, mask, value;
};

/* A system call that is left: when both conditions hold; a mask of 0 is no condition. */
struct rule {
  uint32_t number;
  struct condition conditions[2];
};

enum { OWN_PROCESS = 0x7fffffff };

/* Memory that is shared or grows like a stack would not count towards the limit. */
#define KIND_OF_MAP (MAP_TYPE | MAP_GROWSDOWN | MAP_HUGETLB)

#define ALWAYS(name) {SYS_##name, {{0, 0, 0}, {0, 0, 0}}}
#define WHEN(name, argument, mask, value) {SYS_##name, {{argument, mask, value}, {0, 0, 0}}}

static const struct rule serving[] = {
    ALWAYS(read), ALWAYS(write), ALWAYS(readv), ALWAYS(writev), ALWAYS(sendto), ALWAYS(recvfrom), ALWAYS(sendmsg),
    ALWAYS(recvmsg), ALWAYS(ppoll), ALWAYS(futex), ALWAYS(munmap), ALWAYS(mremap), ALWAYS(brk), ALWAYS(madvise),
    ALWAYS(clock_gettime), ALWAYS(clock_getres), ALWAYS(gettimeofday), ALWAYS(clock_nanosleep), ALWAYS(nanosleep),
    ALWAYS(getpid), ALWAYS(gettid), ALWAYS(getuid), ALWAYS(getrusage), ALWAYS(getrandom), ALWAYS(close), ALWAYS(fstat),
    ALWAYS(lseek), ALWAYS(sched_yield), ALWAYS(restart_syscall), ALWAYS(rt_sigreturn),
    ALWAYS(setitimer), ALWAYS(exit), ALWAYS(exit_group), ALWAYS(membarrier),
    ALWAYS(sched_getaffinity),
#ifdef SYS_poll
    ALWAYS(poll), ALWAYS(time), ALWAYS(pause),
#endif
    {SYS_mmap, {{2, PROT_EXEC, 0}, {3, KIND_OF_MAP, MAP_PRIVATE}}}, WHEN(mprotect, 2, PROT_EXEC, 0),
    /* abort(3) raises its signal in its own process. */
    {SYS_tgkill, {{0, UINT32_MAX, OWN_PROCESS}, {2, UINT32_MAX, SIGABRT}}},
};

/* What libraries ask without need: they get EPERM and go on. */
static const struct rule refused[] = {
    ALWAYS(prlimit64), ALWAYS(uname), ALWAYS(sysinfo), ALWAYS(rt_sigprocmask), ALWAYS(sigaltstack), ALWAYS(prctl),
    ALWAYS(newfstatat),
};

static const struct rule loading[] = {
    WHEN(mmap, 3, KIND_OF_MAP, MAP_PRIVATE), ALWAYS(mprotect), ALWAYS(readlinkat), ALWAYS(faccessat), ALWAYS(pread64),
    ALWAYS(newfstatat), ALWAYS(statx), ALWAYS(getcwd), ALWAYS(seccomp),
    WHEN(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE, O_RDONLY),
#ifdef SYS_open
    ALWAYS(access), ALWAYS(readlink), ALWAYS(stat), ALWAYS(arch_prctl),
    WHEN(open, 1, O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE, O_RDONLY),
#endif
};

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system calls of this machine have no numbers here"
#endif

enum { most_instructions = 512 };

struct program {
  struct sock_filter code[most_instructions];
  unsigned short length;
};

static void add(struct program *program, struct sock_filter instruction) {
  if (program->length < most_instructions) program->code[program->length] = instruction;
  program->length++;
}

static void load(struct program *program, uint32_t offset) {
  add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void answer(struct program *program, uint32_t action) {
  add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* One condition: past the rest of its rule, `rest` instructions, where it does not hold. */
static void hold(struct program *program, const struct condition *condition, uint32_t own, unsigned char rest) {
  uint32_t value = condition->value == OWN_PROCESS ? own : condition->value;
  load(program, (uint32_t)offsetof(struct seccomp_data, args) + condition->argument * (uint32_t)sizeof(uint64_t));
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition->mask));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, rest));
}

enum { instructions_of_condition = 3 };

/* The number is in the accumulator, before and after. */
static void when(struct program *program, const struct rule *rule, uint32_t own, uint32_t action) {
  unsigned char conditions = (unsigned char)((rule->conditions[0].mask != 0) + (rule->conditions[1].mask != 0));
  unsigned char inside = (unsigned char)(1 + conditions * instructions_of_condition + (conditions > 0));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->number, 0, inside));
  for (unsigned char i = 0; i < conditions; i++)
    hold(program, &rule->conditions[i], own, (unsigned char)(1 + (conditions - 1 - i) * instructions_of_condition));
  answer(program, action);
  if (conditions > 0) load(program, offsetof(struct seccomp_data, nr));
}

static void add_all(struct program *program, const struct rule *rules, size_t count, uint32_t own, uint32_t action) {
  for (size_t i = 0; i < count; i++) when(program, &rules[i], own, action);
}

#define COUNT(rules) (sizeof(rules) / sizeof *(rules))

static int make(struct program *program, int left) {
  uint32_t own = (uint32_t)getpid();
  load(program, offsetof(struct seccomp_data, arch));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0));
  answer(program, SECCOMP_RET_KILL_PROCESS);
  load(program, offsetof(struct seccomp_data, nr));
  add_all(program, serving, COUNT(serving), own, SECCOMP_RET_ALLOW);
  if (left == CLINUX_CALLS_LOADING) add_all(program, loading, COUNT(loading), own, SECCOMP_RET_ALLOW);
  add_all(program, refused, COUNT(refused), own, SECCOMP_RET_ERRNO | EPERM);
  answer(program, SECCOMP_RET_TRAP);
  return program->length <= most_instructions ? 0 : -E2BIG;
}

/* Only what may be done in a signal handler, and what the filter leaves. */
static void forbidden(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  char words[] = "forbidden system call      \n";
  char *digit = words + sizeof words - 3;
  for (unsigned number = (unsigned)info->si_syscall, i = 0; i < 5 && (number || !i); i++, number /= 10)
    *digit-- = (char)('0' + number % 10);
  ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
  (void)written;
  _exit(CLINUX_FORBIDDEN_CALL);
}

static int tell_what_is_forbidden(void) {
  struct sigaction action = {.sa_sigaction = forbidden, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSYS, &action, NULL) < 0) return -errno;
  sigset_t calls;
  sigemptyset(&calls);
  sigaddset(&calls, SIGSYS);
  return sigprocmask(SIG_UNBLOCK, &calls, NULL) < 0 ? -errno : 0;
}

int clinux_can_filter_calls(void) {
  uint32_t action = SECCOMP_RET_TRAP;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return 1;
  return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL ? 0 : -errno;
}

int clinux_filter_calls(int left) {
  /* Once: the filter of loading takes the call away that would do it again. */
  int told = left == CLINUX_CALLS_LOADING ? tell_what_is_forbidden() : 0;
  if (told) return told;
  struct program program = {.length = 0};
  int error = make(&program, left);
  if (error) return error;
  struct sock_fprog filter = {program.length, program.code};
  /* All threads: one that is left out would do what another asks it to. */
  long thread = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  return thread < 0 ? -errno : thread > 0 ? -EBUSY : 0;
}

const char *clinux_call_name(int number) {
#define NAMED(name) {SYS_##name, #name}
  static const struct {
    int number;
    const char *name;
  } names[] = {
      NAMED(socket),   NAMED(connect),  NAMED(bind),       NAMED(listen),        NAMED(accept4),      NAMED(openat),
      NAMED(clone),    NAMED(clone3),   NAMED(execve),     NAMED(execveat),      NAMED(kill),         NAMED(tgkill),
      NAMED(mmap),     NAMED(mprotect), NAMED(prctl),      NAMED(ptrace),        NAMED(rt_sigaction), NAMED(unlinkat),
      NAMED(mkdirat),  NAMED(chdir),    NAMED(fchmodat),   NAMED(setsid),        NAMED(setuid),       NAMED(ioctl),
      NAMED(dup),      NAMED(dup3),     NAMED(socketpair), NAMED(memfd_create),  NAMED(renameat2),    NAMED(io_uring_setup),
      NAMED(pipe2),    NAMED(fcntl),    NAMED(getdents64), NAMED(timer_create),  NAMED(umask),        NAMED(shmget),
      NAMED(getppid),
#ifdef SYS_open
      NAMED(open),     NAMED(fork),     NAMED(vfork),      NAMED(unlink),        NAMED(dup2),         NAMED(mkdir),
#endif
  };
  for (unsigned i = 0; i < COUNT(names); i++)
    if (names[i].number == number) return names[i].name;
  return NULL;
}
