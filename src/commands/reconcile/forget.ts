import {Args, Flags} from '@oclif/core';
import {decisionFlags, DecisionCommand} from '../../cli/reconcile/decide.ts';
import {printedStatement, type PrintedStatement} from '../../cli/reconcile/statements.ts';
import {strippedLine} from '../../sanitize/harmful.ts';

export default class ReconcileForget extends DecisionCommand {
  static override summary = 'Forget a statement that was the wrong one';
  static override description =
    'Its lines and balances are not compared any more, unless another statement has them too. That it was read, and who forgot it, is kept.';
  static override args = {
    statement: Args.string({required: true, description: 'statement, as `reconcile statements` lists it'}),
  };
  static override examples = ['<%= config.bin %> reconcile forget 12 --note "of another account"'];
  static override flags = {
    ...decisionFlags,
    'with-decisions': Flags.boolean({
      description: 'also if decisions are about lines that only this statement has',
    }),
  };

  async run(): Promise<PrintedStatement> {
    const {args, flags} = await this.parse(ReconcileForget);
    return this.inBook(flags, ({book, signed}, {out}) => {
      const forgotten = book.forget(args.statement, {...signed, withDecisions: flags['with-decisions']});
      return () => {
        const {name, from, to} = forgotten;
        out.text(
          [
            `Forgotten by ${signed.by}: statement ${args.statement}, ${name}, ${from} to ${to}`,
            `  Note: ${signed.note}`,
          ]
            .map(strippedLine)
            .join('\n'),
        );
        return printedStatement(forgotten);
      };
    });
  }
}
