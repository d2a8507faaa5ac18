// Usher's half in a browser: tells which windows and tabs there are, and brings forward the one that is asked for.
//
// It speaks with `usher browser host`, a program that the browser starts, and that passes each message on to usherd as it
// is. What is said, and what is not, is in Documentation/Browser.md.
"use strict";

const api = globalThis.browser ?? globalThis.chrome;

const HOST = "org.usher.browser";
const PROTOCOL = 1;
/// How long changes are gathered before they are told: after a quiet time, and while they go on.
const FIRST_PAUSE = 50, NEXT_PAUSE = 250, QUIET = 1000;
/// A browser refuses messages of more than 64 MiB, usherd those of more than 8: addresses and titles are given this room.
const TITLE_LENGTH = 512, ADDRESS_LENGTH = 16384, ROOM = 4 << 20;
/// What is read of a page: how much of a selection, and how many milliseconds a page is waited for.
const SELECTION_LENGTH = 4096, READ_TIME = 1000;
/// Of its data: so many characters, blocks of JSON-LD and elements, in so many milliseconds.
const DATA_LIMITS = { length: 131072, blocks: 50, elements: 100000, time: 40 };
/// How often a page that hangs is asked what it says of itself.
const PAGE_TRIES = 3;
/// How long after a lost host another one is started: once more each time, to at most the last.
const FIRST_RETRY = 500, LAST_RETRY = 60000;

/// The port to the host; null while there is none.
let port = null;
/// Whether usherd is at the other end.
let isHeard = false;
let retry = FIRST_RETRY;
let retryTimer = null;
/// The name that usherd gave this browser, to be given again.
let clientName = null;
/// Whether usherd wants to know the canonical link and the language of the pages in front ("pages" in usher.toml).
let readsPages = false;

// MARK: - The connection

function connect() {
    if (port !== null) return;
    clearTimeout(retryTimer);
    retryTimer = null;
    isHeard = false;
    port = api.runtime.connectNative(HOST);
    const own = port;
    own.onMessage.addListener((message) => {
        retry = FIRST_RETRY;
        receive(message);
    });
    own.onDisconnect.addListener(() => {
        // Reading it tells the browser that the error is known.
        const problem = own.error ?? api.runtime.lastError;
        if (port !== own) return;
        console.debug("usher: the host is gone", problem?.message);
        port = null;
        isHeard = false;
        retryTimer = setTimeout(connect, retry);
        retry = Math.min(retry * 2, LAST_RETRY);
    });
}

/// Whatever wakes the extension connects it, unless that is about to be tried again.
function connectUnlessWaiting() { if (retryTimer === null) connect(); }

function send(message) {
    if (port === null || !isHeard) return;
    try {
        port.postMessage(message);
    } catch (error) {
        console.debug("usher: not sent", error.message);
    }
}

async function receive(message) {
    if (message === null || typeof message !== "object") return;
    if (message.event === "connected") {
        isHeard = true;
        lastState = "";
        send({ type: "hello", protocol: PROTOCOL, client: clientName, ...(await browserName()) });
        // A window that comes up while a browser starts may be called focused, and lose that unheard.
        setTimeout(tell, 2000);
        return tell();
    }
    if (message.event === "disconnected") {
        isHeard = false;
        readsPages = false;
    } else if (typeof message.client === "string") {
        clientName = message.client;
        readsPages = message.pages === true;
        return tell();
    } else if (typeof message.id === "number") {
        let answer;
        try {
            answer = await perform(message);
        } catch (error) {
            const problem = error instanceof Refusal ? error.code : "failed";
            answer = { error: problem, message: clip(String(error?.message ?? error), TITLE_LENGTH) };
        }
        // Who reads the answer may look at the list next.
        await tell();
        send({ type: "answer", id: message.id, ...answer });
    }
}

async function browserName() {
    if (api.runtime.getBrowserInfo) {
        const info = await api.runtime.getBrowserInfo();
        return { browser: info.name, version: info.version };
    }
    // One of the names is made up, so that nobody relies on the list.
    const names = (navigator.userAgentData?.brands ?? []).filter(({ brand }) => !/not.*brand/i.test(brand));
    const name = names.find(({ brand }) => brand !== "Chromium") ?? names[0];
    return { browser: name?.brand ?? "Chromium", version: name?.version ?? "" };
}

// MARK: - The state

let stateTimer = null;
let lastState = "";
let lastTold = 0;
/// Tabs that were closed: Firefox goes on listing them until they have left the screen.
const closedTabs = new Set();

function tabClosed(id) {
    closedTabs.add(id);
    knownPages.delete(id);
    setTimeout(() => closedTabs.delete(id), 60000);
    changed();
}

function changed() {
    connectUnlessWaiting();
    if (!isHeard || stateTimer !== null) return;
    stateTimer = setTimeout(tell, Date.now() - lastTold > QUIET ? FIRST_PAUSE : NEXT_PAUSE);
}

/// All of it, where it is other than what was told last.
async function tell() {
    clearTimeout(stateTimer);
    stateTimer = null;
    if (!isHeard) return;
    const windows = await readState();
    const text = JSON.stringify(windows);
    if (text === lastState) return;
    lastState = text;
    lastTold = Date.now();
    send({ type: "state", windows });
}

async function readState() {
    const windows = await api.windows.getAll({ populate: true, windowTypes: ["normal", "popup"] });
    let room = ROOM;
    // An address that is not whole is another one: then none is told.
    const address = (text) => (text.length > ADDRESS_LENGTH || text.startsWith("data:") || text.length > room ? "" : text);
    return windows.map((window) => ({
        id: window.id, focused: window.focused, state: window.state, incognito: window.incognito,
        tabs: (window.tabs ?? []).filter((tab) => !closedTabs.has(tab.id)).map((tab) => {
            const url = address(addressOf(tab).toWellFormed());
            const title = room > 0 ? clip(tab.title ?? "", TITLE_LENGTH) : "";
            room -= url.length + title.length;
            return { id: tab.id, url, title, active: tab.active, ...pageFacts(tab, window) };
        }),
    }));
}

function addressOf(tab) { return tab.url || tab.pendingUrl || ""; }

function clip(text, length) { return text.slice(0, length).toWellFormed(); }

// MARK: - Pages

/// Of the tabs that were in front: of which address it is, whether the page was still loading, and what the page says.
const knownPages = new Map();

/// The canonical link and the language of the page in front, and that its data can be read, where they are known; they are read
/// where they are not.
function pageFacts(tab, window) {
    if (!readsPages || window.incognito || !tab.active || !isReadable(tab)) return {};
    const known = knownPages.get(tab.id);
    const isSame = known?.url === tab.url && known.status === tab.status;
    if (isSame && !known.isLate) return known.facts;
    const page = {
        url: tab.url, status: tab.status, facts: known?.url === tab.url ? known.facts : {}, isLate: false,
        tries: isSame ? known.tries + 1 : 1,
    };
    knownPages.set(tab.id, page);
    run(tab.id, factsOfPage).then((facts) => {
        if (knownPages.get(tab.id) !== page) return;
        if (facts === undefined && page.tries < PAGE_TRIES) {
            page.isLate = true;
            return changed();
        }
        if (typeof facts !== "object" || facts === null) return;
        const canonical = String(facts.canonical ?? "").toWellFormed();
        const language = clip(String(facts.language ?? ""), 40);
        page.facts = {
            readable: true, ...(canonical && canonical.length <= ADDRESS_LENGTH && { canonical }), ...(language && { language }),
        };
        changed();
    });
    return page.facts;
}

function isReadable(tab) { return /^https?:/i.test(tab.url ?? ""); }

/// What a function of ours finds in a page; null where the browser does not let it in, undefined where the page hangs or is not
/// loaded in time.
function run(tabId, func, args = []) {
    const late = new Promise((resolve) => setTimeout(resolve, READ_TIME, undefined));
    const found = api.scripting.executeScript({ target: { tabId }, func, args })
        .then((results) => results?.[0]?.result ?? null, () => null);
    return Promise.race([found, late]);
}

/// Runs in the page.
function factsOfPage() {
    return { canonical: document.querySelector("link[rel~=canonical][href]")?.href, language: document.documentElement.lang };
}

/// Runs in the page: what is selected, or what the page has for programs: its blocks of JSON-LD, and its microdata as one more.
/// Of a page that exceeds the limits, what was read so far, and it is called partial.
function contentOfPage(what, selectionLength, limits) {
    const url = location.href;
    if (what !== "data") {
        return { url, selection: String(getSelection() ?? "").slice(0, selectionLength).toWellFormed(), data: [] };
    }
    const TEXT_LENGTH = 1000;
    const VALUES = {
        __proto__: null, a: "href", area: "href", link: "href", audio: "src", embed: "src", iframe: "src", img: "src",
        source: "src", track: "src", video: "src", data: "value", meta: "content", meter: "value", object: "data",
        time: "datetime",
    };
    const end = performance.now() + limits.time;
    let room = limits.length, left = limits.elements;
    let isPartial = false, isOver = false;
    /// Whether one more element may be looked at, and so many characters be kept.
    const spend = (length = 0) => {
        left -= 1;
        isOver ||= left < 0 || length > room || (left % 16 === 0 && performance.now() > end);
        if (!isOver) room -= length;
        return !isOver;
    };
    const clipped = (text) => String(text ?? "").slice(0, TEXT_LENGTH).toWellFormed();
    const words = (text) => [...new Set(text.split(/\s+/))].filter((word) => word !== "");

    const data = [];
    for (const script of document.querySelectorAll("script[type]")) {
        if (!spend()) break;
        if (clipped(script.getAttribute("type")).split(";")[0].trim().toLowerCase() !== "application/ld+json") continue;
        const text = data.length < limits.blocks ? script.textContent : null;
        // A smaller one may follow.
        if (text === null || text.length > room) {
            isPartial = true;
        } else {
            room -= text.length;
            data.push(text.toWellFormed());
        }
    }

    /// The items in the order of the page, each with its name.
    const names = new Map();
    for (const item of document.querySelectorAll("[itemscope]")) {
        if (!spend()) break;
        names.set(item, clipped(item.getAttribute("itemid")).trim() || `_:${names.size}`);
    }
    /// Where properties stand in the page: an item may refer to some out of their order.
    const places = new Map();
    if (document.querySelector("[itemref]") !== null) {
        for (const element of document.querySelectorAll("[itemprop]")) {
            if (!spend()) break;
            places.set(element, places.size);
        }
    }
    const after = (walker) => {
        let next = walker.nextSibling();
        while (next === null && walker.parentNode() !== null) next = walker.nextSibling();
        return next;
    };
    /// The elements that are properties of an item, each once; in the order of the page also where it refers to others.
    const propertiesOf = function* (item) {
        const seen = new Set([item]);
        const walk = function* (root) {
            // Not `children`: of a form that may be a field with this name.
            const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
            let next = root === item ? walker.firstChild() : root;
            while (next !== null && spend()) {
                const isNew = !seen.has(next);
                seen.add(next);
                if (isNew && next.hasAttribute("itemprop")) yield next;
                next = isNew && !next.hasAttribute("itemscope") ? walker.nextNode() : after(walker);
            }
        };
        const references = words((item.getAttribute("itemref") ?? "").slice(0, limits.length));
        if (references.length === 0) return yield* walk(item);
        const found = [...walk(item)];
        for (const id of references) {
            if (!spend()) break;
            const element = document.getElementById(id);
            if (element === null || seen.has(element)) continue;
            for (const property of walk(element)) found.push(property);
        }
        yield* found.sort((one, other) => places.get(one) - places.get(other));
    };
    const textOf = (element) => {
        const name = VALUES[element.localName];
        const value = element.getAttribute(name ?? "content");
        // `content` on any element is not HTML's way, but a common one.
        if (value !== null && (name || clipped(value).trim() !== "")) return clipped(value);
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        let text = "";
        while (text.length < TEXT_LENGTH && walker.nextNode() !== null && spend()) {
            const node = walker.currentNode;
            if (node.nodeType === Node.TEXT_NODE) text += node.data.slice(0, 8 * TEXT_LENGTH).replace(/\s+/g, " ");
            else if (node.localName === "br") text += " ";
        }
        return clipped(text);
    };
    const graph = [];
    for (const [item, id] of names) {
        const node = { __proto__: null, "@id": id, "@type": words(clipped(item.getAttribute("itemtype"))) };
        if (!spend(JSON.stringify(node).length)) break;
        graph.push(node);
        for (const element of propertiesOf(item)) {
            if (isOver) break;
            const value = names.has(element) ? { "@id": names.get(element) } : textOf(element);
            const length = JSON.stringify(value).length + 8;
            for (const name of words(clipped(element.getAttribute("itemprop")))) {
                // Names of JSON-LD's own are none of properties.
                if (name.startsWith("@")) continue;
                if (!spend(name.length + length)) break;
                (node[name] ??= []).push(value);
            }
        }
    }
    if (graph.length > 0) data.push(JSON.stringify({ "@context": "https://schema.org", "@graph": graph }));
    return {
        url, selection: "", data, title: clipped(document.title), partial: isPartial || isOver,
        ...(document.baseURI !== url && { base: document.baseURI.slice(0, limits.length) }),
    };
}

// MARK: - Requests

/// What is answered instead of an effect.
class Refusal extends Error {
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

/// Brings a tab forward, opened where it has to be, and answers with what is seen then.
///
/// `window`; `tab` or `url` (else the tab that the window shows); `open`: a tab that nobody has is opened; `prominence`:
/// "focus", "raise", "urgent" or "none"; `focused`: it is waited for until the window has the keyboard; `wait`: how many milliseconds may pass until it is seen.
///
/// With `read`, "selection" or "data": that of the page, and nothing else is done. With `close`, the tab or else the window
/// is closed.
async function perform({ window, tab, url, open, read, close, prominence, focused, wait }) {
    if (close) {
        await (tab === undefined ? api.windows.remove(window) : api.tabs.remove(tab));
        return {};
    }
    if (read) return contentOf(await chosenTab(window, tab, undefined) ?? {}, read);
    const end = Date.now() + Math.min(Math.max(Number(wait) || 0, 0), 10000);
    let isNew = false;
    let found = await chosenTab(window, tab, url);
    if (found === null && open) {
        if (!/^https?:/i.test(url)) throw new Refusal("address", "only pages of http and https are opened");
        found = await opened(window, url);
        isNew = true;
    }
    const isFound = found !== null;
    found ??= (await api.tabs.query({ active: true, windowId: window }))[0] ?? null;
    if (found === null) throw new Refusal("gone", "the window has no tab");
    if (prominence !== "none") {
        // The part of the page is another one: no page is loaded for that.
        const moves = open && !isNew && !sameAddress(addressOf(found), url) && new URL(url).hash !== "";
        await api.tabs.update(found.id, moves ? { active: true, url } : { active: true });
        if (moves) await scrollToText(found.id, url);
        if (prominence === "focus") await api.windows.update(found.windowId, await focusing(found.windowId));
        if (prominence === "urgent") await api.windows.update(found.windowId, { drawAttention: true });
    }
    const isSeen = ({ tab, window }) =>
        tab.active && (!open || isCommitted(tab)) && (window.focused || !(focused || prominence === "focus"));
    const { tab: shown, window: frame } = await seen(found.id, isSeen, end);
    return {
        window: shown.windowId, tab: shown.id, url: addressOf(shown).slice(0, ADDRESS_LENGTH).toWellFormed(),
        title: clip(shown.title ?? "", TITLE_LENGTH), active: shown.active, focused: frame.focused, found: isFound,
        opened: isNew, loaded: isCommitted(shown),
    };
}

/// Chromium scrolls to a text only while it loads a page, Firefox also within one that is there.
async function scrollToText(tabId, url) {
    const directive = /:~:(?:.*&)?text=([^&,]*)/.exec(new URL(url).hash);
    if (directive === null || api.runtime.getBrowserInfo) return;
    let text;
    try {
        text = decodeURIComponent(directive[1]);
    } catch {
        return;
    }
    const select = (text) => {
        getSelection()?.removeAllRanges();
        window.find(text, false, false, true);
        getSelection()?.focusNode?.parentElement?.scrollIntoView({ block: "center" });
    };
    await api.scripting.executeScript({ target: { tabId }, func: select, args: [text] }).catch(() => {});
}

async function contentOf(tab, what) {
    if (!readsPages || tab.incognito || !isReadable(tab)) return {};
    return (await run(tab.id, contentOfPage, [what, SELECTION_LENGTH, DATA_LIMITS])) ?? {};
}

/// A window that is minimised comes back as it was.
async function focusing(id) {
    const window = await api.windows.get(id);
    return window.state === "minimized" ? { focused: true, state: "normal" } : { focused: true };
}

async function chosenTab(windowID, tabID, url) {
    let window;
    try {
        window = await api.windows.get(windowID, { populate: true });
    } catch {
        throw new Refusal("gone", "there is no such window");
    }
    if (typeof tabID === "number") {
        const tab = window.tabs.find(({ id }) => id === tabID);
        if (tab === undefined) throw new Refusal("gone", "there is no such tab in the window");
        return tab;
    }
    return typeof url === "string" ? tabThatShows(url, window.tabs.filter(({ id }) => !closedTabs.has(id))) : null;
}

async function opened(windowId, url) {
    try {
        return await api.tabs.create({ windowId, url, active: true });
    } catch (error) {
        throw new Refusal("address", error.message);
    }
}

/// A new tab shows nothing at first.
function isCommitted(tab) { return (tab.url ?? "") !== "" && !(tab.url === "about:blank" && tab.status === "loading"); }

/// The tab and its window, as soon as they are as they should be, else as they are at the end.
function seen(tabID, isSeen, end) {
    return new Promise((resolve, reject) => {
        const events = [api.tabs.onUpdated, api.tabs.onActivated, api.windows.onFocusChanged];
        let timer = null;
        let pause = 5;
        let isOver = false;
        const finish = (settle, value) => {
            isOver = true;
            clearTimeout(timer);
            for (const event of events) event.removeListener(look);
            settle(value);
        };
        const look = async () => {
            try {
                const tab = await api.tabs.get(tabID);
                const window = await api.windows.get(tab.windowId);
                const left = end - Date.now();
                if (isOver) return;
                if (isSeen({ tab, window }) || left <= 0) return finish(resolve, { tab, window });
                // Chromium on X11 says nothing when a window that lost the keyboard to another program gets it back.
                clearTimeout(timer);
                timer = setTimeout(look, Math.min(pause, left));
                pause = Math.min(pause * 2, 200);
            } catch {
                finish(reject, new Refusal("gone", "the tab was closed"));
            }
        };
        for (const event of events) event.addListener(look);
        look();
    });
}

// MARK: - Addresses

/// The tab that shows an address: the very same one, else one that differs in its fragment only. The one in front is
/// preferred, then the one used last.
function tabThatShows(address, tabs) {
    for (const isSame of [sameAddress, samePage]) {
        const found = tabs.filter((tab) => isSame(addressOf(tab), address));
        found.sort((one, other) => other.active - one.active || (other.lastAccessed ?? 0) - (one.lastAccessed ?? 0));
        if (found.length > 0) return found[0];
    }
    return null;
}

/// By the URL standard: as the browser itself writes it.
function sameAddress(one, other) { return normal(one) !== null && normal(one) === normal(other); }

function samePage(one, other) {
    const [a, b] = [page(one), page(other)];
    return a !== null && a === b;
}

function normal(address) { return URL.parse(address)?.href ?? null; }

/// Without a fragment; one that an application uses for a path ("#/inbox", "#!inbox") is a part of the address.
function page(address) {
    const url = URL.parse(address);
    if (url === null || /^#[/!]/.test(url.hash)) return null;
    url.hash = "";
    return url.href;
}

// MARK: - Beginning

api.tabs.onRemoved.addListener(tabClosed);
for (const name of ["onCreated", "onUpdated", "onActivated", "onMoved", "onAttached", "onDetached", "onReplaced"]) {
    api.tabs[name].addListener(changed);
}
for (const name of ["onCreated", "onRemoved", "onFocusChanged"]) api.windows[name].addListener(changed);
api.runtime.onStartup.addListener(connectUnlessWaiting);
api.runtime.onInstalled.addListener(connectUnlessWaiting);
// A worker that was put to sleep is woken by this, should no tab change.
api.alarms.create("connect", { periodInMinutes: 1 });
api.alarms.onAlarm.addListener(connectUnlessWaiting);
connectUnlessWaiting();
