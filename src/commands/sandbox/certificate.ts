import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {makeCertificate} from '../../cli/sandbox/certificate.ts';

export default class SandboxCertificate extends RemitCommand {
  static override summary = 'Create a certificate for a webhook receiver on this machine';
  static override description =
    'It is signed by a local authority that is created once, is valid for loopback only, and is trusted by the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox certificate',
    '<%= config.bin %> sandbox certificate --cert-file hook.pem --key-file hook-key.pem',
  ];
  static override flags = {
    'cert-file': Flags.string({
      helpValue: 'FILE',
      default: 'receiver.pem',
      description: 'file for the certificate',
    }),
    'key-file': Flags.string({
      helpValue: 'FILE',
      default: 'receiver-key.pem',
      description: 'file for its private key (mode 0600)',
    }),
  };

  async run() {
    const {flags} = await this.parse(SandboxCertificate);
    return makeCertificate(this.openLocal(), {certFile: flags['cert-file'], keyFile: flags['key-file']});
  }
}
