#define _GNU_SOURCE 1
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// Of an open file description: closing another descriptor of the file drops nothing, and asking takes nothing.

static struct flock range(long start, long length) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length, .l_pid = 0};
    return lock;
}

int usher_lock(int descriptor, long length) {
    struct flock lock = range(0, length);
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int usher_unlock(int descriptor) {
    struct flock lock = range(0, 0);
    lock.l_type = F_UNLCK;
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int usher_is_locked(int descriptor, long start) {
    struct flock lock = range(start, 0);
    int result;
    do {
        result = fcntl(descriptor, F_OFD_GETLK, &lock);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -1 : lock.l_type != F_UNLCK;
}
