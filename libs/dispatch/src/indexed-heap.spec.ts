import * as fc from 'fast-check';
import { IndexedHeap } from './indexed-heap';

interface Item {
  id: number;
  rank: number;
}
const before = (a: Item, b: Item) => (a.rank === b.rank ? a.id < b.id : a.rank < b.rank);
const itemArbitrary = fc.record({ id: fc.nat(30), rank: fc.nat(10) });
const actions = fc.array(fc.oneof(itemArbitrary, fc.record({ remove: fc.nat(30) })), { maxLength: 200 });

it('an indexed heap behaves as a sorted list whatever is added, replaced and removed', () => {
  fc.assert(
    fc.property(actions, (sequence) => {
      const heap = new IndexedHeap<Item>((item) => item.id, before);
      const model = new Map<number, Item>();
      for (const action of sequence) {
        if ('remove' in action) {
          expect(heap.remove(action.remove)).toEqual(model.get(action.remove));
          model.delete(action.remove);
        } else {
          heap.add(action);
          model.set(action.id, action);
        }
        expect(heap.size).toBe(model.size);
        expect(heap.head()).toEqual(sorted(model)[0]);
      }
      expect(new Set(heap)).toEqual(new Set(model.values()));
      expect(drain(heap)).toEqual(sorted(model));
    }),
  );
});

function sorted(model: Map<number, Item>): Item[] {
  return [...model.values()].sort((a, b) => (before(a, b) ? -1 : 1));
}

function drain(heap: IndexedHeap<Item>): Item[] {
  const items: Item[] = [];
  for (let head = heap.head(); head; head = heap.head()) items.push(heap.remove(head.id) as Item);
  return items;
}
