import {markup, type Markup} from '../../html/markup.ts';
import {addressOf, rowText, type PageView, type RowName} from './page-view.ts';
import type {Session} from './sessions.ts';

/** Forms, buttons and links of a page in one view; the control that was used last has the focus. */
export class PageControls {
  readonly #session: Pick<Session, 'formToken' | 'control'>;
  readonly #view: PageView;

  constructor(session: Pick<Session, 'formToken' | 'control'>, view: PageView) {
    this.#session = session;
    this.#view = view;
  }

  /** A button of a form; `control` is its id on the page. */
  button(button: {
    name: string;
    value: string;
    control: string;
    label: string;
    isPlain?: boolean;
    isPressed?: boolean;
  }): Markup {
    const {name, value, control, label, isPlain = false, isPressed} = button;
    return markup`<button id="${control}" name="${name}" value="${value}"${isPlain && markup` class="plain"`}${isPressed !== undefined && markup` aria-pressed="${String(isPressed)}"`}${this.#session.control === control && markup` autofocus`}>${label}</button>`;
  }

  /** A form that comes back to this view. */
  form(action: string, {legend, row}: {legend: string; row?: string}, buttons: readonly Markup[]): Markup {
    const hidden = (name: string, value: string) =>
      markup`<input type="hidden" name="${name}" value="${value}">`;
    return markup`<form method="post" action="${action}">${hidden('form', this.#session.formToken)}${hidden('back', addressOf(this.#view).slice(2))}${row !== undefined && hidden('row', row)}<fieldset><legend>${legend}</legend><div class="buttons">${buttons}</div></fieldset></form>`;
  }

  isOpen({kind, id}: RowName): boolean {
    const {shown} = this.#view;
    return shown?.kind === kind && shown.id === id;
  }

  /** The link that opens a row, or closes it. */
  toggle(row: RowName): Markup {
    const {before, shown, at} = this.#view;
    const isOpen = this.isOpen(row);
    const to = addressOf(isOpen ? {at: row, before} : {shown: row, before});
    const focused = shown ?? at;
    // A control that is gone, such as the last possible outcome, leaves the focus to its row.
    const hasFocus =
      this.#session.control === null && focused !== undefined && rowText(focused) === rowText(row);
    return markup`<a class="toggle" id="row-${rowText(row)}" href="${to}" aria-expanded="${String(isOpen)}"${hasFocus && markup` autofocus`}>${row.id}</a>`;
  }
}
