import type { Weather } from './plan';
import type { ProcessBus } from './process-bus';
import { ProcessCalamities } from './process-calamities';
import type { Processes, World } from './processes';
import { ServerCalamities } from './server-calamities';

const COUNT = 10;
const COUNT_OF_SET_BACKS = 3;

/** What becomes of processes, machines and servers while everything goes wrong; each ends by itself. */
export class Calamities {
  private readonly ofProcesses: ProcessCalamities;
  private readonly ofServers: ServerCalamities;

  /**
   * @param api the api's connection, which is lost with all others
   */
  constructor(
    private readonly world: World,
    private readonly processes: Processes,
    api: ProcessBus,
  ) {
    this.ofProcesses = new ProcessCalamities(world, processes);
    this.ofServers = new ServerCalamities(world, processes, api);
  }

  /** Draws the calamities of one seed. In calm weather they hit only schedulers; in chaos one worker is always cut off. */
  draw(weather: Weather): (() => void)[] {
    const { ofProcesses, ofServers } = this;
    if (weather === 'set back')
      return Array.from({ length: COUNT_OF_SET_BACKS }, () => () => ofServers.lowerEpochs());
    const all = weather === 'calm' ? ofProcesses.ofSchedulers : [...ofProcesses.all, ...ofServers.all];
    const picks = Array.from({ length: COUNT }, () => this.world.database.random.pick(all));
    return weather === 'calm' ? picks : [() => ofProcesses.cutWorkerOff(), ...picks];
  }

  /** Everything works again. */
  end(): void {
    this.world.database.faults.end();
    this.ofServers.end();
    this.processes.thaw();
    this.processes.repair();
  }
}
