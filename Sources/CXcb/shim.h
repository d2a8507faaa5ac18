// The X protocol, and the extension that knows which process a window is of.
#include <xcb/xcb.h>
#include <xcb/res.h>

// A variable of an incomplete type, whose address Swift cannot take.
static inline xcb_extension_t *usher_xcb_res(void) { return &xcb_res_id; }
