import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {callControl} from '../../cli/sandbox/control.ts';
import {readDay} from '../../cli/sandbox/flag-values.ts';
import {type StatementFileFacts, statementParts} from '../../cli/sandbox/statement-parts.ts';
import {STATEMENT_FILE_FORMATS} from '../../sandbox/statement/formats.ts';
import type {StatementFile} from '../../sandbox/statement/statement-file.ts';
import {must} from '../../narrow.ts';
import {counted} from '../../phrases.ts';
import {writeOutFile} from '../../store/files/out-file.ts';

export default class SandboxStatement extends RemitCommand {
  static override summary = 'Write the statement of a treasury account as a bank would';
  static override description =
    'Has the lines that the simulated bank has reported by now, and the balances before and after them. OFX states only the last balance, and CSV none. BAI2 and MT940 have no pending lines.';
  static override examples = [
    '<%= config.bin %> sandbox statement --account 019b76da-a800-7000-8235-80d251bba0e9 --format camt053 --out november.xml',
    '<%= config.bin %> sandbox statement --account 019b76da-a800-7000-8235-80d251bba0e9 --format bai2 --from 2026-11-01 --to 2026-11-30',
  ];
  static override flags = {
    account: Flags.string({required: true, helpValue: 'ID', description: 'treasury account'}),
    format: Flags.option({
      required: true,
      options: STATEMENT_FILE_FORMATS,
      description: 'format of the statement',
    })(),
    from: Flags.string({helpValue: 'DATE', description: 'first day (default: that of the account)'}),
    to: Flags.string({helpValue: 'DATE', description: "last day (default: the sandbox's today)"}),
    out: Flags.string({helpValue: 'FILE', description: 'file to write (default: stdout)'}),
  };

  async run() {
    const {flags} = await this.parse(SandboxStatement);
    const local = this.openLocal();
    const {account, format, out} = flags;
    const query = new URLSearchParams({account_id: account, format});
    for (const name of ['from', 'to'] as const) {
      const day = flags[name];
      if (day !== undefined) query.set(name, readDay(`--${name}`, day));
    }
    let facts: StatementFileFacts | undefined;
    let bytes = 0;
    async function* texts(): AsyncGenerator<string> {
      const parts = statementParts((offset) => {
        query.set('offset', String(offset));
        return callControl<StatementFile>(local, 'GET', `/sandbox/statement?${query.toString()}`);
      });
      for await (const {text, ...rest} of parts) {
        facts = rest;
        bytes += Buffer.byteLength(text);
        yield text;
      }
    }
    if (out !== undefined) {
      await writeOutFile(out, texts());
      const {lines, from, to, ...rest} = must(facts, 'facts of a statement');
      local.out.text(`${counted(lines, 'line')} from ${from} to ${to}: ${out}`);
      return {...rest, from, to, lines, file: out, bytes};
    }
    const kept: string[] = [];
    for await (const text of texts()) {
      // Exact: a reference of a bank may look like a number that is masked.
      if (local.out.forPeople) await local.out.bytes(Buffer.from(text));
      else kept.push(text);
    }
    return {...must(facts, 'facts of a statement'), text: kept.join('')};
  }
}
