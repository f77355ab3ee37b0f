/** Asks for the page as it is now; a notice stays for the person who pressed the button. */
export const LIVE_HEADER = 'x-live-update';

/**
 * The page's script. It replaces the parts that have changed, every two seconds while the page is visible. The page
 * works without it. A part is left alone while a control in it is pressed, and the focus stays where it is.
 */
export const LIVE_SCRIPT = `'use strict';
const state = document.getElementById('live');
let timer;
async function update() {
  clearTimeout(timer);
  if (!document.hidden) {
    try {
      const answer = await fetch(location.href, {headers: {'${LIVE_HEADER}': '1'}});
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (!answer.ok || page.getElementById('live') === null) return say('The session has ended: run remit sandbox open');
      for (const part of document.querySelectorAll('[data-live]')) replace(part, page.getElementById(part.id));
      say('Updated live');
    } catch {
      say('Not updated: the sandbox does not answer');
    }
  }
  timer = setTimeout(update, 2000);
}
function replace(part, now) {
  if (now === null || part.innerHTML === now.innerHTML || part.querySelector(':active') !== null) return;
  const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
  part.replaceChildren(...now.childNodes);
  if (focused !== '') document.getElementById(focused)?.focus({preventScroll: true});
}
function say(text) {
  if (state.textContent !== text) state.textContent = text;
}
document.addEventListener('visibilitychange', update);
document.querySelectorAll('[autofocus]').forEach((element) => element.removeAttribute('autofocus'));
update();
`;
