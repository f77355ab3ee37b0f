/**
 * The script of the page. It fetches parts that the server has escaped and inserts them; all text that it writes
 * itself is in text nodes. The token is removed from the address immediately and stays in this tab.
 */
export const SHELL_SCRIPT = String.raw`'use strict';
(() => {
  const KEY = 'remit-inspector-token';
  const TOKEN_HEADER = 'x-remit-token';
  const find = (id) => document.getElementById(id);
  const given = /^#open=([\w-]+)$/.exec(location.hash);
  if (given) {
    sessionStorage.setItem(KEY, given[1]);
    history.replaceState(null, '', location.pathname);
  }
  const token = sessionStorage.getItem(KEY) || '';

  let before = '';
  let current = '';
  let wanted = '';
  let view = 'pretty';
  let listTurn = 0;
  let detailTurn = 0;

  async function ask(path, init) {
    const answer = await fetch(path, {...init, headers: {...(init && init.headers), [TOKEN_HEADER]: token}});
    if (answer.status === 401) close();
    return answer;
  }

  function close() {
    find('closed').hidden = false;
    find('panes').hidden = true;
    setState('', 'Closed');
  }

  function setState(kind, text) {
    find('state').className = kind || 'soft';
    if (find('state').textContent !== text) find('state').textContent = text;
  }

  /** Inserts a part of the page. If an element in it had the focus, it is focused again and its id is returned. */
  function place(where, nodes) {
    const focused = where.contains(document.activeElement) ? document.activeElement.id : '';
    where.replaceChildren(...nodes);
    if (focused !== '' && find(focused)) find(focused).focus({preventScroll: true});
    return focused;
  }

  const parse = (html) => new DOMParser().parseFromString(html, 'text/html').body;

  // The list

  function query() {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(find('filter'))) if (value !== '') asked.set(name, value);
    if (before !== '') asked.set('before', before);
    return asked.toString();
  }

  async function refreshList() {
    const turn = (listTurn += 1);
    const answer = await ask('/deliveries?' + query());
    if (!answer.ok) return;
    const html = await answer.text();
    if (turn !== listTurn) return;
    const focused = place(find('rows-place'), parse(html).childNodes);
    const facts = find('rows').dataset;
    const isFiltered = query() !== '' && facts.matching !== facts.total;
    const count = facts.total + (facts.total === '1' ? ' delivery' : ' deliveries');
    const text = isFiltered ? facts.matching + ' of ' + count : count;
    if (find('count').textContent !== text) find('count').textContent = text;
    find('older').hidden = facts.more !== 'yes';
    find('newest').hidden = before === '';
    markRows();
    if (focused !== '' && !find(focused)) (rows()[0] || find('search')).focus();
  }

  const rows = () => [...document.querySelectorAll('#rows .row')];

  /** Only one row is in the tab order: the focused one, the open one, or the first. */
  function markRows(focused) {
    const all = rows();
    const reachable = focused || all.find((row) => row.dataset.id === current) || all[0];
    for (const row of all) {
      row.tabIndex = row === reachable ? 0 : -1;
      if (row.dataset.id === current) row.setAttribute('aria-current', 'true');
      else row.removeAttribute('aria-current');
    }
  }

  function moveFocus(key, row) {
    const all = rows();
    const at = all.indexOf(row);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1, PageDown: at + 10, PageUp: at - 10}[key];
    const next = all[Math.max(0, Math.min(all.length - 1, to))];
    if (next) next.focus();
  }

  // One delivery

  async function openDelivery(id, byUser) {
    const turn = (detailTurn += 1);
    const isOther = id !== current;
    wanted = id;
    const answer = await ask('/deliveries/' + id);
    const html = answer.ok ? await answer.text() : '';
    if (turn !== detailTurn) return;
    if (!answer.ok) {
      if (answer.status === 404) setOutcome('bad', 'This delivery is no longer in memory.');
      if (!isOther || answer.status !== 404) return;
      find('title-place').replaceChildren();
      find('detail-place').replaceChildren();
    }
    current = id;
    find('nothing').hidden = true;
    find('opened').hidden = false;
    document.body.classList.add('opened');
    if (answer.ok) {
      const part = parse(html);
      place(find('title-place'), [part.firstElementChild]);
      place(find('detail-place'), part.childNodes);
      showBody();
      if (isOther) {
        find('target').value = find('delivery').dataset.target;
        setOutcome('', '');
        find('detail').scrollTop = 0;
      }
    }
    markRows();
    const title = find('delivery-title');
    if (byUser && title) title.focus({preventScroll: true});
  }

  function closeDelivery() {
    const id = current;
    detailTurn += 1;
    current = '';
    wanted = '';
    find('opened').hidden = true;
    find('nothing').hidden = false;
    document.body.classList.remove('opened');
    markRows();
    const row = find('row-' + id) || rows()[0];
    if (row) row.focus();
  }

  function showBody() {
    for (const button of document.querySelectorAll('[data-view]'))
      button.setAttribute('aria-pressed', String(button.dataset.view === view));
    const bodies = [...document.querySelectorAll('[data-body]')];
    if (bodies.length > 1) for (const body of bodies) body.hidden = body.dataset.body !== view;
  }

  function route(byUser) {
    const id = location.hash.slice(1);
    if (/^dlv_[0-9a-f]{24}$/.test(id)) void openDelivery(id, byUser);
    else if (current !== '' && id !== 'rows') closeDelivery();
  }

  // Replay and curl

  /** @param shown text below it: what the target answered, or a command */
  function setOutcome(kind, text, shown = '') {
    find('outcome').className = kind;
    find('outcome').textContent = text;
    find('shown').textContent = shown;
    find('shown').hidden = shown === '';
  }

  let busy = false;
  async function replay(resign) {
    if (busy || current === '') return;
    busy = true;
    const id = current;
    const buttons = [find('send'), find('resign')].filter((one) => one !== null);
    for (const button of buttons) button.setAttribute('aria-disabled', 'true');
    setOutcome('', 'Sending…');
    try {
      const answer = await ask('/deliveries/' + id + '/replay', {
        method: 'POST',
        headers: {'content-type': 'application/json'},
        body: JSON.stringify({target: find('target').value, resign}),
      });
      const {message, good, response} = await answer.json();
      if (id === current) setOutcome(good ? 'good' : 'bad', message, response);
    } catch {
      setOutcome('bad', 'The command that serves this page did not answer.');
    }
    for (const button of buttons) button.removeAttribute('aria-disabled');
    busy = false;
  }

  async function copyCurl() {
    const answer = await ask('/deliveries/' + current + '/curl?' + new URLSearchParams({target: find('target').value}));
    const text = await answer.text();
    if (!answer.ok) return setOutcome('bad', text);
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('good', 'Copied. It sends the same bytes and headers.');
    } catch {
      setOutcome('', 'The browser does not allow copying. The command is selected below.', text);
      getSelection().selectAllChildren(find('shown'));
    }
  }

  // Live

  let waiting = false;
  function changed(ids) {
    if (ids === null || ids.includes(wanted)) if (wanted !== '') void openDelivery(wanted, false);
    if (waiting || before !== '') return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      refreshList().catch(() => undefined);
    }, 50);
  }

  async function follow() {
    for (let pause = 500; ; pause = Math.min(2 * pause, 10000)) {
      try {
        const answer = await ask('/events');
        if (answer.status === 401) return;
        if (answer.ok) {
          pause = 500;
          setState('live', 'Live');
          changed(null);
          await readEvents(answer.body.pipeThrough(new TextDecoderStream()).getReader());
        }
      } catch {
        // The connection was lost: try again.
      }
      setState('lost', 'Connection lost. Is the command still running?');
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async function readEvents(reader) {
    for (let text = ''; ; ) {
      const {done, value} = await reader.read();
      if (done) return;
      text += value;
      const complete = text.split('\n\n');
      text = complete.pop();
      for (const event of complete) {
        const data = /^data: (.*)$/m.exec(event);
        if (data) changed(JSON.parse(data[1]).ids);
      }
    }
  }

  // Events of the page

  addEventListener('hashchange', () => route(true));
  let typing;
  find('filter').addEventListener('input', () => {
    before = '';
    clearTimeout(typing);
    typing = setTimeout(() => refreshList().catch(() => undefined), 120);
  });
  find('filter').addEventListener('submit', (event) => event.preventDefault());
  find('older').addEventListener('click', async () => {
    before = find('rows').dataset.last;
    await refreshList();
    if (rows()[0]) rows()[0].focus();
  });
  find('newest').addEventListener('click', async () => {
    before = '';
    await refreshList();
    if (rows()[0]) rows()[0].focus();
  });
  find('rows-place').addEventListener('focusin', (event) => {
    if (event.target.classList.contains('row')) markRows(event.target);
  });
  find('detail-place').addEventListener('click', (event) => {
    const button = event.target.closest('[data-view]');
    if (button) {
      view = button.dataset.view;
      showBody();
    }
  });
  find('back').addEventListener('click', (event) => {
    event.preventDefault();
    location.hash = 'list';
  });
  find('replay').addEventListener('submit', (event) => {
    event.preventDefault();
    void replay(event.submitter !== null && event.submitter.id === 'resign');
  });
  find('copy').addEventListener('click', () => void copyCurl());
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const {target, key} = event;
    const inField = ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName);
    if (key === 'Escape') {
      if (target.id === 'search' && target.value !== '') return;
      if (current !== '') location.hash = 'list';
    } else if (key === '/' && !inField) {
      event.preventDefault();
      if (document.body.classList.contains('opened') && matchMedia('(max-width:900px)').matches) location.hash = 'list';
      find('search').focus();
    } else if (/^(Arrow(Up|Down)|Home|End|Page(Up|Down))$/.test(key) && target.classList.contains('row')) {
      event.preventDefault();
      moveFocus(key, target);
    } else if (key === 'ArrowDown' && target.id === 'search' && rows()[0]) {
      event.preventDefault();
      rows()[0].focus();
    }
  });

  if (token === '') close();
  else {
    refreshList().catch(() => undefined);
    route(false);
    void follow();
  }
})();
`;
