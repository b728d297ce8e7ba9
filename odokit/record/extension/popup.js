// Start, stop, what was seen so far, and the recordings that are kept.
import {exportFile, getSessions, remove} from './journal.js';

const find = id => document.getElementById(id);
const EVERYWHERE = {origins: ['<all_urls>']};

function make(tag, text, onClick) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (onClick) {
    element.type = 'button';
    element.addEventListener('click', onClick);
  }
  return element;
}

// The tab before the person; when this page has a tab of its own, the one they looked at last.
async function tabToRecord() {
  const own = await chrome.tabs.getCurrent();
  const tabs = (await chrome.tabs.query({currentWindow: true})).filter(t => t.id !== own?.id);
  return tabs.find(t => t.active) || tabs.sort((a, b) => b.lastAccessed - a.lastAccessed)[0];
}

const total = counts => Object.values(counts).reduce((a, b) => a + b, 0);

function download(session, file) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `${session.header.trajectory_id}.export.jsonl`;
  link.click();
}

function showSession(session) {
  const {header, counts, is_complete} = session;
  const item = make('li', header.task || '(no task given)');
  const when = make('p', `${new Date(header.started_at).toLocaleString()}: ${total(counts)} events` +
    (is_complete ? '' : '; cut short, what was stored is kept'));
  when.className = is_complete ? 'when' : 'when bad';
  const orders = document.createElement('div');
  orders.append(
    make('button', 'Export', async () => download(session, await exportFile(session))),
    make('button', 'Delete', async () => { await remove(session.id); await show(); }));
  item.append(when, orders);
  return item;
}

function showCounts(counts) {
  const rows = Object.entries(counts).sort().map(([kind, n]) => {
    const row = document.createElement('tr');
    row.append(make('td', kind.replaceAll('_', ' ')), make('td', String(n)));
    return row;
  });
  find('counts').replaceChildren(...rows);
  find('counts').hidden = !rows.length;
}

async function show() {
  const {session} = await chrome.storage.session.get('session');
  find('begin').hidden = Boolean(session);
  find('running').hidden = !session;
  find('doing').textContent = session?.header.task || '';
  showCounts(session?.counts || {});
  const kept = (await getSessions()).filter(s => !s.is_open);
  find('sessions').replaceChildren(...kept.map(showSession));
  find('kept').hidden = !kept.length;
}

find('begin').addEventListener('submit', async e => {
  e.preventDefault();
  // Must be asked for by the person's own click, before anything else is waited for.
  const isAllowed = await chrome.permissions.request(EVERYWHERE);
  find('refused').hidden = isAllowed;
  if (!isAllowed) return;
  const {id: tab} = await tabToRecord();
  const secrets = find('secrets').value.split('\n').map(s => s.trim()).filter(Boolean);
  await chrome.runtime.sendMessage({do: 'start', tab, task: find('task').value.trim(),
    app: find('app').value.trim(), secrets});
  find('secrets').value = '';
  await show();
});
find('stop').addEventListener('click', async () => {
  await chrome.runtime.sendMessage({do: 'stop'});
  await show();
});
chrome.storage.session.onChanged.addListener(show);
show();
