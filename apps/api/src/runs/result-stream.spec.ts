import { finishedRunRecord } from '../../../../test/support/run-record';
import { resultList } from './result-stream';

describe('resultList', () => {
  it.each([0, 1, 2, 500])('writes a document of %d results', async (count) => {
    const rows = Array.from({ length: count }, (_none, index) => finishedRunRecord({ runId: index + 1 }));
    const pieces: string[] = [];
    for await (const piece of resultList(17, rows, 'pass')) pieces.push(piece);
    const document = JSON.parse(pieces.join('')) as { until: number; results: { run_id: number }[] };
    expect(document.until).toBe(17);
    expect(document.results.map((result) => result.run_id)).toEqual(rows.map((row) => row.runId));
  });

  it('begins before it has seen a row, and reads only as far as it is read', async () => {
    let taken = 0;
    let isClosed = false;
    function* rows() {
      try {
        for (let runId = 1; ; runId += 1) {
          taken = runId;
          yield finishedRunRecord({ runId });
        }
      } finally {
        isClosed = true;
      }
    }
    const list = resultList(1, rows(), 'pass');
    expect((await list.next()).value).toBe('{"until":1,"results":[');
    expect(taken).toBe(0);
    await list.next();
    expect(taken).toBeLessThan(500);
    await list.return(undefined);
    expect(isClosed).toBe(true);
  });
});
