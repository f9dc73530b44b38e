import { Link } from './link';

export type ServerName = 'postgres' | 'nats';

/** The way of each part of the deployment to each server, which a fault can hold, swallow or slow down. */
export class Links {
  /** The later one where two parts have one name. */
  private readonly byName = new Map<string, Link>();
  private readonly all: Link[] = [];

  /** The address at which the part reaches the server. */
  async to(server: ServerName, part: string, url: string): Promise<string> {
    const { link, url: through } = await Link.to(url);
    this.byName.set(`${part} ${server}`, link);
    this.all.push(link);
    return through;
  }

  of(server: ServerName, part: string): Link {
    const link = this.byName.get(`${part} ${server}`);
    if (!link) throw new Error(`${part} has no link to ${server}`);
    return link;
  }

  async close(): Promise<void> {
    for (const link of this.all) link.release();
    await Promise.all(this.all.map((link) => link.close()));
  }
}
