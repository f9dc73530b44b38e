import { wellFormed } from '@proctor/contracts';
import { Problem, badRequestAt } from './problem';
import type { SlicedWork } from './slices';
import { checkUtf8 } from './utf8';

/** Far more than a request for 20,000 runs with all fields of each item. */
export const JSON_VALUES_MAX = 2_000_000;
/** No value of the interface is deeper than five. */
export const JSON_DEPTH_MAX = 64;
/**
 * The maximum number of different names in a text. An item has fewer than twenty, and a new name costs the parser
 * much more than a known one.
 */
export const JSON_NAMES_MAX = 1_000;
/**
 * The maximum size of a string, a number or white space, in bytes of the text. The longest text of a request has a
 * tenth of it.
 */
export const JSON_TOKEN_BYTES_MAX = 1024 * 1024;

/** Bytes that are parsed at a time, and bytes between two pauses. */
const PIECE_BYTES = 32 * 1024;
const REST_BYTES = 16 * 1024;
/** A name, its value and the piece before them: longer text without a comma is not JSON. */
const UNPARSED_BYTES_MAX = 2 * JSON_TOKEN_BYTES_MAX + 2 * PIECE_BYTES;

const sign = (text: string): number => text.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON] = [sign('"'), sign('\\'), sign(','), sign(':')];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [sign('['), sign(']'), sign('{'), sign('}')];
const WHITE = new Set([' ', '\t', '\n', '\r'].map(sign));
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** An open list or object. */
interface Open {
  isList: boolean;
  /** The place after its bracket. */
  from: number;
  /** The place up to which its content is in `value`. */
  valueEnd: number;
  /** The members that were read; null if there are none: then it is parsed as part of its parent. */
  value: unknown[] | Record<string, unknown> | null;
  /** The token at `valueEnd`: a comma must follow a member that was read alone, and a member must follow a comma. */
  after: 'bracket' | 'comma' | 'member';
  /** Place of the last member name that was read between its brackets. */
  name: [from: number, to: number];
}

/**
 * Reads a JSON text of any length without blocking the event loop: it counts brackets before anything is parsed, and
 * parses long text in pieces, at commas. A text above a limit of depth, values, names or length is never parsed.
 * @param what the name of the text in the refusal, such as `The body`
 * @param pointer of the text in the body
 * @throws Problem 400 for a text that is not JSON, not UTF-8 or too deep; 413 for too many or too long values or
 * names
 */
export function* readJson(bytes: Buffer, what: string, pointer: string | null): SlicedWork<unknown> {
  yield* checkUtf8(bytes, what);
  const reader = new JsonReader(bytes, what, pointer);
  while (!reader.isDone) {
    reader.readMore();
    yield;
  }
  return reader.end();
}

class JsonReader {
  isDone = false;
  private place: number;
  private readonly start: number;
  private readonly seed = Math.floor(Math.random() * 2 ** 31);
  private readonly names = new Set<number>();
  private readonly open: Open[] = [];
  private values = 0;
  /** Place of the last string that was read. */
  private string: [from: number, to: number] = [0, 0];
  /** The first byte that was not parsed yet. */
  private unparsed: number;
  /** The place after the last structural character of JSON: a number, a word or white space follows. */
  private token: number;
  private root: { value: unknown } | null = null;
  private rootEnd: number | null = null;

  constructor(
    private readonly bytes: Buffer,
    private readonly what: string,
    private readonly pointer: string | null,
  ) {
    const hasMark = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    this.start = this.place = this.unparsed = this.token = hasMark ? BYTE_ORDER_MARK.length : 0;
  }

  /** Reads one more piece of the text. */
  readMore(): void {
    const { bytes } = this;
    const until = Math.min(bytes.length, this.place + REST_BYTES);
    while (this.place < until) {
      const byte = bytes[this.place]!;
      if (byte === QUOTE) this.readString();
      else if (byte === COMMA) this.comma();
      else if (byte === COLON) this.colon();
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.openBracket(byte === OPEN_LIST);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.closeBracket(byte === CLOSE_LIST);
      this.place += 1;
    }
    if (this.place - this.token > JSON_TOKEN_BYTES_MAX) throw this.tooLong();
    if (this.place - this.unparsed > UNPARSED_BYTES_MAX) throw this.syntaxError(this.unparsed);
    this.isDone = this.place >= bytes.length;
  }

  /** Returns the value of the whole text. */
  end(): unknown {
    if (this.root === null) return this.parsePart(this.start, this.bytes.length);
    const [end, length] = [this.rootEnd!, this.bytes.length];
    if (!this.isWhite(end, length)) throw this.syntaxError(end);
    return this.root.value;
  }

  private readString(): void {
    const { bytes } = this;
    const from = this.place + 1;
    const most = Math.min(bytes.length, from + JSON_TOKEN_BYTES_MAX + 1);
    let at = from;
    for (; at < most && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
    if (at - from > JSON_TOKEN_BYTES_MAX) throw this.tooLong();
    this.string = [from, at];
    this.place = at;
    this.token = at + 1;
  }

  private colon(): void {
    const [from, to] = this.string;
    let hash = this.seed;
    for (let at = from; at < to; at += 1)
      hash = Math.imul(hash ^ this.bytes[at]!, 0x01000193) ^ (hash >>> 15);
    this.names.add(hash);
    if (this.names.size > JSON_NAMES_MAX)
      throw new Problem(413, `${this.what} has more than ${JSON_NAMES_MAX} different names.`);
    const last = this.open.at(-1);
    if (last) last.name = this.string;
    // Otherwise each further colon would count the same long name.
    this.string = [0, 0];
    this.token = this.place + 1;
  }

  private comma(): void {
    this.count();
    const last = this.open.at(-1);
    if (!last) return;
    if (last.after === 'member') {
      if (!this.isWhite(last.valueEnd, this.place)) throw this.syntaxError(last.valueEnd);
      [last.valueEnd, last.after] = [this.place + 1, 'comma'];
    } else if (this.place - this.unparsed >= PIECE_BYTES) {
      this.materialise();
      this.readMembers(last, this.place);
      [last.valueEnd, last.after] = [this.place + 1, 'comma'];
    }
    if (last.valueEnd === this.place + 1) this.unparsed = this.place + 1;
  }

  private openBracket(isList: boolean): void {
    this.count();
    const from = this.place + 1;
    this.open.push({ isList, from, valueEnd: from, value: null, after: 'bracket', name: [0, 0] });
    if (this.open.length > JSON_DEPTH_MAX)
      throw badRequestAt(`${this.what} is nested more than ${JSON_DEPTH_MAX} deep.`, this.pointer);
    if (this.place - this.unparsed < PIECE_BYTES) return;
    this.materialise();
    this.unparsed = from;
  }

  private closeBracket(isList: boolean): void {
    const last = this.open.at(-1);
    if (last?.isList !== isList) throw this.syntaxError(this.place);
    this.token = this.place + 1;
    if (last.value === null && this.place - this.unparsed >= PIECE_BYTES) this.materialise();
    this.open.pop();
    if (last.value === null) return;
    if (last.after === 'member') {
      if (!this.isWhite(last.valueEnd, this.place)) throw this.syntaxError(last.valueEnd);
    } else if (last.after === 'comma' || !this.isWhite(last.valueEnd, this.place)) {
      this.readMembers(last, this.place);
    }
    this.unparsed = this.place + 1;
    const parent = this.open.at(-1);
    if (parent) this.addMember(parent, last.value);
    else [this.root, this.rootEnd] = [{ value: last.value }, this.place + 1];
  }

  private count(): void {
    this.token = this.place + 1;
    this.values += 1;
    if (this.root !== null) throw this.syntaxError(this.place);
    if (this.values > JSON_VALUES_MAX)
      throw new Problem(413, `${this.what} has more than ${JSON_VALUES_MAX} values.`);
  }

  /** Creates a value for each open list and object, with the members that were read. */
  private materialise(): void {
    const [root] = this.open;
    if (root?.value === null && !this.isWhite(this.start, root.from - 1)) throw this.syntaxError(this.start);
    for (const [depth, each] of this.open.entries()) {
      each.value ??= each.isList ? [] : {};
      const child = this.open[depth + 1];
      if (!child || child.value !== null) continue;
      if (each.after === 'member') throw this.syntaxError(each.valueEnd);
      // An empty list stands for the child: unlike a number, it cannot join a token before it.
      const members = this.members(each, each.valueEnd, child.from - 1, '[]');
      if (each.isList) (members as unknown[]).pop();
      this.add(each, members);
      each.valueEnd = child.from;
    }
  }

  /** Parses the text between the last read place and a given place. */
  private readMembers(into: Open, to: number): void {
    const members = this.members(into, into.valueEnd, to, '');
    if (Object.keys(members).length === 0) throw this.syntaxError(into.valueEnd);
    this.add(into, members);
  }

  private members({ isList }: Open, from: number, to: number, more: string): object {
    const text = this.bytes.toString('utf8', from, to) + more;
    return this.parse(isList ? `[${text}]` : `{${text}}`, from) as object;
  }

  private add({ isList, value }: Open, members: object): void {
    if (isList) for (const member of members as unknown[]) (value as unknown[]).push(member);
    else for (const [name, member] of Object.entries(members)) setOwn(value!, name, member);
  }

  /** Adds a member that was read alone. */
  private addMember(into: Open, member: unknown): void {
    if (into.isList) (into.value as unknown[]).push(member);
    else {
      const [from, to] = into.name;
      setOwn(into.value!, this.parsePart(from - 1, to + 1) as string, member);
    }
    [into.valueEnd, into.after] = [this.place + 1, 'member'];
  }

  private parsePart(from: number, to: number): unknown {
    return this.parse(this.bytes.toString('utf8', from, to), from);
  }

  private parse(text: string, from: number): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const where = this.isShort ? '' : ` behind byte ${from}`;
      const reason = wellFormed(error.message.slice(0, 200));
      throw badRequestAt(`${this.what} is not valid JSON${where}: ${reason}.`, this.pointer);
    }
  }

  private get isShort(): boolean {
    return this.bytes.length < PIECE_BYTES;
  }

  private isWhite(from: number, to: number): boolean {
    for (let at = from; at < to; at += 1) if (!WHITE.has(this.bytes[at]!)) return false;
    return true;
  }

  private syntaxError(at: number): Problem {
    // The parser of short texts gives a better message.
    if (this.isShort) this.parsePart(this.start, this.bytes.length);
    return badRequestAt(`${this.what} is not valid JSON at byte ${at}.`, this.pointer);
  }

  private tooLong(): Problem {
    return new Problem(413, `${this.what} has a text or number of more than ${JSON_TOKEN_BYTES_MAX} bytes.`);
  }
}

/** Any name of a client is only a name, even `__proto__`. */
function setOwn(object: object, name: string, value: unknown): void {
  if (name !== '__proto__') (object as Record<string, unknown>)[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
