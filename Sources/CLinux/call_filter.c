#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* A masked half of an argument that has to have a value. Most arguments are ints, which are the lower half. */
struct condition {
  uint32_t argument, mask, value;
};

enum { most_conditions = 4 };

/* A system call that is left: when all conditions hold; a mask of 0 ends them. */
struct rule {
  uint32_t number;
  struct condition conditions[most_conditions];
};

enum { OWN_PROCESS = 0x7fffffff, UPPER_HALF = 8 };

/* Memory that is shared or grows like a stack would not count towards the limit. */
#define KIND_OF_MAP (MAP_TYPE | MAP_GROWSDOWN | MAP_HUGETLB)
#define KIND_OF_MOVE (MREMAP_FIXED | MREMAP_DONTUNMAP)

#define ALWAYS(name) {SYS_##name, {{0, 0, 0}}}
#define WHEN(name, argument, mask, value) {SYS_##name, {{argument, mask, value}}}

static const struct rule serving[] = {
    ALWAYS(read), ALWAYS(write), ALWAYS(readv), ALWAYS(writev), ALWAYS(sendto), ALWAYS(recvfrom), ALWAYS(sendmsg),
    ALWAYS(recvmsg), ALWAYS(ppoll), ALWAYS(futex), ALWAYS(munmap), ALWAYS(brk), ALWAYS(madvise),
    ALWAYS(clock_gettime), ALWAYS(clock_getres), ALWAYS(gettimeofday), ALWAYS(clock_nanosleep), ALWAYS(nanosleep),
    ALWAYS(getpid), ALWAYS(gettid), ALWAYS(getuid), ALWAYS(getrusage), ALWAYS(getrandom), ALWAYS(close), ALWAYS(fstat),
    ALWAYS(lseek), ALWAYS(sched_yield), ALWAYS(restart_syscall), ALWAYS(rt_sigreturn),
    ALWAYS(setitimer), ALWAYS(exit), ALWAYS(exit_group), ALWAYS(membarrier),
    ALWAYS(sched_getaffinity),
#ifdef SYS_poll
    ALWAYS(poll), ALWAYS(time), ALWAYS(pause),
#endif
    /* Where the kernel likes, so side by side: a page here and there would need more for its tables than it has itself. */
    {SYS_mmap,
     {{2, PROT_EXEC, 0}, {3, KIND_OF_MAP, MAP_PRIVATE}, {0, UINT32_MAX, 0}, {0 | UPPER_HALF, UINT32_MAX, 0}}},
    WHEN(mremap, 3, KIND_OF_MOVE, 0), WHEN(mprotect, 2, PROT_EXEC, 0),
    /* abort(3) raises its signal in its own process. */
    {SYS_tgkill, {{0, UINT32_MAX, OWN_PROCESS}, {2, UINT32_MAX, SIGABRT}}},
};

/* What libraries ask without need: they get EPERM and go on. */
static const struct rule refused[] = {
    ALWAYS(prlimit64), ALWAYS(uname), ALWAYS(sysinfo), ALWAYS(rt_sigprocmask), ALWAYS(sigaltstack), ALWAYS(prctl),
    /* malloc(3) names a place for its second arena, which it makes when the first one is full, and does without. */
    {SYS_mmap, {{2, PROT_EXEC, 0}, {3, KIND_OF_MAP | MAP_FIXED | MAP_FIXED_NOREPLACE, MAP_PRIVATE}}},
};

/* A loader also opens files and looks at them: the one that it may have it gets from `answered`. Constructors run with these
 * calls, too, and whoever runs can keep the next filter away; so what must never be had is not among them: memory that was written
 * and then runs. Code is mapped from an open file, which is the bundle's, and nothing else is made executable. */
static const struct rule loading[] = {
    {SYS_mmap, {{2, PROT_EXEC, 0}, {3, KIND_OF_MAP, MAP_PRIVATE}}},
    {SYS_mmap, {{2, PROT_EXEC | PROT_WRITE, PROT_EXEC}, {3, KIND_OF_MAP | MAP_ANONYMOUS, MAP_PRIVATE}}},
    ALWAYS(pread64),
    {SYS_seccomp, {{0, UINT32_MAX, SECCOMP_SET_MODE_FILTER}, {1, UINT32_MAX, SECCOMP_FILTER_FLAG_TSYNC}}},
#ifdef SYS_arch_prctl
    ALWAYS(arch_prctl),
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
  uint32_t argument = condition->argument & ~(uint32_t)UPPER_HALF, half = condition->argument & UPPER_HALF ? 4 : 0;
  load(program, (uint32_t)offsetof(struct seccomp_data, args) + argument * (uint32_t)sizeof(uint64_t) + half);
  add(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition->mask));
  add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, rest));
}

enum { instructions_of_condition = 3 };

/* The number is in the accumulator, before and after. */
static void when(struct program *program, const struct rule *rule, uint32_t own, uint32_t action) {
  unsigned char conditions = 0;
  while (conditions < most_conditions && rule->conditions[conditions].mask != 0) conditions++;
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

/* What the next opening of a file gives; -1: nothing. */
static volatile sig_atomic_t offered = -1;

void clinux_offer_object(int descriptor) { offered = descriptor; }

/* The registers of a system call, by the position of its arguments; its result goes where the first one is, or was. */
#if defined(__x86_64__)
#define RESULT(registers) ((registers)->gregs[REG_RAX])
#define FIRST(registers) ((registers)->gregs[REG_RDI])
#define SECOND(registers) ((registers)->gregs[REG_RSI])
#define THIRD(registers) ((registers)->gregs[REG_RDX])
#define FOURTH(registers) ((registers)->gregs[REG_R10])
#else
#define RESULT(registers) ((registers)->regs[0])
#define FIRST(registers) ((registers)->regs[0])
#define SECOND(registers) ((registers)->regs[1])
#define THIRD(registers) ((registers)->regs[2])
#define FOURTH(registers) ((registers)->regs[3])
#endif

/* Answers the two calls of a loader that name a file, without asking the kernel about any name: it opens the object that is
 * offered, once, and looks at what is open. A filter cannot tell these by their text. */
static int answered(int number, mcontext_t *registers) {
  if (number == SYS_openat) {
    int object = offered;
    offered = -1;
    if (object < 0) return 0;
    RESULT(registers) = object;
    return 1;
  }
  if (number != SYS_newfstatat) return 0;
  const char *path = (const char *)SECOND(registers);
  int saved = errno;
  long result = -EPERM;
  if ((int)FOURTH(registers) == AT_EMPTY_PATH && path && !*path) {
    result = syscall(SYS_fstat, (int)FIRST(registers), THIRD(registers));
    if (result < 0) result = -errno;
  }
  errno = saved;
  RESULT(registers) = result;
  return 1;
}

/* Only what may be done in a signal handler, and what the filter leaves. */
static void forbidden(int signal, siginfo_t *info, void *context) {
  (void)signal;
  if (answered(info->si_syscall, &((ucontext_t *)context)->uc_mcontext)) return;
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
      NAMED(getppid),  NAMED(mremap),   NAMED(seccomp),   NAMED(statx),      NAMED(readlinkat),    NAMED(faccessat),
#ifdef SYS_open
      NAMED(open),     NAMED(fork),     NAMED(vfork),      NAMED(unlink),        NAMED(dup2),         NAMED(mkdir),
      NAMED(stat),     NAMED(lstat),    NAMED(access),     NAMED(readlink),
#endif
  };
  for (unsigned i = 0; i < COUNT(names); i++)
    if (names[i].number == number) return names[i].name;
  return NULL;
}
