import type { RunRequest } from '@proctor/contracts';
import { journalContract } from '../contract/journal.contract';
import { MemoryBooks } from './memory-books';

journalContract('MemoryBooks', async () => {
  const books = new MemoryBooks(() => 0);
  const submit = (request: RunRequest) => {
    const row = books.draw(request);
    row.committed = true;
    return row.runId;
  };
  return Promise.resolve({
    journal: books,
    submit: (requests) => Promise.resolve(requests.map(submit)),
    submitSlowly: (request) => {
      const row = books.draw(request);
      const commit = () => Promise.resolve(void (row.committed = true));
      return Promise.resolve({ runId: row.runId, commit });
    },
    takeOver: async (arch) => {
      await books.release(arch, 's1');
      return (await books.claim(arch, 's1', 1000))?.epoch ?? 0;
    },
    cancel: (runId, userName) => Promise.resolve(void books.cancel(runId, userName)),
    reprioritise: (...change) => Promise.resolve(books.reprioritise(...change)),
    publish: (runId) => Promise.resolve(void books.publish(runId, 'ada')),
    pause: (scope, reason) => Promise.resolve(books.decisions.pause(scope, 'ada', reason)),
    resume: (scope) => Promise.resolve(books.decisions.resume(scope)),
    drain: (worker, reason) => Promise.resolve(books.decisions.drain(worker, 'ada', reason)),
    undrain: (worker) => Promise.resolve(books.decisions.undrain(worker)),
    addWorker: (worker, architectures, mayRunPrivate) =>
      Promise.resolve(books.register.add(worker, architectures, mayRunPrivate)),
    revokeWorker: (worker, reason) => Promise.resolve(void books.register.revoke(worker, 'ada', reason)),
    trust: (worker, reason) => Promise.resolve(void books.trust(worker, 'ada', reason)),
    story: (runId) => Promise.resolve(books.facts.ofRun(runId)),
    listUnpublished: (arch, limit) => Promise.resolve(books.facts.listUnpublished(arch, limit)),
    markPublished: (facts) => Promise.resolve(books.facts.markPublished(facts)),
    look: (runId) => {
      const { state, attempt, worker, outcome } = books.look(runId) ?? fail(`no run ${runId}`);
      const { verdict = null, message = null, exitCode = null, durationSeconds = null } = outcome ?? {};
      const tests = outcome?.tests ?? [];
      const version = outcome ? (outcome.version ?? 'n/a') : null;
      return Promise.resolve({
        state,
        attempt,
        worker,
        verdict,
        message,
        version,
        exitCode,
        durationSeconds,
        tests,
      });
    },
    close: () => Promise.resolve(),
  });
});

function fail(reason: string): never {
  throw new Error(reason);
}
