import type {BatchPermits, BatchStep} from '../../../batch/answers/wire.ts';
import {type Kind, KINDS} from '../../../batch/model/kinds.ts';
import type {RunPath} from '../../../batch/model/run-path.ts';
import type {Context} from '../../core/context.ts';

/** Grants the requests of the batch that this command runs. */
export const PERMITS: BatchPermits = {create: {}, release: {}, approve: {}, cancel: {}};

/** A cancel replays creates in doubt, without approval, to learn their ids. */
const STEPS: Readonly<Record<RunPath, readonly BatchStep[]>> = {
  'stage-and-release': ['create', 'release'],
  'stage-only': ['create'],
  release: ['create', 'release'],
  direct: ['create', 'release'],
  cancel: ['create', 'cancel'],
};

/** Allows the writes of a batch that was just confirmed; approvals by id only if the profile allows them. */
export function grantBatch({grants, profile}: Context, kind: Kind, path: RunPath): void {
  const steps = STEPS[path];
  const byId = profile.approveById && steps.includes('release') ? (['approve'] as const) : [];
  grants.allowBatch([...steps, ...byId], PERMITS, KINDS[kind].operations, profile.service);
}
