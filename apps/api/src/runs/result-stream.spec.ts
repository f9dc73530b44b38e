import { resultList } from './result-stream';

it.each([[[]], [['1']], [['1,2', '3', '4,5']]])(
  'a list of results is one document of the pages %j',
  async (pages) => {
    const pieces: string[] = [];
    for await (const piece of resultList(17, pages)) pieces.push(piece);
    expect(JSON.parse(pieces.join(''))).toEqual({
      until: 17,
      results: pages.join(',').split(',').filter(Boolean).map(Number),
    });
  },
);

it('a list of results begins before it has seen a page, and reads only as far as it is read', async () => {
  let count = 0;
  let isClosed = false;
  function* pages() {
    try {
      for (;;) {
        count += 1;
        yield String(count);
      }
    } finally {
      isClosed = true;
    }
  }
  const list = resultList(1, pages());
  expect((await list.next()).value).toBe('{"until":1,"results":[');
  expect(count).toBe(0);
  await list.next();
  expect(count).toBe(1);
  await list.return(undefined);
  expect(isClosed).toBe(true);
});
