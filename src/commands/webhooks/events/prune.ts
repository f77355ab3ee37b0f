import {RemitCommand} from '../../../cli/core/command.ts';
import {recordFolder} from '../../../cli/webhooks/place.ts';
import {duration} from '../../../cli/input/global-flags.ts';
import {sizeFlag} from '../../../cli/input/size-flag.ts';
import {DEFAULT_BOUNDS, pruneRecord} from '../../../webhooks/record/prune.ts';

export default class WebhooksEventsPrune extends RemitCommand {
  static override summary = 'Remove old recorded deliveries';
  static override description =
    'Removes whole files, oldest first, until the record is within the limits. Deliveries still waiting to be forwarded are kept. A running listener prunes automatically.';
  static override examples = [
    '<%= config.bin %> webhooks events prune',
    '<%= config.bin %> webhooks events prune --older-than 7d --max-size 100MB',
  ];
  static override flags = {
    'older-than': duration({description: 'remove older deliveries (default 30d)'}),
    'max-size': sizeFlag({description: 'keep at most this much (default 256MB)'}),
  };

  async run() {
    const {flags} = await this.parse(WebhooksEventsPrune);
    const local = this.openLocal();
    const pruned = pruneRecord(recordFolder(local), local.clock.now(), {
      maxBytes: flags['max-size'] ?? DEFAULT_BOUNDS.maxBytes,
      maxAgeMs: flags['older-than'] ?? DEFAULT_BOUNDS.maxAgeMs,
    });
    local.out.text(
      `${pruned.deliveries} deliveries removed (${pruned.segments} files, ${pruned.bytes} bytes).`,
    );
    if (pruned.waiting > 0)
      local.out.warn(`${pruned.waiting} older deliveries stay: they wait to be forwarded`);
    return pruned;
  }
}
