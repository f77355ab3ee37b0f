/** One delivery beside the list. */
export const DELIVERY_SCRIPT = String.raw`  // One delivery

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

`;

/** Sends a delivery again, and copies it as a command. */
export const REPLAY_SCRIPT = String.raw`  // Replay and curl

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

`;
