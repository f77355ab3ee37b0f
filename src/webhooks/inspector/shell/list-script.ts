/** The list of deliveries: filter, pages, and moving in it with the keyboard. */
export const LIST_SCRIPT = String.raw`  // The list

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

`;
