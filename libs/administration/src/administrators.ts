import { Injectable } from '@nestjs/common';
import { UnknownUser, Users } from '@proctor/database';
import { Refusal } from './refusal';

/** Who decides: an administrator. The name is shown with the decision. */
export interface Administrator {
  userId: number;
  userName: string;
}

/** The users who may decide about queues, workers and the runs of others. */
@Injectable()
export class Administrators {
  constructor(private readonly users: Users) {}

  /** @throws UnknownUser, Refusal (forbidden) when the user is no administrator, DatabaseUnavailable */
  async named(name: string): Promise<Administrator> {
    const user = await this.users.find(name);
    if (!user) throw new UnknownUser(name);
    if (!user.isAdmin) throw new Refusal('forbidden', `${name} is no administrator`);
    return { userId: user.userId, userName: user.name };
  }
}
