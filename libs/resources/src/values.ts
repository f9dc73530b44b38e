import {
  IsReason,
  IsWorkerName,
  PACKAGE_NAME_LENGTH_MAX,
  REASON_LENGTH_MAX,
  UNTESTED,
  UNTESTED_VERDICTS,
  VERDICTS,
  WORKER_NAME,
} from '@proctor/contracts';
import { component, orNull, text, whole, words } from './schema';

// Values that several resources have.

export const TIME = component(
  'Time',
  text({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
    description: 'UTC, exactly in this form.',
  }),
);

export const RUN_ID = component(
  'RunId',
  whole({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'An integer of 64 bits, never above 2^53 - 1, so that a JSON number holds it exactly.',
  }),
);

export const REASON = component(
  'Reason',
  text({ minLength: 1, maxLength: REASON_LENGTH_MAX, description: 'For people.' }),
  IsReason(),
);

export const NAME_OF_WORKER = component('WorkerName', text({ pattern: WORKER_NAME.source }), IsWorkerName());

export const PACKAGE_NAME = component(
  'PackageName',
  text({ maxLength: PACKAGE_NAME_LENGTH_MAX, pattern: '^[a-z0-9][a-z0-9+.-]+$' }),
);

const UNTESTED_MEANINGS = UNTESTED_VERDICTS.map((verdict) => {
  const { meaning, status } = UNTESTED[verdict];
  return `\`${verdict}\`: ${meaning}, so nothing was tested; its \`status\` is \`${status}\`, and it counts for no package.`;
}).join(' ');

export const VERDICT = component(
  'Verdict',
  orNull(
    words(VERDICTS, {
      description: `How a run ended, of runs that have ended. \`neutral\`: there was nothing to test; its \`status\` is as the deployment says, \`pass\` by default. ${UNTESTED_MEANINGS}`,
    }),
  ),
);
