import {Args} from '@oclif/core';
import {commandConfigOf} from '../cli/core/app.ts';
import {RemitCommand} from '../cli/core/command.ts';
import {schemaOf} from '../cli/help/schemas.ts';
import {serviceInForce} from '../cli/core/service-in-force.ts';

export default class Schema extends RemitCommand {
  static override summary = 'Show the JSON Schema of an operation or command';
  static override description =
    'An operation has the schemas of its body and answers, in the names of the interface document. A command has those of its flags and of the operations that it calls.';
  static override strict = false;
  static override args = {
    name: Args.string({
      required: true,
      description: 'operation, such as payouts.create, or the words of a command',
    }),
  };
  static override examples = [
    '<%= config.bin %> schema payouts.create',
    '<%= config.bin %> schema payouts create --query input',
  ];

  async run() {
    const {argv} = await this.parse(Schema);
    const local = this.openLocal();
    const config = await commandConfigOf(this).app.config();
    const schema = await schemaOf(argv.map(String), config, serviceInForce(local, this.project).service);
    local.out.text(JSON.stringify(schema, undefined, 2));
    return schema;
  }
}
