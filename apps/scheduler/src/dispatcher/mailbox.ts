import type { MessageKind, MessageOf, Replies } from '@proctor/dispatch';

/** The dispatcher has more to do than it takes in; asking again later helps. */
export class MailboxFull extends Error {
  constructor(lengthMax: number) {
    super(`the dispatcher's mailbox is full (${lengthMax} messages)`);
  }
}

/** A message with the one who waits for its reply. */
export interface Letter<K extends MessageKind = MessageKind> {
  message: MessageOf<K>;
  resolve(reply: Replies[K]): void;
  reject(error: Error): void;
}

/** The bounded inbox of a dispatcher. */
export class Mailbox {
  private letters: Letter[] = [];

  /** @param onMail is called after each letter that comes in */
  constructor(
    public lengthMax: number,
    private readonly onMail: () => void,
  ) {}

  get length(): number {
    return this.letters.length;
  }

  /** Resolves with the reply once the turn that handled the message is committed; rejects with MailboxFull at once. */
  offer<K extends MessageKind>(message: MessageOf<K>): Promise<Replies[K]> {
    if (this.letters.length >= this.lengthMax) return Promise.reject(new MailboxFull(this.lengthMax));
    return new Promise((resolve, reject) => {
      const letter: Letter<K> = { message, resolve, reject };
      this.letters.push(letter as unknown as Letter);
      this.onMail();
    });
  }

  /** The oldest letters, at most `max`. */
  take(max: number): Letter[] {
    if (this.letters.length > max) return this.letters.splice(0, max);
    const all = this.letters;
    this.letters = [];
    return all;
  }

  rejectAll(error: Error): void {
    for (const letter of this.take(Infinity)) letter.reject(error);
  }
}
