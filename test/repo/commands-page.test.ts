import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {commandsPage} from '../../src/cli/help/reference.ts';
import {sourceConfig} from '../cli/run-cli.ts';
import {readText} from './tree.ts';

describe('docs/reference/commands.md', () => {
  it('is the help of the commands', async () => {
    assert.equal(
      readText('docs/reference/commands.md'),
      await commandsPage(await sourceConfig()),
      'npm run generate',
    );
  });
});
