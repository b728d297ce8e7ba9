// Proves that capture works on this page and gives the parts that do not: the script, a listener,
// the observer, the snapshot. An inert element gets one event of each kind; the recorder's listeners
// come first and stop them, so that neither the page nor the recording takes notice of it.
async () => {
  const odo = window.__odokit;
  if (!odo?.flush) return ['script'];
  if (document.readyState === 'loading') {
    await new Promise(done => document.addEventListener('DOMContentLoaded', done, {once: true}));
  }
  odo.renew(); // as the next event would: a popup's document may not be observed yet
  const probe = odo.probe = document.createElement('odokit-probe');
  odo.seen = [];
  probe.hidden = probe.inert = true;
  document.documentElement.append(probe);
  for (const type of odo.types) probe.dispatchEvent(new Event(type));
  odo.look(); // takes what the observer has by now: nothing is left to the order of tasks
  probe.remove();
  const failed = [...odo.types, 'observer'].filter(part => !odo.seen.includes(part));
  const html = odo.serialize(document.documentElement);
  if (!html.startsWith('<') || !html.endsWith(`</${document.documentElement.localName}>`)) failed.push('snapshot');
  odo.ping();
  return failed;
}
