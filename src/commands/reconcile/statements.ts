import {stateDirFlag} from '../../cli/batch/flags.ts';
import {openBook} from '../../cli/reconcile/shared-book.ts';
import {printedStatement, statementView} from '../../cli/reconcile/statements.ts';
import {SharedCommand} from '../../cli/team/command.ts';

export default class ReconcileStatements extends SharedCommand {
  static override summary = 'List the bank statements that were read';
  static override examples = ['<%= config.bin %> reconcile statements'];
  static override flags = stateDirFlag;

  async run() {
    const {flags} = await this.parse(ReconcileStatements);
    const context = await this.open();
    const {out, stateDir, commands} = context;
    await this.teamOf(context, flags);
    const book = await openBook(context, flags['state-dir'] ?? stateDir, {write: false});
    try {
      const statements = book.statements.all().map(printedStatement);
      await out.list(statements, statementView);
      const [first] = statements.filter(({forgotten_at: at}) => at === null);
      if (statements.length === 0)
        out.hint(
          `no statement was read yet: ${commands.read('reconcile', '--account', 'ID', '--statement', 'FILE')}`,
        );
      if (first !== undefined)
        out.hint(`if one is wrong: ${commands.read('reconcile', 'forget', first.id, '--note', 'TEXT')}`);
    } finally {
      await book.close();
    }
  }
}
