/* Ways out of the worker. What the system lets through is answered with a reading, so that a test sees it. */
#define _GNU_SOURCE
#include "kit.h"

#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ESCAPE(name, ...)                                                                                              \
  static int32_t name(const mh_host *host, const mh_event *event, mh_sink *sink) {                                     \
    (void)host, (void)event;                                                                                           \
    __VA_ARGS__;                                                                                                       \
    return put_reading(sink, 9);                                                                                       \
  }

static void *nothing(void *argument) { return argument; }
static void ignore(int number) { (void)number; }
static char aside[8192] __attribute__((aligned(4096)));

ESCAPE(fork_off, if (fork() == 0) _exit(0))
ESCAPE(start_program, char *none[] = {NULL}; execve("/bin/true", none, none))
ESCAPE(start_shell, if (system("true")) return MH_E_ARG)
ESCAPE(start_thread, pthread_t thread; pthread_create(&thread, NULL, nothing, NULL))
ESCAPE(read_file, open("/etc/passwd", O_RDONLY))
ESCAPE(write_file, open("/tmp/mh-driver-was-here", O_WRONLY | O_CREAT, 0600))
ESCAPE(make_folder, mkdir("/tmp/mh-driver-was-here", 0700))
ESCAPE(remove_file, unlink("/tmp/mh-driver-was-here"))
ESCAPE(list_folder, if (access("/", R_OK)) return MH_E_ARG)
ESCAPE(open_socket, socket(AF_INET, SOCK_STREAM, 0))
ESCAPE(open_local_socket, socket(AF_UNIX, SOCK_DGRAM, 0))
ESCAPE(pair_of_sockets, int pair[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
ESCAPE(set_locale, setlocale(LC_ALL, "C.UTF-8"))
ESCAPE(catch_signal, signal(SIGPROF, ignore))
/* Signal 0 harms nobody, should it get through. */
ESCAPE(find_host, getppid())
ESCAPE(kill_everybody, kill(-1, 0))
ESCAPE(stop_itself, raise(SIGSTOP))
ESCAPE(end_itself, raise(SIGKILL))
ESCAPE(be_traced, ptrace(PTRACE_TRACEME, 0, NULL, NULL))
ESCAPE(make_code, mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
ESCAPE(change_code, mprotect((void *)((uintptr_t)put_reading & ~4095ul), 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
/* What was written is to run. */
ESCAPE(run_written, mprotect(aside, 4096, PROT_READ | PROT_EXEC))
ESCAPE(shared_memory, shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600))
ESCAPE(memory_file, memfd_create("x", 0))
ESCAPE(new_namespace, unshare(CLONE_NEWUSER))
ESCAPE(change_user, syscall(SYS_setuid, 0))
ESCAPE(system_control, syscall(SYS_bpf, 0, NULL, 0))
ESCAPE(raise_limits, syscall(SYS_setrlimit, RLIMIT_DATA, NULL))
ESCAPE(copy_descriptor, dup(3))
ESCAPE(timer, syscall(SYS_timer_create, 0, NULL, NULL))
/* The next word of the host would kill whom it is aimed at. */
ESCAPE(aim_signal, (fcntl(3, F_SETOWN, getpid()), fcntl(3, F_SETSIG, SIGKILL), fcntl(3, F_SETFL, O_ASYNC)))
ESCAPE(shared_map, mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
ESCAPE(growing_map, mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0))
/* A page here, a page there: each needs tables of its own. */
ESCAPE(scattered_map, mmap((void *)(1ul << 40), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0))
ESCAPE(moved_map, mremap(aside, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(1ul << 40)))
ESCAPE(name_file, open("/etc/passwd", O_PATH))
ESCAPE(ask_about_file, struct stat facts; if (lstat("/etc/passwd", &facts) == 0) return MH_E_ARG)
ESCAPE(resolve_link, char words[64]; if (readlink("/proc/self/exe", words, sizeof words) >= 0) return MH_E_ARG)
/* malloc(3) asks so as well, and does without. */
ESCAPE(hinted_map, if (mmap((void *)(1ul << 40), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) return MH_E_ARG)
/* Has no effect and no right to: the driver finds out and goes on. */
ESCAPE(be_dumpable, if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0) return MH_E_ARG)
ESCAPE(block_signals, sigset_t all; sigfillset(&all); if (sigprocmask(SIG_BLOCK, &all, NULL) == 0) return MH_E_ARG)

const struct offence escapes[] = {
    {"fork", fork_off},
    {"execve", start_program},
    {"system", start_shell},
    {"thread", start_thread},
    {"read-file", read_file},
    {"write-file", write_file},
    {"mkdir", make_folder},
    {"unlink", remove_file},
    {"access", list_folder},
    {"socket", open_socket},
    {"local-socket", open_local_socket},
    {"socketpair", pair_of_sockets},
    {"setlocale", set_locale},
    {"signal", catch_signal},
    {"getppid", find_host},
    {"kill-all", kill_everybody},
    {"stop", stop_itself},
    {"kill-itself", end_itself},
    {"ptrace", be_traced},
    {"mmap-exec", make_code},
    {"mprotect-exec", change_code},
    {"run-written", run_written},
    {"shmget", shared_memory},
    {"memfd", memory_file},
    {"unshare", new_namespace},
    {"setuid", change_user},
    {"bpf", system_control},
    {"setrlimit", raise_limits},
    {"dup", copy_descriptor},
    {"timer", timer},
    {"aim-signal", aim_signal},
    {"shared-map", shared_map},
    {"growing-map", growing_map},
    {"scattered-map", scattered_map},
    {"hinted-map", hinted_map},
    {"moved-map", moved_map},
    {"name-file", name_file},
    {"lstat", ask_about_file},
    {"readlink", resolve_link},
    {"dumpable", be_dumpable},
    {"sigprocmask", block_signals},
    {NULL, NULL},
};
