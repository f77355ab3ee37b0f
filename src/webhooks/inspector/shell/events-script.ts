/** What the user does. */
export const EVENTS_SCRIPT = String.raw`  // Events of the page

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
