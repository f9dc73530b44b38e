import { TROUBLES, VERDICTS, type Trouble, type Verdict } from '@proctor/contracts';
import { finishedRunRecord } from '../../../../test/support/run-record';
import { runSentence } from '../pages/runs/run-sentence';
import { triageView } from '../pages/triage/triage-view';
import { statusFeed } from '../public-data/status-feed';
import { triage } from './triage';

/** Words that say that a package is at fault. */
const BLAMES = /\bfails?\b|never passed|report a bug|\bFAIL\b/i;

const CASES: [Verdict, Trouble | null][] = VERDICTS.flatMap((verdict): [Verdict, Trouble | null][] =>
  verdict === 'tmpfail' ? [null, ...TROUBLES].map((trouble) => [verdict, trouble]) : [[verdict, null]],
);

/** Everything that is said of a run with this outcome, of a package that has never passed and fails alike elsewhere. */
function said(verdict: Verdict, trouble: Trouble | null) {
  const message = verdict === 'absent' ? 'sid has no source package hello' : 'a message';
  const run = finishedRunRecord({ verdict, trouble, message, trigger: null });
  const found = triage({
    run,
    here: null,
    elsewhere: [],
    reference: null,
    passOfVersion: null,
    lastPass: null,
    changes: null,
    later: null,
    sameError: [],
  });
  const place = { base: 'http://x', bugReportUrl: 'mailto:x?subject={subject}&body={body}', errorLine: null };
  const { heading, button } = triageView(run, found, null, place);
  const address = { base: 'http://x', feedPath: '/feed', pagePath: '/page' };
  const feed = /<title type="html"><!\[CDATA\[(.*?)\]\]>/.exec(
    statusFeed('Tests', address, [run], 'pass'),
  )?.[1];
  return {
    sentence: runSentence(run, 'pass'),
    feed,
    heading,
    conclusion: found.conclusion,
    step: found.step.kind,
    button,
  };
}

describe('who is blamed', () => {
  it.each(CASES.filter(([verdict]) => verdict === 'tmpfail' || verdict === 'absent'))(
    'no sentence blames the package for the verdict %s with the trouble %s',
    (verdict, trouble) => {
      const { sentence, feed, heading, conclusion, step, button } = said(verdict, trouble);
      expect(
        [sentence, feed, heading, conclusion, button?.label ?? ''].filter((text) =>
          BLAMES.test(text ?? 'fail'),
        ),
      ).toEqual([]);
      expect(step).not.toBe('report');
    },
  );

  it('each says so of a package that fails', () => {
    const { sentence, feed, heading, step, button } = said('fail', null);
    expect([sentence, feed, heading].every((text) => /fail/i.test(text ?? ''))).toBe(true);
    expect([step, button?.label]).toEqual(['report', 'Report a bug in hello']);
  });

  it.each([
    ['absent', null],
    ['tmpfail', 'request'],
  ] as const)(
    'a run that another attempt would not change is not to be tried again: %s, %s',
    (verdict, trouble) => {
      expect(said(verdict, trouble).step).toBe('nothing');
    },
  );
});
