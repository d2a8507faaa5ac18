// What Swift's Glibc module lacks: calls that are GNU extensions or whose headers it leaves out, and macros over unions.
// Delete a line here when the toolchain's Glibc module offers it.
//
// No header of the C library is included. Glibc's own module is built without _GNU_SOURCE; a second module that sees the
// same headers with it defines fd_set, stat and others differently, and importing both fails.
#ifndef USHER_CLINUX_H
#define USHER_CLINUX_H

/// The environment block. The global itself is ambiguous in Swift and not concurrency-safe.
char **usher_environ(void);

/// A descriptor that means this process, close-on-exec; -1 with errno.
int usher_pidfd_open(int pid);

/// Signals exactly the process that the descriptor means; -1 with errno.
int usher_pidfd_send_signal(int pidfd, int signal);

/// How a child ended.
struct usher_end {
    /// 0: it still runs. 1: it exited. 2: a signal ended it. 3: it is nobody's child, or was reaped elsewhere.
    int kind;
    /// Its exit status, or the signal.
    int value;
};

/// Reaps a child if it has ended; does not wait.
struct usher_end usher_pidfd_reap(int pidfd);

/// An unnamed file in memory, close-on-exec, that can be sealed; -1 with errno.
int usher_memory_file(const char *name);

/// Forbids every later change of such a file; -1 with errno.
int usher_seal(int descriptor);

/// A close-on-exec pipe: the read end, which does not block, and the write end; -1 with errno.
int usher_pipe(int ends[2]);

/// Locks a whole file for the life of its open file description (F_OFD_SETLK); -1 with errno, EAGAIN when another holds it.
int usher_lock(int descriptor);

/// Gives the lock back, whoever else has the description (a child between fork and exec); -1 with errno.
int usher_unlock(int descriptor);

/// Whether another open file description holds such a lock: 1 or 0, without taking it; -1 with errno.
int usher_is_locked(int descriptor);

/// Starts a program in a session of its own, with an empty signal mask and default signal actions, and no descriptors but
/// standard input (`input`, or /dev/null for -1), output and error (both `output`, or /dev/null for -1). `directory` may be
/// null. 0, or the error, that of executing the program included.
int usher_spawn(
    int *pid, const char *program, char *const arguments[], char *const environment[], const char *directory, int input,
    int output);

/// Whether a directory can be entered: 0, or -1 with errno.
int usher_check_directory(const char *path);

#endif
