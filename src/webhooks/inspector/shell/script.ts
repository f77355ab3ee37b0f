import {DELIVERY_SCRIPT, REPLAY_SCRIPT} from './delivery-script.ts';
import {EVENTS_SCRIPT} from './events-script.ts';
import {LIST_SCRIPT} from './list-script.ts';
import {INSPECTOR_SCRIPT} from './live-script.ts';

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

${LIST_SCRIPT}${DELIVERY_SCRIPT}${REPLAY_SCRIPT}${INSPECTOR_SCRIPT}${EVENTS_SCRIPT}`;
