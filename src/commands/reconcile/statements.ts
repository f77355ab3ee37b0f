import {RemitCommand} from '../../cli/core/command.ts';
import {folderFlag} from '../../cli/batch/flags.ts';
import {printedStatement, statementView} from '../../cli/reconcile/statements.ts';
import {Book} from '../../reconcile/book/book.ts';

export default class ReconcileStatements extends RemitCommand {
  static override summary = 'List the bank statements that were read';
  static override examples = ['<%= config.bin %> reconcile statements'];
  static override flags = folderFlag;

  async run() {
    const {flags} = await this.parse(ReconcileStatements);
    const {out, profile, stateDir, commands} = await this.open();
    const book = await Book.open(flags['state-dir'] ?? stateDir, profile, {write: false});
    try {
      const statements = book.statements.all().map(printedStatement);
      await out.list(statements, statementView);
      const [first] = statements.filter(({forgotten_at: at}) => at === null);
      if (first !== undefined)
        out.hint(`if one is wrong: ${commands.read('reconcile', 'forget', first.id, '--note', 'TEXT')}`);
    } finally {
      await book.close();
    }
  }
}
