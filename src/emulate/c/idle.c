/* Lets MPI processes that poll for messages sleep, where many of them share a processor.

   MPI libraries poll sockets without waiting, again and again. A rank that has done so several times in a row without
   finding anything gets a poll that waits, for at most MOPSIM_IDLE_MS milliseconds: it wakes up as soon as something
   arrives. Only the main thread is treated so, and only polls that follow one another closely, so that a program that
   looks for messages between computations keeps computing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Polls without a result before one waits. */
enum { PATIENCE = 6 };
/* Nanoseconds between two polls from which on there was work in between. */
static const long long WORK = 200 * 1000;

static int milliseconds = -1;
static __thread int is_main = -1;
static int fruitless;
static long long last;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Time that this poll may wait. */
static int patience(void) {
    if (milliseconds < 0) {
        const char *text = getenv("MOPSIM_IDLE_MS");
        milliseconds = text ? atoi(text) : 0;
        if (milliseconds < 0) milliseconds = 0;
    }
    if (milliseconds == 0) return 0;
    if (is_main < 0) is_main = syscall(SYS_gettid) == getpid();
    return is_main ? milliseconds : 0;
}

/* Whether a poll that found nothing is to be repeated as one that waits. */
static int shall_wait(int found) {
    long long time = now();
    int close = time - last < WORK;
    last = time;
    if (found != 0) {
        fruitless = 0;
        return 0;
    }
    fruitless = close ? fruitless + 1 : 1;
    return fruitless > PATIENCE;
}

static void has_waited(int found) {
    last = now();
    if (found != 0) fruitless = 0;
}

int poll(struct pollfd *files, nfds_t count, int timeout) {
    static int (*next)(struct pollfd *, nfds_t, int);
    if (!next) next = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    int found = next(files, count, timeout);
    if (timeout != 0 || count == 0) return found;
    int wait = patience();
    if (wait > 0 && shall_wait(found)) {
        found = next(files, count, wait);
        has_waited(found);
    }
    return found;
}

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout) {
    static int (*next)(int, struct epoll_event *, int, int);
    if (!next) next = (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
    int found = next(epoll, events, count, timeout);
    if (timeout != 0) return found;
    int wait = patience();
    if (wait > 0 && shall_wait(found)) {
        found = next(epoll, events, count, wait);
        has_waited(found);
    }
    return found;
}
