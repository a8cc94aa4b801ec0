/* Loaded before the C library: whatever is made durable takes so much longer, as on a slower disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int after(const char *name, int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    int result = real(file);
    const char *text = getenv("BENCH_COMMIT_US");
    long micros = text ? atol(text) : 0;
    struct timespec wait = {micros / 1000000, micros % 1000000 * 1000};
    nanosleep(&wait, NULL);
    return result;
}

int fsync(int file) { return after("fsync", file); }
int fdatasync(int file) { return after("fdatasync", file); }
