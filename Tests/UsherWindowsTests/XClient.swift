/// A client of the X protocol in a page of Python, for what no ordinary program does.
///
///     windows NAME COUNT     opens so many windows named NAME 1, NAME 2, …
///     dialog NAME            opens one named NAME, and one named NAME? that is a dialog of it (ICCCM 4.1.2.6)
///     deaf NAME              opens one that does not take the keyboard (ICCCM 4.1.7, no input)
///     cover NAME X,Y,W,H …   opens one named NAME there that no window manager sees: `shape=25` percent from the left are shown,
///                            `opacity=40` percent, `input=0` without an input shape, `class=2` takes only input, `of=` the window it
///                            is a menu of, `compositor=1` owns what a compositor owns
///     restless NAME HZ       opens one whose title changes so often
///     listen FILE            writes a line for each message about programs that start (Startup Notification 0.1)
enum XClient {
    static let text = #"""
        import os, socket, struct, sys, time
        s = socket.socket(socket.AF_UNIX)
        s.connect('/tmp/.X11-unix/X' + os.environ['DISPLAY'].lstrip(':').split('.')[0])
        s.sendall(struct.pack('<BxHHHHxx', 0x6c, 11, 0, 0, 0))
        def take(n):
            b = b''
            while len(b) < n:
                part = s.recv(n - len(b))
                if not part: sys.exit(0)
                b += part
            return b
        body = take(struct.unpack('<xxxxxxH', take(8))[0] * 4)
        base, = struct.unpack_from('<I', body, 4)
        vendor, = struct.unpack_from('<H', body, 16)
        root, = struct.unpack_from('<I', body, 32 + (vendor + 3 & ~3) + 8 * body[21])
        def request(code, detail, data):
            data += b'\0' * (-len(data) % 4)
            s.sendall(struct.pack('<BBH', code, detail, 1 + len(data) // 4) + data)
        def put(w, name, kind, form, data):
            request(18, 0, struct.pack('<IIIBxxxI', w, name, kind, form, len(data) * 8 // form) + data)
        def window(w, title, hears=True, owner=None):
            # With a background: Xwayland shows only what is drawn.
            request(1, 0, struct.pack('<IIhhHHHHIII', w, root, 0, 0, 120, 80, 0, 1, 0, 2, 0))
            put(w, 39, 31, 8, title.encode())
            put(w, 67, 31, 8, b'client\0Client\0')
            put(w, 35, 35, 32, struct.pack('<9I', 1, hears, 0, 0, 0, 0, 0, 0, 0))
            if owner: put(w, 68, 33, 32, struct.pack('<I', owner))
            request(8, 0, struct.pack('<I', w))
        mode, name = sys.argv[1], sys.argv[2]
        if mode == 'listen':
            # Changes of the root's properties, and an answer that says that they are listened to.
            request(2, 0, struct.pack('<III', root, 0x800, 0x400000))
            request(43, 0, b'')
            parts = {}
            while True:
                event = take(32)
                if event[0] == 1: open(name, 'w').close()
                if event[0] & 0x7f != 33 or event[1] != 8: continue
                w, = struct.unpack_from('<I', event, 4)
                parts[w] = parts.get(w, b'') + event[12:]
                if 0 in parts[w]:
                    with open(name, 'ab') as f: f.write(parts.pop(w).split(b'\0')[0] + b'\n')
        if mode == 'windows':
            for n in range(int(sys.argv[3])): window(base + n, '%s %d' % (name, n + 1))
        elif mode == 'dialog':
            window(base, name)
            window(base + 1, name + '?', owner=base)
        elif mode == 'cover':
            x, y, width, height = map(int, sys.argv[3].split(','))
            given = {key: int(value, 0) for key, value in (word.split('=') for word in sys.argv[4:])}
            def answer(code, data):
                request(code, 0, data)
                return take(32)
            def atom(text): return struct.unpack_from('<I', answer(16, struct.pack('<Hxx', len(text)) + text), 8)[0]
            kind = given.get('class', 1)
            request(1, 0, struct.pack('<IIhhHHHHIII', base, root, x, y, width, height, 0, kind, 0, 0x200, 1))
            put(base, 39, 31, 8, name.encode())
            if 'of' in given: put(base, 68, 33, 32, struct.pack('<I', given['of']))
            if 'opacity' in given:
                put(base, atom(b'_NET_WM_WINDOW_OPACITY'), 6, 32, struct.pack('<I', 0xffffffff * given['opacity'] // 100))
            if 'compositor' in given: request(22, 0, struct.pack('<III', base, atom(b'_NET_WM_CM_S0'), 0))
            for word, shape in (('shape', 0), ('input', 2)):
                if word in given:
                    opcode = answer(98, struct.pack('<Hxx', 5) + b'SHAPE')[9]
                    part = struct.pack('<hhHH', 0, 0, width * given[word] // 100, height)
                    request(opcode, 1, struct.pack('<BBBxIhh', 0, shape, 0, base, 0, 0) + (part if given[word] else b''))
            request(8, 0, struct.pack('<I', base))
        elif mode == 'deaf': window(base, name, False)
        else:
            window(base, name)
            n, again = 0, time.monotonic() + 0.5
            while True:
                time.sleep(1 / float(sys.argv[3]))
                n += 1
                put(base, 39, 31, 8, ('%s %d' % (name, n)).encode())
                # As below: a window that is shown already stays as it is.
                if time.monotonic() > again:
                    again = time.monotonic() + 1
                    request(8, 0, struct.pack('<I', base))
        # A window manager that is still starting overlooks early requests.
        for wait in (0.5, 2):
            time.sleep(wait)
            for n in range(int(sys.argv[3]) if mode == 'windows' else 2 if mode == 'dialog' else 1): request(8, 0, struct.pack('<I', base + n))
        while take(32): pass
        """#
}
