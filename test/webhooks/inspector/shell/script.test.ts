import assert from 'node:assert/strict';
import {Script} from 'node:vm';
import {shellPage} from '../../../../src/webhooks/inspector/shell/page.ts';
import {SHELL_SCRIPT} from '../../../../src/webhooks/inspector/shell/script.ts';
import {INSPECTOR_TOKEN_HEADER} from '../../../../src/webhooks/inspector/request-guard.ts';

/** Those that come with a part of the page. */
const IN_PARTS = new Set(['rows', 'delivery', 'delivery-title']);

describe("the inspector's script", () => {
  it('is valid, and writes no markup of its own', () => {
    assert.doesNotThrow(() => new Script(SHELL_SCRIPT));
    assert.doesNotMatch(
      SHELL_SCRIPT,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage|cookie/,
    );
  });

  it('finds every element that it names, and sends the header that the server reads', () => {
    const page = shellPage(true);
    const ids = [...SHELL_SCRIPT.matchAll(/find\('([\w-]+)'\)/g)].map(([, id]) => id!);
    assert.ok(ids.length > 20);
    const missing = ids.filter((id) => !IN_PARTS.has(id) && !page.includes(`id="${id}"`));
    assert.deepEqual(missing, []);
    assert.ok(SHELL_SCRIPT.includes(`TOKEN_HEADER = '${INSPECTOR_TOKEN_HEADER}'`));
  });

  it('offers to sign again only if a secret is known', () => {
    assert.match(shellPage(true), /id="resign"/);
    assert.doesNotMatch(shellPage(false), /id="resign"/);
  });
});
