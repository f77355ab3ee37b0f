import assert from 'node:assert/strict';
import {once} from 'node:events';
import {PassThrough} from 'node:stream';
import {stripVTControlCharacters} from 'node:util';
import {describe, it} from 'mocha';
import {RemitError} from '../../../src/errors.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {terminalPrompts, type Choices, type Prompts} from '../../../src/cli/runtime/prompts.ts';

const PARTIES: Choices = {
  choices: [
    {value: 'roofing', name: 'Birch Roofing'},
    {value: 'press', name: 'Birch Press'},
  ],
};

/** Prompts at a terminal whose keys the test presses. */
function terminal(): {
  prompts: Prompts;
  stop: Stop;
  close: () => void;
  press: (keys: string) => void;
  shows: (text: string) => Promise<void>;
} {
  const stdin = Object.assign(new PassThrough(), {isTTY: true});
  // Like stderr of a process, it stays open when a prompt ends its own stream.
  const stderr = Object.assign(new PassThrough(), {isTTY: true, end: () => stderr});
  const stop = new Stop(() => {});
  let screen = '';
  stderr.on('data', (data: Buffer) => (screen += data.toString()));
  return {
    prompts: terminalPrompts({stdin, stderr, stop}),
    stop,
    close: () => void stdin.end(),
    press: (keys) => void stdin.write(keys),
    async shows(text) {
      // The mark of a choice depends on what the terminal can show.
      const seen = () => stripVTControlCharacters(screen).replaceAll('❯ ', '> ').includes(text);
      while (!seen()) await once(stderr, 'data');
      screen = '';
    },
  };
}

const ended = (code: string) => (error: unknown) => error instanceof RemitError && error.code === code;

describe('prompts at a terminal', () => {
  const QUESTIONS: Record<string, (prompts: Prompts) => Promise<unknown>> = {
    confirm: (prompts) => prompts.confirm('Question', '--yes'),
    line: (prompts) => prompts.line('Question', '--name'),
    hidden: (prompts) => prompts.hidden('Question', '--key'),
    choose: (prompts) => prompts.choose('Question', PARTIES, '--payee'),
    chooseSome: (prompts) => prompts.chooseSome('Question', PARTIES.choices, '--events'),
  };
  for (const [name, ask] of Object.entries(QUESTIONS))
    for (const [what, keys] of [
      ['Ctrl-C', '\x03'],
      ['Ctrl-D', '\x04'],
    ] as const)
      it(`${name} ends with INTERRUPTED after ${what}`, async () => {
        const {prompts, press, shows} = terminal();
        const asking = ask(prompts);
        await shows('Question');
        press(keys);
        await assert.rejects(asking, ended('INTERRUPTED'));
      });

  for (const [what, end] of [
    ['SIGTERM', ({stop}) => stop.receive('SIGTERM')],
    ['the end of its keys', ({close}) => close()],
  ] satisfies [string, (at: ReturnType<typeof terminal>) => void][])
    it(`end with TERMINATED after ${what}`, async () => {
      const at = terminal();
      const asking = at.prompts.line('Question', '--name');
      await at.shows('Question');
      end(at);
      await assert.rejects(asking, ended('TERMINATED'));
      at.stop.release();
    });

  it('return what was typed, one after the other', async () => {
    const {prompts, press, shows} = terminal();
    const first = prompts.line('First', '--name');
    await shows('First');
    press('a\r');
    assert.equal(await first, 'a');
    const second = prompts.choose('Second', PARTIES, '--payee');
    await shows('> Birch Roofing');
    press('press');
    await shows('> Birch Press');
    press('\r');
    assert.equal(await second, 'press');
  });

  for (const kind of ['line', 'hidden'] as const)
    it(`take a refused answer away before the next one: ${kind}`, async () => {
      const {prompts, press, shows} = terminal();
      const wrong = (typed: string) => (/\d/.test(typed) ? 'Type a name' : undefined);
      const asking = prompts[kind]('Name', '--name', wrong);
      await shows('Name');
      press('000123456789\r');
      await shows('Type a name');
      if (kind === 'hidden') await shows('Name'); // asked again
      press('Ann\r');
      assert.equal(await asking, 'Ann');
    });

  for (const keys of ['P\r', '?\r'])
    it(`a list does not choose what was marked before the last letter: ${JSON.stringify(keys)}`, async () => {
      const {prompts, press, shows} = terminal();
      const asking = prompts.choose('Payee', PARTIES, '--payee');
      await shows('> Birch Roofing');
      press('Birch ');
      await shows('Payee Birch');
      press(keys);
      await shows('Choose again');
      await shows('> Birch Roofing');
      press('\x1b[B');
      await shows('> Birch Press');
      press('\r');
      assert.equal(await asking, 'press');
    });
});

describe('prompts without a terminal', () => {
  for (const [sources, hint] of [
    ['--key-file FILE', 'add --key-file FILE to the command'],
    ['REMIT_KEY or --key-file FILE', 'use REMIT_KEY or --key-file FILE'],
  ] as const)
    it(`are refused with what replaces the answer: ${hint}`, async () => {
      const streams = {stdin: new PassThrough(), stderr: new PassThrough(), stop: new Stop(() => {})};
      await assert.rejects(
        async () => terminalPrompts(streams).hidden('Key:', sources),
        (error) => ended('NEEDS_TERMINAL')(error) && (error as RemitError).hint === hint,
      );
    });
});
