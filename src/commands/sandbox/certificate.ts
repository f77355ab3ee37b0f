import {Flags} from '@oclif/core';
import {RemitCommand} from '../../cli/core/command.ts';
import {makeCertificate} from '../../cli/sandbox/certificate.ts';

export default class SandboxCertificate extends RemitCommand {
  static override summary = 'Make a certificate for a webhook receiver on this machine';
  static override description =
    'Signed by a local authority that is made once and can vouch for loopback only; the sandbox trusts it.';
  static override examples = [
    '<%= config.bin %> sandbox certificate',
    '<%= config.bin %> sandbox certificate --cert-file hook.pem --key-file hook-key.pem',
  ];
  static override flags = {
    'cert-file': Flags.string({
      helpValue: 'FILE',
      default: 'receiver.pem',
      description: 'where the certificate goes',
    }),
    'key-file': Flags.string({
      helpValue: 'FILE',
      default: 'receiver-key.pem',
      description: 'where its private key goes (mode 0600)',
    }),
  };

  async run() {
    const {flags} = await this.parse(SandboxCertificate);
    return makeCertificate(this.openLocal(), {certFile: flags['cert-file'], keyFile: flags['key-file']});
  }
}
