// libplist reads Info.plist files, XML and binary, without Foundation.
#include <plist/plist.h>
