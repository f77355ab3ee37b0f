import {Flags} from '@oclif/core';
import {amountOfFlags} from '../../cli/input/amounts.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {acceptNewFlag, amountFlags, bodyFlags} from '../../cli/input/flags.ts';
import {createMoney} from '../../cli/resources/money/writes.ts';
import {MOVE} from '../../cli/resources/money/moves.ts';

const EXAMPLE = '<%= config.bin %> moves create --source ID --destination ID --amount 125.00 --currency USD';

export default class MovesCreate extends RemitCommand {
  static override summary = 'Create a move between two subaccounts; it settles when approved';
  static override examples = [
    EXAMPLE,
    "<%= config.bin %> moves create --source ID --destination ID --amount-minor 12500 --description 'May rent' -o id",
  ];
  static override flags = {
    source: Flags.string({
      required: true,
      helpValue: 'ID',
      description: 'subaccount to debit; at a terminal also a name',
    }),
    destination: Flags.string({
      required: true,
      helpValue: 'ID',
      description: 'subaccount to credit; at a terminal also a name',
    }),
    ...amountFlags,
    description: Flags.string({helpValue: 'TEXT', description: 'free text description'}),
    ...bodyFlags,
    ...acceptNewFlag,
  };

  async run() {
    const {flags} = await this.parseWithData(MovesCreate);
    const amount = amountOfFlags(flags);
    const body = {
      source_subaccount_id: flags.source,
      destination_subaccount_id: flags.destination,
      amount_in_minor_units: amount.wire,
      currency_code: flags.currency,
      description: flags.description,
    };
    const request = {body, amount, flags, typed: this.typed};
    return this.conclude(await createMoney(await this.open(), MOVE, request));
  }
}
