import { must, Strict } from '@proctor/contracts';
import { IsOptional, IsString } from 'class-validator';
import { apiConfiguration } from '@test/support/api-configuration';
import { refusalOf } from '@test/support/refusal';
import { jsonParameters, textParameters } from './parameters';
import type { Parameters } from './parameters';
import { ParametersPipe } from './parameters.pipe';
import { From, keysOf } from './shape';

class Base {
  @IsOptional()
  @IsString(must('be a string'))
  first?: string;
}

class Loose extends Base {
  @From({ text: 'json', alias: 'other_name' })
  @IsOptional()
  'other-name'?: unknown;

  @From({ text: 'boolean' })
  flag?: boolean;

  @From({ missing: 'it is needed' })
  needed: string;
}

@Strict()
class Exact extends Base {
  @IsString(must('be a string'))
  second: string;
}

class Derived extends Exact {}

const pipe = new ParametersPipe(apiConfiguration());
const shapeFrom = (metatype: new () => object, parameters: Parameters) =>
  pipe.transform(parameters, { type: 'custom', metatype });
const form = (...fields: [string, string][]) => textParameters(fields, (name) => `#/${name}`);

it('the keys come from the class, inherited ones first', () => {
  expect([...keysOf(Loose)]).toEqual(['first', 'other-name', 'flag', 'needed']);
  expect([...keysOf(Derived)]).toEqual(['first', 'second']);
});

it('texts of forms are read as what the class says, and values of JSON as they are', () => {
  expect(
    shapeFrom(Loose, form(['needed', '[1]'], ['other_name', '[1]'], ['flag', 'true'], ['x', ''])),
  ).toEqual({
    needed: '[1]',
    'other-name': [1],
    flag: true,
  });
  expect(shapeFrom(Loose, jsonParameters({ needed: 1, 'other-name': '[1]', flag: 'true' }))).toEqual({
    needed: 1,
    'other-name': '[1]',
    flag: 'true',
  });
  expect(shapeFrom(Loose, form(['needed', 'x']))).toBeInstanceOf(Loose);
});

it('two spellings of one field are refused, and so is text that is no JSON', () => {
  const twice = refusalOf(() => shapeFrom(Loose, form(['other-name', '1'], ['other_name', '1'])));
  expect(twice.errors).toEqual([{ pointer: '#/other_name', detail: 'other_name is given more than once.' }]);
  expect(refusalOf(() => shapeFrom(Loose, form(['other_name', '[']))).errors[0]?.pointer).toBe(
    '#/other_name',
  );
});

it('the first fault of a class is reported', () => {
  expect(refusalOf(() => shapeFrom(Loose, jsonParameters({ first: 1 }))).detail).toBe(
    'needed is missing: it is needed.',
  );
  const fault = refusalOf(() => shapeFrom(Loose, jsonParameters({ first: 1, needed: 1 })));
  expect(fault.errors).toEqual([{ pointer: '#/first', detail: 'first must be a string, not 1.' }]);
});

it('all faults of a strict class are reported; null counts as left out, and what is no field is refused', () => {
  expect(shapeFrom(Derived, jsonParameters({ first: null, second: 'x' }))).toEqual({ second: 'x' });
  const problem = refusalOf(() => shapeFrom(Derived, jsonParameters({ first: 1, second: null })));
  expect(problem.detail).toBe('first must be a string, not 1; second must be a string, and is missing.');
  expect(problem.errors).toHaveLength(2);
  const unknown = refusalOf(() => shapeFrom(Derived, jsonParameters({ frist: 1, second: 1 })));
  expect(unknown.errors).toEqual([
    { pointer: '#/frist', detail: 'The parameter "frist" is unknown; there is first, second.' },
  ]);
});

it('the name of a prototype’s member is an ordinary name', () => {
  const parameters = jsonParameters(JSON.parse('{"__proto__": {"first": 1}, "needed": "x"}'));
  expect(shapeFrom(Loose, parameters)).toEqual({ needed: 'x' });
});
