import { Link } from './link';

export type ServerName = 'postgres' | 'nats';

/** The way of each part of the deployment to each server, which a fault can hold, swallow or slow down. */
export class Links {
  private readonly links = new Map<string, Link>();

  /** The address at which the part reaches the server. */
  async to(server: ServerName, part: string, url: string): Promise<string> {
    const { link, url: through } = await Link.to(url);
    this.links.set(`${part} ${server}`, link);
    return through;
  }

  of(server: ServerName, part: string): Link {
    const link = this.links.get(`${part} ${server}`);
    if (!link) throw new Error(`${part} has no link to ${server}`);
    return link;
  }

  async close(): Promise<void> {
    const links = [...this.links.values()];
    for (const link of links) link.release();
    await Promise.all(links.map((link) => link.close()));
  }
}
