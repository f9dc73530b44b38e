import type { Judgement } from './verdict';

/** A test that failed while the machine was short of something says nothing of the package. */
export function spared(judgement: Judgement, shortage: string | null): Judgement {
  if (shortage === null || judgement.verdict !== 'fail') return judgement;
  const message = `the machine was short while it was tested: ${shortage} (${judgement.message})`;
  return { ...judgement, verdict: 'tmpfail', message, trouble: 'machine' };
}
