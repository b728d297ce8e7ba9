// Hands what the page's end tells to the background, and the background's orders to the page's end.
(() => {
if (globalThis.odokitResume) return globalThis.odokitResume();
// Outside the document, so that no script of the page finds it; a mouse event can hand a node over.
const channel = document.createElement('span');
const post = (type, detail) => channel.dispatchEvent(new CustomEvent(type, {detail}));
const greet = () => window.dispatchEvent(new MouseEvent('odokit-hello', {relatedTarget: channel}));

// After an update of the extension this script is cut off: then there is nobody to tell.
const tell = message => chrome.runtime?.id && chrome.runtime.sendMessage(message).catch(() => 0);

globalThis.odokitResume = () => post('go');
channel.addEventListener('told', e => tell({do: 'take', line: e.detail}));
// Where the page's end may not run, in a frame without scripts, nothing is seen; that is told.
let isBlind = true;
channel.addEventListener('greeted', () => {
  isBlind = false;
  window.removeEventListener('odokit-ready', greet, true); // a page that asks later must get nothing
});
const BLIND = {kind: 'gap', what: 'a frame could not be entered'};
function tellBlind() {
  const where = `of ${location.origin}${location.pathname}`;
  return tell({do: 'take', line: JSON.stringify({doc: '', edge: '', data: {...BLIND, where}})});
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
  const limit = setTimeout(() => answer(false), 1000); // the page may be busy, or gone
  channel.addEventListener('stopped', e => {
    if (e.detail !== id) return;
    clearTimeout(limit);
    // What was told before is stored when this is answered.
    Promise.resolve(tell({do: 'told'})).then(() => answer(true));
  });
  post('stop', id);
  return true; // the answer comes later
});
})();
