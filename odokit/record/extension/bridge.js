// Hands what the page's end tells to the background, and the background's orders to the page's end.
(() => {
if (globalThis.odokitResume) return globalThis.odokitResume();
const name = 'odokit-' + [...crypto.getRandomValues(new Uint32Array(4))].map(n => n.toString(36)).join('');
const post = (type, detail) => window.dispatchEvent(new CustomEvent(type, {detail}));
const greet = () => post('odokit-hello', name);

// After an update of the extension this script is cut off: then there is nobody to tell.
const tell = message => chrome.runtime?.id && chrome.runtime.sendMessage(message).catch(() => 0);

globalThis.odokitResume = () => post(`${name}-go`);
window.addEventListener(name, e => tell({do: 'take', line: e.detail}), true);
// Where the page's end may not run, in a frame without scripts, nothing is seen; that is told.
let isBlind = true;
window.addEventListener(`${name}-greeted`, () => {
  isBlind = false;
  window.removeEventListener('odokit-ready', greet, true); // a page that asks later must not learn it
}, {capture: true, once: true});
const BLIND = {kind: 'gap', what: 'a frame could not be entered'};
function tellBlind() {
  const where = `of ${location.origin}${location.pathname}`;
  return tell({do: 'take', line: JSON.stringify({doc: name, edge: name, data: {...BLIND, where}})});
}

window.addEventListener('odokit-ready', greet, true);
greet();

let n = 0;
chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (message.do !== 'stop') return false;
  if (isBlind) {
    Promise.resolve(/^https?:/.test(location.protocol) && tellBlind()).then(() => answer(true));
    return true;
  }
  const id = String(++n);
  const limit = setTimeout(() => answer(false), 1000); // the page's end may be gone
  window.addEventListener(`${name}-stopped`, e => {
    if (e.detail !== id) return;
    clearTimeout(limit);
    // What was told before is stored when this is answered.
    Promise.resolve(tell({do: 'told'})).then(() => answer(true));
  }, {capture: true});
  post(`${name}-stop`, id);
  return true; // the answer comes later
});
})();
