import { Forms } from './forms';
import type { RefusedForm } from './forms';

const refusal = (change: Partial<RefusedForm> = {}): RefusedForm => ({
  action: '/things',
  values: new Map<string, unknown>([
    ['name', '<a b>'],
    ['password', 'secret words'],
    ['suite[]', ['sid', 'gone']],
    ['size', '2'],
    ['mine', 'true'],
  ]),
  mistakes: new Map([['name', 'name must be a word']]),
  detail: 'name must be a word.',
  ...change,
});

it('a field has its label, its value and its attributes', () => {
  const form = new Forms('token', null).form('/things');
  expect(form.start().text).toContain('<input type="hidden" name="form_token" value="token">');
  const text = form.text('name', 'Name', {
    value: '"x"',
    hint: 'A word.',
    required: true,
    maxlength: 9,
  }).text;
  expect(text).toBe(`<p>
<label for="name">Name</label>
<input id="name" name="name" aria-describedby="name-hint" value="&quot;x&quot;" required maxlength="9">
<span class="hint" id="name-hint">A word.</span>
</p>`);
  expect(form.select('size', 'Size', ['1', ['2', 'two']], { value: '2' }).text).toContain(
    '<option value="2" selected>two</option>',
  );
});

it('a refused form has what was sent, but no password, and the mistake is beside its field, which has the focus', () => {
  const forms = new Forms('token', refusal());
  const form = forms.form('/things');
  const name = form.text('name', 'Name').text;
  expect(name).toContain('aria-describedby="name-mistake" aria-invalid="true" autofocus value="&lt;a b&gt;"');
  expect(name).toContain('<span class="mistake" id="name-mistake">Must be a word.</span>');
  expect(form.text('password', 'Password', { type: 'password' }).text).not.toContain('secret');
  expect(form.select('size', 'Size', ['1', '2']).text).toContain('<option value="2" selected>');
  expect(form.box('mine', 'Mine').text).toContain('checked');
  expect(form.box('other', 'Other', { isTicked: true }).text).not.toContain('checked');
  expect(forms.notice).toBe('Nothing was changed. Please correct the marked fields.');
});

it('boxes keep what was ticked, also a choice that is offered no longer', () => {
  const boxes = new Forms(null, refusal()).form('/things').boxes('suite', 'Suites', ['sid', 'trixie']).text;
  expect(boxes).toContain('name="suite[]" value="sid" checked');
  expect(boxes).toContain('name="suite[]" value="trixie">');
  expect(boxes).toContain('name="suite[]" value="gone" checked');
});

it('only the form that was sent is changed, and the page names a mistake that no field shows', () => {
  const forms = new Forms(null, refusal());
  const other = forms.form('/others', { start: 'other' });
  expect(other.isRefused).toBe(false);
  expect(other.text('name', 'Name', { value: 'mine' }).text).toContain(
    'id="other-name" name="name" value="mine"',
  );
  expect(forms.notice).toBe('Nothing was changed. name must be a word.');
  expect(forms.form('/others', { others: ['/things'] }).isRefused).toBe(true);
  expect(new Forms(null, null).notice).toBeNull();
});

it('a mistake without a place belongs to the field whose name it begins with', () => {
  const detail = 'url is missing: it holds an address.';
  const forms = new Forms(null, refusal({ mistakes: new Map(), detail }));
  expect(forms.form('/things').text('url', 'Address').text).toContain(
    '>Is missing: it holds an address.</span>',
  );
  expect(forms.notice).toBe('Nothing was changed. Please correct the marked fields.');
});
