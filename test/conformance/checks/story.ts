import type { Check } from '../check';
import { equal, includes, matches, ok, problem, TIME } from '../expectations';

/** What the API shows about one run. */
export const storyChecks: Check[] = [
  {
    id: 'STO-01',
    title: 'a run shows everything that happened to it, in order: what, who, why and when',
    needs: ['finishing runs'],
    async run(it) {
      const user = (await it.api('/auth')).header('auth-user')!;
      const run = await it.finished({ package: it.name() });
      const { facts } = (await it.one(run.run_id)) as unknown as { facts: Record<string, unknown>[] };
      ok(Array.isArray(facts), 'facts is no array');
      includes(facts[0], { kind: 'requested', state: 'queued', actor: `user ${user}` }, 'the first fact');
      includes(facts.at(-1), { kind: 'finished', state: 'finished' }, 'the last fact');
      const kinds = facts.map(({ kind }) => kind);
      for (const kind of ['granted', 'started']) ok(kinds.includes(kind), `it was never ${kind}`);
      const ids = facts.map(({ id }) => Number(id));
      equal(
        ids,
        [...ids].sort((a, b) => a - b),
        'the order of the ids',
      );
      for (const { attempt, reason, at } of facts) {
        ok(Number.isInteger(attempt), `attempt ${String(attempt)}`);
        ok(reason === null || typeof reason === 'string', `reason ${String(reason)}`);
        matches(at, TIME, 'at');
      }
    },
  },
  {
    id: 'STO-02',
    title: 'a waiting run shows its place, its expected start and its reasons, null where they are not known',
    needs: ['idle architecture'],
    async run(it) {
      const run = await it.one(await it.submitOne());
      for (const key of ['position', 'ahead', 'estimated_start', 'reasons'])
        ok(key in run, `the run has no ${key}`);
      ok(Array.isArray(run.reasons) && run.reasons.length > 0, 'there is no reason');
      for (const key of ['position', 'ahead'])
        ok(run[key] === null || Number.isInteger(run[key]), `${key} ${String(run[key])}`);
      if (run.estimated_start !== null) matches(run.estimated_start, TIME, 'estimated_start');
    },
  },
  {
    id: 'STO-03',
    title: "the story of another user's private run is shown to no one else",
    needs: ['other key', 'idle architecture'],
    async run(it) {
      const runId = await it.submitOne({ is_private: true });
      const answer = await it.api(`/test/${runId}`, { key: it.otherKey });
      problem(answer, 404);
      ok(!answer.text.includes('facts'), 'the refusal has facts');
    },
  },
];
