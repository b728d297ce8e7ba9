// Decides which tabs are recorded, sees what only the browser sees (navigations, that a request was
// sent and how it ended, downloads), and writes everything down in the order in which it came.
import './rules.js';
import {redactUrl, scrub} from './redact.js';
import {append, getSessions, putSession} from './journal.js';

const PAGE = ['rules.js', 'page.js', 'network.js', 'describe.js', 'capture.js', 'rewrite.js'];
const DRAIN_MS = 3000;
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const TYPES = ['main_frame', 'sub_frame', 'xmlhttprequest', 'ping', chrome.webRequest.ResourceType.BEACON]
  .filter(Boolean);

// --- the session; the browser may end this script at any time, so it is kept in storage.session
let session = null;
const inFlight = new Set();
const waiting = new Set();

async function restore() {
  session = (await chrome.storage.session.get('session')).session || null;
  if (session) return;
  // A session that is open though this browser knows of none was cut short by the last one's end.
  for (const left of await getSessions()) {
    if (left.is_open) await putSession({...left, is_open: false});
  }
}
const keep = () => chrome.storage.session.set({session});

// One thing after another: the order in which events come is the order in which they are stored.
let queue = restore();
function enqueue(work) {
  queue = queue.then(work).catch(error => console.error('odokit:', error));
  return queue;
}

async function write(tab, text) {
  const line = scrub(text, session.secrets);
  await append(session.id, `{"tab":${session.tabs.indexOf(tab)},${line.slice(1)}`);
}

async function note(tab, data) {
  await count(data.kind);
  await write(tab, JSON.stringify({data}));
}

async function count(kind) {
  if (['frame', 'form', 'response', 'redirected', 'completed', 'sent', 'dialog', 'page', 'ping', 'download', 'self_test'].includes(kind)) return;
  session.counts[kind] = (session.counts[kind] || 0) + 1;
  await keep();
  await badge();
}

async function badge() {
  const n = session && Object.values(session.counts).reduce((a, b) => a + b, 0);
  await chrome.action.setBadgeBackgroundColor({color: '#c0392b'});
  await chrome.action.setBadgeText({text: session ? (n > 999 ? '999+' : String(n)) : ''});
}

// --- tabs: the one in which it began, and those opened from a recorded one
function isRecorded(tab, opener) {
  if (!session || tab < 0) return false;
  if (session.tabs.includes(tab)) return true;
  if (!session.tabs.includes(opener)) return false;
  session.tabs.push(tab);
  return true;
}

chrome.webNavigation.onCreatedNavigationTarget.addListener(
  ({tabId, sourceTabId}) => enqueue(async () => { if (isRecorded(tabId, sourceTabId)) await keep(); }));
chrome.tabs.onCreated.addListener(
  ({id, openerTabId}) => enqueue(async () => { if (isRecorded(id, openerTabId)) await keep(); }));
chrome.tabs.onRemoved.addListener(tab => enqueue(async () => {
  if (!session?.tabs.includes(tab)) return;
  session.closed.push(tab);
  await keep();
  if (session.tabs.every(t => session.closed.includes(t))) await finish();
}));

// --- what the pages tell
async function take(line, tab) {
  if (!isRecorded(tab.id, tab.openerTabId)) return;
  const message = JSON.parse(line);
  // The page knows a secret in an address by its looks; here it is known by its name as well.
  if (message.data.url) message.data.url = redactUrl(message.data.url);
  await count(message.data.kind);
  await write(tab.id, JSON.stringify(message));
}

// --- navigations
const moved = ({tabId, frameId, url, timeStamp}) => enqueue(async () => {
  if (frameId || !isRecorded(tabId)) return;
  const to = redactUrl(url), from = session.urls[tabId] ?? '';
  if (to === from || !/^(https?|file):/.test(url)) return;
  session.urls[tabId] = to;
  await note(tabId, {kind: 'location', at: timeStamp, url: to, from_url: from, to_url: to});
});
chrome.webNavigation.onCommitted.addListener(moved);
chrome.webNavigation.onHistoryStateUpdated.addListener(moved);
chrome.webNavigation.onReferenceFragmentUpdated.addListener(moved);

// --- whether capture works, once for each site a tab goes to
async function test(tab, url) {
  if (!/^https?:/.test(url)) return;
  const site = `${tab} ${new URL(url).host}`;
  if (session.tested.includes(site)) return;
  session.tested.push(site);
  await keep();
  // Not waited for here: its last step sends a message through this queue.
  chrome.scripting.executeScript({target: {tabId: tab}, files: ['selftest.js'], world: 'MAIN'})
    .then(([{result}]) => enqueue(() => session && result &&
      note(tab, {kind: 'self_test', url: redactUrl(url), failed: result})))
    .catch(() => session?.tested.splice(session.tested.indexOf(site), 1)); // it went elsewhere
}
chrome.webNavigation.onDOMContentLoaded.addListener(({tabId, frameId, url}) => enqueue(
  () => !frameId && isRecorded(tabId) && test(tabId, url)));

// --- requests: that they were sent, and how they ended
const filter = {urls: ['http://*/*', 'https://*/*'], types: TYPES};
const about = ({requestId, method, url, type}) => ({request: requestId, method, request_url: redactUrl(url), type});
function landed(id) {
  inFlight.delete(id);
  if (!inFlight.size) waiting.forEach(go => go());
}

chrome.webRequest.onBeforeRequest.addListener(details => {
  if (READS.has(details.method)) return;
  inFlight.add(details.requestId);
  enqueue(() => isRecorded(details.tabId) &&
    note(details.tabId, {kind: 'sent', at: details.timeStamp, url: session.urls[details.tabId] ?? '', ...about(details)}));
}, filter);
chrome.webRequest.onBeforeRedirect.addListener(details => {
  if (READS.has(details.method)) return;
  // As the server wrote it, which may be relative.
  const header = details.responseHeaders?.find(({name}) => name.toLowerCase() === 'location');
  enqueue(() => isRecorded(details.tabId) && note(details.tabId, {kind: 'redirected', at: details.timeStamp,
    ...about(details), status: details.statusCode, location: redactUrl(header?.value || details.redirectUrl)}));
}, filter, ['responseHeaders']);
function over(details) {
  landed(details.requestId);
  if (READS.has(details.method)) return;
  enqueue(() => isRecorded(details.tabId) && note(details.tabId, {kind: 'completed', at: details.timeStamp,
    ...about(details), status: details.statusCode || 0}));
}
chrome.webRequest.onCompleted.addListener(over, filter);
chrome.webRequest.onErrorOccurred.addListener(over, filter);

// --- downloads; the browser does not say of which tab, so the one before the person is taken
const baseName = path => path.split(/[\\/]/).pop();
function downloading({filename}) {
  enqueue(async () => {
    if (!session) return;
    const [active] = await chrome.tabs.query({active: true, lastFocusedWindow: true});
    if (active && isRecorded(active.id)) await note(active.id, {kind: 'download', at: Date.now(), name: baseName(filename)});
  });
}
// Chromium knows the name only when it asks for it.
(chrome.downloads.onDeterminingFilename || chrome.downloads.onCreated).addListener(downloading);

// --- orders from the popup
const scripts = {matches: ['<all_urls>'], allFrames: true, matchOriginAsFallback: true,
  runAt: 'document_start', persistAcrossSessions: false};

async function start({tab, task, app, secrets}) {
  if (session) return;
  const id = [...crypto.getRandomValues(new Uint8Array(6))].map(n => n.toString(16).padStart(2, '0')).join('');
  const {url} = await chrome.tabs.get(tab);
  const header = {trajectory_id: id, task: scrub(task, secrets), app, start_url: redactUrl(url),
    started_at: new Date().toISOString(), recorder: `odokit extension ${chrome.runtime.getManifest().version}`};
  session = {id, header, secrets, tabs: [tab], closed: [], urls: {[tab]: redactUrl(url)}, counts: {}, tested: []};
  await putSession({id, header, counts: {}, is_open: true, is_complete: false});
  await forget(); // left over when the extension itself was reloaded
  await chrome.scripting.registerContentScripts([
    {...scripts, id: 'page', js: PAGE, world: 'MAIN'}, {...scripts, id: 'bridge', js: ['bridge.js']}]);
  if (/^(https?|file):/.test(url)) {
    // Some pages are closed to every extension, such as the browser's own shop.
    await enter(tab).catch(() => note(tab, {kind: 'gap', what: 'a page could not be entered', where: `of ${redactUrl(url)}`}));
  }
  await keep(); // now the popup says that it records
  await badge();
}

// The page that is open already gets what later ones get as they load.
async function enter(tab) {
  const target = {tabId: tab, allFrames: true};
  await chrome.scripting.executeScript({target, files: PAGE, world: 'MAIN', injectImmediately: true});
  await chrome.scripting.executeScript({target, files: ['bridge.js'], injectImmediately: true});
  await test(tab, (await chrome.tabs.get(tab)).url);
}

const rest = () => new Promise(done => {
  if (!inFlight.size) return done();
  waiting.add(done);
  setTimeout(done, DRAIN_MS);
});

// Not in the queue: what the pages still have to tell must get through it.
async function stop() {
  await rest();
  const tabs = (session?.tabs || []).filter(t => !session.closed.includes(t));
  const frames = await Promise.all(tabs.map(async tabId =>
    ((await chrome.webNavigation.getAllFrames({tabId})) || []).map(({frameId}) => [tabId, frameId])));
  await Promise.allSettled(frames.flat().map(
    ([tabId, frameId]) => chrome.tabs.sendMessage(tabId, {do: 'stop'}, {frameId})));
  await enqueue(finish);
}

async function finish() {
  if (!session) return;
  const {id, header, counts} = session;
  session = null;
  await chrome.storage.session.remove('session');
  await putSession({id, header, counts, is_open: false, is_complete: true});
  await forget();
  await badge();
}

async function forget() {
  const ids = (await chrome.scripting.getRegisteredContentScripts()).map(({id}) => id);
  if (ids.length) await chrome.scripting.unregisterContentScripts({ids});
}

const ORDERS = {
  take: ({line}, {tab}) => enqueue(() => take(line, tab)),
  told: () => queue,
  start: order => enqueue(() => start(order)),
  stop,
};
chrome.runtime.onMessage.addListener((message, sender, answer) => {
  // Pages' ends may tell; only the popup may give orders.
  if (sender.id !== chrome.runtime.id) return false;
  if (!['take', 'told'].includes(message.do) && !sender.url?.startsWith(chrome.runtime.getURL(''))) return false;
  Promise.resolve(ORDERS[message.do](message, sender)).then(() => answer(true));
  return true;
});
