export { AppProcess, stopLeftOverApp } from './app-process';
export { forbidCoreDumps, lastLines, runCommand } from './command';
export {
  ACCEPTANCE_PACKAGES,
  BACKEND_PACKAGES,
  WORKER_PACKAGES,
  installDebianPackages,
  type PackagesOutcome,
} from './debian-packages';
export { changeAccounts } from './change-accounts';
export { EmbeddedNats } from './embedded-nats';
export { EmbeddedPostgres } from './embedded-postgres';
export { findFreePort, isPortTaken } from './free-port';
export { Home } from './home';
export { HomeInUse, HomeLock } from './home-lock';
export { mendMode, replaceFile } from './owned-files';
export { NATS_RELEASE, NatsServerMissing, findNatsServer } from './nats-binary';
export { isAtLeast, SAFE_NATS } from './nats-version';
export { requireProcessRoom } from './process-room';
export { runAppForAnswer, runApp } from './run-app';
export { describeEnding, type Ending, type SupervisedProcess } from './supervised';
export { Supervisor } from './supervisor';
export { unpackDebianPackage, unpackFromRelease } from './unpacked-packages';
