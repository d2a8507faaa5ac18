// libmd has the one thing wanted here, SHA-256, without a TLS library behind it.
#include <sys/types.h>
#include <stdint.h>
#include <sha256.h>
