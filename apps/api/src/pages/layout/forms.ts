import { markup } from './html';
import type { Html, MarkupPart } from './html';

/** A form that was refused, as the user has filled it in. */
export interface RefusedForm {
  /** The path to which it was sent. */
  action: string;
  /** The values by the names of their fields. A field that was sent several times has a list. */
  values: ReadonlyMap<string, unknown>;
  /** The mistakes in fields: sentences that may begin with the name of the field. */
  mistakes: ReadonlyMap<string, string>;
  /** All that is wrong, in one sentence. */
  detail: string;
  /** What the refusal means, as a sentence; by default that nothing was changed. */
  refusal?: string | undefined;
}

/** The attributes of an input. True writes the name alone; false and undefined write nothing. */
type Attributes = Record<string, string | number | boolean | undefined>;

interface FieldOptions extends Attributes {
  /** The value of a form that was not refused. */
  value?: string;
  /** More about the field, below it. */
  hint?: string | undefined;
}

/** What a user may choose: a name, or a value with its name. */
type Choice = string | [value: string, name: string];

/** All forms of a page. At most one of them was refused. */
export class Forms {
  private readonly shownFields = new Set<string>();

  constructor(
    private readonly token: string | null,
    private readonly refusedForm: RefusedForm | null,
  ) {}

  /**
   * The fields of the form with this action.
   * @param start before the id of each field: for pages on which two forms have a field of the same name
   * @param others other addresses to which buttons of the form send it
   */
  form(action: string, { start = '', others = [] }: { start?: string; others?: string[] } = {}): FormFields {
    const isRefused = this.refusedForm !== null && [action, ...others].includes(this.refusedForm.action);
    return new FormFields(action, start, this.token, isRefused ? this.refusedForm : null, this.shownFields);
  }

  /** What the page has to say before its content: the mistakes that are at no field, or that there are some. */
  get notice(): string | null {
    if (this.refusedForm === null) return null;
    const isComplete =
      this.shownFields.size > 0 &&
      [...this.refusedForm.mistakes.keys()].every((name) => this.shownFields.has(name));
    const { refusal = 'Nothing was changed.' } = this.refusedForm;
    return `${refusal} ${isComplete ? 'Please correct the marked fields.' : this.refusedForm.detail}`;
  }
}

/** Writes the fields of a form. After a refusal they have the values that were sent, and the mistakes. */
class FormFields {
  constructor(
    private readonly action: string,
    private readonly idStart: string,
    private readonly token: string | null,
    private readonly refusedForm: RefusedForm | null,
    private readonly shownFields: Set<string>,
  ) {}

  /** Whether this form was sent and refused. */
  get isRefused(): boolean {
    return this.refusedForm !== null;
  }

  /** The beginning of the form, with its token. */
  start(className = 'fields'): Html {
    return markup`<form method="post" action="${this.action}" class="${className}">
<input type="hidden" name="form_token" value="${this.token}">`;
  }

  /** A field of one line. A password and a file are never written back. */
  text(name: string, label: MarkupPart, { value = '', hint, ...attributes }: FieldOptions = {}): Html {
    const isKept = attributes['type'] !== 'password' && attributes['type'] !== 'file';
    const own = isKept ? this.valueOf(name, value) : '';
    const shownValue = own === '' ? null : markup` value="${own}"`;
    const input = (shared: Html) => markup`<input${shared}${shownValue}${attributesOf(attributes)}>`;
    return this.field(name, label, { hint, ...attributes }, input);
  }

  /** A field of several lines. */
  area(name: string, label: MarkupPart, { value = '', hint, ...attributes }: FieldOptions = {}): Html {
    const own = this.valueOf(name, value);
    const input = (shared: Html) => markup`<textarea${shared}${attributesOf(attributes)}>${own}</textarea>`;
    return this.field(name, label, { hint, ...attributes }, input);
  }

  /** A list from which one value is chosen. */
  select(name: string, label: MarkupPart, choices: Choice[], { value = '', hint }: FieldOptions = {}): Html {
    const own = this.valueOf(name, value);
    const options = choices
      .map(pairOf)
      .map(
        ([each, text]) =>
          markup`<option value="${each}"${each === own ? markup` selected` : null}>${text}</option>\n`,
      );
    return this.field(name, label, { hint }, (shared) => markup`<select${shared}>\n${options}</select>`);
  }

  /** Boxes with the same name. The user may tick any number. */
  boxes(
    name: string,
    label: MarkupPart,
    choices: Choice[],
    { ticked = [], hint }: { ticked?: string[]; hint?: string } = {},
  ): Html {
    const inputName = `${name}[]`;
    const own = this.refusedForm ? [this.refusedForm.values.get(inputName) ?? []].flat().map(String) : ticked;
    // What was chosen before can be chosen again, even where it is offered no longer.
    const pairs = choices.map(pairOf);
    const all = [...pairs, ...own.filter((each) => pairs.every(([value]) => value !== each)).map(pairOf)];
    const mistake = this.mistakeOf(name);
    const boxes = all.map(
      ([value, text], place) =>
        markup`<label class="choice"><input type="checkbox" name="${inputName}" value="${value}"${
          own.includes(value) ? markup` checked` : null
        }${place === 0 ? this.describedBy(name, hint, mistake) : null}> ${text}</label>\n`,
    );
    return markup`<fieldset>
<legend>${label}</legend>
${boxes}${this.below(name, hint, mistake)}</fieldset>`;
  }

  /** One box. */
  box(name: string, label: MarkupPart, { isTicked = false }: { isTicked?: boolean } = {}): Html {
    const own = this.refusedForm ? this.refusedForm.values.get(name) === 'true' : isTicked;
    const mistake = this.mistakeOf(name);
    return markup`<p><label class="choice"><input type="checkbox" name="${name}" value="true"${
      own ? markup` checked` : null
    }${this.describedBy(name, undefined, mistake)}> ${label}</label>${this.below(name, undefined, mistake)}</p>`;
  }

  private field(
    name: string,
    label: MarkupPart,
    { hint, ...attributes }: FieldOptions,
    input: (shared: Html) => Html,
  ): Html {
    const id = this.idOf(name);
    const mistake = this.mistakeOf(name);
    const shared = markup` id="${id}" name="${name}"${this.describedBy(name, hint, mistake)}`;
    // The list of suggestions lies below its field.
    const isSuggested = attributes['data-suggest'] !== undefined;
    return markup`<p${isSuggested ? markup` class="suggested"` : null}>
<label for="${id}">${label}</label>
${input(shared)}
${this.below(name, hint, mistake)}</p>`;
  }

  private valueOf(name: string, value: string): string {
    if (!this.refusedForm) return value;
    const own = this.refusedForm.values.get(name);
    return typeof own === 'string' ? own : '';
  }

  private idOf(name: string): string {
    return this.idStart === '' ? name : `${this.idStart}-${name}`;
  }

  /** The mistake in a field as a sentence of its own; the page then has shown it. */
  private mistakeOf(name: string): { text: string; isFirst: boolean } | null {
    if (!this.refusedForm) return null;
    const { mistakes, detail } = this.refusedForm;
    const text = mistakes.get(name) ?? (mistakes.size === 0 && detail.startsWith(`${name} `) ? detail : null);
    if (text === null) return null;
    const isFirst = this.shownFields.size === 0;
    this.shownFields.add(name);
    const rest = text.startsWith(`${name} `) ? text.slice(name.length + 1) : text;
    return { text: `${rest.charAt(0).toUpperCase()}${rest.slice(1).replace(/\.$/, '')}.`, isFirst };
  }

  /** The first field with a mistake gets the focus. */
  private describedBy(name: string, hint: string | undefined, mistake: { isFirst: boolean } | null): Html {
    const id = this.idOf(name);
    const ids = [mistake && `${id}-mistake`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ');
    const described = ids === '' ? null : markup` aria-describedby="${ids}"`;
    const invalid = mistake && markup` aria-invalid="true"${mistake.isFirst ? markup` autofocus` : null}`;
    return markup`${described}${invalid}`;
  }

  private below(name: string, hint: string | undefined, mistake: { text: string } | null): Html {
    const id = this.idOf(name);
    return markup`${mistake && markup`<span class="mistake" id="${id}-mistake">${mistake.text}</span>\n`}${
      hint === undefined ? null : markup`<span class="hint" id="${id}-hint">${hint}</span>\n`
    }`;
  }
}

function pairOf(choice: Choice): [value: string, name: string] {
  return typeof choice === 'string' ? [choice, choice] : choice;
}

function attributesOf(attributes: Attributes): Html[] {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => (value === true ? markup` ${name}` : markup` ${name}="${String(value)}"`));
}
