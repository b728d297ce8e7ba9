// What was recorded, in IndexedDB: written as it happens, so that it outlives the browser.

const open = new Promise((done, fail) => {
  const asked = indexedDB.open('odokit', 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore('sessions', {keyPath: 'id'});
    asked.result.createObjectStore('lines', {autoIncrement: true}).createIndex('session', 'session');
  };
  asked.onsuccess = () => done(asked.result);
  asked.onerror = () => fail(asked.error);
});

const ended = request => new Promise((done, fail) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});

async function store(name, mode) {
  return (await open).transaction(name, mode, {durability: 'strict'}).objectStore(name);
}

/** Append a line to a session; resolves when it is on the disk. */
export async function append(session, line) {
  const lines = await store('lines', 'readwrite');
  lines.add({session, line});
  await new Promise((done, fail) => {
    lines.transaction.oncomplete = done;
    lines.transaction.onerror = () => fail(lines.transaction.error);
  });
}

/** Store a session's head: header, counts, and whether it came to its end. */
export const putSession = async session => ended((await store('sessions', 'readwrite')).put(session));

/** All sessions, the last one first. */
export const getSessions = async () => (await ended((await store('sessions', 'readonly')).getAll()))
  .sort((a, b) => b.header.started_at.localeCompare(a.header.started_at));

/** The lines of a session, in the order in which they were written. */
export const getLines = async id => (await ended(
  (await store('lines', 'readonly')).index('session').getAll(id))).map(row => row.line);

/** Forget a session. */
export async function remove(id) {
  await ended((await store('sessions', 'readwrite')).delete(id));
  const lines = await store('lines', 'readwrite');
  const keys = await ended(lines.index('session').getAllKeys(id));
  await Promise.all(keys.map(key => ended(lines.delete(key))));
}

/** A session as one file: JSON lines that `odokit ingest` reads. */
export async function exportFile(session) {
  const lines = await getLines(session.id);
  const closing = {end: true, n_lines: lines.length, is_complete: session.is_complete};
  const all = [JSON.stringify({odokit_export: 1, header: session.header}), ...lines, JSON.stringify(closing)];
  return new Blob(all.map(line => line + '\n'), {type: 'application/jsonl'});
}
